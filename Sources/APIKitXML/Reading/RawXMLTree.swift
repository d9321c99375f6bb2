import APIKit

/// The elements, attributes and texts of an XML document, in arrays.
///
/// A node is an element, an attribute or a chunk of text; node 0 is none. An element's first text is its own, others are
/// chunks among its children until it is closed.
struct RawXMLTree {
  private struct Node {
    var name: UInt32
    /// Where the text is: in the document, or aside when the top bit of the length is set.
    var start: UInt32 = 0
    var length: UInt32 = 0
    var firstChild: UInt32 = 0
    var nextSibling: UInt32 = 0
    /// The next child of the same parent with the same name.
    var nextSame: UInt32 = 0
  }

  private struct Name {
    var range: Range<Int>
    /// Whether the bytes are aside, because the document has them in no place.
    var isAside = false
    var isAttribute: Bool
    /// The last element that had an attribute or a child of the name, and that child.
    var serial: UInt32 = 0
    var last: UInt32 = 0
  }

  private static let aside: UInt32 = 1 << 31
  /// The name of a chunk.
  private static let chunk = UInt32.max

  private var nodes: [Node] = [Node(name: 0)]
  private var names: [Name] = []
  /// An open hash table of indexes into `names`, plus one.
  private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)
  private var hashes: [UInt32] = []
  /// Whether the hashes are seeded per process, as they are once names collide: a server could have chosen them so.
  private var isSeeded = false
  /// Beyond how many names in a row the hashes are seeded.
  private static let mostProbes = 64
  /// Text that is not in the document as it is.
  private var asideBytes: [UInt8] = []
  private var serial: UInt32 = 0

  private let linksNames: Bool

  init(expecting count: Int, linksNames: Bool = true) {
    self.linksNames = linksNames
    nodes.reserveCapacity(count + 16)
  }

  // MARK: Names

  /// The number of a name of the document.
  mutating func intern(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, isAttribute: Bool) -> UInt32 {
    let text = UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    return intern(text, base, isAttribute: isAttribute) { _ in Name(range: range, isAttribute: isAttribute) }
  }

  /// The number of a name that the document may not have.
  mutating func intern(_ bytes: [UInt8], _ base: UnsafePointer<UInt8>, isAttribute: Bool) -> UInt32 {
    bytes.withUnsafeBufferPointer { text in
      intern(text, base, isAttribute: isAttribute) { aside in
        aside += text
        return Name(range: aside.count - text.count..<aside.count, isAside: true, isAttribute: isAttribute)
      }
    }
  }

  @inline(__always)
  private mutating func intern(
    _ text: UnsafeBufferPointer<UInt8>, _ base: UnsafePointer<UInt8>, isAttribute: Bool,
    make: (inout [UInt8]) -> Name
  ) -> UInt32 {
    let hash = hash(of: text, isAttribute: isAttribute)
    let first = Int(hash) & (slots.count - 1)
    var slot = first
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if hashes[index] == hash, names[index].isAttribute == isAttribute, isSame(names[index], text, in: base)
      {
        return UInt32(index)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    names.append(make(&asideBytes))
    slots[slot] = UInt32(names.count)
    hashes.append(hash)
    if !isSeeded, (slot - first) & (slots.count - 1) > Self.mostProbes { seed(base) }
    if names.count * 2 > slots.count { rehash(slots.count * 2) }
    return UInt32(names.count - 1)
  }

  @inline(__always)
  private func hash(of text: UnsafeBufferPointer<UInt8>, isAttribute: Bool) -> UInt32 {
    guard !isSeeded else {
      var hasher = Hasher()
      hasher.combine(isAttribute)
      hasher.combine(bytes: UnsafeRawBufferPointer(text))
      return UInt32(truncatingIfNeeded: hasher.finalize())
    }
    var hash: UInt32 = isAttribute ? 0x811C_9DC4 : 0x811C_9DC5
    for byte in text { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return hash
  }

  private mutating func seed(_ base: UnsafePointer<UInt8>) {
    isSeeded = true
    hashes = names.map { name in
      bytes(of: name, base).withUnsafeBufferPointer { hash(of: $0, isAttribute: name.isAttribute) }
    }
    rehash(slots.count)
  }

  @inline(__always)
  private func isSame(
    _ name: Name, _ text: UnsafeBufferPointer<UInt8>, in base: UnsafePointer<UInt8>
  ) -> Bool {
    guard name.range.count == text.count, let start = text.baseAddress else { return false }
    if name.isAside { return asideBytes[name.range].elementsEqual(text) }
    return sameBytes(base + name.range.lowerBound, start, count: text.count)
  }

  private mutating func rehash(_ count: Int) {
    slots = [UInt32](repeating: 0, count: count)
    for (index, hash) in hashes.enumerated() {
      var slot = Int(hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index + 1)
    }
  }

  mutating func newSerial() -> UInt32 {
    serial += 1
    return serial
  }

  /// Whether the name is seen for the first time under a serial number.
  mutating func isFirst(_ name: UInt32, _ serial: UInt32) -> Bool {
    guard names[Int(name)].serial != serial else { return false }
    names[Int(name)].serial = serial
    return true
  }

  // MARK: Nodes

  mutating func add(name: UInt32) -> UInt32 {
    nodes.append(Node(name: name))
    return UInt32(nodes.count - 1)
  }

  mutating func addChunk(_ start: Int, _ length: Int, isAside: Bool) -> UInt32 {
    let node = add(name: Self.chunk)
    _ = setText(of: node, start, length, isAside: isAside)
    return node
  }

  /// Sets the text of a node; false when it has one.
  mutating func setText(of node: UInt32, _ start: Int, _ length: Int, isAside: Bool) -> Bool {
    guard nodes[Int(node)].length == 0 else { return false }
    nodes[Int(node)].start = UInt32(start)
    nodes[Int(node)].length = UInt32(length) | (isAside ? Self.aside : 0)
    return true
  }

  mutating func append(_ node: UInt32, to parent: UInt32, after last: UInt32) {
    if last == 0 { nodes[Int(parent)].firstChild = node } else { nodes[Int(last)].nextSibling = node }
  }

  func firstChild(of node: UInt32) -> UInt32 { nodes[Int(node)].firstChild }
  func next(after node: UInt32) -> UInt32 { nodes[Int(node)].nextSibling }

  /// The bytes of the name of an element or an attribute.
  func bytes(ofNameOf node: UInt32, _ base: UnsafePointer<UInt8>) -> [UInt8] {
    bytes(of: names[Int(nodes[Int(node)].name)], base)
  }

  /// The numbers of the names without a prefix that attributes of an element have.
  func plainNames(ofChildrenOf element: UInt32, _ base: UnsafePointer<UInt8>) -> Set<UInt32> {
    var names: Set<UInt32> = []
    var child = firstChild(of: element)
    while child != 0 {
      if !bytes(ofNameOf: child, base).contains(UInt8(ascii: ":")) { names.insert(nodes[Int(child)].name) }
      child = next(after: child)
    }
    return names
  }

  /// The name of a node.
  func name(of node: UInt32, _ base: UnsafePointer<UInt8>) -> String {
    String(decoding: bytes(ofNameOf: node, base), as: UTF8.self)
  }

  func isAttribute(_ node: UInt32) -> Bool { names[Int(nodes[Int(node)].name)].isAttribute }

  /// Whether a node has no text but white space.
  func isBlank(_ node: UInt32, _ base: UnsafePointer<UInt8>) -> Bool {
    var isBlank = true
    withText(of: nodes[Int(node)], base) { text in
      isBlank = text.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
    return isBlank
  }

  mutating func rename(_ node: UInt32, to name: UInt32?) { if let name { nodes[Int(node)].name = name } }

  /// The text of a node.
  func text(of node: UInt32, _ base: UnsafePointer<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    withText(of: nodes[Int(node)], base) { text = Array($0) }
    return text
  }

  private func withText(
    of node: Node, _ base: UnsafePointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let count = Int(node.length & ~Self.aside)
    guard node.length & Self.aside != 0 else {
      return body(UnsafeBufferPointer(start: base + Int(node.start), count: count))
    }
    asideBytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.start) + count]))
    }
  }

  // MARK: Text aside

  var asideCount: Int { asideBytes.count }
  mutating func writeAside(_ byte: UInt8) { asideBytes.append(byte) }
  mutating func writeAside(_ base: UnsafePointer<UInt8>, _ range: Range<Int>) {
    asideBytes.append(contentsOf: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
  }
  mutating func truncateAside(_ count: Int) { asideBytes.removeLast(asideBytes.count - count) }

  // MARK: Closing

  /// Joins the texts of an element and links its children of one name; each child is visited once.
  mutating func close(_ element: UInt32, _ base: UnsafePointer<UInt8>, hasElements: Bool, hasChunks: Bool) {
    if hasChunks { joinChunks(of: element, base) }
    guard hasElements else { return }
    if isBlank(element, base) { nodes[Int(element)].length = 0 }
    if linksNames { link(element) }
  }

  private mutating func joinChunks(of element: UInt32, _ base: UnsafePointer<UInt8>) {
    let start = asideBytes.count
    asideBytes += text(of: element, base)
    var (child, last) = (nodes[Int(element)].firstChild, UInt32(0))
    while child != 0 {
      let next = nodes[Int(child)].nextSibling
      if nodes[Int(child)].name == Self.chunk {
        asideBytes += text(of: child, base)
        append(next, to: element, after: last)
      } else {
        last = child
      }
      child = next
    }
    nodes[Int(element)].length = 0
    _ = setText(of: element, start, asideBytes.count - start, isAside: true)
  }

  private mutating func link(_ element: UInt32) {
    let serial = newSerial()
    var (child, last) = (nodes[Int(element)].firstChild, UInt32(0))
    while child != 0 {
      let next = nodes[Int(child)].nextSibling
      let name = Int(nodes[Int(child)].name)
      if names[name].serial == serial {
        nodes[Int(names[name].last)].nextSame = child
        append(next, to: element, after: last)
      } else {
        names[name].serial = serial
        last = child
      }
      names[name].last = child
      child = next
    }
  }

  // MARK: Writing

  /// The document as JSON: an object with the root as its member. An element with neither attributes nor children is its
  /// text; another is an object, with attributes under `@name` and its own text under `#text`. Elements of one name are
  /// an array.
  ///
  /// - Parameters:
  ///   - base: The document.
  ///   - arrays: The names of elements that are arrays even where one stands alone.
  func json(_ base: UnsafePointer<UInt8>, count: Int, arrays: Set<String>) -> [UInt8] {
    struct Frame {
      var next: UInt32
      let isArray: Bool
    }
    // `"name":`, ready to be written.
    let written = names.map { name in
      let bytes = bytes(of: name, base)
      return Array((name.isAttribute ? "\"@" : "\"").utf8) + bytes + Array("\":".utf8)
    }
    let isAlwaysArray = names.map { name in
      !arrays.isEmpty && !name.isAttribute
        && arrays.contains(String(decoding: bytes(of: name, base), as: UTF8.self))
    }
    var output: [UInt8] = [UInt8(ascii: "{")]
    output.reserveCapacity(count)
    // The root is the first node. What it closes is the object around it.
    var frames = [Frame(next: 1, isArray: false)]
    while let frame = frames.last {
      let node = frame.next
      guard node != 0 else {
        output.append(frame.isArray ? UInt8(ascii: "]") : UInt8(ascii: "}"))
        frames.removeLast()
        continue
      }
      let content = nodes[Int(node)]
      RawWriter.separate(&output)
      if frame.isArray {
        frames[frames.count - 1].next = content.nextSame
      } else {
        frames[frames.count - 1].next = content.nextSibling
        output.append(contentsOf: written[Int(content.name)])
        if content.nextSame != 0 || isAlwaysArray[Int(content.name)] {
          output.append(UInt8(ascii: "["))
          frames.append(Frame(next: node, isArray: true))
          continue
        }
      }
      guard content.firstChild != 0 else {
        withText(of: content, base) { RawWriter.append(string: $0, to: &output) }
        continue
      }
      output.append(UInt8(ascii: "{"))
      if content.length != 0 {
        RawWriter.append(name: "#text", to: &output)
        withText(of: content, base) { RawWriter.append(string: $0, to: &output) }
      }
      frames.append(Frame(next: content.firstChild, isArray: false))
    }
    return output
  }

  private func bytes(of name: Name, _ base: UnsafePointer<UInt8>) -> [UInt8] {
    if name.isAside { return Array(asideBytes[name.range]) }
    return Array(UnsafeBufferPointer(start: base + name.range.lowerBound, count: name.range.count))
  }
}
