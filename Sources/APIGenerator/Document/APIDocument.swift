/// An OpenAPI document of version 3.0 or 3.1 whose references all lead somewhere inside it.
struct APIDocument {
  /// The methods that an operation may have, in the order of the output.
  static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

  let root: JSONNode
  /// The name of the file, for messages.
  let file: String
  private let lines: LineTable

  /// Reads and checks a document; all that is wrong with it is thrown at once.
  init(_ bytes: [UInt8], file: String) throws(Problems) {
    root = try JSONReader.read(bytes, file: file)
    self.file = file
    lines = LineTable(bytes, file: file)
    try checkVersion()
    var problems = Problems()
    checkReferences(&problems)
    checkPaths(&problems)
    guard problems.isEmpty else { throw problems }
  }

  /// A sentence about a value, with its place: `openapi.json:12:5 #/paths: …`.
  func problem(_ node: JSONNode, _ what: String) -> String {
    "\(lines.place(of: node.offset)) \(SafeText.line(node.pointer)): \(what)"
  }

  // MARK: References

  /// The value that a reference leads to, by way of further ones; the value itself where it is no reference. Nil for a ring.
  func resolve(_ node: JSONNode) -> JSONNode? {
    var (node, way) = (node, [JSONNode]())
    var seen: Set<ObjectIdentifier> = []
    var end: JSONNode?
    while true {
      if node.isResolved {
        end = node.resolution
        break
      }
      guard let reference = node["$ref"]?.string else {
        end = node
        break
      }
      guard seen.insert(ObjectIdentifier(node)).inserted, let target = target(of: reference) else { break }
      way.append(node)
      node = target
    }
    // Each knows where it leads from now on, so that long chains take no time.
    for reference in way { reference.resolve(to: end) }
    return end
  }

  /// The value at a pointer of this document; nil where there is none.
  func target(of reference: String) -> JSONNode? {
    guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
    if reference == "#" { return root }
    let text = Self.decodingPercents(reference.dropFirst())
    guard let text, text.utf8.first == UInt8(ascii: "/") else { return nil }
    var node = root
    for step in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let name = JSONNode.unescape(step) else { return nil }
      if node.isArray {
        guard let index = Int(name), node.elements.indices.contains(index) else { return nil }
        node = node.elements[index]
      } else {
        guard let member = node[name] else { return nil }
        node = member
      }
    }
    return node
  }

  private static func decodingPercents(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next(), let low = rest.next(),
        let decoded = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(decoded)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Checks

  private func checkVersion() throws(Problems) {
    if let swagger = root["swagger"] {
      throw Problems(
        problem(
          swagger,
          "Swagger 2.0 is not read; convert the document to OpenAPI 3 first, e.g. by `swagger2openapi`"))
    }
    guard let version = root["openapi"] else {
      throw Problems(problem(root, "this is no OpenAPI document: it has no \"openapi\""))
    }
    guard let text = version.string else {
      throw Problems(problem(version, "\"openapi\" must be a text, e.g. \"3.0.3\""))
    }
    guard text == "3.0" || text == "3.1" || text.hasPrefix("3.0.") || text.hasPrefix("3.1.") else {
      throw Problems(problem(version, "the version is \(SafeText.quoted(text)); 3.0 and 3.1 are read"))
    }
  }

  /// Names of members whose values are data, not parts of the description.
  private static let data: Set<String> = [
    "example", "examples", "default", "enum", "const", "mapping", "x-examples",
  ]

  private func checkReferences(_ problems: inout Problems) {
    // A map from names to descriptions may have names such as "example", so each value is visited with what it is.
    var pending: [(node: JSONNode, isMap: Bool)] = [(root, false)]
    let maps: Set<String> = [
      "properties", "schemas", "responses", "parameters", "requestBodies", "headers", "securitySchemes",
      "paths",
      "patternProperties", "$defs", "definitions", "callbacks", "pathItems",
    ]
    while let (node, isMap) = pending.popLast() {
      if !isMap, let reference = node["$ref"], let text = reference.string {
        check(reference, text, &problems)
      }
      for (name, member) in node.members {
        if !isMap, Self.data.contains(name) || name.hasPrefix("x-") { continue }
        pending.append((member, !isMap && maps.contains(name) && member.isObject))
      }
      for element in node.elements { pending.append((element, false)) }
    }
  }

  private func check(_ reference: JSONNode, _ text: String, _ problems: inout Problems) {
    guard text.utf8.first == UInt8(ascii: "#") else {
      return problems.add(
        problem(
          reference,
          "the reference \(SafeText.quoted(text)) leads to another document; bundle them into one first"))
    }
    guard let target = target(of: text) else {
      return problems.add(problem(reference, "the reference \(SafeText.quoted(text)) leads nowhere"))
    }
    if resolve(target) == nil {
      problems.add(problem(reference, "the reference \(SafeText.quoted(text)) is part of a ring"))
    }
  }

  private func checkPaths(_ problems: inout Problems) {
    guard let paths = root["paths"] else {
      if root["webhooks"] == nil, root["components"] == nil {
        problems.add(problem(root, "it has no \"paths\""))
      }
      return
    }
    guard paths.isObject else { return problems.add(problem(paths, "\"paths\" must be an object")) }
    for (path, node) in paths.members where !path.hasPrefix("x-") {
      guard path.utf8.first == UInt8(ascii: "/") else {
        problems.add(problem(node, "a path must begin with a slash"))
        continue
      }
      guard let item = resolve(node), item.isObject else {
        problems.add(problem(node, "a path must be an object"))
        continue
      }
      checkParameters(item, &problems)
      for method in Self.methods {
        guard let operation = item[method] else { continue }
        guard operation.isObject else {
          problems.add(problem(operation, "an operation must be an object"))
          continue
        }
        if operation["$ref"] != nil {
          problems.add(problem(operation, "an operation cannot be a reference; only its path can"))
        }
        checkParameters(operation, &problems)
        if let responses = operation["responses"], !responses.isObject {
          problems.add(problem(responses, "\"responses\" must be an object"))
        }
      }
    }
  }

  private func checkParameters(_ node: JSONNode, _ problems: inout Problems) {
    guard let parameters = node["parameters"] else { return }
    guard parameters.isArray else {
      return problems.add(problem(parameters, "\"parameters\" must be an array"))
    }
    for parameter in parameters.elements {
      guard let resolved = resolve(parameter) else { continue }
      if resolved["name"]?.string == nil {
        problems.add(problem(parameter, "this parameter has no \"name\""))
      }
      let place = resolved["in"]?.string
      if place == nil || !["path", "query", "header", "cookie"].contains(place) {
        problems.add(problem(parameter, "\"in\" of a parameter must be path, query, header or cookie"))
      }
    }
  }
}
