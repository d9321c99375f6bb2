/// The `Link` header field (RFC 8288): targets by their relation types.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8288>
struct LinkField {
  /// The first target of each relation, by its lower-case name.
  private(set) var targets: [String: String] = [:]

  /// Parses a field's value, or several joined by commas. Malformed parts are skipped.
  init(_ value: String) {
    var rest = value.utf8[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[rest.index(after: open)...]
      guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { return }
      let target = String(Substring(rest[..<close]))
      rest = rest[rest.index(after: close)...]
      for relation in Self.takeRelations(&rest) where targets[relation] == nil {
        targets[relation] = target
      }
    }
  }

  /// Removes the parameters of one target up to the comma, and returns the relations of the first `rel`
  /// (RFC 8288, 3.3).
  private static func takeRelations(_ rest: inout Substring.UTF8View) -> [String] {
    var relations: [String]?
    while let byte = rest.first, byte != UInt8(ascii: ",") {
      guard byte == UInt8(ascii: ";") else {
        rest.removeFirst()
        continue
      }
      rest.removeFirst()
      let name = take(&rest) { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest.removeFirst()
      let value = takeValue(&rest)
      if relations == nil, name.trimmingSpaces().lowercased() == "rel" {
        relations = value.split(separator: " ").map { $0.lowercased() }
      }
    }
    return relations ?? []
  }

  private static func takeValue(_ rest: inout Substring.UTF8View) -> String {
    while rest.first == 0x20 || rest.first == 0x09 { rest.removeFirst() }
    guard rest.first == UInt8(ascii: "\"") else {
      return take(&rest) { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }.trimmingSpaces()
    }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      // A quoted pair is a backslash and the character that it stands for.
      value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func take(_ rest: inout Substring.UTF8View, while isPart: (UInt8) -> Bool) -> String {
    let piece = rest.prefix(while: isPart)
    rest = rest[piece.endIndex...]
    return String(Substring(piece))
  }
}
