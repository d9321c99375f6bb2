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
  /// How many texts within texts this one is in.
  private var depth = 0
  /// A text that is nested deeper is replaced as a whole.
  private static let mostDepth = 8

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

  /// The value of a field. In others than secret ones the secrets of URLs and of JSON in them are replaced.
  ///
  /// - Parameter keepsCookieNames: Whether of cookies their values alone are replaced, as with a stand-in.
  package func header(_ field: HTTPHeaders.Field, keepsCookieNames: Bool = false) -> String {
    guard isOn else { return field.value }
    if hides(field.name) {
      return standIn != nil || keepsCookieNames && field.isCookie ? parts(of: field) : Self.mark
    }
    if HTTPHeaders.equal(field.name, "Sec-WebSocket-Protocol") { return protocols(field.value) }
    let first = field.value.utf8.first
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      ? nested(field.value) : urls(in: field.value)
  }

  /// Names of protocols, among which browsers' applications send a credential behind its name, for a handshake of
  /// theirs has no other place: `bearer, eyJ…` and `base64url.bearer.authorization.k8s.io.eyJ…`.
  private func protocols(_ value: String) -> String {
    var isSecret = false
    return value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      (element) -> String in
      let element = Substring(element)
      let text = element.drop { $0 == " " || $0 == "\t" }
      if isSecret {
        isSecret = false
        return element[..<text.startIndex] + replacement(String(text).trimmingSpaces())
      }
      var rest = text
      while let start = rest.firstIndex(where: \.isLetter) {
        let word = rest[start...].prefix { $0.isLetter }
        rest = rest[word.endIndex...]
        guard hides(String(word)) else { continue }
        let secret = String(rest.dropFirst()).trimmingSpaces()
        isSecret = secret.isEmpty
        guard !isSecret else { break }
        return element[..<rest.startIndex] + String(rest.prefix(1)) + replacement(secret)
      }
      return String(element)
    }.joined(separator: ",")
  }

  private func parts(of field: HTTPHeaders.Field) -> String {
    let value = field.value[...]
    switch field.name.lowercased() {
    case "cookie":
      return value.utf8.split(separator: UInt8(ascii: ";")).map { cookie(Substring($0)) }.joined(
        separator: ";")
    case "set-cookie":
      let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
      return cookie(value[..<end]) + value[end...]
    default:
      let scheme = value.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      guard field.name.lowercased().hasSuffix("authorization"), !scheme.isEmpty,
        value.dropFirst(scheme.count).first == " "
      else { return replacement(field.value) }
      return "\(scheme) " + replacement(String(value.dropFirst(scheme.count + 1)))
    }
  }

  private func cookie(_ pair: Substring) -> String {
    // A pair without a name is a value.
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      let value = pair.drop { $0 == " " }
      return value.isEmpty ? String(pair) : pair[..<value.startIndex] + replacement(String(value))
    }
    let start = pair.utf8.index(after: equals)
    return pair[..<start] + replacement(String(pair[start...]))
  }

  /// A text that is a value of something else, and may be JSON, XML, a form or a URL itself: masked as that.
  ///
  /// - Parameter isWhole: Whether it is one value from end to end, so that a space does not end a URL in it.
  func nested(_ text: String, isWhole: Bool = false) -> String {
    // JSON, XML, forms and URLs have one of these characters where they have a name.
    let isPlain = !text.utf8.contains(where: { "=:<".utf8.contains($0) })
    guard !isPlain || text.utf8.contains(UInt8(ascii: "%")) else { return text }
    guard depth < Self.mostDepth else { return isPlain ? text : replacement(text) }
    var inner = self
    inner.depth += 1
    if isPlain {
      // It may be encoded once more.
      let decoded = PercentEncoding.decode(form: text.utf8)
      guard decoded != text else { return text }
      let masked = inner.nested(decoded, isWhole: isWhole)
      return masked == decoded ? text : Self.encoding(masked)
    }
    switch text.utf8.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "<"):
      return String(decoding: inner.marked(Array(text.utf8), nil), as: UTF8.self)
    default:
      return inner.urls(in: Self.looksLikeForm(Array(text.utf8), isWhole: isWhole) ? inner.query(text) : text)
    }
  }

  /// A body: form, JSON, XML and multipart are masked by the names in them, by their content type or, where that says
  /// nothing, by how they begin; other text as far as there is JSON in it, such as in a stream of events. Their charset
  /// may be any that a response is read in. Others are not changed.
  package func body(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
    guard isOn else { return bytes }
    return inOtherCharset(bytes, contentType) ?? marked(bytes, contentType)
  }

  /// A body within another one: masked as one, and replaced as a whole where it is nested too deep.
  func nestedBody(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
    guard depth < Self.mostDepth else {
      return Array(replacement(String(decoding: bytes, as: UTF8.self)).utf8)
    }
    var inner = self
    inner.depth += 1
    return inner.body(bytes, contentType: contentType)
  }

  /// A body of ASCII and more bytes.
  func marked(_ bytes: [UInt8], _ contentType: String?) -> [UInt8] {
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("multipart/") { return multipart(bytes, contentType ?? "") }
    if type.contains("x-www-form-urlencoded") { return form(bytes) }
    if type.contains("json") { return json(bytes) }
    if type.contains("xml") || type.contains("plist") { return xml(bytes) }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    switch text.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(bytes)
    case UInt8(ascii: "<"): return xml(bytes, isHTML: type.contains("html"))
    default:
      if type.hasPrefix("text/") { return Self.looksLikeForms(bytes) ? forms(bytes) : json(bytes) }
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

  private func form(_ bytes: [UInt8]) -> [UInt8] {
    // JSON under the content type of a form is a frequent mistake.
    if bytes.first == UInt8(ascii: "{") { return json(bytes) }
    return Array(query(String(decoding: bytes, as: UTF8.self)).utf8)
  }

  /// Lines of pairs, as browsers write a form of the type text/plain.
  private func forms(_ bytes: [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      return form(Array(end)) + line[end.endIndex...]
    }
    return Array(lines.joined(separator: "\n".utf8))
  }

  /// Whether each line of a text may be pairs. Quotes are those of JSON.
  private static func looksLikeForms(_ bytes: [UInt8]) -> Bool {
    looksLikeForm(bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
      && !bytes.contains(UInt8(ascii: "\""))
  }

  /// Whether it may be pairs. Equals signs at the end alone are those of base64.
  private static func looksLikeForm(_ bytes: [UInt8], isWhole: Bool = false) -> Bool {
    let equals = UInt8(ascii: "=")
    return bytes.reversed().drop { $0 == equals }.contains(equals)
      && (isWhole || bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F })
  }
}

