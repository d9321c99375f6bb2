import APIKit

/// Reads XML 1.0 into a flat tree, in one pass and without recursion.
///
/// Strict where documents of one reader must be those of another: tags match, attributes are quoted and stand once, one
/// element is the root, entities are the five of XML and character references. A document type is refused: what it
/// declares lets a short document expand without bound, or names files to read. Names are those of XML as far as ASCII
/// goes; beyond it every character is taken.
/// - SeeAlso: <https://www.w3.org/TR/xml/>
struct RawXMLReader {
  /// What an application allows beyond depth and bytes.
  struct Options: Sendable, Hashable {
    var maximumDepth = 512
    var maximumAttributes = 256
    var maximumNameBytes = 1024
    /// Prefixes by the namespaces that they stand for, whatever the document's own are.
    var prefixes: [String: String] = [:]
    /// Whether a document type without declarations of its own is skipped, as property lists have one.
    var skipsDocumentType = false
    /// Whether children of one name are linked, as JSON needs it; otherwise they stay in their order.
    var linksNames = true
    /// The element at whose start tag reading stops with a fault, so that its place is known; 0 for none.
    var lastNode: UInt32 = 0
  }

  /// Why and where reading failed.
  struct Fault: Error {
    var offset: Int
    var text: String
    var isLimit = false
  }

  /// An element that is open.
  struct Open {
    let node: UInt32
    /// The name as it stands in the document, which the end tag repeats.
    let name: Range<Int>
    var lastChild: UInt32 = 0
    var hasElements = false
    var hasChunks = false
    var bindings = 0
  }

