/// A numeric address, with a port where it is not that of the URL: `10.0.0.4`, `10.0.0.4:8443`, `::1`, `[::1]:8443`.
///
/// A name is refused, because it needs a look-up.
public struct HostAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in its canonical form, without brackets.
  public let host: String
  /// The port; nil, the default, is that of the URL.
  public let port: Int?
  /// `10.0.0.4`, `[::1]:8443`. Made once, because every load to the address uses it.
  public let description: String

  /// Parses an address. Throws ``APIError/Reason/misconfigured`` for anything else, such as a name.
  ///
  /// Note that `HostAddress("10.0.0.4")` with a literal calls ``init(stringLiteral:)``, which traps.
  public init(_ text: String) throws(APIError) {
    let (host, port) = URLHost.split(text)
    // `127.1` and `0x7f000001` are addresses to a URL; a list says what it means.
    guard let canonical = URLHost.canonical(String(host)), URLHost.address(canonical) != nil,
      canonical.contains(":") || canonical == host
    else { throw Self.refused(text, "an address is numeric") }
    if let kind = Self.unusable(canonical) { throw Self.refused(text, "\(kind) is no server's") }
    let bracketed = canonical.contains(":") ? "[\(canonical)]" : canonical
    self.host = canonical
    guard let port else {
      (self.port, description) = (nil, bracketed)
      return
    }
    guard let number = Int(digits: port), (1...65535).contains(number) else {
      throw Self.refused(text, "a port is a number from 1 to 65535")
    }
    (self.port, description) = (number, "\(bracketed):\(number)")
  }

  /// Whether both are the same address and port.
  public static func == (left: Self, right: Self) -> Bool { left.description == right.description }

  /// Hashes address and port.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }

  /// Whether it is an IPv6 address.
  public var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

  /// The name of an address that no server has; nil for any other.
  private static func unusable(_ host: String) -> String? {
    guard let bytes = URLHost.address(host), let first = bytes.first else { return nil }
    if bytes.allSatisfy({ $0 == 0 }) { return "the unspecified address" }
    if bytes.count == 4 {
      if bytes.allSatisfy({ $0 == 255 }) { return "the broadcast address" }
      return first & 0xF0 == 0xE0 ? "a multicast address" : nil
    }
    // An address of IPv4 in one of IPv6 (RFC 4291, 2.5.5.2).
    if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 255, bytes[11] == 255 {
      return unusable(bytes.suffix(4).map(String.init).joined(separator: "."))
    }
    return first == 0xFF ? "a multicast address" : nil
  }

  private static func refused(_ text: String, _ why: String) -> APIError {
    APIError(
      .assembly, .misconfigured, "\(String(text.prefix(80)).debugDescription) is no address of a host: \(why)"
    )
  }
}

extension HostAddress: ExpressibleByStringLiteral {
  /// Makes an address from a literal. An invalid literal traps with the fault, in release builds too.
  public init(stringLiteral value: String) {
    do { try self.init(value) } catch { fatalError(error.description) }
  }
}
