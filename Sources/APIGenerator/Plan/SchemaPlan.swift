/// Decides which Swift type each schema becomes, and which models are written.
///
/// A schema is read once for each direction, so that rings end and repetition takes no time.
final class SchemaPlan {
  let document: APIDocument
  private(set) var models: [Model] = []
  private(set) var notes: [Note] = []
  var flats: [ObjectIdentifier: FlatSchema] = [:]
  var flattening: Set<ObjectIdentifier> = []

  private struct Key: Hashable {
    let node: ObjectIdentifier
    let direction: Direction
  }
  private var types: [Key: (type: SwiftType, isNullable: Bool)] = [:]
  private var typing: Set<Key> = []
  private var ids: [Key: Int] = [:]
  /// How many schemas of several parts are made; documents have some ten.
  private static let maximumMerges = 10_000
  /// How many members are made in all: a few schemas that many have as a part would become gigabytes of source. GitHub's
  /// document has some 10,000.
  static let maximumMembers = 500_000
  var memberCount = 0
  /// Schemas of members that several parts describe, by those parts: a ring of such members ends.
  private var merged: [[ObjectIdentifier]: JSONNode] = [:]
  /// Models whose members are not known yet.
  private var pending: [Int] = []
  private var notedReasons: Set<String> = []
  /// What a schema contains, itself or further down; of interest are the members that are not for all directions.
  private let traits: SchemaTraits

  init(_ document: APIDocument, roots: [JSONNode]) {
    self.document = document
    traits = SchemaTraits(document, roots: roots)
  }

  func note(_ node: JSONNode, _ reason: String, _ advice: String) { note(at: node.pointer, reason, advice) }

  func note(at pointer: String, _ reason: String, _ advice: String, isSkip: Bool = false) {
    guard notedReasons.insert("\(pointer) \(reason)").inserted else { return }
    notes.append(Note(pointer: pointer, reason: reason, advice: advice, isSkip: isSkip))
  }

  /// The type of a schema, and whether it may be null.
  func type(of given: JSONNode?, _ direction: Direction, depth: Int = 0) -> (
    type: SwiftType, isNullable: Bool
  ) {
    guard let given, given.isObject, let node = document.resolve(given) else { return (.json, false) }
    // Beside a reference stands at most that it may be null, too.
    if node !== given, given["nullable"]?.bool == true {
      return (type(of: node, direction, depth: depth).type, true)
    }
    let key = Key(node: ObjectIdentifier(node), direction: direction)
    if let known = types[key] { return known }
    guard depth < Self.maximumDepth, typing.insert(key).inserted else {
      note(
        node, "a schema contains nothing but itself, or is nested deeper than \(Self.maximumDepth)",
        "it is a free value: JSONValue")
      return (.json, false)
    }
    defer { typing.remove(key) }
    let result = (type: decide(node, direction, depth), isNullable: isNullable(node) || partIsNullable(node))
    types[key] = result
    return result
  }

  /// Whether a schema is one part with nothing beside, or a choice, of which a part may be null.
  private func partIsNullable(_ node: JSONNode) -> Bool {
    if choices(node).contains(where: { document.resolve($0).map(isNullable) ?? false }) { return true }
    guard let parts = node["allOf"]?.elements, parts.count == 1, let part = document.resolve(parts[0]) else {
      return false
    }
    return isNullable(part)
  }

  private func decide(_ node: JSONNode, _ direction: Direction, _ depth: Int) -> SwiftType {
    if let parts = node["allOf"]?.elements, !parts.isEmpty {
      // One part with nothing but words beside it is that part.
      if parts.count == 1, node["properties"] == nil, node["required"] == nil, choices(node).isEmpty {
        return type(of: parts[0], direction, depth: depth + 1).type
      }
      guard let flat = flat(node) else { return .json }
      if flat.isObject || !flat.fields.isEmpty {
        if flat.fields.isEmpty { return dictionary(flat.additional, direction, depth) }
        if flat.hasChoice {
          note(
            node, "a choice (oneOf, anyOf) beside other parts is not read",
            "its members are not in the type; read them from the raw data")
        }
        return model(node, direction)
      }
      let plain = flat.others.all.filter { $0 !== node }.map {
        type(of: $0, direction, depth: depth + 1).type
      }
      return unified(plain, node)
    }
    if let properties = node["properties"], !properties.members.isEmpty,
      typeNames(node).isEmpty || typeNames(node) == ["object"]
    {
      if choices(node).contains(where: { !isOnlyARule($0) }) {
        note(
          node, "a choice (oneOf, anyOf) beside members is not read",
          "its members are not in the type; read them from the raw data")
      }
      return model(node, direction)
    }
    let alternatives = choices(node).filter { !isOnlyARule($0) }
    if !alternatives.isEmpty { return choice(alternatives, node, direction, depth) }
    let names = typeNames(node)
    guard names.count <= 1 else { return .json }
    return plain(names.first, node, direction, depth)
  }

