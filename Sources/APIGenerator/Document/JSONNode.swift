/// One value of a JSON document, with the place where it stands.
final class JSONNode {
  /// What the value is. A number is kept as it is written.
  enum Value {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([(name: String, node: JSONNode)])
  }

  /// The way from the parent to a value.
  enum Step {
    case root
    case name(String)
    case index(Int)
  }

  let value: Value
  /// The position of its first byte in the document.
  let offset: Int
  private(set) var step = Step.root
  /// The value that this one is in; it lives as long as the document, whose root holds it.
  private(set) unowned var parent: JSONNode?
  /// Where a reference leads, once that is known; nil for a ring. It lives as long as the document, too.
  private(set) unowned var resolution: JSONNode?
  private(set) var isResolved = false
  /// The schemas that a merged one is made of; a value of the document has none.
  let parts: [JSONNode]
  /// The members by name, for objects that have many.
  private var index: [String: JSONNode]?

  init(_ value: Value, at offset: Int) {
    parts = []
    self.value = value
    self.offset = offset
    switch value {
    case .array(let elements):
      for (position, element) in elements.enumerated() {
        element.parent = self
        element.step = .index(position)
      }
    case .object(let members):
      for (name, node) in members {
        node.parent = self
        node.step = .name(name)
      }
      if members.count > 8 { index = Dictionary(members.map { ($0.name, $0.node) }) { first, _ in first } }
    default: break
    }
  }

  /// A schema that is all of several at once; it stands where the first of them does.
  init(allOf parts: [JSONNode]) {
    self.parts = parts
    value = .object([("allOf", JSONNode(unlinked: .array(parts), at: parts[0].offset))])
    (offset, step, parent) = (parts[0].offset, parts[0].step, parts[0].parent)
  }

  private init(unlinked value: Value, at offset: Int) {
    parts = []
    self.value = value
    self.offset = offset
  }

  /// Keeps where a reference leads.
  func resolve(to node: JSONNode?) { (resolution, isResolved) = (node, true) }

  var isNull: Bool { if case .null = value { true } else { false } }
  var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }
  var string: String? { if case .string(let text) = value { text } else { nil } }
  var elements: [JSONNode] { if case .array(let elements) = value { elements } else { [] } }
  var members: [(name: String, node: JSONNode)] {
    if case .object(let members) = value { members } else { [] }
  }
  var isObject: Bool { if case .object = value { true } else { false } }
  var isArray: Bool { if case .array = value { true } else { false } }

  /// The member of a name; nil where there is none or the value is no object.
  subscript(name: String) -> JSONNode? {
    if let index { return index[name] }
    return members.first { $0.name == name }?.node
  }

  /// The texts of an array.
  var strings: [String] { elements.compactMap(\.string) }

  /// Where the value stands: `#/paths/~1homes/get` (RFC 6901).
  var pointer: String { pointer(namingParameters: false) }

  /// The same with each parameter by its place and name instead of its position: `#/…/parameters/query:sort/schema`. It stays
  /// where another parameter comes or goes before it.
  var identity: String { pointer(namingParameters: true) }

  private func pointer(namingParameters: Bool) -> String {
    var steps: [String] = []
    var node = self
    while let parent = node.parent {
      switch node.step {
      case .name(let name): steps.append(Self.escape(name))
      case .index(let index):
        if namingParameters, case .name("parameters") = parent.step, let name = node["name"]?.string,
          let place = node["in"]?.string
        {
          steps.append(Self.escape("\(place):\(name)"))
        } else {
          steps.append(String(index))
        }
      case .root: break
      }
      node = parent
    }
    return "#" + steps.reversed().map { "/" + $0 }.joined()
  }

  /// A name as a step of a pointer.
  static func escape(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return name
    }
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// A step of a pointer as the name that it stands for; nil where a `~` is followed by something else.
  static func unescape(_ step: some StringProtocol) -> String? {
    var text = String.UnicodeScalarView()
    var scalars = step.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "~" else {
        text.append(scalar)
        continue
      }
      switch scalars.next() {
      case "0": text.append("~")
      case "1": text.append("/")
      default: return nil
      }
    }
    return String(text)
  }
}
