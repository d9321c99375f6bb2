/// Turns an XML property list into JSON text.
///
/// Knows the elements of property lists and as much of XML as they use: declarations and comments are
/// passed, CDATA is text, the five entities and character references are resolved.
struct RawXMLPropertyList {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var index = 0
  private var output: [UInt8] = []
  /// The open containers, outermost first.
  private var open: [Container] = []

  private struct Container {
    let isDictionary: Bool
    var count = 0
    /// Whether a `<key>` was read and its value is due.
    var hasKey = false
  }

  private enum Tag: Equatable {
    case start(String)
    case empty(String)
    case end(String)
  }

  init(_ bytes: [UInt8], _ limits: RawData.Limits) {
    self.bytes = bytes
    maximumDepth = limits.maximumDepth
  }

  mutating func json() throws(APIError) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw fault("the property list is not UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    output.reserveCapacity(bytes.count)
    var tag = try tag()
    let isWrapped = tag == .start("plist")
    if isWrapped { tag = try self.tag() }
    try value(tag)
    while !open.isEmpty { try value(try self.tag()) }
    if isWrapped, try self.tag() != .end("plist") { throw fault("expected </plist>") }
    try skipMisc()
    guard index == bytes.count else { throw fault("expected the end of the property list") }
    return output
  }

  // MARK: Elements

  /// A value, the key of one, or the end of the innermost container.
  private mutating func value(_ tag: Tag) throws(APIError) {
    switch tag {
    case .end(let name):
      guard let container = open.popLast(), name == (container.isDictionary ? "dict" : "array"),
        !container.hasKey
      else { throw fault("</\(name)> is out of place") }
      output.append(container.isDictionary ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    case .start("key"), .empty("key"):
      guard let last = open.indices.last, open[last].isDictionary, !open[last].hasKey else {
        throw fault("<key> is out of place")
      }
      if open[last].count > 0 { output.append(UInt8(ascii: ",")) }
      open[last].count += 1
      open[last].hasKey = true
      RawWriter.append(string: try content(tag, "key"), to: &output)
      output.append(UInt8(ascii: ":"))
    case .start(let name), .empty(let name):
      try beginValue()
      try element(name, tag)
    }
  }

  private mutating func beginValue() throws(APIError) {
    guard let last = open.indices.last else { return }
    if open[last].isDictionary {
      guard open[last].hasKey else { throw fault("a value in a dictionary needs a <key> before it") }
      open[last].hasKey = false
    } else {
      if open[last].count > 0 { output.append(UInt8(ascii: ",")) }
      open[last].count += 1
    }
  }

  private mutating func element(_ name: String, _ tag: Tag) throws(APIError) {
    switch name {
    case "dict", "array":
      let isDictionary = name == "dict"
      if case .empty = tag {
        output += (isDictionary ? "{}" : "[]").utf8
        return
      }
      guard open.count < maximumDepth else {
        throw APIError(.response, .bodyLimitExceeded, "\(place): nested deeper than \(maximumDepth) levels")
      }
      output.append(isDictionary ? UInt8(ascii: "{") : UInt8(ascii: "["))
      open.append(Container(isDictionary: isDictionary))
    case "string": RawWriter.append(string: try content(tag, name), to: &output)
    case "true", "false":
      guard try content(tag, name).isEmpty else { throw fault("<\(name)> has content") }
      output += name.utf8
    case "integer": try integer(trimmed(try content(tag, name)))
    case "real": try real(trimmed(try content(tag, name)))
    case "date":
      let text = Array(trimmed(try content(tag, name)).utf8)
      guard text.withUnsafeBufferPointer({ RawDate.secondsSince1970($0) }) != nil else {
        throw fault("a <date> that is not of ISO 8601")
      }
      RawWriter.append(string: text, to: &output)
    case "data":
      let text = try content(tag, name).filter { $0 > 0x20 }
      guard let data = text.withUnsafeBufferPointer({ RawBase64.decoded($0) }) else {
        throw fault("<data> that is not base64")
      }
      RawWriter.append(string: RawBase64.encoded(data), to: &output)
    default: throw fault("<\(name)> is not an element of property lists")
    }
  }

  private mutating func integer(_ text: String) throws(APIError) {
    var digits = text[...]
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard let first = digits.first, first.isHexDigit,
      let magnitude = UInt64(digits, radix: isHexadecimal ? 16 : 10),
      !isNegative || magnitude <= 1 << 63
    else { throw fault("an <integer> that is none of 64 bits") }
    output += (isNegative && magnitude > 0 ? "-\(magnitude)" : "\(magnitude)").utf8
  }

  private mutating func real(_ text: String) throws(APIError) {
    guard let value = Double(text) else { throw fault("a <real> that is not a number") }
    output += (value.isFinite ? "\(value)" : "null").utf8
  }

  private func trimmed(_ text: [UInt8]) -> String {
    let inner = text.drop { $0 <= 0x20 }
    guard let last = inner.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(decoding: inner[...last], as: UTF8.self)
  }

  // MARK: XML

  /// The next tag; between it and here only spaces, comments and declarations may stand.
  private mutating func tag() throws(APIError) -> Tag {
    try skipMisc()
    guard take("<") else { throw fault("expected an element") }
    let isEnd = take("/")
    let start = index
    while index < bytes.count, bytes[index] > 0x20, bytes[index] != UInt8(ascii: ">"),
      bytes[index] != UInt8(ascii: "/")
    { index += 1 }
    let name = String(decoding: bytes[start..<index], as: UTF8.self)
    // Attributes say nothing that matters here; a quoted one may hold a bracket.
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
    let isEmpty = bytes[index - 1] == UInt8(ascii: "/")
    index += 1
    return isEnd ? .end(name) : isEmpty ? .empty(name) : .start(name)
  }

  /// The text of an element up to behind its end tag.
  private mutating func content(_ tag: Tag, _ name: String) throws(APIError) -> [UInt8] {
    var text: [UInt8] = []
    if case .empty = tag { return text }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<") {
        if take("<!--") {
          try skip(past: "-->")
        } else if take("<![CDATA[") {
          let start = index
          try skip(past: "]]>")
          text += bytes[start..<index - 3]
        } else {
          guard try self.tag() == .end(name) else { throw fault("expected </\(name)>") }
          return text
        }
      } else if bytes[index] == UInt8(ascii: "&") {
        text += try entity().utf8
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    throw fault("<\(name)> does not end")
  }

  private mutating func entity() throws(APIError) -> String {
    guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw fault("an ampersand that begins no entity")
    }
    let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    let character: Unicode.Scalar? =
      switch name {
      case "lt": "<"
      case "gt": ">"
      case "amp": "&"
      case "quot": "\""
      case "apos": "'"
      case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      default: nil
      }
    guard let character else { throw fault("the unknown entity &\(name);") }
    index = end + 1
    return String(Character(character))
  }

  /// Passes spaces, comments, processing instructions and the document type.
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
        // Entities of the sender's own are how short XML unfolds without end.
        guard !bytes[start..<index].contains(UInt8(ascii: "[")) else {
          throw fault("a document type with declarations of its own")
        }
      } else {
        return
      }
    }
  }

  private mutating func skip(past end: String) throws(APIError) {
    let end = Array(end.utf8)
    while index + end.count <= bytes.count {
      if bytes[index..<index + end.count].elementsEqual(end) {
        index += end.count
        return
      }
      index += 1
    }
    throw fault("\(String(decoding: end, as: UTF8.self)) is missing")
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
