extension SecretMask {
  /// XML with the contents of secret elements and the values of secret attributes replaced. An element is secret by its
  /// name, by an attribute `name`, `key` or `id`, and in a property list by the `<key>` before it.
  func xml(_ bytes: [UInt8]) -> [UInt8] {
    var reader = MaskReader(bytes)
    // There `key` is no secret but the name of one.
    let isPropertyList = reader.find(Array("<dict".utf8), from: 0) != nil
    var isNextSecret = false
    while let byte = reader.next {
      guard byte == UInt8(ascii: "<") else {
        reader.take(to: reader.index + 1)
        continue
      }
      if let end = Self.endOfOther(reader) {
        reader.take(to: end)
        continue
      }
      let tag = takeTag(&reader)
      guard !tag.isEmpty, !tag.isEnd else {
        isNextSecret = isNextSecret && tag.isEnd
        continue
      }
      let end = Self.contentEnd(reader, tag.name)
      let isName = isPropertyList && tag.name == "key"
      if isNextSecret || tag.isSecret && !isName {
        reader.output += replacement(String(decoding: bytes[reader.index..<end], as: UTF8.self)).utf8
        reader.skip(to: end)
        isNextSecret = false
      } else if isName {
        isNextSecret = hides(Self.text(bytes[reader.index..<end]))
      }
    }
    return reader.output
  }

  private struct Tag {
    var name = ""
    var isEnd = false
    /// Whether it has no content: `<a/>`.
    var isEmpty = false
    var isSecret = false
  }

  /// The end of a comment, an instruction, a declaration or a section of characters that begins here.
  private static func endOfOther(_ reader: MaskReader) -> Int? {
    for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
    where reader.starts(with: begin) {
      return reader.find(Array(end.utf8), from: reader.index + begin.utf8.count).map { $0 + end.utf8.count }
        ?? reader.bytes.count
    }
    return nil
  }

  /// Copies a tag, with the values of secret attributes masked.
  private func takeTag(_ reader: inout MaskReader) -> Tag {
    let bytes = reader.bytes
    var tag = Tag()
    reader.take(to: reader.index + 1)
    if reader.next == UInt8(ascii: "/") {
      tag.isEnd = true
      reader.take(to: reader.index + 1)
    }
    let start = reader.index
    Self.takeName(&reader)
    tag.name = String(decoding: bytes[start..<reader.index], as: UTF8.self)
    tag.isSecret = hides(tag.name)
    var hidesValue = tag.isSecret
    while let byte = reader.next, byte != UInt8(ascii: ">") {
      let start = reader.index
      Self.takeName(&reader)
      guard reader.index > start else {
        tag.isEmpty = byte == UInt8(ascii: "/")
        reader.take(to: start + 1)
        continue
      }
      let name = String(decoding: bytes[start..<reader.index], as: UTF8.self)
      while let byte = reader.next, byte <= 0x20 || byte == UInt8(ascii: "=") {
        reader.take(to: reader.index + 1)
      }
      guard let quote = reader.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        continue
      }
      reader.take(to: reader.index + 1)
      let end = bytes[reader.index...].firstIndex(of: quote) ?? bytes.count
      let names = ["name", "key", "id"].contains(name.lowercased())
      if names, hides(Self.text(bytes[reader.index..<end])) {
        (tag.isSecret, hidesValue) = (true, true)
      }
      if hides(name) && !names || hidesValue && name.lowercased() == "value" {
        reader.output += replacement(String(decoding: bytes[reader.index..<end], as: UTF8.self)).utf8
        reader.skip(to: end)
      }
      reader.take(to: end + 1)
    }
    reader.take(to: reader.index + 1)
    return tag
  }

  private static func takeName(_ reader: inout MaskReader) {
    while let byte = reader.next, byte > 0x20, !"=/>\"'<".utf8.contains(byte) {
      reader.take(to: reader.index + 1)
    }
  }

  /// Where the content of an element ends: at its closing tag, those of the same name within it counted.
  private static func contentEnd(_ reader: MaskReader, _ name: String) -> Int {
    var place = reader
    var depth = 1
    while let begin = reader.find([UInt8(ascii: "<")], from: place.index) {
      place.index = begin
      if let end = endOfOther(place) {
        place.index = end
        continue
      }
      place.index += 1
      let isEnd = place.next == UInt8(ascii: "/")
      if isEnd { place.index += 1 }
      let after = place.index + name.utf8.count
      guard place.starts(with: name),
        after >= reader.bytes.count || " \t\r\n/>".utf8.contains(reader.bytes[after])
      else { continue }
      depth += isEnd ? -1 : 1
      if depth == 0 { return begin }
    }
    return reader.bytes.count
  }

  /// The text of a name, its character references resolved.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let document = Array("<plist><string>".utf8) + bytes + Array("</string></plist>".utf8)
    return (try? RawData(parsing: RawXMLPropertyList.json(document, .default)))?.string
      ?? String(decoding: bytes, as: UTF8.self)
  }
}
