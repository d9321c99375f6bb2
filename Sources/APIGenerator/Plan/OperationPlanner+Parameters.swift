/// The parameters of an operation: where each is sent, as which type, under which name.
extension OperationPlanner {
  /// The most parameters of an operation, and places of a path. Real ones have up to a hundred.
  static let maximumParameters = 1000

  func planParameters(_ operation: inout OperationPlan) throws(Unsupported) {
    let body = operation.parameters
    operation.parameters = []
    var keys = Set(body.map(\.member.key))
    var styles: Set<String> = []
    let nodes = Self.parameters(of: operation, document)
    guard nodes.count <= Self.maximumParameters else {
      throw Unsupported(
        node: operation.node, reason: "it has more than \(Self.maximumParameters) parameters",
        advice: "write the manager by hand")
    }
    for list in [operation.node.parent?["parameters"], operation.node["parameters"]] {
      var seen: Set<String> = []
      for node in list?.elements.compactMap(document.resolve) ?? []
      where !seen.insert(Self.key(of: node)).inserted {
        schemas.note(
          operation.node, "the parameter \(SafeText.quoted(node["name"]?.string ?? "")) stands twice",
          "the last one counts")
      }
    }
    for node in nodes {
      guard let name = node["name"]?.string,
        let place = node["in"]?.string.flatMap(OperationPlan.Place.init(rawValue:))
      else { continue }
      if place == .header, ["authorization", "accept", "content-type"].contains(name.lowercased()) {
        if name.lowercased() == "authorization" {
          schemas.note(node, "the header field Authorization", "it is left to the authenticator")
        }
        continue
      }
      let isNeeded = place == .path || node["required"]?.bool == true
      guard var member = try member(node, name, place, isNeeded, operation) else { continue }
      var sent: String?
      if !keys.insert(name).inserted {
        // One name in two places: each gets a name of its own, which the encoding turns back.
        member.key = "\(place.rawValue)_\(name)"
        while !keys.insert(member.key).inserted { member.key += "_" }
        member.name = Words.memberName(member.key)
        if place != .path { sent = name }
      }
      if place == .query, case .array = member.type { styles.insert(member.separator ?? "") }
      operation.parameters.append(OperationPlan.Parameter(member: member, place: place, sentName: sent))
    }
    var isUpload = false
    if case .upload = operation.body { isUpload = true }
    if isUpload {
      // An upload manager states no encoding: what a separator joins is a text before.
    } else if styles.count == 1, let style = styles.first {
      operation.arrays =
        style.isEmpty ? ".repeated" : style == "," ? ".commas" : ".joined(\(SafeText.literal(style)))"
      for index in operation.parameters.indices where operation.parameters[index].place == .query {
        operation.parameters[index].member.separator = nil
      }
    } else if !styles.isEmpty {
      operation.arrays = ".repeated"
    }
    if case .members(let isForm) = operation.body, isForm {
      operation.arrays = operation.arrays ?? ".repeated"
    }
    operation.parameters += body
    if isUpload {
      for parameter in operation.parameters where !isSentByUploads(parameter) {
        let name =
          "\(parameter.place.rawValue) parameter \(SafeText.quoted(parameter.sentName ?? parameter.member.key))"
        let isField = parameter.place != .query
        guard !parameter.member.isRequired else {
          throw Unsupported(
            node: operation.node, reason: "an upload has the \(name)",
            advice: "write an upload manager by hand\(isField ? " and set it in `headers`" : "")")
        }
        schemas.note(
          operation.node, "the \(name) of an upload is left out",
          isField ? "set it in `headers`" : "write an upload manager by hand")
      }
      operation.parameters.removeAll { !isSentByUploads($0) }
    }
    var names = NameTable()
    for index in operation.parameters.indices {
      operation.parameters[index].member.name = names.unique(operation.parameters[index].member.name)
    }
  }

  /// Whether a manager without an encoding of its own sends a parameter as the document says: no field, no repeated name, no
  /// other name than its own.
  private func isSentByUploads(_ parameter: OperationPlan.Parameter) -> Bool {
    if case .array = parameter.member.type, parameter.place == .query, parameter.member.separator == nil {
      return false
    }
    return parameter.place != .header && parameter.place != .cookie && parameter.sentName == nil
  }

  /// The member for a parameter; nil where an optional one is left out, which is then noted.
  private func member(
    _ node: JSONNode, _ name: String, _ place: OperationPlan.Place, _ isNeeded: Bool,
    _ operation: OperationPlan
  ) throws(Unsupported) -> Member? {
    func refuse(_ reason: String) throws(Unsupported) -> Member? {
      guard !isNeeded else {
        throw Unsupported(
          node: node, reason: "\(reason), and \(SafeText.quoted(name)) is required",
          advice: "write the manager by hand")
      }
      schemas.note(
        node, "\(reason): the parameter \(SafeText.quoted(name)) is left out",
        "add it in a manager of your own")
      return nil
    }
    guard !name.isEmpty, !name.contains(where: { $0 == "{" || $0 == "}" }) else {
      return try refuse("its name is none")
    }
    let style = node["style"]?.string ?? (place == .query || place == .cookie ? "form" : "simple")
    let explodes = node["explode"]?.bool ?? (style == "form" || style == "deepObject")
    guard node["schema"] != nil || node["content"] == nil else {
      return try refuse("it is sent as a document")
    }
    guard ["form", "simple", "deepObject", "spaceDelimited", "pipeDelimited"].contains(style) else {
      return try refuse("the style \(SafeText.quoted(style)) is not written")
    }
    var (type, _) = schemas.type(of: node["schema"], .input)
    if type == .json, place == .path || place == .header || place == .cookie { type = .string }
    var separator: String?
    switch type {
    case .array(let element):
      guard isPlain(element) else { return try refuse("it is an array of arrays or objects") }
      // The framework joins the values of a header field itself, and refuses one with a comma; a cookie has no commas.
      guard place != .cookie else { return try refuse("it is an array in a cookie") }
      if place != .header, place != .query || !explodes {
        separator = style == "pipeDelimited" ? "|" : style == "spaceDelimited" ? " " : ","
      }
    case .dictionary where place == .query && style == "deepObject": break
    case .model where isPlain(type): break
    case .model where place == .query && style == "deepObject": break
    case .dictionary, .model, .boxed, .optional: return try refuse("it is an object")
    default: break
    }
    return Member(
      key: name, name: Words.memberName(name), type: type, isRequired: isNeeded, isNullable: false,
      separator: separator,
      text: node["description"]?.string ?? "", isDeprecated: node["deprecated"]?.bool == true)
  }

  /// Whether values of a type are one text each.
  private func isPlain(_ type: SwiftType) -> Bool {
    guard case .model(let id) = type else { return type.isScalar }
    let node = schemas.models[id].node
    return node["properties"] == nil && (node["enum"] ?? node["const"]) != nil && node["allOf"] == nil
  }
}
