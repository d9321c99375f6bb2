/// The parameters of an operation: where each is sent, as which type, under which name.
extension OperationPlanner {
  /// The most parameters of an operation, and places of a path. Real ones have up to a hundred.
  static let maximumParameters = 1000

  func planParameters(_ operation: inout OperationPlan) throws(Unsupported) {
    var body = operation.parameters
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
      if place == .header, ["content-length", "transfer-encoding"].contains(name.lowercased()) {
        schemas.note(node, "the header field \(name)", "it is left to the transport")
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
      if place == .query, case .array = member.type { styles.insert(Self.style(of: member)) }
      operation.parameters.append(OperationPlan.Parameter(member: member, place: place, sentName: sent))
    }
    var isUpload = false
    if case .upload = operation.body { isUpload = true }
    var isForm = false
    if case .members(isForm: true) = operation.body { isForm = true }
    if isForm { styles.formUnion(body.map(\.member).filter { $0.type.isArray }.map(Self.style)) }
    if isUpload {
      // An upload manager states no encoding: what a separator joins is a text before.
    } else if styles.count == 1, let style = styles.first {
      operation.arrays =
        switch style {
        case "": ".repeated"
        case Self.indexed: ".indexed"
        case ",": ".commas"
        default: ".joined(\(SafeText.literal(style)))"
        }
      for index in operation.parameters.indices where operation.parameters[index].place == .query {
        operation.parameters[index].member.separator = nil
      }
      if isForm { for index in body.indices { body[index].member.separator = nil } }
    } else if styles.isSuperset(of: ["", Self.indexed]) {
      throw Unsupported(
        node: operation.node, reason: "it has arrays of the style deepObject and others that are repeated",
        advice: "write the manager by hand")
    } else if !styles.isEmpty {
      operation.arrays = styles.contains(Self.indexed) ? ".indexed" : ".repeated"
    }
    if isForm { operation.arrays = operation.arrays ?? ".repeated" }
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

  /// What stands for arrays that are written as `a[0]=1`.
  private static let indexed = "[0]"

  /// How an array is written: by its separator, repeated for none, or by the position of each element.
  private static func style(of member: Member) -> String {
    member.isIndexed ? indexed : member.separator ?? ""
  }

  private static func separator(of style: String) -> String {
    style == "pipeDelimited" ? "|" : style == "spaceDelimited" ? " " : ","
  }

  /// The members of a form, as its `encoding` says: without one, an object is sent as JSON, which is not written.
  func formMembers(_ members: [Member], _ encoding: JSONNode?, of body: JSONNode) throws(Unsupported)
    -> [Member]
  {
    var result: [Member] = []
    for var member in members {
      let its = encoding?[member.key]
      let style = its?["style"]?.string ?? "form"
      let isDeep = style == "deepObject"
      var isWritten = isDeep || isPlain(member.type) || member.type == .json || member.type == .bytes
      member.type = Self.withoutNulls(member.type)
      if case .array(let element) = member.type {
        let isText = its?["contentType"]?.string.map { $0.hasPrefix("text/") } ?? true
        isWritten = isDeep || isPlain(element) && isText
        member.isIndexed = isDeep
        if !isDeep, !(its?["explode"]?.bool ?? (style == "form")) {
          member.separator = Self.separator(of: style)
        }
      }
      if isWritten {
        result.append(member)
        continue
      }
      let reason = "the member \(SafeText.quoted(member.key)) of a form is sent as JSON"
      guard !member.isRequired else {
        throw Unsupported(node: body, reason: reason, advice: "write the manager by hand")
      }
      schemas.note(body, "\(reason): it is left out", "add it in a manager of your own")
    }
    return result
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
    guard place != .header && place != .cookie || SafeText.isToken(name) else {
      return try refuse("its name is none of a \(place == .header ? "header field" : "cookie")")
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
    type = Self.withoutNulls(type)
    var separator: String?
    var isIndexed = false
    switch type {
    case .array(let element):
      guard isPlain(element) else { return try refuse("it is an array of arrays or objects") }
      if place == .query, style == "deepObject" {
        isIndexed = true
        schemas.note(
          node, "OpenAPI says no form for an array of the style deepObject", "it is sent as `a[0]=1&a[1]=2`")
        break
      }
      // The framework joins the values of a header field itself, and refuses one with a comma; a cookie has no commas.
      guard place != .cookie else { return try refuse("it is an array in a cookie") }
      if place != .header, place != .query || !explodes {
        separator = Self.separator(of: style)
      }
    case .dictionary where place == .query && style == "deepObject": break
    case .model where isPlain(type): break
    case .model where place == .query && style == "deepObject": break
    case .dictionary, .model, .boxed, .optional: return try refuse("it is an object")
    default: break
    }
    return Member(
      key: name, name: Words.memberName(name), type: type, isRequired: isNeeded, isNullable: false,
      separator: separator, isIndexed: isIndexed,
      text: node["description"]?.string ?? "", isDeprecated: node["deprecated"]?.bool == true)
  }

  /// An array whose elements may be null, without them: a query, a field and a form have no null.
  private static func withoutNulls(_ type: SwiftType) -> SwiftType {
    if case .array(.optional(let element)) = type { .array(element) } else { type }
  }

  /// Whether values of a type are one text each.
  private func isPlain(_ type: SwiftType) -> Bool {
    guard case .model(let id) = type else { return type.isScalar }
    let node = schemas.models[id].node
    return node["properties"] == nil && (node["enum"] ?? node["const"]) != nil && node["allOf"] == nil
  }
}
