import APIKit

/// Tags, attributes and namespaces.
extension RawXMLReader {
  mutating func startTag() throws(Fault) {
    let start = i
    i += 1
    let name = try nameRange()
    guard open.count < options.maximumDepth else {
      throw Fault(offset: start, text: "nested deeper than \(options.maximumDepth) levels", isLimit: true)
    }
    let node = tree.add(name: tree.intern(base, name, isAttribute: false))
    guard node != options.lastNode else { throw Fault(offset: start, text: "") }
    var element = Open(node: node, name: name)
    let isEmpty = try attributes(&element)
    if !options.prefixes.isEmpty { try rename(element, at: start) }
    if let last = open.indices.last {
      tree.append(node, to: open[last].node, after: open[last].lastChild)
      open[last].lastChild = node
      open[last].hasElements = true
    }
    if isEmpty {
      close(element)
    } else {
      open.append(element)
    }
  }

  /// Reads up to the end of the tag; true when the element has no content.
  mutating func attributes(_ element: inout Open) throws(Fault) -> Bool {
    var count = 0
    let serial = tree.newSerial()
    while true {
      let spaces = skipSpaces()
      guard i < end else { throw fault("the document ends inside a tag") }
      if base[i] == UInt8(ascii: ">") {
        i += 1
        return false
      }
      if base[i] == UInt8(ascii: "/") {
        guard i + 1 < end, base[i + 1] == UInt8(ascii: ">") else { throw fault("expected > after /") }
        i += 2
        return true
      }
      guard spaces else { throw fault("expected a space before an attribute") }
      count += 1
      guard count <= options.maximumAttributes else {
        throw Fault(offset: i, text: "more than \(options.maximumAttributes) attributes", isLimit: true)
      }
      let place = i
      let name = try nameRange()
      _ = skipSpaces()
      guard i < end, base[i] == UInt8(ascii: "=") else {
        throw fault("expected = after the name of an attribute")
      }
      i += 1
      _ = skipSpaces()
      guard i < end, base[i] == UInt8(ascii: "\"") || base[i] == UInt8(ascii: "'") else {
        throw fault("expected a quoted value")
      }
      let id = tree.intern(base, name, isAttribute: true)
      guard tree.isFirst(id, serial) else {
        throw Fault(offset: place, text: "the attribute \(self.name(name)) stands twice")
      }
      let node = tree.add(name: id)
      try attributeValue(of: node)
      tree.append(node, to: element.node, after: element.lastChild)
      element.lastChild = node
      if !options.prefixes.isEmpty { bind(name, node, of: &element) }
    }
  }

  mutating func endTag() throws(Fault) {
    guard let element = open.last else { throw fault("an end tag without a start") }
    let start = i
    i += 2
    guard i + element.name.count <= end,
      sameBytes(base + i, base + element.name.lowerBound, count: element.name.count)
    else { throw Fault(offset: start, text: "expected </\(name(element.name))>") }
    i += element.name.count
    _ = skipSpaces()
    guard i < end, base[i] == UInt8(ascii: ">") else {
      throw Fault(offset: start, text: "expected </\(name(element.name))>")
    }
    i += 1
    open.removeLast()
    close(element)
  }

  mutating func close(_ element: Open) {
    for _ in 0..<element.bindings { namespaces[bindings.removeLast()]?.removeLast() }
    tree.close(element.node, base, hasElements: element.hasElements, hasChunks: element.hasChunks)
  }

  // MARK: Namespaces

  /// Keeps a declaration of a namespace until its element ends.
  mutating func bind(_ name: Range<Int>, _ node: UInt32, of element: inout Open) {
    let text = UnsafeBufferPointer(start: base + name.lowerBound, count: name.count)
    guard text.starts(with: "xmlns".utf8) else { return }
    var prefix: [UInt8] = []
    if text.count > 6, text[5] == UInt8(ascii: ":") {
      prefix = Array(text[6...])
    } else if text.count > 5 {
      return
    }
    bindings.append(prefix)
    namespaces[prefix, default: []].append(String(decoding: tree.text(of: node, base), as: UTF8.self))
    element.bindings += 1
  }

  /// Gives element and attributes the prefixes of the application.
  mutating func rename(_ element: Open, at start: Int) throws(Fault) {
    tree.rename(element.node, to: renamed(tree.bytes(ofNameOf: element.node, base), isAttribute: false))
    // Without its prefix an attribute may have the name of another, which is in no namespace: then it keeps its own.
    let kept = options.prefixes.values.contains("") ? tree.plainNames(ofChildrenOf: element.node, base) : []
    let serial = tree.newSerial()
    var child = tree.firstChild(of: element.node)
    while child != 0 {
      let written = tree.bytes(ofNameOf: child, base)
      if let name = renamed(written, isAttribute: true), !kept.contains(name) {
        // Two prefixes of one namespace make one attribute of two.
        guard tree.isFirst(name, serial) else {
          let name = String(decoding: written, as: UTF8.self)
          throw Fault(
            offset: start,
            text: "the attribute \(name) stands twice in its namespace, or under the prefixes of the decoder")
        }
        tree.rename(child, to: name)
      }
      child = tree.next(after: child)
    }
  }

  /// The interned name with the application's prefix; nil when it stays what it is.
  mutating func renamed(_ name: [UInt8], isAttribute: Bool) -> UInt32? {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    // A name without a prefix is in the default namespace; an attribute without one is in none.
    guard colon != nil || !isAttribute else { return nil }
    let prefix = colon.map { Array(name[..<$0]) } ?? []
    guard let uri = namespaces[prefix]?.last else { return nil }
    let local = colon.map { name[($0 + 1)...] } ?? name[...]
    guard let wanted = options.prefixes[uri] ?? otherPrefix(String(decoding: prefix, as: UTF8.self)) else {
      return nil
    }
    let start = wanted.isEmpty ? [] : Array(wanted.utf8) + [UInt8(ascii: ":")]
    return tree.intern(start + local, base, isAttribute: isAttribute)
  }

  /// What takes the place of a document's prefix that the application has given to another namespace; nil where it has not.
  private func otherPrefix(_ prefix: String) -> String? {
    var other = prefix
    while !other.isEmpty, options.prefixes.values.contains(other) { other = "_" + other }
    return other == prefix ? nil : other
  }
}
