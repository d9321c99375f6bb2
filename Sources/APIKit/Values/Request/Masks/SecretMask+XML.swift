extension SecretMask {
  /// XML with the contents of secret elements and the values of secret attributes replaced. An element is secret by its
  /// name, by an attribute `name`, `key`, `id` or `field`, in a property list by the `<key>` before it, and elsewhere,
  /// named `value`, by an element `name`, `key`, `id` or `field` before it. Other texts and attributes that are URLs, JSON,
  /// forms or XML themselves are masked as that.
  ///
  /// - Parameter isHTML: Whether it is HTML, where some elements have no content and no closing tag.
  func xml(_ bytes: [UInt8], isHTML: Bool = false) -> [UInt8] {
    var reader = MaskReader(bytes)
    // The content of a `<key>` is the name of a value there, and no secret itself.
    let isPropertyList = reader.find("<dict", from: 0) != nil
    var isNextSecret = false
    // How deep an element is, and a secret name whose value may follow.
    var (depth, secretDepth) = (0, Int.max)
    while let tag = XMLTag(in: reader, from: reader.index) {
      let isSecret =
        hides(tag.name)
        || tag.attributes.contains { Self.isLabel($0.name) && hides(Self.text(bytes[$0.value])) }
      takeText(&reader, to: tag.range.lowerBound)
      for (name, value) in tag.attributes {
        reader.take(to: value.lowerBound)
        if hides(name) && !Self.isLabel(name) || isSecret && name.lowercased() == "value" {
          reader.replaceText(to: value.upperBound, by: self)
        } else {
          takeNested(&reader, to: value.upperBound)
        }
      }
      reader.take(to: tag.range.upperBound)
      let isEmpty = tag.isEmpty || isHTML && Self.emptyOfHTML.contains(tag.name.lowercased())
      guard !isEmpty, !tag.isEnd else {
        isNextSecret = isNextSecret && tag.isEnd
        if tag.isEnd { depth -= 1 }
        if depth < secretDepth { secretDepth = .max }
        continue
      }
      let isName = isPropertyList && tag.name == "key"
      let localName = tag.name.split(separator: ":").last.map(String.init) ?? ""
      let isValue = isNextSecret || secretDepth == depth && Self.isLabelled(localName)
      if isName || !isPropertyList && Self.isLabel(localName) {
        let end = XMLTag(in: reader, from: reader.index)?.range.lowerBound ?? bytes.count
        let isSecretName = hides(Self.text(bytes[reader.index..<end]))
        if isName { isNextSecret = isSecretName } else { secretDepth = isSecretName ? depth : .max }
      }
      if isValue || isSecret && !isName {
        reader.replaceText(to: Self.contentEnd(reader, tag.name), by: self)
        if isPropertyList { isNextSecret = false }
      }
      depth += 1
    }
    takeText(&reader, to: bytes.count)
    return reader.output
  }

  /// The elements of HTML without content (HTML, 13.1.2).
  private static let emptyOfHTML: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  /// Copies what stands between two tags, its texts and sections of data masked.
  private func takeText(_ reader: inout MaskReader, to end: Int) {
    while reader.index < end {
      let start = reader.index
      var next = reader.bytes[(start + 1)..<end].firstIndex(of: UInt8(ascii: "<")) ?? end
      if reader.starts(with: "<![CDATA[") {
        reader.take(to: start + 9)
        takeNested(&reader, to: reader.find("]]>", from: reader.index, before: end) ?? end, isData: true)
        reader.take(to: min(reader.index + 3, end))
      } else if reader.skipNoTag() {
        (next, reader.index) = (min(reader.index, end), start)
        reader.take(to: next)
      } else {
        takeNested(&reader, to: next)
      }
    }
  }

  /// Copies a text or the value of an attribute; one that is a URL, JSON, a form or XML itself is masked.
  ///
  /// - Parameter isData: Whether it has no references.
  private func takeNested(_ reader: inout MaskReader, to end: Int, isData: Bool = false) {
    let text = reader.bytes[reader.index..<max(end, reader.index)]
    guard text.contains(where: { "=:<%&".utf8.contains($0) }),
      let first = text.firstIndex(where: { $0 > 0x20 }),
      let last = text.lastIndex(where: { $0 > 0x20 })
    else { return reader.take(to: end) }
    let inner = isData ? String(decoding: text[first...last], as: UTF8.self) : Self.text(text[first...last])
    let masked = nested(inner)
    if masked != inner {
      reader.take(to: first)
      reader.replace(
        to: last + 1, by: isData ? Array(masked.utf8) : masked.utf8.flatMap(XMLReference.text(of:)))
    }
    reader.take(to: end)
  }

  /// Where the content of an element ends: at its closing tag, those of the same name within it counted.
  private static func contentEnd(_ reader: MaskReader, _ name: String) -> Int {
    var (index, depth) = (reader.index, 1)
    while let tag = XMLTag(in: reader, from: index) {
      index = tag.range.upperBound
      guard tag.name == name, !tag.isEmpty else { continue }
      depth += tag.isEnd ? -1 : 1
      if depth == 0 { return tag.range.lowerBound }
    }
    return reader.bytes.count
  }

  /// The text of a name: its character references resolved, its comments left out, its sections of data as they are.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var (reader, text) = (MaskReader(Array(bytes)), [UInt8]())
    while let byte = reader.next {
      if reader.starts(with: "<![CDATA[") {
        reader.index += 9
        let end = reader.find("]]>", from: reader.index) ?? reader.bytes.count
        text += reader.bytes[reader.index..<end]
        reader.index = end + 3
      } else if reader.skipNoTag() {
        continue
      } else if let (character, end) = reader.reference() {
        text += UTF8.encode(character)!
        reader.index = end
      } else {
        text.append(byte)
        reader.index += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// A tag in text that may be XML, also one that was cut.
private struct XMLTag {
  let range: Range<Int>
  let name: String
  let isEnd: Bool
  /// Whether it has no content: `<a/>`.
  private(set) var isEmpty = false
  private(set) var attributes: [(name: String, value: Range<Int>)] = []

  /// The next tag from an index on. Text, comments, instructions, declarations and CDATA sections are skipped.
  init?(in reader: MaskReader, from start: Int) {
    var reader = reader
    reader.index = start
    repeat {
      guard let begin = reader.find("<", from: reader.index) else { return nil }
      reader.index = begin
    } while reader.skipNoTag()
    let begin = reader.index
    isEnd = reader.bytes[(begin + 1)...].first == UInt8(ascii: "/")
    reader.index += isEnd ? 2 : 1
    name = reader.takeName()
    while let byte = reader.next, byte != UInt8(ascii: ">") {
      let name = reader.takeName()
      guard !name.isEmpty else {
        isEmpty = byte == UInt8(ascii: "/")
        reader.index += 1
        continue
      }
      var hasValue = false
      while let byte = reader.next, byte <= 0x20 || byte == UInt8(ascii: "=") {
        if byte > 0x20 { hasValue = true }
        reader.index += 1
      }
      guard let quote = reader.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        // HTML needs no quotes.
        let value = reader.bytes[min(reader.index, reader.bytes.count)...].prefix {
          $0 > 0x20 && $0 != UInt8(ascii: ">")
        }
        if hasValue, !value.isEmpty {
          attributes.append((name, value.indices))
          reader.index = value.endIndex
        }
        continue
      }
      let value = reader.bytes[(reader.index + 1)...].prefix { $0 != quote }
      attributes.append((name, value.indices))
      reader.index = value.endIndex + 1
    }
    range = begin..<min(reader.index + 1, reader.bytes.count)
  }
}

extension MaskReader {
  /// Replaces the text up to an index.
  fileprivate mutating func replaceText(to end: Int, by mask: SecretMask) {
    replace(to: end, by: mask.replacement(String(decoding: bytes[index..<end], as: UTF8.self)).utf8)
  }

  /// Skips what begins with `<` and is no tag; false where nothing of the kind begins.
  fileprivate mutating func skipNoTag() -> Bool {
    for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
    where starts(with: begin) {
      index = find(end, from: index + begin.utf8.count).map { $0 + end.utf8.count } ?? bytes.count
      return true
    }
    return false
  }

  /// The character that a reference at the index stands for, and where the reference ends; nil where none begins.
  fileprivate func reference() -> (Unicode.Scalar, end: Int)? {
    guard next == UInt8(ascii: "&"), let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
      let character = XMLReference.character(String(decoding: bytes[(index + 1)..<end], as: UTF8.self))
    else { return nil }
    return (character, end + 1)
  }

  fileprivate mutating func takeName() -> String {
    let name = bytes[min(index, bytes.count)...].prefix { $0 > 0x20 && !"=/>\"'<".utf8.contains($0) }
    index = name.endIndex
    return String(decoding: name, as: UTF8.self)
  }
}
