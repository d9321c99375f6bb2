/// A transport that offers servers codings for the bodies of responses.
package protocol CodingTransport: HTTPTransport {
  /// The value of `Accept-Encoding` of an exchange whose request states none; nil where the transport adds no such field.
  func acceptedCodings(for exchange: HTTPExchange) -> String?
}

extension HTTPTransport {
  /// The header fields of an exchange as they go out: with those that the transport adds to the ones of the request, which
  /// are `Host`, `Accept`, the codings and the length of the body.
  ///
  /// Of HTTP/2 and HTTP/3 `Host` is the pseudo-field `:authority`. What the transport adds for a connection or for a login is
  /// not among them.
  package func sentHeaders(of exchange: HTTPExchange) -> HTTPHeaders {
    let request = exchange.request
    guard request.url.scheme.hasPrefix("http") else { return request.headers }
    let headers = exchange.headers(over: self.headers)
    var sent = HTTPHeaders()
    if !headers.contains("Host") {
      let isDefault = request.url.port == HTTPURL.defaultPort(of: request.url.scheme)
      let port = request.url.port.flatMap { isDefault ? nil : ":\($0)" }
      sent.add("Host", request.url.hostText + (port ?? ""))
    }
    for field in headers.fields { sent.add(field.name, field.value) }
    if !sent.contains("Accept") { sent.add("Accept", "*/*") }
    if !sent.contains("Accept-Encoding"),
      let codings = (innermost as? any CodingTransport)?.acceptedCodings(for: exchange)
    {
      sent.add("Accept-Encoding", codings)
    }
    if !request.options.compressesBody, let length = request.body.knownLength,
      length > 0 || request.method.hasLengthWithoutBody
    {
      sent.add("Content-Length", String(length))
    }
    return sent
  }
}

extension HTTPMethod {
  /// Whether `Content-Length: 0` is sent for an empty body (RFC 9110, 8.6).
  var hasLengthWithoutBody: Bool { self == .post || self == .put || self == .patch }
}

extension HTTPBody {
  /// The bytes that it has; nil for a stream that does not say, and for a file that cannot be read.
  package var knownLength: Int64? {
    switch self {
    case .empty: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let path, let offset): FileIdentity(path: path).map { max(0, $0.size - max(0, offset)) }
    case .stream(let stream): stream.length
    }
  }
}
