#if os(Linux)
  import CAPIKit

  /// An address to connect to in place of a URL's host, as `CURLOPT_CONNECT_TO` reads it.
  ///
  /// The host name and its verification stay those of the URL, which a URL by address would not keep. libcurl reads the
  /// list and keeps a pointer to it: it is shared by all handles that connect there, each of which holds this object as
  /// long as the option is set. Used on the loop's thread only.
  final class CurlConnectTo {
    let list: UnsafeMutablePointer<curl_slist>

    /// - Parameters:
    ///   - target: An address with or without a port: `127.0.0.1:80`, `::1`, `[::1]:80`.
    ///   - url: Where the port comes from when the target has none.
    init(_ target: String, _ url: HTTPURL) throws(APIError) {
      guard let list = curl_slist_append(nil, try Self.text(target, url)) else {
        throw APIError(.transport, .transportFailed, "libcurl gave no list; is there memory left?")
      }
      self.list = list
    }

    deinit { curl_slist_free_all(list) }

    /// `::address:port`, which is for every host and port.
    static func text(_ target: String, _ url: HTTPURL) throws(APIError) -> String {
      let (address, port) = URLHost.split(target)
      let number = port.map { Int($0) } ?? url.effectivePort
      guard !address.isEmpty, let number, (1...65535).contains(number) else {
        throw APIError(
          .transport, .misconfigured,
          "connectTo is an address with an optional port, not \(target.debugDescription)")
      }
      return "::\(address.contains(":") ? "[\(address)]" : address):\(port ?? "\(number)")"
    }
  }

  extension CurlOptions {
    /// Sets where to connect to; the caller keeps it as long as it is set.
    func set(_ connectTo: CurlConnectTo?) throws(APIError) {
      try set(CURLOPT_CONNECT_TO, pointer: connectTo.map { UnsafeMutableRawPointer($0.list) })
    }
  }
#endif
