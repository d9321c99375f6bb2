#if os(Linux)
  import CAPIKit
  import Foundation

  /// FTP as a transport for HTTP requests: GET reads a file or lists a folder, HEAD asks for size and time,
  /// PUT writes. Header fields have no meaning in FTP and are not sent.
  enum CurlFTP {
    /// Whether a URL is FTP's.
    static func serves(_ url: HTTPURL) -> Bool { url.scheme == "ftp" || url.scheme == "ftps" }

    /// Throws ``APIError/Reason/unsupportedCapability`` for what FTP cannot do.
    static func check(_ request: HTTPRequest, _ tls: TLSPolicy) throws(APIError) {
      let scheme = request.url.scheme
      switch (request.method, request.body) {
      case (.get, .empty), (.head, .empty), (.put, _): break
      case (.get, _), (.head, _): throw missing("a body in a \(request.method) of an \(scheme): URL")
      default:
        throw missing(
          "\(request.method) of an \(scheme): URL, which is read with GET and HEAD, written with PUT")
      }
      if request.options.compressesBody { throw missing("a compressed body in a PUT of an \(scheme): URL") }
      if request.options.expectsContinue {
        throw missing("asking before a body is sent (expectsContinue) to an \(scheme): URL")
      }
      if request.headers.contains("Range") { throw missing("a part of a file of an \(scheme): URL (Range)") }
      if scheme == "ftps", request.method == .put, tls.minimumVersion > .tls1_2 {
        throw missing("a PUT of an ftps: URL under TLS 1.3; allow TLS 1.2")
      }
      // Pins can be checked on the connection for commands only: libcurl does not give access to the one
      // for data.
      if scheme == "ftps", tls.pinning.pins?.entry(for: request.url.host, at: Date()) != nil {
        throw missing("pins of a host of an ftps: URL, whose data connections cannot be pinned")
      }
    }

    private static func missing(_ what: String) -> APIError {
      APIError(.transport, .unsupportedCapability, "libcurl's FTP does not support \(what)")
    }
  }

  extension CurlHandle {
    /// Sets what differs from HTTP.
    func applyFTP(_ request: HTTPRequest) throws(APIError) {
      guard !transfer.isHTTP else { return }
      // Without it, libcurl sends the data unencrypted to a server that refuses to protect the data
      // connection.
      if transfer.isTLS { try set(CURLOPT_USE_SSL, capikit_curl_use_ssl_all) }
      // In TLS 1.3 the server's session tickets may arrive when libcurl has closed the data connection. The
      // system then resets the connection, and the rest of the file is lost although the server reports
      // success.
      if transfer.isTLS, request.method == .put {
        try session.tls.applyVersion(to: self, upTo: capikit_curl_newest_tls_1_2)
      }
      // Makes libcurl ask for the time of the file.
      try set(CURLOPT_FILETIME, request.method == .head ? 1 : 0)
      applied.needsReset = true
    }

    /// The fields that libcurl derives from the replies to a HEAD.
    private static let ftpFields: [StaticString] = ["content-length:", "last-modified:", "accept-ranges:"]

    /// Whether the file is requested from an HTTP proxy, which responds in HTTP. A server's greeting that looks
    /// like HTTP is not taken for a response.
    private var isAskedOfHTTPProxy: Bool {
      !transfer.isTLS && proxy?.kind == .http
    }

    /// A header line of an FTP transfer: a server's reply, or a field that libcurl derived from one. False
    /// ends the transfer.
    func receive(ftpLine line: UnsafeRawBufferPointer) -> Bool {
      if isAskedOfHTTPProxy, CurlHead.statusLine(line) != nil {
        transfer.isHTTP = true
        return receive(line: line)
      }
      // `Content-Length: 6`, and not `213 6` or a line of the server's greeting.
      guard applied.body == .noBody,
        Self.ftpFields.contains(where: { CurlHead.value(of: $0, in: line) != nil })
      else { return true }
      // ``CurlHead/headers(_:)`` skips the first line of a head as its status line.
      if transfer.head.isEmpty { transfer.head = Array("FTP\r\n".utf8) }
      transfer.head.append(contentsOf: line)
      return true
    }
  }
#endif
