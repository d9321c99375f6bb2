import APIKit

/// Converts an XML property list into JSON text, over the one reader of XML.
struct RawXMLPropertyList {
  private typealias Fault = RawXMLReader.Fault

  private let tree: RawXMLTree
  private let base: UnsafePointer<UInt8>
  private let maximumDepth: Int
  private var output: [UInt8] = []
  /// The open containers, outermost first.
  private var open: [Container] = []
  /// The node at hand, for faults.
  private var node: UInt32 = 0

  private struct Container {
    /// The child that is next; 0 behind the last.
    var next: UInt32
    let isDictionary: Bool
  }

  /// The JSON of a property list in UTF-8.
  static func json(_ bytes: [UInt8], _ limits: RawData.Limits) throws(APIError) -> [UInt8] {
    // Around the containers is the element `plist`, inside the value.
    var options = RawXMLReader.Options(
      maximumDepth: limits.depth + 2, skipsDocumentType: true, linksNames: false)
    do throws(Fault) {
      return try bytes.withUnsafeBufferPointer { (buffer) throws(Fault) in
        let tree = try RawXMLReader.read(buffer, options)
        guard let base = buffer.baseAddress else { return [] }
        var list = RawXMLPropertyList(tree, base, limits: limits)
        do throws(Fault) {
          try list.write()
          return list.output
        } catch {
          // The tree has no places: a second reading stops at the node.
          options.lastNode = list.node
          var fault = error
          do throws(Fault) { _ = try RawXMLReader.read(buffer, options) } catch {
            fault.offset = error.offset
          }
          throw fault
        }
      }
    } catch {
      throw error.error(in: bytes)
    }
  }

  private init(_ tree: RawXMLTree, _ base: UnsafePointer<UInt8>, limits: RawData.Limits) {
    (self.tree, self.base, maximumDepth) = (tree, base, limits.depth)
  }

  private mutating func write() throws(Fault) {
    node = 1
    if name == "plist" {
      let root = element(from: tree.firstChild(of: 1))
      guard root != 0, element(from: tree.next(after: root)) == 0, tree.isBlank(1, base) else {
        throw fault("a <plist> holds one value")
      }
      node = root
    }
    output.reserveCapacity(256)
    try value()
    while let container = open.last {
      node = container.next
      guard node != 0 else {
        output.append(container.isDictionary ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        open.removeLast()
        continue
      }
      open[open.count - 1].next = element(from: tree.next(after: node))
      if container.isDictionary {
        guard name == "key" else { throw fault("a value in a dictionary needs a <key> before it") }
        RawWriter.append(name: String(decoding: try content(), as: UTF8.self), to: &output)
        node = open[open.count - 1].next
        guard node != 0, name != "key" else { throw fault("a <key> without a value") }
        open[open.count - 1].next = element(from: tree.next(after: node))
      } else {
        RawWriter.separate(&output)
      }
      try value()
    }
  }

  private mutating func value() throws(Fault) {
    switch name {
    case "dict", "array":
      guard tree.isBlank(node, base) else { throw fault("text in a <\(name)>") }
      guard open.count < maximumDepth else {
        throw Fault(offset: 0, text: "nested deeper than \(maximumDepth) levels", isLimit: true)
      }
      let isDictionary = name == "dict"
      output.append(isDictionary ? UInt8(ascii: "{") : UInt8(ascii: "["))
      open.append(Container(next: element(from: tree.firstChild(of: node)), isDictionary: isDictionary))
    case "string": RawWriter.append(string: try content(), to: &output)
    case "true", "false":
      guard try content().isEmpty else { throw fault("<\(name)> has content") }
      output += name.utf8
    case "integer": output += try integer().utf8
    case "real":
      let text = try trimmed()
      // `Double` would take a hexadecimal one.
      guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let value = Double(text) else {
        throw fault("a <real> that is not a number")
      }
      output += (value.isFinite ? "\(value)" : "null").utf8
    case "date":
      var text = try trimmed()
      guard text.withUTF8({ ISO8601.secondsSince1970($0) }) != nil else {
        throw fault("a <date> that is not of ISO 8601")
      }
      RawWriter.append(string: text.utf8, to: &output)
    case "data":
      let text = try content().filter { $0 > 0x20 }
      guard let data = text.withUnsafeBufferPointer({ Base64.decode(lenient: $0) }) else {
        throw fault("<data> that is not base64")
      }
      RawWriter.append(string: Base64.encode(data).utf8, to: &output)
    default: throw fault("<\(name)> is not an element of property lists")
    }
  }

  /// The digits of an integer that 64 bits hold, signed or not.
  private func integer() throws(Fault) -> String {
    let text = try trimmed()
    let sign = text.prefix { $0 == "-" || $0 == "+" }
    var digits = text.dropFirst(sign.count)
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits = digits.dropFirst(2) }
    let radix = isHexadecimal ? 16 : 10
    let value =
      sign == "-"
      ? Int64(sign + digits, radix: radix).map { "\($0)" }
      : UInt64(sign + digits, radix: radix).map { "\($0)" }
    guard digits.first?.isHexDigit == true, let value else {
      throw fault("an <integer> that is none of 64 bits")
    }
    return value
  }

  // MARK: The tree

  private var name: String { tree.name(of: node, base) }

  /// The text of the element at hand, which holds no others.
  private func content() throws(Fault) -> [UInt8] {
    guard element(from: tree.firstChild(of: node)) == 0 else { throw fault("an element inside of <\(name)>") }
    return tree.text(of: node, base)
  }

  private func trimmed() throws(Fault) -> String {
    let inner = try content().drop { $0 <= 0x20 }
    guard let last = inner.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(decoding: inner[...last], as: UTF8.self)
  }

  /// The first element from a node on: attributes have no meaning here.
  private func element(from node: UInt32) -> UInt32 {
    var node = node
    while node != 0, tree.isAttribute(node) { node = tree.next(after: node) }
    return node
  }

  private func fault(_ text: String) -> Fault { Fault(offset: 0, text: text) }
}
