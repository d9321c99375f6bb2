/// Makes sources of a document: read, plan, name, write. It touches no file.
struct Generator {
  /// The sources of a service.
  struct Result {
    /// The files by name.
    var files: [String: String]
    /// The names that were given.
    var names: [String: String]
    var report: Report
  }

  /// The longest file that is written, in lines, and the models that share one.
  static let maximumLines = 2000
  static let modelsPerFile = 40
  /// What the name of a class begins with that is for subclasses.
  static let basePrefix = "Base"

  /// - Parameters:
  ///   - bytes: The document.
  ///   - file: Its name, for messages and the heads of files.
  ///   - listed: The names that the user wants.
  ///   - kept: The names of an earlier run.
  static func run(
    _ bytes: [UInt8], file: String, settings: Settings, listed: [String: String] = [:],
    kept: [String: String] = [:]
  ) throws(Problems) -> Result {
    let document = try APIDocument(bytes, file: file)
    let service =
      settings.service ?? Words.typeName(document.root["info"]?["title"]?.string ?? "API", suffix: "Service")
    let selected = OperationPlanner.kept(of: document, by: settings.selection)
    guard !selected.isEmpty else {
      throw Problems("\(SafeText.line(file)): no operation is left; see --tag, --path, --operation, --all")
    }
    let schemas = SchemaPlan(document, roots: OperationPlanner.schemas(of: selected, document))
    let security = SecurityPlan(document, selected, schemas)
    let servers = try ServiceWriter.servers(of: document, baseURL: settings.baseURL, schemas)
    let planner = OperationPlanner(
      document: document, schemas: schemas, security: security, address: servers[0].url,
      isAddressGiven: settings.baseURL != nil)
    var operations = selected.compactMap(planner.plan)
    var shapes = ShapeCheck(document, schemas)
    shapes.check(document.root, .document)
    shapes.checkPaths()
    for operation in selected {
      shapes.check(operation.node, .operation)
      // Parameters and servers of the path.
      operation.node.parent.map { shapes.check($0, .operation) }
    }
    if let hooks = document.root["webhooks"], !hooks.members.isEmpty {
      schemas.note(hooks, "webhooks are not read", "receive them by hand")
    }
    guard schemas.memberCount <= SchemaPlan.maximumMembers else {
      throw Problems(
        "\(SafeText.line(file)): the types would have more than \(SchemaPlan.maximumMembers) members; choose operations with --tag, --path, --operation"
      )
    }
    schemas.boxCycles()

    var further: [(name: String, address: String)] = []
    let own = [service] + ["Manager", "Nothing", "Box", "StatusOutput"].map { service + $0 }
    var services = NameTable(own)
    for address in Set(operations.compactMap(\.server)).sorted() {
      let host = address.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "." && $0 != "/" && $0 != ":" }
      further.append((services.unique(service + Words.type(String(host))), address))
    }
    for index in operations.indices {
      let address = operations[index].server
      operations[index].service = further.first { $0.address == address }?.name ?? service
    }
    let reserved = own + further.map(\.name)
    var names = NamePlan(document, selected, listed: listed, kept: kept, reserved: reserved)
    let prefix = settings.writesBases ? basePrefix : ""
    for index in operations.indices {
      operations[index].className = prefix + names.className(of: operations[index])
    }
    schemas.nameModels { names.name(of: $0) }
    noteUnused(listed, names.names, document, schemas)
    let models = schemas.usedModels.map { schemas.models[$0] }
    let given: [(name: String, node: JSONNode?)] =
      reserved.map { ($0, nil) } + operations.map { ($0.className, $0.node) }
      + models.map { ($0.name, $0.node) }
    var seen: Set<String> = []
    if let twice = given.first(where: { !seen.insert($0.name).inserted })?.name {
      var problems = Problems()
      for node in given.filter({ $0.name == twice }).compactMap(\.node) {
        problems.add(
          document.problem(
            node, "the name \(SafeText.quoted(twice)) is given twice; change it in the file of --names"))
      }
      throw problems
    }

