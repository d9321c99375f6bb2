#if canImport(FoundationNetworking)
  package import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension HTTPRequest {
  /// Makes a request from a `URLRequest`.
  ///
  /// Its timeout becomes ``HTTPTimeouts/idle``, which is how URLSession uses it; an infinite one, or one of
  /// more than 30 years, is no limit. Cache policy and cookie handling belong to a session and are ignored.
  /// Header fields are sorted by name, because Foundation does not keep their order. Throws
  /// ``APIError/Reason/invalidURL`` without an absolute URL, ``APIError/Reason/unreadableBody`` for a body
  /// stream, which can be neither measured nor sent again, and what ``validate()`` throws.
  public init(_ request: URLRequest) throws(APIError) {
    guard let url = request.url?.absoluteString else {
      throw APIError(.assembly, .invalidURL, "the URLRequest has no URL")
    }
    guard request.httpBodyStream == nil else {
      throw APIError(
        .assembly, .unreadableBody,
        "a body stream of a URLRequest cannot be carried; give its bytes or a file")
    }
    self.init(method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: try HTTPURL(url))
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      headers.add(name, value)
    }
    if let data = request.httpBody, !data.isEmpty { body = .bytes(Array(data)) }
    // One that is negative, or no number, is refused as negative when the request is sent.
    let interval = max(-1, request.timeoutInterval)
    timeouts.idle = interval < 1e9 ? .seconds(interval) : .zero
    try validate()
  }
}

extension URLRequest {
  /// Makes a `URLRequest` from a request.
  ///
  /// ``HTTPTimeouts/idle``, if set, becomes its timeout; a `URLRequest` has no other timeouts, which the transport has to
  /// apply. A body that asks for compression is compressed. Fields of the same name are joined: by a semicolon for `Cookie`,
  /// by a comma for others. Throws ``APIError/Reason/unsupportedCapability`` for a body from a file or a stream, a login and
  /// an address to connect to, and on Linux for a choice of interfaces, ``APIError/Reason/invalidURL`` for a URL that
  /// Foundation does not accept, and what ``HTTPRequest/validate()`` throws.
  public init(_ request: HTTPRequest) throws(APIError) {
    try request.validate()
    func refuse(_ what: String) -> APIError {
      APIError(.assembly, .unsupportedCapability, "a URLRequest cannot carry \(what)")
    }
    guard request.options.login == nil else { throw refuse("a login") }
    guard request.options.connectTo == nil else { throw refuse("an address to connect to") }
    #if canImport(FoundationNetworking)
      guard !request.options.choosesInterfaces else { throw refuse("a choice of interfaces") }
    #endif
    guard let url = request.url.ofFoundation() else {
      throw APIError(.assembly, .invalidURL, "Foundation does not read the URL", quote: request.url.string)
    }
    let request = request.compressingBody()
    self.init(url: url)
    httpMethod = request.method.rawValue
    set(SystemRequestTerms(request.options))
    for field in request.headers {
      let separator = HTTPHeaders.equal(field.name, "Cookie") ? "; " : ", "
      let earlier = value(forHTTPHeaderField: field.name).map { $0 + separator } ?? ""
      setValue(earlier + field.value, forHTTPHeaderField: field.name)
    }
    switch request.body {
    case .empty: break
    case .bytes(let bytes): httpBody = Data(bytes)
    case .file: throw refuse("a body from a file")
    case .stream: throw refuse("a body from a stream")
    }
    // Foundation has no value for "no limit"; a week is longer than any load takes.
    if let idle = request.timeouts.idle { timeoutInterval = idle == .zero ? 7 * 86_400 : idle / .seconds(1) }
  }
}

extension HTTPURL {
  /// The URL as Foundation's; nil where Foundation does not take it as it is.
  ///
  /// Foundation encodes a bracket itself, and then every percent sign a second time, so both brackets are encoded before.
  ///
  /// - Parameter scheme: Another scheme; nil for the URL's own.
  package func ofFoundation(scheme: String? = nil) -> URL? {
    let target = (path + (query.map { "?" + $0 } ?? ""))
      .replacingOccurrences(of: "[", with: "%5B").replacingOccurrences(of: "]", with: "%5D")
    let start = scheme.map { $0 + authorityText.dropFirst(self.scheme.count) } ?? authorityText
    return URL(string: start + target).flatMap { $0.absoluteString.hasSuffix(target) ? $0 : nil }
  }
}
