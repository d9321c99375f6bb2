import Foundation

/// An absolute URL in its parts, always valid.
///
/// It has the form that is sent: scheme in lower case, host canonical, path and query percent-encoded. A
/// fragment is dropped, because it is never sent. The host is read by the WHATWG URL standard, so that one
/// server has one name in origins, pins, cookies and limits; the rest strictly by RFC 3986. A URL that
/// cannot be sent throws ``APIError/Reason/invalidURL`` with the fault.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc3986>
public struct HTTPURL: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int?
    /// The three in one text.
    let authorityText: String
    var path: String
    var query: String?
    var pathSecrets = PathSecrets()

    // The path of a `data:` URL is not ASCII alone: texts of other bytes are other data.
    static func == (left: Self, right: Self) -> Bool {
      left.path.equalsExactly(right.path) && left.authorityText == right.authorityText
        && left.query == right.query
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(authorityText)
      hasher.combine(path)
      hasher.combine(query)
    }
  }

  private var fields: CopyOnWrite<Fields>

  /// The scheme, lower case: `https`.
  public var scheme: String { fields.value.scheme }
  /// The host in its canonical form: a name in lower case and in ASCII (`xn--…`), IPv4 in four decimal parts
  /// (`127.0.0.1` for `127.1` and `0x7f000001`), IPv6 compressed and without brackets; may be empty for
  /// `file` and is empty for `data`. A trailing dot of a name is kept.
  /// - SeeAlso: <https://url.spec.whatwg.org/#host-parsing>
  public var host: String { fields.value.host }
  /// The port, if the URL contains one.
  public var port: Int? { fields.value.port }
  /// The path, percent-encoded, starting with a slash (for `data`, everything after the colon).
  public internal(set) var path: String {
    get { fields.value.path }
    _modify { yield &fields.value.path }
  }
  /// The query without its question mark, percent-encoded; nil when there is none.
  public package(set) var query: String? {
    get { fields.value.query }
    _modify { yield &fields.value.query }
  }

  /// The secret values in the path, which no text shows. Equal URLs may differ in them.
  var pathSecrets: PathSecrets {
    get { fields.value.pathSecrets }
    _modify { yield &fields.value.pathSecrets }
  }

  /// The port used: the one in the URL, or the default of the scheme.
  public var effectivePort: Int? { port ?? Self.defaultPort(of: scheme) }

  /// The origin: scheme, host and port as one text (RFC 9110, 4.3.1).
  public var origin: String { "\(scheme)://\(hostText):\(effectivePort ?? 0)" }

  /// Scheme, host, port and path. The query is left out, because it may contain secrets. The path is as it is sent;
  /// ``description`` masks the secret parts that an endpoint states.
  public var location: String { authorityText + path }

  /// The whole URL, as it is sent.
  public var string: String { text(behind: authorityText) }

  /// Path and query, as they are sent: the target in its origin form (RFC 9112, 3.2.1).
  var target: String { query == nil ? path : text(behind: "") }

  private func text(behind start: String) -> String {
    guard let query else { return start + path }
    // One allocation: it is made for every attempt.
    var text = ""
    text.reserveCapacity(start.utf8.count + path.utf8.count + 1 + query.utf8.count)
    text += start
    text += path
    text += "?"
    text += query
    return text
  }

  /// Parses an absolute URL. Throws ``APIError/Reason/invalidURL``.
  ///
  /// Note that `HTTPURL("https://…")` with a literal calls ``init(stringLiteral:)``, which traps.
  public init(_ string: String) throws(APIError) {
    var rest = string[...]
    guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) else {
      throw Self.invalid(string, "it has no scheme")
    }
    let scheme = rest[..<colon].lowercased()
    rest = rest[rest.index(after: colon)...]
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }

    if scheme == "data" {
      self.init(scheme: scheme, host: "", port: nil, path: String(rest), query: nil)
      return
    }
    guard rest.hasPrefix("//") else { throw Self.invalid(string, "two slashes must follow the scheme") }
    rest = rest.dropFirst(2)
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let (host, port) = try Self.authority(rest[..<end], scheme: scheme, of: string)
    rest = rest[end...]
    var query: String?
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    let path = rest.isEmpty ? "/" : String(rest)
    try Self.check(path, of: string)
    if let query { try Self.check(query, of: string) }
    self.init(scheme: scheme, host: host, port: port, path: path, query: query)
  }

  /// Makes a URL from parts that are valid.
  init(scheme: String, host: String, port: Int?, path: String, query: String?) {
    let written = Self.written(host) + (port.map { ":\($0)" } ?? "")
    fields = CopyOnWrite(
      Fields(
        scheme: scheme, host: host, port: port,
        authorityText: scheme + (scheme == "data" ? ":" : "://") + written,
        path: path, query: query))
  }

  /// The host as it is written in a URL, with an IPv6 address in brackets.
  public var hostText: String { Self.written(host) }

  private static func written(_ host: String) -> String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
  }

  /// The text before the path.
  package var authorityText: String { fields.value.authorityText }

  package static func defaultPort(of scheme: String) -> Int? {
    switch scheme {
    case "http": 80
    case "https": 443
    case "ftp": 21
    case "ftps": 990
    default: nil
    }
  }
}