    let source = SourceWriter(
      document: document, models: schemas.models, service: service, access: settings.access,
      writesBases: settings.writesBases)
    let files = write(operations, schemas, source, servers, further, security)
    let report = Report(
      file: file, operations: operations.count, kept: selected.count, models: schemas.usedModels.count,
      notes: schemas.notes + names.notes)
    return Result(
      files: files.merging([Report.fileName: report.text]) { first, _ in first }, names: names.names,
      report: report)
  }

  /// Notes the listed names whose key is that of no operation and no part of the document, such as a misspelt one.
  private static func noteUnused(
    _ listed: [String: String], _ given: [String: String], _ document: APIDocument, _ schemas: SchemaPlan
  ) {
    let operations = Set(OperationPlanner.kept(of: document, by: Selection()).map(\.key))
    for (key, name) in listed where given[key] == nil && !operations.contains(key) {
      // The position of a parameter is its name there, so it is known only where it was used.
      guard !key.contains("/parameters/"), document.target(of: String(key.prefix { $0 != " " })) == nil
      else { continue }
      schemas.note(
        at: key, "the name \(SafeText.quoted(name)) is given to nothing", "correct it in the file of --names")
    }
  }

  private static func write(
    _ operations: [OperationPlan], _ schemas: SchemaPlan, _ source: SourceWriter,
    _ servers: [ServiceWriter.Server],
    _ further: [(name: String, address: String)], _ security: SecurityPlan
  ) -> [String: String] {
    let managers = ManagerWriter(source: source)
    var layout = FileLayout(source)
    let failures = Set(operations.flatMap { $0.failures.compactMap(\.model) }).sorted {
      schemas.models[$0].name < schemas.models[$1].name
    }
    let used = schemas.usedModels
    let isPublic = !source.prefix.isEmpty
    var needsBasic = false
    if case .basic? = security.scheme { needsBasic = true }
    let writer = ServiceWriter(
      source: source, servers: servers, further: further, security: security, failures: failures,
      hasInputs: operations.contains { !$0.parameters.isEmpty },
      hasEmptyOutputs: operations.contains { if case .nothing = $0.output { true } else { false } },
      hasStatusOutputs: operations.contains { if case .byStatus = $0.output { true } else { false } },
      hasBoxes: used.contains { id in
        guard case .structure(let members) = schemas.models[id].kind else { return false }
        return members.contains { if case .boxed = $0.type { true } else { false } }
      }, hasJoins: operations.contains { $0.parameters.contains { source.joinsTexts($0.member) } })
    layout.add(
      FileLayout.Part(
        lines: writer.lines(), needsFoundation: needsBasic, products: writer.hasOAuth ? ["APIKitOAuth"] : []),
      to: ""
    )
    for operation in operations {
      var part = FileLayout.Part(lines: managers.declaration(of: operation))
      if case .upload = operation.body { part.products.insert("APIKitTransfers") }
      if operation.isPaged { part.products.insert("APIKitPaging") }
      part.needsFoundation = operation.parameters.contains { $0.member.type.isOfFoundation }
      if operation.output.types.contains(where: \.isOfFoundation) { part.needsFoundation = true }
      part.isFoundationPublic = isPublic && part.needsFoundation
      layout.add(part, to: operation.tag.isEmpty ? "Managers" : operation.tag)
    }
    for id in used.sorted(by: { schemas.models[$0].name < schemas.models[$1].name }) {
      var part = FileLayout.Part(lines: source.declaration(of: schemas.models[id]))
      part.needsFramework = false
      switch schemas.models[id].kind {
      case .structure(let members):
        part.needsFoundation = members.contains { $0.type.isOfFoundation }
        part.isFrameworkPublic =
          schemas.models[id].isReceived || members.contains { $0.type.isFree || $0.isChange }
        part.needsFramework = part.isFrameworkPublic || members.contains { $0.type.hasDay }
      case .union: part.needsFramework = true
      case .enumeration:
        part.needsFramework = schemas.models[id].isReceived
        // The compiler counts no conformance as a use of a `package import`.
        part.isFrameworkPublic = source.access == "public"
      }
      part.isFoundationPublic = isPublic && part.needsFoundation
      layout.addModel(part)
    }
    return layout.files
  }
}
