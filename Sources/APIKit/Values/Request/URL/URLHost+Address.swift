extension URLHost {
  /// The host and the port of an address with or without a port: `127.0.0.1:80`, `::1`, `[::1]:80`. The host is empty where
  /// something else stands behind the brackets.
  static func split(_ address: String) -> (host: Substring, port: Substring?) {
    if address.hasPrefix("["), let close = address.lastIndex(of: "]") {
      let rest = address[close...].dropFirst()
      guard rest.isEmpty || rest.hasPrefix(":") else { return ("", nil) }
      return (address[..<close].dropFirst(), rest.isEmpty ? nil : rest.dropFirst())
    }
    guard let colon = address.firstIndex(of: ":"), colon == address.lastIndex(of: ":") else {
      return (address[...], nil)
    }
    return (address[..<colon], address[colon...].dropFirst())
  }

  /// The bytes of an address; nil for a name.
  static func address(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt8($0) }
    if parts.count == 4, numbers.count == 4 { return numbers }
    guard host.contains(":") else { return nil }
    let halves = host.filter { $0 != "[" && $0 != "]" }.split(
      separator: "::", omittingEmptySubsequences: false)
    let groups = halves.map { half in half.split(separator: ":").compactMap { UInt16($0, radix: 16) } }
    let missing = 8 - groups.reduce(0) { $0 + $1.count }
    guard let first = groups.first, missing >= 0 else { return nil }
    let all = first + [UInt16](repeating: 0, count: missing) + (groups.count > 1 ? groups[1] : [])
    return all.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  /// Whether a host is an address of a range: `10.0.0.0/8`. A name is none.
  static func isAddress(_ host: String, in range: String, _ slash: String.Index) -> Bool {
    guard let address = address(host), let first = Self.address(name(String(range[..<slash]))),
      address.count == first.count, let bits = Int(range[range.index(after: slash)...]),
      (0...first.count * 8).contains(bits)
    else { return false }
    return address.indices.allSatisfy { index in
      let left = min(8, max(0, bits - index * 8))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> left)
      return address[index] & mask == first[index] & mask
    }
  }
}