  // Every read is of `base[i]` with `0 <= i < end`, after a check of `i` against `end`.
  let base: UnsafePointer<UInt8>
  let end: Int
  let options: Options
  var i = 0
  var open: [Open] = []
  var tree: RawXMLTree
  /// The prefixes that are declared, innermost last, and their namespaces. Empty unless ``Options/prefixes`` are given.
  var bindings: [[UInt8]] = []
  var namespaces: [[UInt8]: [String]] = [Array("xml".utf8): ["http://www.w3.org/XML/1998/namespace"]]

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ base: UnsafePointer<UInt8>, options: Options) {
    self.base = base
    end = bytes.count
    self.options = options
    tree = RawXMLTree(expecting: bytes.count / 48, linksNames: options.linksNames)
  }

  /// Reads a document in UTF-8.
  static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
  ) throws(Fault) -> RawXMLTree {
    guard let base = bytes.baseAddress, bytes.count < Int(Int32.max) else {
      throw Fault(offset: 0, text: "there is no element")
    }
    var check = UTF8Check()
    guard check.take(UnsafeRawBufferPointer(bytes)), check.isComplete else {
      throw Fault(offset: 0, text: "the document is not UTF-8")
    }
    var reader = RawXMLReader(bytes, base, options: options)
    try reader.document()
    return reader.tree
  }

  // MARK: Document

  mutating func document() throws(Fault) {
    if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { i = 3 }
    if starts(with: "<?xml"), i + 5 < end, Self.isSpace(base[i + 5]) { try declaration() }
    try misc()
    guard i < end, base[i] == UInt8(ascii: "<") else { throw fault("expected an element") }
    repeat {
      if base[i] == UInt8(ascii: "<") { try markup() } else { try text() }
    } while !open.isEmpty && i < end
    guard open.isEmpty else { throw fault("the document ends inside <\(name(open[open.count - 1].name))>") }
    try misc()
    guard i == end else { throw fault("expected the end of the document") }
  }

  /// `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`: what it says of the charset was followed before.
  mutating func declaration() throws(Fault) {
    i += 5
    var known = ["version", "encoding", "standalone"][...]
    while true {
      let hasSpace = skipSpaces()
      if starts(with: "?>") { break }
      guard hasSpace else { throw fault("an XML declaration that cannot be read") }
      let name = self.name(try nameRange())
      _ = skipSpaces()
      guard let place = known.firstIndex(of: name), known.count < 3 || place == 0, i < end,
        base[i] == UInt8(ascii: "=")
      else { throw fault("an XML declaration that cannot be read") }
      known = known[(place + 1)...]
      i += 1
      _ = skipSpaces()
      guard i < end, base[i] == UInt8(ascii: "\"") || base[i] == UInt8(ascii: "'") else {
        throw fault("an XML declaration that cannot be read")
      }
      let (quote, start) = (base[i], i + 1)
      i = start
      while i < end, base[i] != quote, Self.nameCharacters.contains(base[i]) { i += 1 }
      let value = self.name(start..<i)
      let isValid =
        switch name {
        case "version": value.hasPrefix("1.") && value.count > 2 && value.dropFirst(2).allSatisfy(\.isNumber)
        case "encoding": value.first?.isLetter == true
        default: value == "yes" || value == "no"
        }
      guard isValid, i < end, base[i] == quote else { throw fault("an XML declaration that cannot be read") }
      i += 1
    }
    guard known.count < 3 else { throw fault("an XML declaration without a version") }
    i += 2
  }

  /// Skips what may stand before and behind the root.
  mutating func misc() throws(Fault) {
    while i < end {
      if Self.isSpace(base[i]) {
        i += 1
      } else if starts(with: "<!--") {
        try comment()
      } else if starts(with: "<?") {
        try instruction()
      } else if starts(with: "<!DOCTYPE") {
        guard options.skipsDocumentType else { throw fault("a document type, which is not read") }
        while i < end, base[i] != UInt8(ascii: ">") {
          // Entities declared by the sender let a short document expand without bound.
          guard base[i] != UInt8(ascii: "[") else {
            throw fault("a document type with declarations of its own")
          }
          i += 1
        }
        guard i < end else { throw fault("a document type that does not end") }
        i += 1
      } else {
        return
      }
    }
  }

  mutating func markup() throws(Fault) {
    guard i + 1 < end else { throw fault("the document ends inside a tag") }
    switch base[i + 1] {
    case UInt8(ascii: "/"): try endTag()
    case UInt8(ascii: "!"):
      if starts(with: "<![CDATA["), !open.isEmpty {
        try characterData()
      } else if starts(with: "<!--"), !open.isEmpty {
        try comment()
      } else {
        throw fault("a declaration inside of the document")
      }
    case UInt8(ascii: "?"): try instruction()
    default: try startTag()
    }
  }

  mutating func comment() throws(Fault) {
    let start = i + 4
    try skip(past: "--", from: start, checking: true)
    guard i < end, base[i] == UInt8(ascii: ">") else { throw fault("two hyphens inside of a comment") }
    i += 1
  }

  mutating func instruction() throws(Fault) {
    let start = i
    i += 2
    let target = try nameRange()
    if target.count == 3, base[target.lowerBound] | 0x20 == UInt8(ascii: "x"),
      base[target.lowerBound + 1] | 0x20 == UInt8(ascii: "m"),
      base[target.lowerBound + 2] | 0x20 == UInt8(ascii: "l")
    {
      throw Fault(offset: start, text: "an XML declaration that is not at the start")
    }
    guard i < end, Self.isSpace(base[i]) || starts(with: "?>") else {
      throw fault("a processing instruction that cannot be read")
    }
    try skip(past: "?>", from: i, checking: true)
  }

  // MARK: Characters

  /// Passes a byte that may be no character: a control, part of `]]>`, or of U+FFFE and U+FFFF.
  mutating func checkCharacter(isData: Bool = false) throws(Fault) {
    let byte = base[i]
    if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { throw fault("a control character") }
    if byte == 0xEF, i + 2 < end, base[i + 1] == 0xBF, base[i + 2] >= 0xBE {
      throw fault("a code point that is no character")
    }
    if byte == UInt8(ascii: "]"), !isData, starts(with: "]]>") {
      throw fault("]]> outside of a CDATA section")
    }
    i += 1
  }

  /// Letters, digits, `.-_:` and everything beyond ASCII; the first is no digit, point or hyphen.
  mutating func nameRange() throws(Fault) -> Range<Int> {
    let start = i
    while i < end, RawXMLReader.nameCharacters.contains(base[i]) || base[i] >= 0x80 { i += 1 }
    guard i > start, base[start] >= 0x80 || RawXMLReader.nameStart.contains(base[start]) else {
      i = start
      throw fault("expected a name")
    }
    guard i - start <= options.maximumNameBytes else {
      throw Fault(offset: start, text: "a name of more than \(options.maximumNameBytes) bytes", isLimit: true)
    }
    return start..<i
  }

  /// Whether a text is a name.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first >= 0x80 || nameStart.contains(first) else { return false }
    return text.utf8.allSatisfy { $0 >= 0x80 || nameCharacters.contains($0) }
  }

  static let nameCharacters = ASCIISet(alphanumericsAnd: ".-_:")
  static let nameStart = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:".utf8)

  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  mutating func skipSpaces() -> Bool {
    let start = i
    while i < end, Self.isSpace(base[i]) { i += 1 }
    return i > start
  }

  func starts(with text: StaticString) -> Bool {
    i + text.utf8CodeUnitCount <= end && sameBytes(base + i, text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Moves behind the next occurrence of a text.
  mutating func skip(past text: StaticString, from start: Int, checking: Bool = false) throws(Fault) {
    let first = text.utf8Start[0]
    i = start
    while i < end {
      if base[i] == first, starts(with: text) {
        i += text.utf8CodeUnitCount
        return
      }
      if checking { try checkCharacter(isData: true) } else { i += 1 }
    }
    throw Fault(offset: min(start, end), text: "\(text) is missing")
  }

  func name(_ range: Range<Int>) -> String {
    let text = String(
      decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
    return text.count <= 40 ? text : text.prefix(40) + "…"
  }

  func fault(_ text: String) -> Fault { Fault(offset: min(i, end), text: text) }
}

extension RawXMLReader {
  /// A document as the JSON that stands for it; see ``RawXMLTree/json(_:count:arrays:)``.
  static func json(
    _ bytes: [UInt8], _ options: Options, arrays: Set<String> = []
  ) throws(APIError) -> [UInt8] {
    do throws(Fault) {
      return try bytes.withUnsafeBufferPointer { (buffer) throws(Fault) in
        let tree = try read(buffer, options)
        guard let base = buffer.baseAddress else { return [] }
        return tree.json(base, count: bytes.count, arrays: arrays)
      }
    } catch {
      throw error.error(in: bytes)
    }
  }
}

extension RawXMLReader.Fault {
  func error(in bytes: [UInt8]) -> APIError {
    APIError(
      .response, isLimit ? .bodyLimitExceeded : .malformedBody,
      "\(RawFault.position(of: min(offset, bytes.count), in: bytes)): \(text)")
  }
}
