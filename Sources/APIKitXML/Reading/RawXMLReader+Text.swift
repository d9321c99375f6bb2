import APIKit

/// Text, sections of data, values of attributes and references.
extension RawXMLReader {
  mutating func text() throws(Fault) {
    let start = i
    guard let element = open.last else { throw fault("text outside of the root") }
    var isBlank = true
    while i < end {
      let byte = base[i]
      if byte > 0x20, byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&"), byte != UInt8(ascii: "]"),
        byte != 0xEF
      {
        isBlank = false
        i += 1
      } else if byte == 0x20 || byte == 0x0A || byte == 0x09 {
        i += 1
      } else if byte == UInt8(ascii: "<") {
        break
      } else if byte == UInt8(ascii: "&") || byte == 0x0D {
        return try longText(from: start, in: element, isBlank: isBlank)
      } else {
        isBlank = false
        try checkCharacter()
      }
    }
    if isBlank, element.hasElements { return }
    addText(start, i - start, isAside: false)
  }

  /// Text with references or carriage returns, which is written anew.
  mutating func longText(from start: Int, in element: Open, isBlank: Bool) throws(Fault) {
    var isBlank = isBlank
    let first = tree.asideCount
    tree.writeAside(base, start..<i)
    while i < end, base[i] != UInt8(ascii: "<") {
      let run = i
      while i < end, base[i] != UInt8(ascii: "<"), base[i] != UInt8(ascii: "&"), base[i] != 0x0D {
        if !Self.isSpace(base[i]) { isBlank = false }
        if base[i] < 0x20 || base[i] == 0xEF || base[i] == UInt8(ascii: "]") {
          try checkCharacter()
        } else {
          i += 1
        }
      }
      tree.writeAside(base, run..<i)
      guard i < end else { break }
      if base[i] == UInt8(ascii: "&") {
        try reference()
        isBlank = false
      } else if base[i] == 0x0D {
        lineEnd()
      }
    }
    if isBlank, element.hasElements {
      tree.truncateAside(first)
      return
    }
    addText(first, tree.asideCount - first, isAside: true)
  }

  mutating func characterData() throws(Fault) {
    i += 9
    let start = i
    let first = tree.asideCount
    var run = i
    var isAside = false
    while true {
      guard i < end else { throw fault("a CDATA section that does not end") }
      if base[i] == UInt8(ascii: "]"), starts(with: "]]>") { break }
      if base[i] == 0x0D {
        isAside = true
        tree.writeAside(base, run..<i)
        lineEnd()
        run = i
      } else if base[i] < 0x20 || base[i] == 0xEF {
        try checkCharacter(isData: true)
      } else {
        i += 1
      }
    }
    if isAside {
      tree.writeAside(base, run..<i)
      addText(first, tree.asideCount - first, isAside: true)
    } else {
      addText(start, i - start, isAside: false)
    }
    i += 3
  }

  mutating func addText(_ start: Int, _ length: Int, isAside: Bool) {
    guard length > 0, let last = open.indices.last else { return }
    if tree.setText(of: open[last].node, start, length, isAside: isAside) { return }
    let chunk = tree.addChunk(start, length, isAside: isAside)
    tree.append(chunk, to: open[last].node, after: open[last].lastChild)
    open[last].lastChild = chunk
    open[last].hasChunks = true
  }

  mutating func attributeValue(of node: UInt32) throws(Fault) {
    let quote = base[i]
    i += 1
    let start = i
    let first = tree.asideCount
    var run = i
    var isAside = false
    while true {
      guard i < end else { throw fault("the value of an attribute does not end") }
      let byte = base[i]
      if byte == quote { break }
      if byte == UInt8(ascii: "<") { throw fault("a < in the value of an attribute") }
      if byte == UInt8(ascii: "&") || byte == 0x0D || byte == 0x0A || byte == 0x09 {
        isAside = true
        tree.writeAside(base, run..<i)
        if byte == UInt8(ascii: "&") {
          try reference()
        } else {
          // White space is one space a character, a line end of two among them.
          if byte == 0x0D, i + 1 < end, base[i + 1] == 0x0A { i += 1 }
          i += 1
          tree.writeAside(0x20)
        }
        run = i
      } else if byte < 0x20 || byte == 0xEF {
        try checkCharacter(isData: true)
      } else {
        i += 1
      }
    }
    if isAside {
      tree.writeAside(base, run..<i)
      _ = tree.setText(of: node, first, tree.asideCount - first, isAside: true)
    } else {
      _ = tree.setText(of: node, start, i - start, isAside: false)
    }
    i += 1
  }

  /// A carriage return, alone or before a line feed, is one line feed.
  mutating func lineEnd() {
    i += 1
    if i < end, base[i] == 0x0A { i += 1 }
    tree.writeAside(0x0A)
  }

  /// `&lt;`, `&#65;`, `&#x41;`
  mutating func reference() throws(Fault) {
    let start = i
    i += 1
    let length = (0..<10).first { i + $0 < end && base[i + $0] == UInt8(ascii: ";") }
    guard let length else { throw fault("an ampersand that begins no reference") }
    let name = String(decoding: UnsafeBufferPointer(start: base + i, count: length), as: UTF8.self)
    guard let character = XMLReference.character(name) else {
      throw Fault(offset: start, text: "the unknown reference &\(name);")
    }
    for byte in String(Character(character)).utf8 { tree.writeAside(byte) }
    i += length + 1
  }
}
