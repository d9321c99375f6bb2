/// Plans the operations that the settings keep.
struct OperationPlanner {
  /// Something about an operation that cannot be written.
  struct Unsupported: Error {
    let pointer: String
    let reason: String
    let advice: String

    init(node: JSONNode, reason: String, advice: String) {
      (pointer, self.reason, self.advice) = (node.pointer, reason, advice)
    }
  }

  let document: APIDocument
  let schemas: SchemaPlan
  let security: SecurityPlan
  /// The address of the service, and whether the user has given it.
  let address: String
  let isAddressGiven: Bool

  /// The operations of a document that a selection keeps, in the order of their paths.
  static func kept(of document: APIDocument, by selection: Selection) -> [OperationPlan] {
    var kept: [OperationPlan] = []
    for (path, node) in document.root["paths"]?.members ?? [] where !path.hasPrefix("x-") {
      guard let item = document.resolve(node) else { continue }
      for method in APIDocument.methods {
        guard let operation = item[method] else { continue }
        let id = operation["operationId"]?.string
        let tags = operation["tags"]?.strings ?? []
        guard selection.keeps(path: path, operation: id ?? "\(method) \(path)", tags: tags) else { continue }
        let named = id.map { Words.type($0) } ?? ""
        let base = named.isEmpty ? Words.type("\(method) \(path == "/" ? "root" : path)") : named
        kept.append(
          OperationPlan(
            path: path, method: method, node: operation, pointer: operation.pointer, tag: tags.first ?? "",
            baseName: base))
      }
    }
    return kept.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
  }

  /// The schemas that the operations begin with.
  static func schemas(of operations: [OperationPlan], _ document: APIDocument) -> [JSONNode] {
    var found: [JSONNode] = []
    func add(_ content: JSONNode?) {
      for (_, media) in content?.members ?? [] { media["schema"].map { found.append($0) } }
    }
    for operation in operations {
      for parameter in parameters(of: operation, document) { parameter["schema"].map { found.append($0) } }
      add(operation.node["requestBody"].flatMap(document.resolve)?["content"])
      for (_, response) in operation.node["responses"]?.members ?? [] {
        add(document.resolve(response)?["content"])
      }
    }
    return found
  }

  /// The parameters of an operation; its own take the place of those of its path.
  static func parameters(of operation: OperationPlan, _ document: APIDocument) -> [JSONNode] {
    var result: [JSONNode] = []
    var positions: [String: Int] = [:]
    for list in [operation.node.parent?["parameters"], operation.node["parameters"]] {
      for parameter in list?.elements.compactMap(document.resolve) ?? [] {
        let key = key(of: parameter)
        if let same = positions[key] {
          result[same] = parameter
        } else {
          positions[key] = result.count
          result.append(parameter)
        }
      }
    }
    return result
  }

  /// What tells parameters apart: place and name, in any case of letters for a header field.
  static func key(of parameter: JSONNode) -> String {
    let (place, name) = (parameter["in"]?.string ?? "", parameter["name"]?.string ?? "")
    return "\(place) \(place == "header" ? name.lowercased() : name)"
  }

  /// The operation with all that is written of it; nil where that cannot be done, which is then noted.
  func plan(_ kept: OperationPlan) -> OperationPlan? {
    var operation = kept
    do throws(Unsupported) {
      try planOutput(&operation)
      try planBody(&operation)
      try planParameters(&operation)
      try planTemplate(&operation)
      try planServer(&operation)
    } catch {
      schemas.note(at: error.pointer, error.reason, error.advice, isSkip: true)
      return nil
    }
    operation.signIn = security.rule(of: operation.node, schemas)
    if operation.node["callbacks"] != nil {
      schemas.note(operation.node, "callbacks are not read", "receive them by hand")
    }
    // What is sent and received is known: only now are its types used, so that a skipped operation leaves none behind.
    let direction: Direction = operation.method == "patch" ? .patch : .input
    for parameter in operation.parameters { schemas.use(parameter.member.type, direction) }
    for type in operation.output.types { schemas.use(type, .output) }
    for failure in operation.failures { schemas.use(failure, .output) }
    return operation
  }

  // MARK: Responses

