/// The members that a schema has by itself and by its `allOf`.
struct FlatSchema {
  /// One member; several nodes where several parts describe it.
  struct Field {
    var name: String
    var nodes = Nodes()
  }

  /// Different nodes, in their order.
  struct Nodes {
    private(set) var all: [JSONNode] = []
    private var ids: Set<ObjectIdentifier> = []

    mutating func add(_ node: JSONNode) {
      if all.count == 8 { ids = Set(all.map(ObjectIdentifier.init)) }
      let isKnown =
        all.count < 8 ? all.contains { $0 === node } : !ids.insert(ObjectIdentifier(node)).inserted
      if !isKnown { all.append(node) }
    }
  }

  var fields: [Field] = []
  var required: Set<String> = []
  /// The position of each field.
  private var positions: [String: Int] = [:]
  /// The schemas of further members.
  var additional: JSONNode?
  /// Parts that are no objects.
  var others = Nodes()
  var isObject = false
  var isNullable = false
  /// Whether a part is a choice, which is not read.
  var hasChoice = false

  mutating func add(_ name: String, _ node: JSONNode) {
    let position = positions[name] ?? fields.count
    if position == fields.count {
      positions[name] = position
      fields.append(Field(name: name))
    }
    fields[position].nodes.add(node)
  }

  mutating func add(_ part: FlatSchema) {
    for field in part.fields { for node in field.nodes.all { add(field.name, node) } }
    required.formUnion(part.required)
    additional = additional ?? part.additional
    for other in part.others.all { others.add(other) }
    isObject = isObject || part.isObject
    isNullable = isNullable && part.isNullable
    hasChoice = hasChoice || part.hasChoice
  }
}

extension SchemaPlan {
  /// The deepest chain of parts of parts that is read. Each schema is read once, however often it is a part.
  static let maximumDepth = 64

  /// The members of a schema; nil for a ring of parts, or one that is too deep.
  func flat(_ given: JSONNode, depth: Int = 0) -> FlatSchema? {
    guard let node = document.resolve(given) else { return nil }
    let key = ObjectIdentifier(node)
    if let known = flats[key] { return known }
    guard memberCount <= Self.maximumMembers else { return nil }
    guard depth < Self.maximumDepth, flattening.insert(key).inserted else {
      note(
        node, "a schema is a part of itself, or parts are nested deeper than \(Self.maximumDepth)",
        "it is a free value: JSONValue")
      return nil
    }
    defer { flattening.remove(key) }
    var flat = FlatSchema()
    flat.isNullable = isNullable(node)
    let parts = node["allOf"]?.elements ?? []
    if let first = parts.first, node["nullable"] == nil, typeNames(node).isEmpty {
      // What allows null in each part allows it in the whole.
      flat.isNullable = document.resolve(first).map(isNullable) ?? false
    }
    for part in parts {
      guard let its = self.flat(part, depth: depth + 1) else { return nil }
      flat.add(its)
    }
    if let properties = node["properties"], !properties.members.isEmpty {
      flat.isObject = true
      for (name, property) in properties.members { flat.add(name, property) }
    }
    flat.required.formUnion(node["required"]?.strings ?? [])
    if let additional = node["additionalProperties"], additional.bool != false {
      flat.additional = additional
    }
    if typeNames(node) == ["object"] { flat.isObject = true }
    let isPlain =
      !typeNames(node).isEmpty && typeNames(node) != ["object"] || node["enum"] != nil || node["const"] != nil
    if isPlain { flat.others.add(node) }
    if !choices(node).isEmpty {
      flat.hasChoice = true
      if node["properties"] == nil, !isPlain, choices(node).contains(where: { !isOnlyARule($0) }) {
        flat.others.add(node)
      }
    }
    memberCount += flat.fields.count
    flats[key] = flat
    return flat
  }

  /// Whether a choice only says which members are required.
  func isOnlyARule(_ node: JSONNode) -> Bool {
    node.members.allSatisfy { ["required", "title", "description", "not", "type"].contains($0.name) }
      && node["type"]?.string ?? "object" == "object"
  }

  /// Whether the known values of a schema are texts: what its type says counts, not how the values are spelt. Without a type,
  /// the values count.
  func isText(_ node: JSONNode) -> Bool {
    if let name = typeNames(node).first { return name != "integer" }
    let known = Self.known(node)
    return known.isEmpty || known.contains { Self.integer($0) == nil }
  }

  /// The known values of a schema, without null.
  static func known(_ node: JSONNode) -> [JSONNode] {
    (node["enum"]?.elements ?? node["const"].map { [$0] } ?? []).filter { !$0.isNull }
  }

  /// The names of the types that a schema allows, without `null`.
  func typeNames(_ node: JSONNode) -> [String] {
    guard let type = node["type"] else { return [] }
    return (type.string.map { [$0] } ?? type.strings).filter { $0 != "null" }
  }

  /// Whether a schema allows null, in one of its spellings.
  func isNullable(_ node: JSONNode) -> Bool {
    if node["nullable"]?.bool == true { return true }
    if let type = node["type"], type.string == "null" || type.strings.contains("null") { return true }
    if node["enum"]?.elements.contains(where: \.isNull) == true, typeNames(node).isEmpty { return true }
    return (node["oneOf"]?.elements ?? node["anyOf"]?.elements ?? []).contains { isNull($0) }
  }

  /// Whether a schema is that of null alone.
  private func isNull(_ given: JSONNode) -> Bool {
    let node = document.resolve(given) ?? given
    return node["type"]?.string == "null" || node["const"]?.isNull == true
      || node["enum"].map { $0.elements.count == 1 && $0.elements[0].isNull } == true
  }

  /// The alternatives of a schema, without null.
  func choices(_ node: JSONNode) -> [JSONNode] {
    ((node["oneOf"]?.elements ?? []) + (node["anyOf"]?.elements ?? [])).filter { !isNull($0) }
  }
}
