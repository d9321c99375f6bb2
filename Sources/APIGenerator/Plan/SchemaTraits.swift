/// Which schemas contain members that are not for every direction, directly or further down.
struct SchemaTraits {
  private struct Trait: OptionSet {
    let rawValue: UInt8
    static let oneWay = Self(rawValue: 1)
    static let clearable = Self(rawValue: 2)
  }

  private var traits: [ObjectIdentifier: Trait] = [:]

  /// Looks at all that the roots lead to, each schema once.
  init(_ document: APIDocument, roots: [JSONNode]) {
    var users: [ObjectIdentifier: [ObjectIdentifier]] = [:]
    var seen: Set<ObjectIdentifier> = []
    var found: [ObjectIdentifier] = []
    var pending = roots
    while let node = pending.popLast() {
      let id = ObjectIdentifier(node)
      guard seen.insert(id).inserted else { continue }
      var own: Trait = []
      if node["readOnly"]?.bool == true || node["writeOnly"]?.bool == true { own.insert(.oneWay) }
      let required = Set(node["required"]?.strings ?? [])
      for (name, property) in node["properties"]?.members ?? [] where !required.contains(name) {
        if let target = document.resolve(property), Self.isNullable(property) || Self.isNullable(target) {
          own.insert(.clearable)
        }
      }
      if !own.isEmpty {
        traits[id] = own
        found.append(id)
      }
      for child in Self.children(of: node, document) {
        users[ObjectIdentifier(child), default: []].append(id)
        pending.append(child)
      }
    }
    while let id = found.popLast() {
      let trait = traits[id] ?? []
      for user in users[id] ?? [] where !(traits[user] ?? []).isSuperset(of: trait) {
        traits[user, default: []].formUnion(trait)
        found.append(user)
      }
    }
  }

  private static func isNullable(_ node: JSONNode) -> Bool {
    node["nullable"]?.bool == true || node["type"]?.strings.contains("null") == true || node["oneOf"] != nil
      || node["anyOf"] != nil || node["enum"]?.elements.contains(where: \.isNull) == true
  }

  private static func children(of node: JSONNode, _ document: APIDocument) -> [JSONNode] {
    if node["$ref"]?.string != nil { return document.resolve(node).map { [$0] } ?? [] }
    var children = node["properties"]?.members.map(\.node) ?? []
    for name in ["allOf", "oneOf", "anyOf"] { children += node[name]?.elements ?? [] }
    for name in ["items", "additionalProperties"] {
      if let child = node[name], child.isObject { children.append(child) }
    }
    return children
  }

  /// The direction whose model a schema shares: that of the output where nothing in it differs.
  func direction(of node: JSONNode, _ direction: Direction) -> Direction {
    var trait = traits[ObjectIdentifier(node)] ?? []
    // A schema that was merged is not one of the document, but its parts are.
    for part in node["allOf"]?.elements ?? [] { trait.formUnion(traits[ObjectIdentifier(part)] ?? []) }
    switch direction {
    case .output: return .output
    case .patch where trait.contains(.clearable): return .patch
    case .input, .patch: return trait.contains(.oneWay) ? .input : .output
    }
  }
}
