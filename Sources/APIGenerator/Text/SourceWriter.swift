/// What all writers of sources know.
struct SourceWriter {
  let document: APIDocument
  let models: [Model]
  /// The name of the service.
  let service: String
  let access: String
  let writesBases: Bool

  /// `public ` or nothing.
  var prefix: String { access == "internal" ? "" : access + " " }
  /// What a type begins with that is for every thread, also where the default isolation of a target is the main actor.
  var valuePrefix: String { prefix + "nonisolated " }
  var importPrefix: String { access == "internal" ? "" : access + " " }

  func resolve(_ node: JSONNode?) -> JSONNode? { node.flatMap(document.resolve) }

  /// A type as it is written.
  func text(_ type: SwiftType) -> String {
    switch type {
    case .string: "String"
    case .int: "Int"
    case .int64: "Int64"
    case .uint64: "UInt64"
    case .double: "Double"
    case .bool: "Bool"
    case .date, .day: "Date"
    case .bytes: "Data"
    case .json: "JSONValue"
    case .model(let id): models[id].name
    case .boxed(let id): "\(service)Box<\(models[id].name)>"
    case .array(let element): "[\(text(element))]"
    case .dictionary(let value): "[String: \(text(value))]"
    case .optional(let type): text(type) + "?"
    }
  }

  private func text(of member: Member) -> String {
    let type = text(member.type)
    return member.isChange ? "Change<\(type)>" : member.isOptional ? type + "?" : type
  }

  // MARK: Structures

  /// The body of a structure: its members, keys, initializer and encoding, indented.
  func structure(_ members: [Member], isSent: Bool, isReceived: Bool, indent: String) -> [String] {
    var lines: [String] = []
    for member in members {
      let text = (member.isDeprecated ? "Deprecated. " : "") + member.text
      lines += SafeText.comment(text, indent: indent, limit: 240)
      lines.append(
        "\(indent)\(prefix)var \(member.name): \(self.text(of: member))\(member.isChange ? " = .keep" : "")")
    }
    let isWritten = isSent && members.contains(where: \.needsEncoding)
    if !prefix.isEmpty { lines += [""] + initializer(members, indent: indent) }
    if isWritten || isSent && members.contains(where: { $0.name != $0.key }) {
      lines += [""] + keys(members, indent: indent)
    }
    if isWritten { lines += [""] + encoding(members, indent: indent) }
    return lines
  }

  private func initializer(_ members: [Member], indent: String) -> [String] {
    var lines = ["\(indent)/// Makes a value of its members.", "\(indent)\(prefix)init("]
    for (index, member) in members.enumerated() {
      let initial = member.isChange ? " = .keep" : member.isOptional ? " = nil" : ""
      lines.append(
        "\(indent)  \(member.name): \(text(of: member))\(initial)\(index == members.count - 1 ? "" : ",")")
    }
    lines.append("\(indent)) {")
    for member in members { lines.append("\(indent)  self.\(member.name) = \(member.name)") }
    return lines + ["\(indent)}"]
  }

  private func keys(_ members: [Member], indent: String) -> [String] {
    ["\(indent)private enum CodingKeys: String, CodingKey {"]
      + members.map {
        "\(indent)  case \($0.name)\($0.name == $0.key ? "" : " = \(SafeText.literal($0.key))")"
      } + ["\(indent)}"]
  }

  private func encoding(_ members: [Member], indent: String) -> [String] {
    var lines = [
      "\(indent)\(prefix)func encode(to encoder: any Encoder) throws {",
      "\(indent)  var container = encoder.container(keyedBy: CodingKeys.self)",
    ]
    for member in members {
      let key = ", forKey: .\(member.name))"
      if member.isChange, let value = written(member, "value") {
        lines += [
          "\(indent)  switch \(member.name) {", "\(indent)  case .keep: break",
          "\(indent)  case .null: try container.encodeNil(forKey: .\(member.name))",
          "\(indent)  case .set(let value): try container.encode(\(value)\(key)", "\(indent)  }",
        ]
        continue
      }
      let value =
        member.isOptional
        ? written(member, "$0").map { "\(member.name).map { \($0) }" } : written(member, member.name)
      // A member that is required is sent as null where it has no value.
      let call = member.isOptional && !member.isRequired ? "encodeIfPresent" : "encode"
      lines.append("\(indent)  try container.\(call)(\(value ?? member.name)\(key)")
    }
    return lines + ["\(indent)}"]
  }

  /// How a value of a member is written that is not sent as its type is; nil where it is sent so.
  private func written(_ member: Member, _ value: String) -> String? {
    guard let separator = member.separator, case .array(let element) = member.type else {
      return written(member.type, value)
    }
    let texts = element == .string ? value : "\(value).map { \(self.element(element)) }"
    let literal = SafeText.literal(separator)
    // Numbers and times have no separator in them.
    if joinsTexts(member) { return "try \(service).joined(\(texts), by: \(literal))" }
    let isThrowing = element == .day || element == .date
    return "\(isThrowing ? "try " : "")\(texts).joined(separator: \(literal))"
  }

  /// Whether a member is an array of texts that is sent as one.
  func joinsTexts(_ member: Member) -> Bool {
    guard member.separator != nil, case .array(let element) = member.type else { return false }
    return element == .string || element.model != nil
  }