  private func plain(_ name: String?, _ node: JSONNode, _ direction: Direction, _ depth: Int) -> SwiftType {
    let known = Self.known(node)
    switch name {
    case "string" where !known.isEmpty, nil where !known.isEmpty && known.allSatisfy { $0.string != nil }:
      return model(node, direction)
    case "integer" where !known.isEmpty && known.allSatisfy { Self.integer($0) != nil },
      nil where !known.isEmpty && known.allSatisfy { Self.integer($0) != nil }:
      return model(node, direction)
    case nil where !known.isEmpty && known.allSatisfy { $0.bool != nil }: return .bool
    case "string": return text(node)
    case "integer": return SwiftType(integer: node["format"]?.string)
    case "number": return .double
    case "boolean": return .bool
    case "array": return .array(element(node, direction, depth))
    case "object":
      return dictionary(
        node["additionalProperties"].flatMap { $0.bool == false ? nil : $0 }, direction, depth)
    case nil where node["items"] != nil: return .array(element(node, direction, depth))
    case nil where node["additionalProperties"]?.isObject == true:
      return dictionary(node["additionalProperties"], direction, depth)
    default: return .json
    }
  }

  private func element(_ node: JSONNode, _ direction: Direction, _ depth: Int) -> SwiftType {
    let (type, isNullable) = type(of: node["items"], direction, depth: depth + 1)
    return isNullable && type != .json ? .optional(type) : type
  }

  private func dictionary(_ schema: JSONNode?, _ direction: Direction, _ depth: Int) -> SwiftType {
    let (type, isNullable) = type(of: schema, direction, depth: depth + 1)
    // A day is written by the type that has it as a member; a dictionary has no such place.
    if type == .day { return .dictionary(isNullable ? .optional(.string) : .string) }
    return .dictionary(isNullable && type != .json ? .optional(type) : type)
  }

  private func text(_ node: JSONNode) -> SwiftType {
    switch node["format"]?.string {
    case "date-time": .date
    case "date": .day
    case "byte": .bytes
    default: .string
    }
  }

  /// A known value of a text. A converter of YAML makes numbers and booleans of `1` and `true` without quotes.
  private static func text(_ node: JSONNode) -> String? {
    if case .number(let text) = node.value { return text }
    return node.string ?? node.bool.map(String.init)
  }

  static func integer(_ node: JSONNode) -> Int? {
    guard case .number(let text) = node.value else { return nil }
    return Int(text)
  }

  private func choice(_ alternatives: [JSONNode], _ node: JSONNode, _ direction: Direction, _ depth: Int)
    -> SwiftType
  {
    let types = alternatives.map { type(of: $0, direction, depth: depth + 1).type }
    if let first = types.first, types.allSatisfy({ $0 == first }) { return first }
    // Known values beside any text are any text.
    let bases = types.map { base(of: $0) }
    if bases.allSatisfy({ $0 == .string }) { return .string }
    guard types.contains(where: { $0.model != nil }) else { return .json }
    return model(node, direction)
  }

  /// The type of what a type is a choice of, for known values; else itself.
  private func base(of type: SwiftType) -> SwiftType {
    guard case .model(let id) = type else { return type }
    let node = models[id].node
    let values = node["enum"]?.elements ?? node["const"].map { [$0] } ?? []
    guard !values.isEmpty, node["properties"] == nil else { return type }
    return isText(node) ? .string : .int
  }