  private static func isJSON(_ type: String) -> Bool {
    let type = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    return type == "application/json" || type.hasSuffix("+json") || type == "*/*" || type == "application/*"
      || type == "text/json"
  }

  /// The media types of a body, whatever their order in the document is.
  private func content(_ node: JSONNode) -> [(name: String, node: JSONNode)] {
    let all = (node["content"]?.members ?? []).sorted { $0.name < $1.name }
    return all.filter { name, media in
      // It becomes the value of a header field.
      let isVisible = name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      if !isVisible {
        schemas.note(
          media, "\(SafeText.quoted(name)) is no media type", "it is not read; correct the document")
      }
      return isVisible
    }
  }

  /// The one that is read as JSON.
  private static func json(_ content: [(name: String, node: JSONNode)]) -> (name: String, node: JSONNode)? {
    content.first { $0.name.lowercased().prefix { $0 != ";" } == "application/json" }
      ?? content.first { isJSON($0.name) }
  }

  /// Whether a text is a status of three digits or a range of them, `2XX`: it becomes part of the sources.
  private static func isStatus(_ text: String) -> Bool {
    let rest = text.utf8.dropFirst()
    return rest.count == 2 && (text.hasSuffix("XX") || rest.allSatisfy { (0x30...0x39).contains($0) })
  }

  private func planOutput(_ operation: inout OperationPlan) throws(Unsupported) {
    let responses = (operation.node["responses"]?.members ?? []).filter { !$0.name.hasPrefix("x-") }
    var good = responses.filter { $0.name.first == "2" }.sorted { $0.name < $1.name }
    for (status, node) in good where !Self.isStatus(status) {
      schemas.note(
        node, "\(SafeText.quoted(status)) is no status", "the response is not read; correct the document")
    }
    good.removeAll { !Self.isStatus($0.name) }
    if good.isEmpty {
      good = responses.filter { $0.name == "default" && !responses.contains { $0.name.first == "3" } }
    }
    var replies: [(status: String, output: OperationPlan.Output)] = []
    var bytes: (node: JSONNode, status: String, type: String)?
    // The forms that are read, and whether another one may come that is not.
    var (accepted, isChoosing) = ([String](), false)
    for (status, node) in good {
      guard let response = document.resolve(node) else { continue }
      // A response to HEAD has no body (RFC 9110, 9.3.2), whatever a document repeats of that to GET.
      let content = operation.method == "head" ? [] : content(response)
      if response["links"] != nil { schemas.note(node, "links are not read", "follow them by hand") }
      if content.contains(where: { $0.name.lowercased().hasPrefix("text/event-stream") }) {
        let advice = "write a manager of an event stream (Docs/Sockets.md)"
        guard Self.json(content) != nil else {
          throw Unsupported(node: node, reason: "the response is an event stream", advice: advice)
        }
        schemas.note(node, "the response may be an event stream", advice)
      }
      if content.isEmpty {
        replies.append((status, .nothing))
      } else if let json = Self.json(content) {
        let (type, isNullable) = schemas.type(of: json.node["schema"], .output)
        replies.append((status, .value(type, isOptional: isNullable)))
        if !accepted.contains(json.name) { accepted.append(json.name) }
        if content.count > 1 || !json.name.lowercased().hasPrefix("application/json") { isChoosing = true }
        let links = response["headers"]?.members.contains { $0.name.lowercased() == "link" } == true
        if links, case .array = type { operation.isPaged = true }
      } else {
        bytes = bytes ?? (node, status, content[0].name)
        replies.append((status, .bytes(content[0].name)))
      }
    }
    if isChoosing, !accepted.contains(where: { $0.contains("*") }) {
      operation.accept = accepted.joined(separator: ", ")
    }
    let types = replies.flatMap(\.output.types)
    if let first = types.first, bytes == nil, types.allSatisfy({ $0 == first }) {
      let isOptional = replies.contains { reply in
        if case .value(_, isOptional: false) = reply.output { false } else { true }
      }
      operation.output = .value(first, isOptional: isOptional)
      operation.isPaged = operation.isPaged && !isOptional
    } else if !types.isEmpty {
      operation.output = .byStatus(replies)
      operation.isPaged = false
      if bytes != nil { operation.accept = nil }
    } else if let bytes {
      operation.output = .bytes(bytes.type)
      operation.accept = bytes.type.contains("*") ? nil : bytes.type
      schemas.note(
        bytes.node, "the response \(bytes.status) is \(SafeText.quoted(bytes.type))",
        "its bytes are in `response(_:).http.bytes`")
    }
    for (status, node) in responses
    where status.first == "4" || status.first == "5"
      || status == "default" && !good.contains(where: { $0.name == status })
    {
      guard let response = document.resolve(node), let json = Self.json(content(response)),
        !json.name.lowercased().hasPrefix("application/problem")
      else { continue }
      let type = schemas.type(of: json.node["schema"], .output).type
      if case .model = type {
        if !operation.failures.contains(type) { operation.failures.append(type) }
      } else if type.model != nil {
        schemas.note(
          node, "the failure \(SafeText.quoted(status)) is a list or a table", "decode `raw` of the APIError")
      }
    }
  }

