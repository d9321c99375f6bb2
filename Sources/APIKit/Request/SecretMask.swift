/// Replaces the values of secret names in texts that people read.
///
/// Names are secret by ``HTTPHeaders/isSecret(_:)`` in header fields and JSON bodies, and by
/// ``SecretParameter`` in queries and form bodies.
struct SecretMask {
  /// The replacement of a secret.
  static let mark = "•••"

  /// Whether anything is replaced.
  let isOn: Bool

  /// The value of a field.
  func header(_ field: HTTPHeaders.Field) -> String {
    isOn && HTTPHeaders.isSecret(field.name) ? Self.mark : field.value
  }

  /// A query or a form body.
  func query(_ query: String) -> String {
    guard isOn else { return query }
    return query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
      let name = pair[..<equals]
      guard SecretParameter.matches(PercentEncoding.decode(name, plusIsSpace: true) ?? String(name)) else {
        return String(pair)
      }
      return "\(name)=\(Self.mark)"
    }.joined(separator: "&")
  }

  /// A text body: forms and JSON are masked by the names in them, other texts are not changed.
  func body(_ text: String, contentType: String?) -> String {
    guard isOn else { return text }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") { return query(text) }
    if type.contains("json") || text.utf8.first == UInt8(ascii: "{") { return json(text) }
    return text
  }

  /// JSON with the values of secret names replaced, whatever their type.
  private func json(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\"") else {
        output.append(bytes[index])
        index += 1
        continue
      }
      let end = Self.endOfString(bytes, index)
      output += bytes[index..<end]
      let name = String(decoding: bytes[(index + 1)..<max(end - 1, index + 1)], as: UTF8.self)
      index = end
      let value = Self.skipSpace(bytes, end)
      guard value < bytes.count, bytes[value] == UInt8(ascii: ":"), HTTPHeaders.isSecret(name) else {
        continue
      }
      output.append(UInt8(ascii: ":"))
      output += "\"\(Self.mark)\"".utf8
      index = Self.endOfValue(bytes, Self.skipSpace(bytes, value + 1))
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func skipSpace(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    return index
  }

  /// The index after the closing quote of a string that opens at `start`.
  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The index after a value: a string, a whole array or object, or everything up to a comma or a closing
  /// bracket.
  private static func endOfValue(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(bytes, index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ",") where depth == 0: return index
      default: break
      }
      index += 1
    }
    return index
  }
}
