/// Reads a JSON document (RFC 8259) into nodes that know their places.
///
/// Refused, each with its line and column: text that is not UTF-8, names that an object has twice, values nested deeper than
/// ``maximumDepth``, bytes after the document. Memory is in proportion to the document's size, which is limited.
struct JSONReader {
  /// The deepest nesting that is read. API documents have some 30 levels.
  static let maximumDepth = 512
  /// The largest document that is read. The largest public ones have some 15 MB.
  static let maximumBytes = 128 << 20

  /// A fault that ends reading.
  private struct Fault: Error {
    let offset: Int
    let what: String
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0
  private var doubled: [(offset: Int, name: String, what: String)] = []

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads a document; `file` is its name in the problems.
  static func read(_ document: [UInt8], file: String) throws(Problems) -> JSONNode {
    let lines = LineTable(document, file: file)
    guard document.count <= maximumBytes else {
      throw Problems("\(file): it has \(document.count) bytes; the most that is read is \(maximumBytes)")
    }
    if let offset = firstFault(ofUTF8: document) {
      throw Problems("\(lines.place(of: offset)): the bytes are not UTF-8")
    }
    let outcome = document.withUnsafeBufferPointer {
      bytes -> (JSONNode?, Fault?, [(offset: Int, name: String, what: String)]) in
      var reader = JSONReader(bytes)
      do throws(Fault) {
        let root = try reader.document()
        return (root, nil, reader.doubled)
      } catch {
        return (nil, error, reader.doubled)
      }
    }
    var problems = Problems()
    for (offset, name, what) in outcome.2 {
      problems.add("\(lines.place(of: offset)): the name \(SafeText.quoted(name)) \(what)")
    }
    if let fault = outcome.1 { problems.add("\(lines.place(of: fault.offset)): \(fault.what)") }
    guard let root = outcome.0, problems.isEmpty else { throw problems }
    return root
  }

  /// The first byte that a repair of the text would change; nil where it is well-formed.
  private static func firstFault(ofUTF8 bytes: [UInt8]) -> Int? {
    var text = String(decoding: bytes, as: UTF8.self)
    return text.withUTF8 { repaired in
      bytes.withUnsafeBufferPointer { given in
        if repaired.count == given.count, repaired.elementsEqual(given) { return nil }
        return zip(repaired, given).enumerated().first { $0.element.0 != $0.element.1 }?.offset
          ?? min(repaired.count, given.count)
      }
    }
  }

  private mutating func document() throws(Fault) -> JSONNode {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    skipSpace()
    guard position < bytes.count else { throw Fault(offset: position, what: "the document is empty") }
    guard bytes[position] == UInt8(ascii: "{") else {
      throw Fault(
        offset: position,
        what:
          "this is no JSON object; a document in YAML is converted first, e.g. by `yq -o=json openapi.yaml`")
    }
    let root = try value()
    skipSpace()
    guard position == bytes.count else {
      throw Fault(offset: position, what: "bytes after the end of the document")
    }
    return root
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  private mutating func value() throws(Fault) -> JSONNode {
    skipSpace()
    let start = position
    guard start < bytes.count else {
      throw Fault(offset: start, what: "the document ends where a value is expected")
    }
    switch bytes[start] {
    case UInt8(ascii: "{"): return JSONNode(.object(try object()), at: start)
    case UInt8(ascii: "["): return JSONNode(.array(try array()), at: start)
    case UInt8(ascii: "\""): return JSONNode(.string(try string()), at: start)
    case UInt8(ascii: "t"): return JSONNode(.bool(try word("true", true)), at: start)
    case UInt8(ascii: "f"): return JSONNode(.bool(try word("false", false)), at: start)
    case UInt8(ascii: "n"):
      _ = try word("null", true)
      return JSONNode(.null, at: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return JSONNode(.number(try number()), at: start)
    default: throw Fault(offset: start, what: "a value is expected here")
    }
  }

  private mutating func word(_ word: StaticString, _ value: Bool) throws(Fault) -> Bool {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard position < bytes.count, bytes[position] == word.utf8Start[index] else {
        throw Fault(offset: start, what: "a value is expected here")
      }
      position += 1
    }
    return value
  }

  private mutating func descend() throws(Fault) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw Fault(offset: position, what: "values are nested deeper than \(Self.maximumDepth) levels")
    }
    position += 1
    skipSpace()
  }

