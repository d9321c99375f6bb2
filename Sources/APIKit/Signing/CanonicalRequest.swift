/// The one text that client and server both make of a request, so that both can sign it.
///
/// Lines end in a line feed, and nothing in a line may hold one:
///
///     APIKIT-HMAC-SHA256
///     method
///     path as on the wire
///     pairs of the query as on the wire, sorted by the bytes of their names
///     name:value        one line for each signed header field, lower case, sorted by name
///                       (an empty line)
///     key id
///     seconds since 1970
///     nonce
///     SHA-256 of the body in hexadecimal digits
///
/// A signed field that the request lacks is signed as empty. `host` is the `Host` field, or the URL's host and
/// port where the field is not set.
public struct CanonicalRequest: Sendable {
  /// The text.
  public let bytes: [UInt8]

  /// Makes the canonical form.
  ///
  /// - Parameters:
  ///   - request: The request; its method, URL and header fields are read.
  ///   - signedHeaders: The names of the header fields that are signed: lower case, sorted.
  ///   - keyID: The name of the key, empty when there is only one.
  ///   - secondsSince1970: The time of the signature.
  ///   - nonce: The text that no other attempt uses.
  ///   - bodyDigest: The SHA-256 of the body in hexadecimal digits, or another word that both sides know.
  ///
  /// Throws ``APIError/Reason/signingFailed`` when a line would hold a line feed.
  public init(
    _ request: HTTPRequest, signedHeaders: [String], keyID: String, secondsSince1970: Int, nonce: String,
    bodyDigest: String
  ) throws(APIError) {
    var output: [UInt8] = []
    output.reserveCapacity(512)
    func line(_ text: String) {
      output.append(contentsOf: text.utf8)
      output.append(UInt8(ascii: "\n"))
    }
    line("APIKIT-HMAC-SHA256")
    line(request.method.rawValue)
    line(request.url.path)
    if var query = request.url.query { query.withUTF8 { SortedPairs.append($0, to: &output) } }
    output.append(UInt8(ascii: "\n"))
    for name in signedHeaders {
      output.append(contentsOf: name.utf8)
      output.append(UInt8(ascii: ":"))
      if let value = request.headers.combined(name) {
        output.append(contentsOf: value.trimmingSpaces().utf8)
      } else if name == "host" {
        output.append(contentsOf: request.url.authority.utf8)
      }
      output.append(UInt8(ascii: "\n"))
    }
    line("")
    line(keyID)
    line(String(secondsSince1970))
    line(nonce)
    output.append(contentsOf: bodyDigest.utf8)
    bytes = output

    // A line feed inside a line would let one request pass for another.
    guard output.count(where: { $0 == UInt8(ascii: "\n") }) == 8 + signedHeaders.count else {
      throw APIError(.signing, .signingFailed, "a part of the request to sign holds a line feed")
    }
  }
}

extension HTTPURL {
  /// Host and port as they stand in a `Host` field: the scheme's own port is left out.
  fileprivate var authority: String {
    guard let port, port != HTTPURL.defaultPorts[scheme] else { return hostText }
    return "\(hostText):\(port)"
  }
}
