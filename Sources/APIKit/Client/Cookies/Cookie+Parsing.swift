extension Cookie {
  /// The most bytes of name and value together; longer cookies are ignored, as browsers do.
  static let maximumBytes = 4096
  /// The most bytes of an attribute's value; longer attributes are ignored (RFC 6265bis, 5.6).
  private static let maximumAttributeBytes = 1024

  /// Reads the value of one `Set-Cookie` field; nil when the cookie is to be ignored (RFC 6265, 5.2, 5.3).
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - url: The URL of the request whose response has the field.
  ///   - now: The time in seconds since 1970, for `Max-Age`.
  ///   - isPublicSuffix: Whether a domain is a public suffix, under which anyone may register names.
  init?(setCookie text: String, from url: HTTPURL, now: Int64, isPublicSuffix: (String) -> Bool) {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    // By bytes: a mark and an accent behind it are one character.
    let (semicolon, equalsSign) = (UInt8(ascii: ";"), UInt8(ascii: "="))
    let parts = text.utf8.split(separator: semicolon, omittingEmptySubsequences: false).map { Substring($0) }
    guard let pair = parts.first, let equals = pair.utf8.firstIndex(of: equalsSign) else { return nil }
    let name = pair[..<equals].trimmingSpaces()
    let value = pair[pair.utf8.index(after: equals)...].trimmingSpaces()
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.maximumBytes else { return nil }

    self.init(name, value, domain: url.host, path: Self.defaultPath(of: url.path))
    var maxAge: Int64?
    for attribute in parts.dropFirst() {
      let halves = attribute.utf8.split(separator: equalsSign, maxSplits: 1, omittingEmptySubsequences: false)
      let key = Substring(halves[0]).trimmingSpaces().lowercased()
      let content = halves.count > 1 ? Substring(halves[1]).trimmingSpaces() : ""
      guard content.utf8.count <= Self.maximumAttributeBytes else { continue }
      switch key {
      case "expires": expires = CookieDate.parse(content) ?? expires
      case "max-age": maxAge = Self.seconds(content) ?? maxAge
      case "path": path = content.utf8.first == UInt8(ascii: "/") ? content : Self.defaultPath(of: url.path)
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "domain":
        let domain = content.hasPrefix(".") ? String(content.dropFirst()) : content
        // An empty value is ignored; of several attributes the last applies.
        guard !domain.isEmpty else { continue }
        self.domain = URLHost.canonical(domain) ?? domain.lowercased()
        isHostOnly = false
      default: break
      }
    }
    // Max-Age takes precedence over Expires in any order.
    if let maxAge {
      let (end, isBeyond) = now.addingReportingOverflow(maxAge)
      expires = maxAge <= 0 ? 0 : isBeyond ? .max : end
    }
    guard claimIsValid(for: url, isPublicSuffix) else { return nil }
  }

  private mutating func claimIsValid(for url: HTTPURL, _ isPublicSuffix: (String) -> Bool) -> Bool {
    if !isHostOnly {
      // `com.` would be another name than `com` to every comparison below, and to the list of suffixes.
      guard !domain.hasSuffix(".") else { return false }
      if domain == url.host, Self.isAddress(domain) || isPublicSuffix(domain) {
        isHostOnly = true
      } else if isPublicSuffix(domain) || !Self.domain(domain, matches: url.host) {
        return false
      }
    }
    // An unencrypted connection must not set a cookie that is sent over TLS only.
    if isSecure, url.scheme != "https" { return false }
    // The prefixes guarantee how a cookie was set. They are compared without case (RFC 6265bis, 5.7), because some
    // servers read the names of cookies without case. By bytes: a mark behind a prefix makes one character with its end.
    let lowercased = name.lowercased().utf8
    if lowercased.starts(with: "__secure-".utf8) { return isSecure }
    if lowercased.starts(with: "__host-".utf8) { return isSecure && isHostOnly && path == "/" }
    return true
  }

  /// The directory of a request's path (RFC 6265, 5.1.4).
  private static func defaultPath(of path: String) -> String {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  private static func seconds(_ text: String) -> Int64? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    // A number beyond 64 bits means that it does not expire.
    let number = Int64(digits) ?? .max
    return isNegative ? -number : number
  }
}
