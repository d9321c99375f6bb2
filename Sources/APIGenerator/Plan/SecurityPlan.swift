/// How loads of the service carry a credential: one scheme of the document, which the authenticator attaches.
struct SecurityPlan {
  enum Scheme {
    case bearer, basic
    case key(place: String, name: String)
    /// The flows that the document states.
    case oauth([OAuthFlow])
  }
  struct OAuthFlow {
    var kind: String
    var authorizationURL: String?
    var tokenURL: String?
    var scopes: [String]
  }

  private(set) var name: String?
  private(set) var scheme: Scheme?
  private(set) var text = ""
  private let common: [JSONNode]

  init(_ document: APIDocument, _ operations: [OperationPlan], _ schemas: SchemaPlan) {
    let root = document.root
    common = root["security"]?.elements ?? []
    let declared = root["components"]?["securitySchemes"]?.members ?? []
    // The first that is supported, of those of the document, then of those of its operations by their number, then by name.
    var uses: [String: Int] = [:]
    for requirement in operations.flatMap({ $0.node["security"]?.elements ?? [] }) {
      for (name, _) in requirement.members { uses[name, default: 0] += 1 }
    }
    let ranked =
      common.flatMap { $0.members.map(\.name).sorted() }
      + uses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    for wanted in ranked where scheme == nil {
      guard let node = declared.first(where: { $0.name == wanted }).flatMap({ document.resolve($0.node) })
      else { continue }
      scheme = Self.scheme(node)
      if scheme == nil {
        schemas.note(
          node, "the security scheme \(SafeText.quoted(wanted)) is not supported",
          "sign by hand: ServiceIdentity(signer:)")
      } else {
        (name, text) = (wanted, node["description"]?.string ?? "")
      }
    }
    for wanted in Set(ranked).sorted() where !declared.contains(where: { $0.name == wanted }) {
      schemas.note(
        at: "#/components/securitySchemes",
        "the security scheme \(SafeText.quoted(wanted)) is described nowhere", "correct the document")
    }
    for other in Set(ranked).sorted() where other != name && scheme != nil {
      guard let node = declared.first(where: { $0.name == other })?.node else { continue }
      schemas.note(
        node, "the security scheme \(SafeText.quoted(other)) is an alternative",
        "the authenticator uses \(SafeText.quoted(name ?? ""))")
    }
  }

  private static func scheme(_ node: JSONNode) -> Scheme? {
    switch node["type"]?.string {
    case "http":
      switch node["scheme"]?.string?.lowercased() {
      case "bearer": return .bearer
      case "basic": return .basic
      default: return nil
      }
    case "apiKey":
      guard let name = node["name"]?.string, let place = node["in"]?.string,
        ["header", "query", "cookie"].contains(place),
        place == "query" ? !name.isEmpty : SafeText.isToken(name)
      else { return nil }
      return .key(place: place, name: name)
    case "oauth2":
      return .oauth(
        (node["flows"]?.members ?? []).sorted { $0.name < $1.name }.map { kind, flow in
          OAuthFlow(
            kind: kind, authorizationURL: flow["authorizationUrl"]?.string,
            tokenURL: flow["tokenUrl"]?.string,
            scopes: flow["scopes"]?.members.map(\.name).sorted() ?? [])
        })
    case "openIdConnect": return .bearer
    default: return nil
    }
  }

  /// Whether an operation needs the credential.
  func rule(of operation: JSONNode, _ schemas: SchemaPlan) -> OperationPlan.SignIn {
    guard let name else { return .asAvailable }
    let requirements = operation["security"]?.elements ?? common
    if requirements.isEmpty { return .exempt }
    if requirements.contains(where: { $0.members.isEmpty }) { return .asAvailable }
    guard requirements.contains(where: { $0[name] != nil }) else {
      schemas.note(
        operation, "it asks for another security scheme",
        "its requests carry no credential; sign them by hand")
      return .exempt
    }
    if let all = requirements.first(where: { $0[name] != nil }), all.members.count > 1 {
      schemas.note(
        operation, "it asks for several security schemes at once",
        "\(SafeText.quoted(name)) is attached; add the others in `headers`")
    }
    return .required
  }
}
