/// Converts an XML property list into JSON text.
///
/// Supports the elements of property lists and the parts of XML that they use: declarations and comments
/// are skipped, CDATA is text, the five entities and character references are resolved.
struct RawXMLPropertyList {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var index = 0
  private var output: [UInt8] = []
  /// The open containers, outermost first: `dict` or `array`.
  private var open: [String] = []

  private struct Tag: Equatable {
    var name: String
    var isEnd = false
    var isEmpty = false
  }

  init(_ bytes: [UInt8], _ limits: RawData.Limits) {
    self.bytes = bytes
    maximumDepth = limits.depth
  }

  mutating func json() throws(APIError) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw fault("the property list is not UTF-8")
    }
    _ = take("\u{FEFF}")
    output.reserveCapacity(bytes.count)
    var tag = try tag()
    let isWrapped = tag == Tag(name: "plist")
    if isWrapped { tag = try self.tag() }
    try element(tag)
    while !open.isEmpty { try element(try self.tag()) }
    if isWrapped, try self.tag() != Tag(name: "plist", isEnd: true) { throw fault("expected </plist>") }
    try skipMisc()
    guard index == bytes.count else { throw fault("expected the end of the property list") }
    return output
  }

  // MARK: Elements

  /// Handles a value, a key, or the end of the innermost container.
  private mutating func element(_ tag: Tag) throws(APIError) {
    let isValueDue = output.last == UInt8(ascii: ":")
    if tag.isEnd {
      guard tag.name == open.popLast(), !isValueDue else { throw fault("</\(tag.name)> is out of place") }
      output.append(tag.name == "dict" ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    } else if tag.name == "key" {
      guard open.last == "dict", !isValueDue else { throw fault("<key> is out of place") }
      RawWriter.append(name: String(decoding: try content(tag), as: UTF8.self), to: &output)
    } else {
      guard open.last != "dict" || isValueDue else {
        throw fault("a value in a dictionary needs a <key> before it")
      }
      RawWriter.separate(&output)
      try value(tag)
    }
  }

  private mutating func value(_ tag: Tag) throws(APIError) {
    switch tag.name {
    case "dict", "array":
      output.append(tag.name == "dict" ? UInt8(ascii: "{") : UInt8(ascii: "["))
      guard open.count < maximumDepth || tag.isEmpty else {
        throw APIError(.response, .bodyLimitExceeded, "\(place): nested deeper than \(maximumDepth) levels")
      }
      open.append(tag.name)
      if tag.isEmpty { try element(Tag(name: tag.name, isEnd: true)) }
    case "string": RawWriter.append(string: try content(tag), to: &output)
    case "true", "false":
      guard try content(tag).isEmpty else { throw fault("<\(tag.name)> has content") }
      output += tag.name.utf8
    case "integer":
      let text = trimmed(try content(tag))
      let sign = text.prefix { $0 == "-" || $0 == "+" }
      var digits = text.dropFirst(sign.count)
      let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
      if isHexadecimal { digits = digits.dropFirst(2) }
      guard digits.first?.isHexDigit == true,
        let value = Int128(sign + digits, radix: isHexadecimal ? 16 : 10), value >= Int64.min,
        value <= UInt64.max
      else { throw fault("an <integer> that is none of 64 bits") }
      output += "\(value)".utf8
    case "real":
      guard let value = Double(trimmed(try content(tag))) else {
        throw fault("a <real> that is not a number")
      }
      output += (value.isFinite ? "\(value)" : "null").utf8
    case "date":
      var text = trimmed(try content(tag))
      guard text.withUTF8({ ISO8601.secondsSince1970($0) }) != nil else {
        throw fault("a <date> that is not of ISO 8601")
      }
      RawWriter.append(string: text.utf8, to: &output)
    case "data":
      let text = try content(tag).filter { $0 > 0x20 }
      guard let data = text.withUnsafeBufferPointer({ Base64.decode(lenient: $0) }) else {
        throw fault("<data> that is not base64")
      }
      RawWriter.append(string: Base64.encode(data).utf8, to: &output)
    default: throw fault("<\(tag.name)> is not an element of property lists")
    }
  }

  private func trimmed(_ text: [UInt8]) -> String {
    let inner = text.drop { $0 <= 0x20 }
    guard let last = inner.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(decoding: inner[...last], as: UTF8.self)
  }

  // MARK: XML

  /// The next tag. Only white space, comments and declarations are allowed before it.
  private mutating func tag() throws(APIError) -> Tag {
    try skipMisc()
    guard take("<") else { throw fault("expected an element") }
    let isEnd = take("/")
    let name = bytes[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    index = name.endIndex
    // Attributes have no meaning here; a quoted one may contain a bracket.
    var quote: UInt8?
    while index < bytes.count, quote != nil || bytes[index] != UInt8(ascii: ">") {
      let byte = bytes[index]
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      index += 1
    }
    guard index < bytes.count, !name.isEmpty else { throw fault("a tag that does not end") }
    let isEmpty = !isEnd && bytes[index - 1] == UInt8(ascii: "/")
    index += 1
    return Tag(name: String(decoding: name, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty)
  }

  /// The text of an element; moves the index after its end tag.
  private mutating func content(_ tag: Tag) throws(APIError) -> [UInt8] {
    var text: [UInt8] = []
    if tag.isEmpty { return text }
    while index < bytes.count {
      if take("<!--") {
        try skip(past: "-->")
      } else if take("<![CDATA[") {
        let start = index
        try skip(past: "]]>")
        text += bytes[start..<index - 3]
      } else if bytes[index] == UInt8(ascii: "<") {
        guard try self.tag() == Tag(name: tag.name, isEnd: true) else {
          throw fault("expected </\(tag.name)>")
        }
        return text
      } else if bytes[index] == UInt8(ascii: "&") {
        text += try entity().utf8
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    throw fault("<\(tag.name)> does not end")
  }

  private static let entities: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  private mutating func entity() throws(APIError) -> String {
    guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw fault("an ampersand that begins no entity")
    }
    let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    var character = Self.entities[name]
    if name.hasPrefix("#") {
      let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
      character = number.flatMap(Unicode.Scalar.init)
    }
    guard let character else { throw fault("the unknown entity &\(name);") }
    index = end + 1
    return String(Character(character))
  }

  /// Skips white space, comments, processing instructions and the document type.
  private mutating func skipMisc() throws(APIError) {
    while index < bytes.count {
      if bytes[index] <= 0x20 {
        index += 1
      } else if take("<!--") {
        try skip(past: "-->")
      } else if take("<?") {
        try skip(past: "?>")
      } else if take("<!DOCTYPE") {
        let start = index
        try skip(past: ">")
        // Entities declared by the sender let a short document expand without bound.
        guard !bytes[start..<index].contains(UInt8(ascii: "[")) else {
          throw fault("a document type with declarations of its own")
        }
      } else {
        return
      }
    }
  }

  private mutating func skip(past end: StaticString) throws(APIError) {
    while !take(end) {
      guard index < bytes.count else { throw fault("\(end) is missing") }
      index += 1
    }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard bytes[index...].starts(with: text) else { return false }
      index += text.count
      return true
    }
  }

  private var place: String { RawFault.position(of: min(index, bytes.count), in: bytes) }

  private func fault(_ text: String) -> APIError { APIError(.response, .malformedBody, "\(place): \(text)") }
}
