/// Finds what has another type than OpenAPI gives it in the parts of a document that are read. It is taken as if it were
/// missing, so the report names it.
struct ShapeCheck {
  /// What an object of the document is.
  enum Part {
    case document, components, operation, parameter, body, response, media, encoding, schema, server, variable
    case securityScheme, flow
  }

  /// What a member must be; members of ``one(_:)``, ``all(_:)`` and ``map(_:)`` are visited.
  private enum Rule {
    case text, flag, object, list, texts, textOrTexts, objects
    case one(Part), all(Part), map(Part)
  }

  private static let rules: [Part: [String: Rule]] = [
    .document: [
      "info": .object, "servers": .all(.server), "security": .objects, "components": .one(.components),
      "webhooks": .object,
    ],
    .components: [
      "schemas": .object, "responses": .object, "parameters": .object, "requestBodies": .object,
      "securitySchemes": .map(.securityScheme),
    ],
    .operation: [
      "operationId": .text, "summary": .text, "description": .text, "tags": .texts, "deprecated": .flag,
      "parameters": .all(.parameter), "requestBody": .one(.body), "responses": .map(.response),
      "security": .objects, "servers": .all(.server), "callbacks": .object,
    ],
    .parameter: [
      "required": .flag, "deprecated": .flag, "style": .text, "explode": .flag, "description": .text,
      "schema": .one(.schema), "content": .map(.media),
    ],
    .body: ["required": .flag, "description": .text, "content": .map(.media)],
    .response: ["content": .map(.media), "headers": .object, "description": .text],
    .media: ["schema": .one(.schema), "encoding": .map(.encoding)],
    .encoding: ["style": .text, "explode": .flag, "contentType": .text],
    .schema: [
      "type": .textOrTexts, "format": .text, "title": .text, "description": .text,
      "properties": .map(.schema),
      "required": .texts, "items": .one(.schema), "additionalProperties": .one(.schema),
      "allOf": .all(.schema),
      "oneOf": .all(.schema), "anyOf": .all(.schema), "enum": .list, "nullable": .flag, "readOnly": .flag,
      "writeOnly": .flag, "deprecated": .flag,
    ],
    .server: ["url": .text, "description": .text, "variables": .map(.variable)],
    .variable: ["default": .text],
    .securityScheme: ["type": .text, "scheme": .text, "name": .text, "in": .text, "flows": .map(.flow)],
    .flow: ["authorizationUrl": .text, "tokenUrl": .text, "scopes": .object],
  ]

  private let document: APIDocument
  private let schemas: SchemaPlan
  private var seen: Set<ObjectIdentifier> = []
  private var pending: [(node: JSONNode, part: Part)] = []

  init(_ document: APIDocument, _ schemas: SchemaPlan) { (self.document, self.schemas) = (document, schemas) }

  /// Notes what does not fit in a part, and in all that it is made of.
  mutating func check(_ node: JSONNode, _ part: Part) {
    pending.append((node, part))
    while let (given, part) = pending.popLast() {
      if part == .schema, document.root["openapi"]?.string?.hasPrefix("3.1") == true {
        noteBeside(given, Self.describing, "put both into an `allOf`")
      }
      guard let node = document.resolve(given), seen.insert(ObjectIdentifier(node)).inserted else { continue }
      // A schema may be `true` or `false`.
      if part == .schema, node.bool != nil { continue }
      guard node.isObject else {
        note(node, "an object")
        continue
      }
      if part == .schema { noteUnread(node) }
      let rules = Self.rules[part] ?? [:]
      for (name, member) in node.members {
        guard let rule = rules[name], !member.isNull else { continue }
        check(member, rule)
      }
    }
  }

  /// What describes a schema further; words beside its reference are read, and that it may be null.
  private static let describing: Set<String> = [
    "properties", "required", "items", "additionalProperties", "allOf", "oneOf", "anyOf", "enum", "const",
    "format",
  ]

  /// Notes what describes a schema further and is not read. A part that only says what is required describes nothing.
  private func noteUnread(_ node: JSONNode) {
    let names = node.members.filter { name, part in
      switch name {
      case "patternProperties", "prefixItems", "dependentSchemas": true
      case "then", "else": !schemas.isOnlyARule(part)
      default: false
      }
    }.map { SafeText.quoted($0.name) }
    guard !names.isEmpty else { return }
    schemas.note(
      node, "\(names.joined(separator: ", ")) is not read",
      "what it describes is not in the type; read it from the raw data")
  }

  /// Notes the operations and parameters beside the reference of a path.
  func checkPaths() {
    let names = Set(APIDocument.methods + ["parameters", "servers"])
    for (_, node) in document.root["paths"]?.members ?? [] {
      noteBeside(node, names, "put it where the reference leads")
    }
  }

  /// Notes what counts too in OpenAPI 3.1, and is ignored in 3.0.
  private func noteBeside(_ node: JSONNode, _ names: Set<String>, _ advice: String) {
    guard node["$ref"]?.string != nil else { return }
    let beside = node.members.map(\.name).filter(names.contains).map(SafeText.quoted)
    guard !beside.isEmpty else { return }
    schemas.note(node, "\(beside.joined(separator: ", ")) beside a reference is not read", advice)
  }

  private mutating func check(_ node: JSONNode, _ rule: Rule) {
    switch rule {
    case .text: if node.string == nil { note(node, "a text") }
    case .flag: if node.bool == nil { note(node, "true or false") }
    case .object: if !node.isObject { note(node, "an object") }
    case .list: if !node.isArray { note(node, "an array") }
    case .texts: if !isArray(node, of: { $0.string != nil }) { note(node, "an array of texts") }
    case .textOrTexts:
      if node.string == nil, !isArray(node, of: { $0.string != nil }) {
        note(node, "a text, or an array of texts")
      }
    case .objects: if !isArray(node, of: \.isObject) { note(node, "an array of objects") }
    case .one(let part): pending.append((node, part))
    case .all(let part):
      guard node.isArray else { return note(node, "an array") }
      pending += node.elements.map { ($0, part) }
    case .map(let part):
      guard node.isObject else { return note(node, "an object") }
      // Members of other names than those of OpenAPI are beside the responses.
      pending += node.members.filter { part != .response || !$0.name.hasPrefix("x-") }.map { ($0.node, part) }
    }
  }

  private func isArray(_ node: JSONNode, of fits: (JSONNode) -> Bool) -> Bool {
    node.isArray && node.elements.allSatisfy(fits)
  }

  private func note(_ node: JSONNode, _ what: String) {
    schemas.note(node, "this must be \(what)", "it is not read; correct the document")
  }
}