  /// The one type of what several parts describe.
  private func unified(_ types: [SwiftType], _ node: JSONNode) -> SwiftType {
    var types = types.filter { $0 != .json }
    guard let first = types.first else { return .json }
    if types.allSatisfy({ $0 == first }) { return first }
    types = types.map { base(of: $0) }
    if types.allSatisfy({ $0 == types[0] }) { return types[0] }
    note(node, "parts of it contradict one another", "it is a free value: JSONValue")
    return .json
  }

  // MARK: Models

  private func model(_ node: JSONNode, _ direction: Direction) -> SwiftType {
    let direction = traits.direction(of: node, direction)
    let key = Key(node: ObjectIdentifier(node), direction: direction)
    if let id = ids[key] { return .model(id) }
    ids[key] = models.count
    models.append(Model(node: node, pointer: node.pointer, direction: direction))
    return .model(models.count - 1)
  }

  /// Marks what a type consists of as used, and decides the members of what was not used before.
  func use(_ type: SwiftType, _ direction: Direction) {
    mark(type, direction)
    while let id = pending.popLast() {
      let model = models[id]
      if case .structure = model.kind {} else { decideKind(of: id) }
      let types: [SwiftType] =
        switch models[id].kind {
        case .structure(let members): members.map(\.type)
        case .union(let types): types
        case .enumeration: []
        }
      for type in types {
        if model.isReceived { mark(type, .output) }
        if model.isSent { mark(type, .input) }
      }
    }
  }

  private func mark(_ type: SwiftType, _ direction: Direction) {
    guard let id = type.model else { return }
    if direction == .output ? models[id].isReceived : models[id].isSent { return }
    if direction == .output { models[id].isReceived = true } else { models[id].isSent = true }
    pending.append(id)
  }

  private func decideKind(of id: Int) {
    let (node, direction) = (models[id].node, models[id].direction)
    let values = Self.known(node)
    if !values.isEmpty, node["properties"] == nil, node["allOf"] == nil {
      models[id].kind = enumeration(values, isText: isText(node))
    } else if let flat = flat(node), !flat.fields.isEmpty {
      models[id].kind = .structure(members(of: flat, direction, owner: node))
    } else {
      let alternatives = choices(node).filter { !isOnlyARule($0) }
      var seen: Set<SwiftType> = [.json]
      let types = alternatives.map { type(of: $0, direction).type }.filter { seen.insert($0).inserted }
      models[id].kind = .union(types)
    }
  }

  private func enumeration(_ values: [JSONNode], isText: Bool) -> Model.Kind {
    var names = NameTable()
    // By their bytes: Swift takes both forms of a letter with a mark for one text, and a server does not.
    var seen: Set<[UInt8]> = []
    var cases: [(name: String, literal: String)] = []
    for value in values {
      let text = isText ? Self.text(value) : Self.integer(value).map(String.init)
      guard let text, seen.insert(Array(text.utf8)).inserted else { continue }
      cases.append((names.unique(Words.valueName(text)), isText ? SafeText.literal(text) : text))
    }
    return .enumeration(isText ? .string : .int, cases)
  }

  /// The members of an object for a direction.
  func members(of flat: FlatSchema, _ direction: Direction, owner: JSONNode) -> [Member] {
    if flat.additional != nil {
      note(owner, "members beside the named ones are not kept", "read them from the raw data")
    }
    for name in flat.required.subtracting(flat.fields.map(\.name)).sorted() {
      note(
        owner, "the member \(SafeText.quoted(name)) is required and described nowhere",
        "it is not in the type; read it from the raw data, send it with a manager of your own")
    }
    var names = NameTable()
    var members: [Member] = []
    for field in flat.fields {
      memberCount += 1
      guard memberCount <= Self.maximumMembers else { return [] }
      let given = field.nodes.all
      let nodes = given.compactMap(document.resolve)
      func states(_ name: String) -> Bool { (nodes + given).contains { $0[name]?.bool == true } }
      if states(direction == .output ? "writeOnly" : "readOnly") { continue }
      let types = given.map { type(of: $0, direction) }
      // What a later part says in more detail than an earlier one counts.
      let merged = types.count == 1 ? types[0].type : narrowed(given, direction, owner, field.name)
      let isNullable = types.allSatisfy { $0.isNullable }
      let isRequired = flat.required.contains(field.name)
      let text =
        (given + nodes).lazy.compactMap { $0["description"]?.string ?? $0["title"]?.string }.first ?? ""
      members.append(
        Member(
          key: field.name, name: names.unique(Words.memberName(field.name)), type: merged,
          isRequired: isRequired,
          isNullable: isNullable,
          isChange: direction == .patch && !isRequired && isNullable && merged != .json, text: text,
          isDeprecated: states("deprecated")))
    }
    return members
  }