extension HTTPURL {
  private static func invalid(_ string: String, _ why: String) -> APIError {
    // Login, path and query may contain secrets. A password with one of these marks does not end with the authority.
    let start = string.range(of: "://")?.upperBound ?? string.startIndex
    let hasLogin = string[start...].utf8.contains(UInt8(ascii: "@"))
    let shown = string[..<start] + (hasLogin ? "…" : string[start...].prefix { !"/?#".contains($0) })
    return APIError(
      .assembly, .invalidURL, "the URL \(String(shown).debugDescription) is not valid: \(why)",
      quote: hasLogin ? nil : String(string.prefix { $0 != "?" }))
  }

  private static let schemeCharacters = ASCIISet(alphanumericsAnd: "+-.")

  static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
    return text.utf8.allSatisfy(schemeCharacters.contains)
  }

  /// Whether a text begins with a scheme, a colon and two slashes.
  static func isAbsolute(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return text.utf8[colon...].starts(with: "://".utf8) && isScheme(text[..<colon])
  }

  private static func authority(
    _ text: Substring, scheme: String, of string: String
  ) throws(APIError) -> (host: String, port: Int?) {
    guard !text.utf8.contains(UInt8(ascii: "@")) else {
      throw invalid("\(scheme)://…", "user and password do not belong in a URL; set a login instead")
    }
    var hostPart = text
    var portPart: Substring?
    // The colons of an IPv6 address stand before its bracket.
    let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) ?? text.startIndex
    if let colon = text.utf8[bracket...].firstIndex(of: UInt8(ascii: ":")) {
      hostPart = text[..<colon]
      portPart = text[text.utf8.index(after: colon)...]
    }
    var host = ""
    if !hostPart.isEmpty || scheme != "file" {
      do throws(URLHost.Fault) { host = try URLHost.parse(hostPart) } catch {
        throw invalid(string, error.why)
      }
    }
    var port: Int?
    if let portPart, !portPart.isEmpty {
      guard let number = Int(digits: portPart), (1...65535).contains(number) else {
        throw invalid(string, "the port is not a number from 1 to 65535")
      }
      port = number
    }
    return (host, port)
  }

  /// Checks a path or a query: visible ASCII, `%` followed by two hexadecimal digits, no space or control
  /// character.
  static func check(_ text: String, of string: String) throws(APIError) {
    let allowed = PercentEncoding.target
    var rest = text.utf8[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "%") {
        guard PercentEncoding.isTriplet(rest) else {
          throw invalid(string, "a percent sign needs two hexadecimal digits")
        }
      } else if !allowed.keeps(byte) {
        throw invalid(string, "the character \(byte) must be percent-encoded")
      }
      rest = rest.dropFirst()
    }
  }
}

extension HTTPURL: Redacted, ExpressibleByStringLiteral {
  /// The URL without its query, which may contain secrets. Values of secret names (``SecretNames``) that an API's
  /// `{placeholders}` have put into its path are masked.
  public var description: String { query == nil ? maskedLocation : maskedLocation + "?…" }

  /// Makes a URL from a literal. An invalid literal traps with the fault, in release builds too.
  public init(stringLiteral value: String) {
    do {
      try self.init(value)
    } catch {
      fatalError(error.description)
    }
  }
}