  // MARK: Body

  private func planBody(_ operation: inout OperationPlan) throws(Unsupported) {
    guard let given = operation.node["requestBody"], let node = document.resolve(given) else { return }
    let content = content(node)
    guard let first = content.first else { return }
    let isNeeded = node["required"]?.bool == true
    if operation.method == "get" || operation.method == "head" || operation.method == "trace" {
      return schemas.note(
        given, "a body of \(operation.method.uppercased()) has no meaning (RFC 9110)", "it is not sent")
    }
    let form = content.first { $0.name.lowercased().hasPrefix("application/x-www-form-urlencoded") }
    let json = Self.json(content)
    if content.count > 1 {
      let name = (json ?? form ?? first).name
      schemas.note(given, "the body has several forms", "it is sent as \(SafeText.line(name))")
    }
    guard let (name, media) = json ?? form else {
      operation.body = .upload(contentType: first.name)
      return
    }
    if json != nil, name.lowercased() != "application/json", !name.contains("*") {
      operation.bodyContentType = name
    }
    let isForm = json == nil
    // A form has no null, so that a change could not clear a member.
    let direction: Direction = operation.method == "patch" && !isForm ? .patch : .input
    let (type, isNullable) = schemas.type(of: media["schema"], direction)
    if let members = flatMembers(media["schema"], type, direction, operation), isForm || !isNullable {
      // A body without members would not be sent at all, where the server needs one.
      if isForm || !isNeeded || members.contains(where: \.isRequired) {
        let sent = isForm ? try formMembers(members, media["encoding"], of: given) : members
        operation.parameters += sent.map { OperationPlan.Parameter(member: $0, place: .body) }
        operation.body = .members(isForm: isForm)
        return
      }
    }
    guard !isForm else {
      let fields = media["schema"].flatMap(document.resolve).flatMap { schemas.flat($0) }?.fields
      let others = others(operation)
      let shared = fields?.first { others.contains($0.name) }
      throw Unsupported(
        node: given,
        reason: shared.map {
          "the member \(SafeText.quoted($0.name)) of the form has the name of a parameter"
        } ?? "the form of the body has no named members",
        advice: "write the manager by hand, with `.form`")
    }
    let taken = Set(Self.parameters(of: operation, document).compactMap { $0["name"]?.string })
    let key = ["body", "requestBody", "theBody"].first { !taken.contains($0) } ?? "bodyOfTheRequest"
    operation.parameters.append(
      OperationPlan.Parameter(
        member: Member(
          key: key, name: key, type: type, isRequired: isNeeded, isNullable: isNullable && type != .json,
          text: node["description"]?.string ?? "The body.", isDeprecated: false),
        place: .body))
    operation.body = .whole(key: key)
  }

  /// The members of a body that can stand beside the other parameters; nil where it cannot.
  private func flatMembers(
    _ schema: JSONNode?, _ type: SwiftType, _ direction: Direction, _ operation: OperationPlan
  ) -> [Member]? {
    guard let schema, case .model = type, let node = document.resolve(schema), let flat = schemas.flat(node)
    else { return nil }
    guard flat.isObject, !flat.hasChoice, flat.additional == nil, !flat.fields.isEmpty else { return nil }
    let others = others(operation)
    guard !flat.fields.contains(where: { others.contains($0.name) }) else { return nil }
    return schemas.members(of: flat, direction, owner: node)
  }

