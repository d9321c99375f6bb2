import Foundation

/// Brings the host of a URL into the one form in which hosts are compared and connected to.
///
/// This is the host parser of the WHATWG URL standard: percent-decoding, then a name in lower case and in
/// ASCII, an IPv4 address in its four decimal parts (whatever its numeric form was), or an IPv6 address
/// compressed. A name whose last label is a number is an address or is refused. A trailing dot of a name is
/// kept. Stricter than the standard, it refuses quotation marks, back quotes and braces, which no host may have by
/// RFC 3986, and international names longer than DNS permits, because the cost of IDNA is not linear.
/// - SeeAlso: <https://url.spec.whatwg.org/#host-parsing>
enum URLHost {
  /// Why a text is no host.
  struct Fault: Error {
    let why: String
    init(_ why: String) { self.why = why }
  }

  /// The canonical host of the text between the slashes and the port; brackets of IPv6 are dropped.
  static func parse(_ text: Substring) throws(Fault) -> String {
    if isPlainName(text) { return String(text) }
    if text.utf8.first == UInt8(ascii: "[") {
      guard text.utf8.last == UInt8(ascii: "]") else {
        throw Fault("an address in brackets must end with its bracket")
      }
      return try ipv6(text.dropFirst().dropLast())
    }
    let name = try ascii(text)
    guard !name.isEmpty else { throw Fault("it has no host") }
    guard name.utf8.allSatisfy(permitted.contains) else {
      throw Fault("the host has a character that may not stand there")
    }
    return endsInNumber(name) ? try ipv4(name) : name
  }

  /// The canonical form of a host in a setting, where IPv6 may stand without brackets; nil for what is no
  /// host.
  static func canonical(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: ":")), text.utf8.first != UInt8(ascii: "[") else {
      return try? parse(text[...])
    }
    return try? ipv6(text[...])
  }

  /// The form in which the names of settings and hosts are compared: canonical, and without the trailing
  /// dot, which changes how a name is looked up but not whose it is. What is no host is only lower-cased.
  static func name(_ text: String) -> String {
    let name = canonical(text) ?? text.lowercased()
    return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
  }

  /// Whether a name of a setting may be that of a server. A URL may have others, such as `*.example.com`, which would never
  /// match.
  static func isServer(_ name: String) -> Bool {
    canonical(name) != nil && !name.contains("*") && !".\(name).".contains("..")
  }

  // MARK: Names

  private static let permitted = ASCIISet(visibleBut: "\"#%/:<>?@[\\]^`{|}")
  /// In bytes of UTF-8. A name of DNS has 253 characters, each of which four bytes may stand for.
  private static let longestInternational = 1012

  private static let plain = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8)

  /// Whether a text is canonical at first sight, as most hosts are: small letters, digits and marks, without
  /// what may be IDNA (`--`), an address (a digit at the start of the last label) or a trailing dot.
  private static func isPlainName(_ text: Substring) -> Bool {
    let (dot, dash) = (UInt8(ascii: "."), UInt8(ascii: "-"))
    var first = dot
    var previous = dot
    for byte in text.utf8 {
      guard plain.contains(byte), byte != dash || previous != dash else { return false }
      if previous == dot { first = byte }
      previous = byte
    }
    return previous != dot && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
  }

  private static func ascii(_ text: Substring) throws(Fault) -> String {
    guard var name = PercentEncoding.decode(text) else {
      throw Fault("the host has a percent sign without two digits, or bytes that are not UTF-8")
    }
    if name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = name.lowercased()
      guard name.split(separator: ".").contains(where: { $0.hasPrefix("xn--") }) else { return name }
    }
    // The brackets and marks of a URL would change what Foundation takes for the host.
    guard name.utf8.count <= longestInternational,
      name.utf8.allSatisfy({ $0 >= 0x80 || permitted.contains($0) }),
      // Foundation applies IDNA. It decodes the labels of an ASCII name for `host` only.
      let parts = URLComponents(string: "http://\(name)/"), parts.host != nil, let ascii = parts.encodedHost
    else { throw Fault("the host is no international domain name") }
    return ascii.lowercased()
  }

  // MARK: IPv4

  private static func endsInNumber(_ name: String) -> Bool {
    guard let last = labels(name).last else { return false }
    return !last.isEmpty && last.utf8.allSatisfy { (0x30...0x39).contains($0) } || number(last) != nil
  }

  private static func ipv4(_ name: String) throws(Fault) -> String {
    let parts = labels(name).map(number)
    let numbers = parts.compactMap { $0 }
    guard parts.count <= 4, numbers.count == parts.count, numbers.dropLast().allSatisfy({ $0 < 256 }),
      let last = numbers.last, last < 1 << (8 * (5 - numbers.count))
    else { throw Fault("the host ends in a number and is no IPv4 address") }
    var address = last
    for (place, number) in numbers.dropLast().enumerated() { address |= number << (24 - 8 * place) }
    return [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
  }

  /// The labels without the empty one after a trailing dot.
  private static func labels(_ name: String) -> [Substring] {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count > 1 && labels.last?.isEmpty == true ? labels.dropLast() : labels
  }

  /// A number in decimal, octal (`0…`) or hexadecimal (`0x…`); nil for other texts. One that does not fit
  /// is larger than every address.
  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty else { return nil }
    var digits = text
    var radix = 10
    if text.hasPrefix("0x") {
      (digits, radix) = (text.dropFirst(2), 16)
    } else if text.hasPrefix("0"), text.utf8.count > 1 {
      (digits, radix) = (text.dropFirst(), 8)
    }
    if digits.isEmpty { return 0 }
    guard digits.utf8.allSatisfy({ Hex.value(of: $0).map { $0 < radix } ?? false }) else { return nil }
    return UInt64(digits, radix: radix) ?? .max
  }

  // MARK: IPv6

  private static let addressCharacters = ASCIISet("0123456789abcdefABCDEF:.".utf8)

  private static func ipv6(_ text: Substring) throws(Fault) -> String {
    var address = in6_addr()
    // The check keeps NUL from the C function, and zones, which name an interface of this machine only.
    guard text.utf8.allSatisfy(addressCharacters.contains), inet_pton(AF_INET6, String(text), &address) == 1
    else {
      throw Fault("the address in brackets is not IPv6")
    }
    let groups = withUnsafeBytes(of: address) { bytes in
      stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
    // The first of the longest runs of at least two zeros is compressed (RFC 5952, 4.2).
    var run = 0..<1
    for start in groups.indices {
      let end = groups[start...].firstIndex { $0 != 0 } ?? groups.endIndex
      if end - start > run.count { run = start..<end }
    }
    func digits(_ groups: ArraySlice<UInt16>) -> String {
      groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard run.count > 1 else { return digits(groups[...]) }
    return digits(groups[..<run.lowerBound]) + "::" + digits(groups[run.upperBound...])
  }
}