  private func written(_ type: SwiftType, _ value: String, depth: Int = 1) -> String? {
    let item = depth == 1 ? "day" : "day\(depth)"
    switch type {
    case .day: return "try DateStyle.iso8601Day.text(of: \(value))"
    case .array(let part), .optional(let part):
      return written(part, item, depth: depth + 1).map { "try \(value).map { \(item) in \($0) }" }
    case .dictionary(let part):
      return written(part, item, depth: depth + 1).map { "try \(value).mapValues { \(item) in \($0) }" }
    default: return nil
    }
  }

  private func element(_ type: SwiftType) -> String {
    switch type {
    case .day: "item in try DateStyle.iso8601Day.text(of: item)"
    case .date: "item in try DateStyle.iso8601.text(of: item)"
    case .model: "item in String(item.rawValue)"
    default: "item in String(item)"
    }
  }

  // MARK: Models

  /// The declaration of a model.
  func declaration(of model: Model) -> [String] {
    var lines = SafeText.comment(model.node["description"]?.string ?? model.node["title"]?.string ?? "")
    if lines.isEmpty { lines = ["/// \(SafeText.code(model.pointer)) of the document."] }
    switch model.kind {
    case .structure(let members):
      lines.append("\(valuePrefix)struct \(model.name): \(coding(model)), Sendable {")
      lines += structure(members, isSent: model.isSent, isReceived: model.isReceived, indent: "  ")
      if model.isReceived { lines += ["}"] + reading(members, of: model) }
    case .enumeration(let base, let values):
      let leaf = model.isReceived ? "RawLeaf, " : ""
      lines.append(
        "\(valuePrefix)struct \(model.name): RawRepresentable, \(leaf)Codable, Hashable, Sendable {")
      lines.append("  \(prefix)let rawValue: \(text(base))")
      lines.append("  \(prefix)init(rawValue: \(text(base))) { self.rawValue = rawValue }")
      for value in values {
        lines.append("  \(prefix)static let \(value.name) = Self(rawValue: \(value.literal))")
      }
    case .union(let types):
      lines.append("\(valuePrefix)struct \(model.name): \(coding(model)), Sendable {")
      lines += union(types, model)
    }
    return lines + ["}"]
  }

  private func coding(_ model: Model) -> String {
    [model.isReceived ? "RawDecodable" : nil, model.isSent ? "Encodable" : nil].compactMap { $0 }.joined(
      separator: ", ")
  }

  /// The initializer of raw data: in an extension, so that the structure keeps the one of its members.
  private func reading(_ members: [Member], of model: Model) -> [String] {
    // In a script without capital letters, a member may have the name of a type, which it hides here.
    let hiding = Set(members.map(\.name))
    return [
      "", "nonisolated extension \(model.name) {", "  \(prefix)init(_ raw: borrowing RawData) throws {",
      "    try raw.require(.object)",
    ]
      + members.map { member in
        let name = member.name == "raw" ? "self.raw" : member.name
        let key = SafeText.literal(member.key)
        let isHidden = member.type.model.map { hiding.contains(models[$0].name) } ?? false
        let call =
          isHidden ? "raw[\(key)].decode()" : reading(member.type, member.isOptional, key)
        return "    \(name) = try \(call)"
      } + ["  }"]
  }

  private func reading(_ type: SwiftType, _ isOptional: Bool, _ key: String) -> String {
    switch type {
    case _ where type == .json || isLeaf(type): return "raw[\(key)].\(isOptional ? "optional" : "require")()"
    case .array(let element) where isLeaf(element) && !isOptional:
      return "raw[\(key)].require(arrayOf: \(text(element)).self)"
    case .model(let id) where !isOptional:
      if case .union = models[id].kind { return "\(text(type))(raw[\(key)].require())" }
    default: break
    }
    return type.model.map { isLeaf(.model($0)) } == false
      ? "\(text(type))\(isOptional ? "?" : "")(raw[\(key)])" : "raw[\(key)].decode()"
  }

  /// Whether a value is read at once, without an initializer of its type.
  private func isLeaf(_ type: SwiftType) -> Bool {
    if case .model(let id) = type, case .enumeration = models[id].kind { return true }
    return type.isScalar || type == .bytes
  }

  private func union(_ types: [SwiftType], _ model: Model) -> [String] {
    var lines = [
      "  /// The value as it is sent.", "  \(prefix)var value: JSONValue", "",
      "  /// Makes one of a free value.", "  \(prefix)init(_ value: JSONValue) { self.value = value }",
    ]
    if model.isSent {
      lines += [
        "  /// Writes the value.",
        "  \(prefix)func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }",
      ]
    }
    var names = NameTable(["value"])
    for type in types {
      guard let id = type.model else { continue }
      let word = models[id].name + (type == .model(id) ? "" : "List")
      if model.isSent {
        lines.append("  /// Makes one of one of its types.")
        lines.append(
          "  \(prefix)init(\(names.unique("from\(word)")) value: \(text(type))) throws { self.value = try JSONValue(encoding: value) }"
        )
      }
      if model.isReceived {
        lines.append("  /// The value as one of its types; throws where it is none.")
        lines.append(
          "  \(prefix)func \(names.unique("as\(word)"))() throws -> \(text(type)) { try value.decode(as: \(text(type)).self) }"
        )
      }
    }
    return lines
  }
}
