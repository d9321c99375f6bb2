extension HTTPHeaders {
  /// Adds cookies, in the form of a `Cookie` field (RFC 6265, 4.2), to that field.
  ///
  /// - Parameter replacing: Which of two cookies with one name is sent: the added one, or the one that is there already.
  mutating func add(cookies: String, replacing: Bool = false) {
    guard contains("Cookie") else { return add("Cookie", cookies) }
    let present = values("Cookie").joined(separator: "; ")
    let (first, second) = replacing ? (cookies, present) : (present, cookies)
    let names = Set(Self.cookies(first).map { ExactText(String(Self.name(of: $0))) })
    let others = Self.cookies(second).filter { !names.contains(ExactText(String(Self.name(of: $0)))) }
    self["Cookie"] = ([first] + others.map { String($0) }).joined(separator: "; ")
  }

  // By bytes, as servers read it: a letter that joins the mark behind it makes one character with it.
  private static func cookies(_ field: String) -> [Substring] {
    field.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0.drop { $0 == UInt8(ascii: " ") }) }
      .filter { !$0.isEmpty }
  }

  private static func name(of cookie: Substring) -> Substring {
    Substring(cookie.utf8.prefix { $0 != UInt8(ascii: "=") })
  }

  /// A cookie as it is sent. Throws ``APIError/Reason/invalidHeader`` for what would end it, or the field.
  ///
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1>
  static func cookie(_ name: String, _ value: String) throws(APIError) -> String {
    guard HTTPToken.isToken(name) else {
      throw APIError(.assembly, .invalidHeader, "\(name.debugDescription) is not the name of a cookie")
    }
    for (offset, byte) in value.utf8.enumerated() where !cookieOctets.contains(byte) {
      throw APIError(
        .assembly, .invalidHeader,
        "the value of the cookie \(name) has the byte \(byte) at \(offset), which cookies do not have; encode it as its "
          + "server reads it")
    }
    return "\(name)=\(value)"
  }

  private static let cookieOctets = ASCIISet(visibleBut: "\",;\\")
}
