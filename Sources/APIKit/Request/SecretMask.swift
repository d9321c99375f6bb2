/// Replaces the values of secret names in what people read: header fields, queries and bodies.
///
/// Which names are secret says ``SecretNames``; they are compared as the receiver reads them, without escapes.
package struct SecretMask: Sendable {
  /// The replacement of a secret.
  package static let mark = SecretNames.mark

  /// Whether anything is replaced.
  package let isOn: Bool

  package init(isOn: Bool = true) { self.isOn = isOn }

  /// The value of a field.
  package func header(_ field: HTTPHeaders.Field) -> String {
    isOn && SecretNames.contains(field.name) ? Self.mark : field.value
  }

  /// A query or a form body.
  package func query(_ query: String) -> String {
    guard isOn else { return query }
    return query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
      let name = pair[..<equals]
      // A name that cannot be read may be any.
      guard PercentEncoding.decode(name, plusIsSpace: true).map(SecretNames.contains) ?? true else {
        return String(pair)
      }
      return "\(name)=\(Self.mark)"
    }.joined(separator: "&")
  }

  /// A body: form, JSON, XML and multipart are masked by the names in them, by their content type or, where that says
  /// nothing, by how they begin. Others are not changed.
  package func body(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
    guard isOn else { return bytes }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("multipart/") { return Self.multipart(bytes, contentType ?? "") }
    if type.contains("x-www-form-urlencoded") { return form(bytes) }
    if type.contains("json") { return Self.json(bytes) }
    if type.contains("xml") || type.contains("plist") { return Self.xml(bytes) }
    switch bytes.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return Self.json(bytes)
    case UInt8(ascii: "<"): return Self.xml(bytes)
    default: return type.isEmpty && Self.looksLikeForm(bytes) ? form(bytes) : bytes
    }
  }

  private func form(_ bytes: [UInt8]) -> [UInt8] { Array(query(String(decoding: bytes, as: UTF8.self)).utf8) }

  private static func looksLikeForm(_ bytes: [UInt8]) -> Bool {
    bytes.contains(UInt8(ascii: "=")) && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

/// A reader of bytes for masks: what it takes is copied, what it skips is not.
struct MaskReader {
  let bytes: [UInt8]
  var index = 0
  var output: [UInt8] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  var isAtEnd: Bool { index >= bytes.count }
  var next: UInt8? { isAtEnd ? nil : bytes[index] }

  /// Copies up to an index.
  mutating func take(to end: Int) {
    let end = min(max(end, index), bytes.count)
    output += bytes[index..<end]
    index = end
  }

  mutating func skip(to end: Int) { index = min(max(end, index), bytes.count) }

  func starts(with text: String) -> Bool { !isAtEnd && bytes[index...].starts(with: text.utf8) }

  /// Where a text stands from `start` on; nil when it does not.
  func find(_ text: [UInt8], from start: Int) -> Int? {
    guard !text.isEmpty, start >= 0, start + text.count <= bytes.count else { return nil }
    return (start...(bytes.count - text.count)).first {
      bytes[$0] == text[0] && bytes[$0...].starts(with: text)
    }
  }
}