  /// The names of the parameters beside those of the path.
  private func others(_ operation: OperationPlan) -> Set<String> {
    Set(
      Self.parameters(of: operation, document).filter { $0["in"]?.string != "path" }.compactMap {
        $0["name"]?.string
      })
  }

  // MARK: Address and path

  /// An operation may have a server of its own, for which a further service is written.
  private func planServer(_ operation: inout OperationPlan) throws(Unsupported) {
    guard let servers = operation.node["servers"] ?? operation.node.parent?["servers"],
      let first = servers.elements.first
    else { return }
    guard !isAddressGiven else {
      return schemas.note(servers, "the operation has a server of its own", "`--base-url` takes its place")
    }
    let url = first["url"]?.string ?? ""
    guard url != address else { return }
    guard ServiceWriter.isAddress(url) else {
      throw Unsupported(
        node: operation.node, reason: "its server \(SafeText.quoted(url)) is no plain http or https URL",
        advice: "write the manager by hand, with a service of its own")
    }
    operation.server = url
  }

  /// Whether a segment is one or two dots, in either spelling.
  private static func leadsElsewhere(_ segment: Substring) -> Bool {
    let text = segment.lowercased().replacing("%2e", with: ".")
    return text == "." || text == ".."
  }

  private func planTemplate(_ operation: inout OperationPlan) throws(Unsupported) {
    func refuse(_ reason: String) -> Unsupported {
      Unsupported(node: operation.node, reason: reason, advice: "write the manager by hand")
    }
    // A fragment tells operations of one path apart and is never sent.
    let path = operation.path.prefix { $0 != "#" }
    guard path.unicodeScalars.allSatisfy({ SafeText.isVisible($0) && $0 != "?" && $0 != "\\" && $0 != " " })
    else {
      throw refuse("the path has a character that no path has")
    }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard !segments.contains(where: { Self.leadsElsewhere($0) }) else {
      throw refuse("a segment of dots in the path leads elsewhere")
    }
    if segments.count > 1, segments[0].isEmpty || segments[0].last == ":" && segments[1].isEmpty {
      throw refuse("the path begins with two slashes, or with a URL")
    }
    // Before anything is noted, for each note has the path in its pointer.
    guard path.utf8.count(where: { $0 == UInt8(ascii: "{") }) <= Self.maximumParameters else {
      throw refuse("the path has too many places")
    }
    var template = ""
    var rest = path.dropFirst()
    var used: Set<String> = []
    var names = NameTable(operation.parameters.map(\.member.name))
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      let after = rest.index(after: open)
      guard rest[open] == "{", let close = rest[after...].firstIndex(where: { $0 == "{" || $0 == "}" }),
        rest[close] == "}"
      else {
        throw refuse("the path has a brace without a partner")
      }
      let name = String(rest[after..<close])
      var parameter = operation.parameters.first {
        $0.place == .path && ($0.member.key == name || $0.member.key == "path_\(name)")
      }
      if parameter == nil {
        schemas.note(
          operation.node, "the path has a place \(SafeText.quoted(name)) without a parameter", "it is a text")
        let isFree = !operation.parameters.contains { $0.member.key == name }
        let added = OperationPlan.Parameter(
          member: Member(
            key: isFree ? name : "path_\(name)", name: names.unique(Words.memberName(name)), type: .string,
            isRequired: true,
            isNullable: false, text: "", isDeprecated: false),
          place: .path)
        operation.parameters.insert(added, at: 0)
        parameter = added
      }
      let key = parameter?.member.key ?? name
      used.insert(key)
      template += rest[..<open] + "{" + key + "}"
      rest = rest[rest.index(after: close)...]
    }
    operation.template = template + rest
    if operation.template.isEmpty, address.drop(while: { $0 != ":" }).split(separator: "/").count > 2 {
      schemas.note(
        operation.node, "the path / below a base URL with a path", "it is sent without the slash at its end")
    }
    operation.parameters.removeAll { parameter in
      guard parameter.place == .path, !used.contains(parameter.member.key) else { return false }
      schemas.note(
        operation.node, "the path has no place for the parameter \(SafeText.quoted(parameter.member.key))",
        "it is left out")
      return true
    }
  }
}
