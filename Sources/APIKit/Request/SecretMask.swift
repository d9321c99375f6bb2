/// Replaces the values of secret names in what people read: header fields, queries and bodies.
///
/// Which names are secret says ``SecretNames``; they are compared as the receiver reads them, without escapes.
package struct SecretMask: Sendable {
  /// The replacement of a secret.
  package static let mark = SecretNames.mark

  /// What takes the place of a text, or of a number in JSON, that is secret.
  package typealias StandIn = @Sendable (_ secret: String, _ isNumber: Bool) -> String

  /// Whether anything is replaced.
  package let isOn: Bool
  /// Where the mark would not do: of each secret one of its own. With it the form around a secret is kept, such as the
  /// scheme of `Authorization` and the names of cookies.
  private let standIn: StandIn?
  /// Names that are no secrets here, whatever ``SecretNames`` says.
  private let plainNames: Set<String>

  package init(isOn: Bool = true, plainNames: Set<String> = [], standIn: StandIn? = nil) {
    self.isOn = isOn
    self.plainNames = plainNames
    self.standIn = standIn
  }

  /// Whether the value of a name is replaced.
  func hides(_ name: String) -> Bool { SecretNames.contains(name) && !plainNames.contains(name) }

  /// What takes the place of a secret text.
  func replacement(_ secret: String) -> String {
    guard let standIn else { return Self.mark }
    return secret.isEmpty ? secret : standIn(secret, false)
  }

  /// The value of a field. In one that names a URL, the secrets of its query are replaced.
  package func header(_ field: HTTPHeaders.Field) -> String {
    guard isOn else { return field.value }
    guard hides(field.name) else {
      return Self.urlFields.contains(field.name.lowercased()) ? queries(in: field.value) : field.value
    }
    return standIn == nil ? Self.mark : parts(of: field)
  }

  private static let urlFields: Set<String> = [
    "location", "content-location", "referer", "link", "refresh", "uri",
  ]

  private func parts(of field: HTTPHeaders.Field) -> String {
    let value = field.value[...]
    switch field.name.lowercased() {
    case "cookie": return value.split(separator: ";").map(cookie).joined(separator: ";")
    case "set-cookie":
      let pair = value.prefix { $0 != ";" }
      return cookie(pair) + value.dropFirst(pair.count)
    default:
      let scheme = value.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      guard field.name.lowercased().hasSuffix("authorization"), !scheme.isEmpty,
        value.dropFirst(scheme.count).first == " "
      else { return replacement(field.value) }
      return "\(scheme) " + replacement(String(value.dropFirst(scheme.count + 1)))
    }
  }

  private func cookie(_ pair: Substring) -> String {
    let name = pair.prefix { $0 != "=" }
    guard name.count < pair.count else { return String(pair) }
    return "\(name)=" + replacement(String(pair.dropFirst(name.count + 1)))
  }

  /// A text with URLs in it, the secrets in their queries and fragments replaced.
  package func queries(in text: String) -> String {
    guard isOn else { return text }
    var output = ""
    var rest = text[...]
    while let mark = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      output += rest[...mark]
      rest = rest[rest.index(after: mark)...]
      let query = rest.prefix { !" >\"?#".contains($0) }
      output += self.query(String(query))
      rest = rest[query.endIndex...]
    }
    return output + rest
  }

  /// A URL: the secrets of its query replaced, and those of its path as far as the API's template says what they are.
  package func url(_ url: HTTPURL, template: String? = nil) -> String {
    guard isOn else { return url.string }
    var path = url.path
    if let template, template.utf8.contains(UInt8(ascii: "{")) { path = self.path(path, template) }
    let text = url.location.dropLast(url.path.count) + path + (url.query.map { "?" + query($0) } ?? "")
    // A URL has no other characters than those of ASCII.
    return text.replacingMark()
  }

  /// The template may have a version and more before it, so it is compared from the end.
  private func path(_ path: String, _ template: String) -> String {
    var segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let names = template.split(separator: "/").map(String.init)
    for (offset, name) in names.reversed().enumerated() where offset < segments.count {
      let index = segments.count - 1 - offset
      guard let open = name.firstIndex(of: "{"), let close = name.firstIndex(of: "}"), open < close else {
        continue
      }
      if hides(String(name[name.index(after: open)..<close])) {
        segments[index] = replacement(segments[index])
      }
    }
    return segments.joined(separator: "/")
  }

  /// A query or a form body.
  package func query(_ query: String) -> String {
    guard isOn else { return query }
    return query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
      let name = pair[..<equals]
      // A name that cannot be read may be any.
      guard PercentEncoding.decode(name, plusIsSpace: true).map(hides) ?? true else {
        return String(pair)
      }
      let value = pair[pair.index(after: equals)...]
      return "\(name)=" + replacement(PercentEncoding.decode(value, plusIsSpace: true) ?? String(value))
    }.joined(separator: "&")
  }

  /// A body: form, JSON, XML and multipart are masked by the names in them, by their content type or, where that says
  /// nothing, by how they begin; other text as far as there is JSON in it, such as in a stream of events. Their charset
  /// may be any that a response is read in. Others are not changed.
  package func body(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
    guard isOn else { return bytes }
    return inOtherCharset(bytes, contentType) ?? marked(bytes, contentType)
  }

  /// A body of ASCII and more bytes.
  func marked(_ bytes: [UInt8], _ contentType: String?) -> [UInt8] {
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("multipart/") { return multipart(bytes, contentType ?? "") }
    if type.contains("x-www-form-urlencoded") { return form(bytes) }
    if type.contains("json") { return json(bytes) }
    if type.contains("xml") || type.contains("plist") { return xml(bytes) }
    switch bytes.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(bytes)
    case UInt8(ascii: "<"): return xml(bytes)
    default:
      if type.hasPrefix("text/") { return json(bytes) }
      return type.isEmpty && Self.looksLikeForm(bytes) ? form(bytes) : bytes
    }
  }

  /// JSON in the place of a secret value.
  func replacement(json value: ArraySlice<UInt8>) -> [UInt8] {
    guard standIn != nil, let raw = try? RawData(parsing: Array(value)) else {
      return Array("\"\(Self.mark)\"".utf8)
    }
    var output: [UInt8] = []
    append(raw, to: &output)
    return output
  }

  /// Every text and number in it is replaced.
  private func append(_ raw: RawData, to output: inout [UInt8]) {
    switch raw.kind {
    case .string: RawWriter.append(string: replacement(raw.string ?? "").utf8, to: &output)
    case .number: output += (standIn?(raw.numberText ?? "0", true) ?? "0").utf8
    case .array:
      output.append(UInt8(ascii: "["))
      for element in raw.elements {
        RawWriter.separate(&output)
        append(element, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object:
      output.append(UInt8(ascii: "{"))
      for (key, value) in raw.members {
        RawWriter.append(name: key, to: &output)
        append(value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    case .bool, .null, .missing: output += raw.jsonBytes()
    }
  }

  private func form(_ bytes: [UInt8]) -> [UInt8] { Array(query(String(decoding: bytes, as: UTF8.self)).utf8) }

  private static func looksLikeForm(_ bytes: [UInt8]) -> Bool {
    bytes.contains(UInt8(ascii: "=")) && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

extension StringProtocol {
  /// With the mark percent-encoded.
  fileprivate func replacingMark() -> String {
    split(separator: SecretMask.mark, omittingEmptySubsequences: false).joined(
      separator: PercentEncoding.component.encode(SecretMask.mark))
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