extension HTTPHeaders.Field {
  fileprivate var isCookie: Bool {
    HTTPHeaders.equal(name, "Cookie") || HTTPHeaders.equal(name, "Set-Cookie")
  }
}

/// A reader of bytes for masks: it copies what it passes, or replaces it.
struct MaskReader {
  let bytes: [UInt8]
  var index = 0
  var output: [UInt8] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Copies up to an index.
  mutating func take(to end: Int) {
    let end = min(max(end, index), bytes.count)
    output += bytes[index..<end]
    index = end
  }

  /// Writes other bytes in the place of those up to an index.
  mutating func replace(to end: Int, by bytes: some Sequence<UInt8>) {
    output += bytes
    index = max(end, index)
  }

  func starts(with text: String) -> Bool { index < bytes.count && bytes[index...].starts(with: text.utf8) }

  /// Where a text stands from `start` on, and before `end`; nil when it does not.
  ///
  /// - Parameter end: Nil for the end of the bytes.
  func find(_ text: String, from start: Int, before end: Int? = nil) -> Int? {
    let (text, end) = (Array(text.utf8), end ?? bytes.count)
    guard !text.isEmpty, start >= 0, start + text.count <= end else { return nil }
    return (start...(end - text.count)).first {
      bytes[$0] == text[0] && bytes[$0...].starts(with: text)
    }
  }
}
