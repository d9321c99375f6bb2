public import APIKit

/// The canonical text of a request, which client and server both build in order to sign it.
///
/// Its lines are joined by line feeds, which a line must not contain; none stands behind the last:
///
///     APIKIT-HMAC-SHA256
///     method
///     path as sent
///     pairs of the query as sent, empty ones dropped, sorted by the bytes of their names (an empty line without)
///     name:value        one line for each signed header field, lower case, sorted by name
///                       (an empty line)
///     key id
///     seconds since 1970
///     nonce
///     SHA-256 of the body in hexadecimal digits, lower case
///
/// A signed field that is missing from the request is signed as empty. Several lines of one field are joined by a comma
/// and a space, each without white space at its ends. `host` is the `Host` field, or the URL's host and port if the
/// field is not set. `Docs/Signing.md` has the whole specification, with vectors.
public struct CanonicalRequest: Sendable {
  /// The text.
  public let bytes: [UInt8]

  /// Makes the canonical form of a request.
  ///
  /// - Parameters:
  ///   - request: The request, of which method, URL and header fields are read.
  ///   - signedHeaders: The names of the signed header fields: lower case, sorted.
  ///   - keyID: The name of the key; empty when there is only one.
  ///   - secondsSince1970: The time of the signature.
  ///   - nonce: A text that no other attempt uses.
  ///   - bodyDigest: The SHA-256 of the body in hexadecimal digits, or another word known to both sides.
  /// - Throws: `APIError.Reason.signingFailed` when a line would contain a line feed.
  public init(
    _ request: HTTPRequest, signedHeaders: [String], keyID: String, secondsSince1970: Int, nonce: String,
    bodyDigest: String
  ) throws(APIError) {
    var output: [UInt8] = []
    output.reserveCapacity(512)
    func line(_ text: String) {
      output.append(utf8: text)
      output.append(UInt8(ascii: "\n"))
    }
    line("APIKIT-HMAC-SHA256")
    line(request.method.rawValue)
    let url = request.url
    line(url.path)
    if var query = url.query { query.withUTF8 { SortedPairs.append($0, to: &output) } }
    output.append(UInt8(ascii: "\n"))
    let fields = request.headers.fields
    for name in signedHeaders {
      output.append(utf8: name)
      output.append(UInt8(ascii: ":"))
      var isMissing = true
      for field in fields where HTTPHeaders.equal(field.name, name) {
        if !isMissing { output.append(utf8: ", ") }
        isMissing = false
        // A receiver sees each value without the white space at its ends (RFC 9110, 5.5).
        output.append(utf8: field.value.trimmingSpaces())
      }
      if isMissing, name == "host" { url.appendAuthority(to: &output) }
      output.append(UInt8(ascii: "\n"))
    }
    line("")
    line(keyID)
    line(String(secondsSince1970))
    line(nonce)
    output.append(utf8: bodyDigest)
    bytes = output

    // With a line feed inside a line, two different requests could have the same text.
    let lineFeeds = output.withUnsafeBufferPointer {
      $0.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 &+ 1 : $0 }
    }
    guard lineFeeds == 8 + signedHeaders.count else {
      throw APIError(.signing, .signingFailed, "a part of the request to sign holds a line feed")
    }
  }
}

extension HTTPURL {
  /// Host and port as in a `Host` field: the default port of the scheme is omitted.
  var authority: String {
    var output: [UInt8] = []
    appendAuthority(to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  fileprivate func appendAuthority(to output: inout [UInt8]) {
    guard port == nil || port != HTTPURL.defaultPort(of: scheme) else { return output.append(utf8: hostText) }
    var text = authorityText
    text.withUTF8 { output.append(contentsOf: $0.dropFirst(scheme.utf8.count + 3)) }
  }
}

extension [UInt8] {
  /// Appends the UTF-8 of a text as one piece of memory, which is quicker than its view.
  fileprivate mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }
}