  /// Whether an element follows: true after a comma, false at the closing byte, which is taken.
  private mutating func goesOn(until close: UInt8) throws(Fault) -> Bool {
    skipSpace()
    guard position < bytes.count else {
      throw Fault(offset: position, what: "the document ends inside a value")
    }
    let byte = bytes[position]
    guard byte == close || byte == UInt8(ascii: ",") else {
      throw Fault(
        offset: position, what: "a comma or \(close == UInt8(ascii: "}") ? "}" : "]") is expected here")
    }
    position += 1
    return byte != close
  }

  private mutating func array() throws(Fault) -> [JSONNode] {
    try descend()
    defer { depth -= 1 }
    var elements: [JSONNode] = []
    if position < bytes.count, bytes[position] == UInt8(ascii: "]") {
      position += 1
      return []
    }
    repeat { elements.append(try value()) } while try goesOn(until: UInt8(ascii: "]"))
    return elements
  }

  private mutating func object() throws(Fault) -> [(name: String, node: JSONNode)] {
    try descend()
    defer { depth -= 1 }
    var members: [(name: String, node: JSONNode)] = []
    var names: Set<String> = []
    if position < bytes.count, bytes[position] == UInt8(ascii: "}") {
      position += 1
      return []
    }
    repeat {
      skipSpace()
      let start = position
      guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else {
        throw Fault(offset: start, what: "the name of a member is expected here")
      }
      let name = try string()
      if !names.insert(name).inserted, doubled.count <= Problems.limit {
        // Swift takes both forms of a letter with a mark for one text, so they would be one member.
        let isTwice = members.contains { $0.name.utf8.elementsEqual(name.utf8) }
        let what =
          isTwice ? "stands twice in this object" : "differs from another one only in its Unicode normal form"
        doubled.append((start, name, what))
      }
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
        throw Fault(offset: position, what: "a colon is expected here")
      }
      position += 1
      members.append((name, try value()))
    } while try goesOn(until: UInt8(ascii: "}"))
    return members
  }

  private mutating func number() throws(Fault) -> String {
    let start = position
    func digits(_ from: Int) -> Int {
      var end = from
      while end < bytes.count, bytes[end] >= 0x30, bytes[end] <= 0x39 { end += 1 }
      return end
    }
    var end = start + (bytes[start] == UInt8(ascii: "-") ? 1 : 0)
    let whole = end
    end = digits(end)
    guard end > whole, end == whole + 1 || bytes[whole] != 0x30 else {
      throw Fault(offset: start, what: "this is no number of JSON")
    }
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      let fraction = end + 1
      end = digits(fraction)
      guard end > fraction else { throw Fault(offset: start, what: "this is no number of JSON") }
    }
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      var exponent = end + 1
      if exponent < bytes.count, bytes[exponent] == UInt8(ascii: "+") || bytes[exponent] == UInt8(ascii: "-")
      {
        exponent += 1
      }
      end = digits(exponent)
      guard end > exponent else { throw Fault(offset: start, what: "this is no number of JSON") }
    }
    position = end
    return text(start, end)
  }

  private func text(_ start: Int, _ end: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }

  private mutating func string() throws(Fault) -> String {
    let open = position
    position += 1
    var text = ""
    var start = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let rest = self.text(start, position)
        position += 1
        return text.isEmpty ? rest : text + rest
      }
      guard byte >= 0x20 else {
        throw Fault(offset: position, what: "a control character stands in a string")
      }
      guard byte == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      text += self.text(start, position)
      text.unicodeScalars.append(try escape())
      start = position
    }
    throw Fault(offset: open, what: "this string does not end")
  }

  private mutating func escape() throws(Fault) -> Unicode.Scalar {
    let start = position
    position += 2
    guard start + 1 < bytes.count else { throw Fault(offset: start, what: "this string does not end") }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw Fault(offset: start, what: "this escape is unknown")
    }
    let unit = try hexadecimal(start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw Fault(offset: start, what: "this is half of a surrogate pair") }
    position += 2
    let low = try hexadecimal(start)
    guard low >= 0xDC00, low < 0xE000,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw Fault(offset: start, what: "this is half of a surrogate pair") }
    return scalar
  }

  /// The four digits at the position.
  private mutating func hexadecimal(_ start: Int) throws(Fault) -> UInt32 {
    guard position + 4 <= bytes.count else { throw Fault(offset: start, what: "this escape is too short") }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let byte = bytes[position]
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: throw Fault(offset: start, what: "this escape has no four hexadecimal digits")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }
}

/// Finds lines and columns in a document.
struct LineTable {
  private let bytes: [UInt8]
  private let file: String

  init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  /// `openapi.json:1204:17`; the column counts characters from 1.
  func place(of offset: Int) -> String {
    let before = bytes.prefix(offset)
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.prefix(start).reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
    let column = before.dropFirst(start).reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    return "\(SafeText.line(file)):\(line):\(column)"
  }
}
