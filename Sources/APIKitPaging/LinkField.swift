import APIKit

/// The `Link` header field (RFC 8288): targets by their relation types.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8288>
struct LinkField {
  /// The first target of each relation, by its lower-case name.
  private(set) var targets: [String: String] = [:]

  /// Parses a field's value, or several joined by commas. Malformed parts are skipped.
  init(_ value: String) {
    for link in value.fieldParts(at: ",", hasTargets: true) {
      // By bytes: a mark behind one of these, or a joining letter before it, makes one character with it.
      guard let open = link.utf8.firstIndex(of: UInt8(ascii: "<")),
        let close = link.utf8[open...].firstIndex(of: UInt8(ascii: ">"))
      else { continue }
      // The first `rel` counts (RFC 8288, 3.3).
      let relation = String(link[close...]).fieldParameters.first { $0.name == "rel" }?.value ?? ""
      for name in relation.lowercased().split(separator: " ") where targets[String(name)] == nil {
        targets[String(name)] = String(Substring(link.utf8[open..<close].dropFirst()))
      }
    }
  }
}