  /// The type of a member that several parts describe.
  private func narrowed(_ nodes: [JSONNode], _ direction: Direction, _ owner: JSONNode, _ name: String)
    -> SwiftType
  {
    let types = nodes.map { type(of: $0, direction).type }
    if types.allSatisfy({ if case .model(let id) = $0 { isStructure(id) } else { false } }),
      Set(types).count > 1
    {
      let key = nodes.compactMap(document.resolve).map(ObjectIdentifier.init)
      if let known = merged[key] { return type(of: known, direction).type }
      guard merged.count < Self.maximumMerges else {
        note(
          owner, "more than \(Self.maximumMerges) members are described by several parts",
          "further ones are free values: JSONValue")
        return .json
      }
      let new = JSONNode(allOf: nodes)
      merged[key] = new
      return type(of: new, direction).type
    }
    var result = types[0]
    for type in types.dropFirst() {
      guard let narrower = narrower(result, type) else {
        note(
          owner, "its parts contradict one another about the member \(SafeText.quoted(name))",
          "that is a free value: JSONValue")
        return .json
      }
      result = narrower
    }
    return result
  }

  /// The type that says more; nil where the two exclude one another.
  private func narrower(_ one: SwiftType, _ other: SwiftType) -> SwiftType? {
    if one == other || other == .json { return one }
    if one == .json { return other }
    switch (one, other) {
    case (.array(let first), .array(let second)): return narrower(first, second).map { .array($0) }
    case (.model(let id), .dictionary(.json)) where isStructure(id): return one
    case (.dictionary(.json), .model(let id)) where isStructure(id): return other
    case (.optional(let first), let second), (let second, .optional(let first)):
      return narrower(first, second)
    case (.int, .int64), (.int64, .int), (.int, .uint64), (.uint64, .int): return one == .int ? other : one
    default:
      // Known values of a text are a text.
      let bases = (base(of: one), base(of: other))
      return bases.0 == bases.1 ? bases.0 : nil
    }
  }

  private func isStructure(_ id: Int) -> Bool {
    let node = models[id].node
    return node["properties"] != nil || node["allOf"] != nil
  }

  // MARK: Names and cycles

  /// Gives the used models their names; `give` gets what a model is named after, in the order of pointers.
  func nameModels(_ give: (Model) -> String) {
    for id in usedModels.sorted(by: { models[$0].key < models[$1].key }) {
      models[id].name = give(models[id])
    }
  }

  /// The models that are written.
  var usedModels: [Int] { models.indices.filter { models[$0].isSent || models[$0].isReceived } }

  /// Puts a box on the members that close a cycle of structures.
  func boxCycles() {
    // Depth first, without recursion: 0 not seen, 1 on the way, 2 done.
    var states = [UInt8](repeating: 0, count: models.count)
    for root in usedModels.sorted(by: { models[$0].key < models[$1].key }) where states[root] == 0 {
      var way: [(id: Int, next: Int)] = [(root, 0)]
      states[root] = 1
      while let (id, next) = way.last {
        guard case .structure(var members) = models[id].kind, next < members.count else {
          states[id] = 2
          way.removeLast()
          continue
        }
        way[way.count - 1].next += 1
        guard case .model(let target) = members[next].type, case .structure = models[target].kind else {
          continue
        }
        if states[target] == 1 {
          members[next].type = .boxed(target)
          models[id].kind = .structure(members)
        } else if states[target] == 0 {
          states[target] = 1
          way.append((target, 0))
        }
      }
    }
  }
}
