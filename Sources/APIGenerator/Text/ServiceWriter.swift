import Foundation

/// Writes the service, and what its managers share.
struct ServiceWriter {
  /// An address of the service.
  struct Server {
    /// The name of its environment, as an expression.
    var environment: String
    /// The address, with `\(name)` for each variable.
    var address: String
    /// The address as the document has it.
    var url: String
    /// The variables with their defaults, and the values that they may have.
    var variables: [(name: String, initial: String)]
    var text: String
  }

  let source: SourceWriter
  let servers: [Server]
  /// Services of operations that have a server of their own, by address.
  let further: [(name: String, address: String)]
  let security: SecurityPlan
  let failures: [Int]
  let hasInputs: Bool
  let hasEmptyOutputs: Bool
  let hasStatusOutputs: Bool
  let hasBoxes: Bool
  let hasJoins: Bool

  /// The servers of a document.
  static func servers(of document: APIDocument, baseURL: String?, _ schemas: SchemaPlan) throws(Problems)
    -> [Server]
  {
    if let baseURL {
      guard isAddress(baseURL) else {
        throw Problems("--base-url \(SafeText.quoted(baseURL)): this is no http or https URL")
      }
      return [
        Server(
          environment: ".release", address: SafeText.literal(baseURL), url: baseURL, variables: [], text: "")
      ]
    }
    var servers: [Server] = []
    var names = NameTable(["release"])
    // Servers share an argument where a variable has the same name and the same default.
    var members = NameTable()
    var known: [[String]: String] = [:]
    for node in document.root["servers"]?.elements ?? [] {
      let url = node["url"]?.string ?? ""
      let text = node["description"]?.string ?? ""
      var (plain, literal) = ("", "")
      var variables: [(name: String, initial: String)] = []
      var missing: String?
      var rest = url[...]
      while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
        let name = String(rest[rest.index(after: open)..<close])
        let stated = node["variables"]?[name]?["default"]?.string
        if stated == nil { missing = missing ?? name }
        let initial = stated ?? ""
        let member = known[[name, initial]] ?? members.unique(Words.memberName(name))
        known[[name, initial]] = member
        variables.append((member, initial))
        plain += rest[..<open] + initial
        literal += SafeText.literal(String(rest[..<open])).dropFirst().dropLast() + "\\(\(member))"
        rest = rest[rest.index(after: close)...]
      }
      (plain, literal) = (plain + rest, literal + SafeText.literal(String(rest)).dropFirst().dropLast())
      if let missing {
        schemas.note(
          node, "the variable \(SafeText.quoted(missing)) of the address has no default",
          "the address is left out; `--base-url` gives the service its address")
        continue
      }
      guard isAddress(plain) else {
        schemas.note(
          node, "the address \(SafeText.quoted(url)) is no http or https URL",
          "`--base-url` gives the service its address")
        continue
      }
      if servers.isEmpty {
        servers.append(
          Server(
            environment: ".release", address: "\"\(literal)\"", url: url, variables: variables, text: text))
      } else {
        let name = names.unique(Words.words(text).prefix(4).joined(separator: "-").lowercased())
        let environment =
          name.isEmpty || name.first?.isNumber == true ? names.unique("server-\(servers.count + 1)") : name
        servers.append(
          Server(
            environment: SafeText.literal(environment), address: "\"\(literal)\"", url: url,
            variables: variables, text: text))
      }
    }
    guard !servers.isEmpty else {
      let node = document.root["servers"] ?? document.root
      throw Problems(
        document.problem(
          node, "the document states no http or https address; `--base-url` gives the service one"))
    }
    return servers
  }

  /// Whether a text is an address whose every character may stand in one.
  static func isAddress(_ text: String) -> Bool {
    let lower = text.lowercased()
    guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return false }
    let rest = lower.drop { $0 != ":" }.dropFirst(3)
    var host = rest.prefix { $0 != "/" }
    if host.last != "]", let colon = host.lastIndex(of: ":") {
      // The colons of an IPv6 address stand in its brackets.
      let port = host[colon...].dropFirst()
      guard port.allSatisfy(\.isNumber), let number = UInt16(port), number > 0 else { return false }
      host = host[..<colon]
    }
    guard isHost(host) else { return false }
    // A percent sign is followed by two digits.
    for part in rest.split(separator: "%", omittingEmptySubsequences: false).dropFirst() {
      guard part.utf8.count >= 2, part.prefix(2).allSatisfy(\.isHexDigit) else { return false }
    }
    return rest.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}?#@".utf8.contains($0)
    }
  }

  /// Whether the framework takes a text as the host of a URL: the sources have it in a literal, which traps where it does not.
  private static func isHost(_ host: Substring) -> Bool {
    if host.first == "[" {
      var address = in6_addr()
      return host.last == "]" && inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
    guard let first = host.first, first.isLetter || first.isNumber,
      !host.contains(where: { "[]%:".contains($0) })
    else { return false }
    // The framework has Foundation decode the labels of Punycode.
    if host.split(separator: ".").contains(where: { $0.hasPrefix("xn--") }) {
      guard let parts = URLComponents(string: "http://\(host)/"), parts.host != nil, parts.encodedHost != nil
      else { return false }
    }
    // A host whose last part is a number is an IPv4 address (WHATWG URL).
    let last = host.split(separator: ".").last ?? ""
    guard last.allSatisfy(\.isNumber) || last.hasPrefix("0x") else { return true }
    var address = in_addr()
    return inet_pton(AF_INET, String(host), &address) == 1
  }

  func lines() -> [String] {
    let (prefix, service) = (source.prefix, source.service)
    let info = source.document.root["info"]
    var lines = SafeText.comment(info?["title"]?.string ?? "\(service).", limit: 200)
    if lines.isEmpty { lines = ["/// \(service)."] }
    lines += [
      "\(source.valuePrefix)final class \(service): APIService {",
      "  \(prefix)static let shared = \(service)()", "",
      "  \(prefix)let name = \(SafeText.literal(service))",
    ]
    lines += environments()
    if security.scheme != nil {
      lines.append("  \(prefix)let identity = ServiceIdentity(authenticator: \(service).authenticator)")
    }
    lines += authenticator()
    if hasJoins { lines += joining() }
    lines.append("}")
    for (name, address) in further {
      lines += [
        "", "/// The part of \(service) at another address, with the same credential.",
        "\(source.valuePrefix)final class \(name): APIService {",
        "  \(prefix)static let shared = \(name)()", "", "  \(prefix)let name = \(SafeText.literal(name))",
        "  \(prefix)let environments = ServiceEnvironments(\(SafeText.literal(address)))",
      ]
      if security.scheme != nil {
        lines.append("  \(prefix)let identity = ServiceIdentity(authenticator: \(service).authenticator)")
      }
      lines.append("}")
    }
    if hasInputs {
      lines += [
        "", "/// A manager whose parameters are the members of an `Input`.",
        "@MainActor \(prefix)protocol \(service)Manager: APIManager {",
        "  associatedtype Input: Encodable & Sendable", "}", "",
        "extension \(service)Manager {", "  /// Loads with an input.",
        "  @discardableResult \(prefix)func load(_ input: Input) -> Takeoff { load(Parameters(encoding: input)) }",
        "  /// Loads with an input, and waits for the response.",
        "  \(prefix)func response(_ input: Input) async throws(APIError) -> APIResponse {",
        "    try await response(Parameters(encoding: input))", "  }", "}",
      ]
      for way in ["Decodable", "RawDecodable", "RawDecodable & Decodable"] {
        lines += [
          "", "extension \(service)Manager where Output: \(way) & Sendable {",
          "  /// Loads with an input, and reads the response.",
          "  \(prefix)func value(_ input: Input) async throws(APIError) -> Output {",
          "    try await value(Parameters(encoding: input))", "  }", "}",
        ]
      }
    }
    if hasEmptyOutputs {
      lines += [
        "", "/// What a response is decoded as that has no content.",
        "\(source.valuePrefix)struct \(service)Nothing: Decodable, Sendable {",
        "  \(prefix)init(from decoder: any Decoder) {}", "}",
      ]
    }
    if hasStatusOutputs { lines += statusOutput() }
    if hasBoxes { lines += box() }
    for id in failures {
      let name = source.models[id].name
      let member = service.prefix(1).lowercased() + service.dropFirst() + name
      lines += [
        "", "nonisolated extension APIError {",
        "  /// The body of the response that the load failed with, where it is one of `\(name)`.",
        "  \(prefix)var \(member): \(name)? { try? raw.decode(as: \(name).self) }", "}",
      ]
    }
    return lines
  }

  private func joining() -> [String] {
    [
      "", "  /// Elements as one text. One with the separator in it would arrive as two.",
      "  static func joined(_ texts: [String], by separator: Character) throws -> String {",
      "    if let text = texts.first(where: { $0.contains(separator) }) {",
      "      throw EncodingError.invalidValue(",
      "        text,", "        EncodingError.Context(",
      "          codingPath: [], debugDescription: \"an element has the separator \\(separator) in it\"))",
      "    }",
      "    return texts.joined(separator: String(separator))", "  }",
    ]
  }

  private func environments() -> [String] {
    let prefix = source.prefix
    var variables: [(name: String, initial: String)] = []
    for server in servers {
      for variable in server.variables where !variables.contains(where: { $0.name == variable.name }) {
        variables.append(variable)
      }
    }
    let table = servers.map { "\($0.environment): \($0.address)" }
    if variables.isEmpty {
      if servers.count == 1 {
        return ["  \(prefix)let environments = ServiceEnvironments(\(servers[0].address))"]
      }
      return ["  \(prefix)let environments = ServiceEnvironments(["] + table.map { "    \($0)," } + ["  ])"]
    }
    let arguments = variables.map { "\($0.name): String = \(SafeText.literal($0.initial))" }.joined(
      separator: ", ")
    var lines = [
      "  \(prefix)let environments = \(source.service).makeEnvironments()", "",
      "  /// The addresses for values of their variables: `\(source.service).shared.environments[.release] = …` uses one.",
      "  \(prefix)static func addresses(\(arguments)) -> [ServiceEnvironment: String] {", "    [",
    ]
    lines += table.map { "      \($0)," } + ["    ]", "  }", ""]
    lines += [
      "  private static func makeEnvironments() -> ServiceEnvironments {",
      "    ServiceEnvironments(addresses().compactMapValues { try? HTTPURL($0) })", "  }",
    ]
    return lines
  }

  private func authenticator() -> [String] {
    guard let scheme = security.scheme else { return [] }
    let prefix = source.prefix
    var lines = [""] + SafeText.comment(security.text, indent: "  ", limit: 240)
    var attach: [String] = []
    switch scheme {
    case .bearer: lines.append("  /// Sign in with `Credential(accessToken: token)`.")
    case .basic: lines.append("  /// Sign in with `\(source.service).credential(user:password:)`.")
    case .key(let place, let name):
      lines.append(
        "  /// Sign in with `Credential(accessToken: key)`, the key for the \(place) field \(SafeText.code(name))."
      )
      switch place {
      case "header": attach = ["request.headers[\(SafeText.literal(name))] = credential.accessToken"]
      case "cookie":
        attach = [
          "let pair = \(SafeText.literal(name + "=")) + credential.accessToken",
          "request.headers[\"Cookie\"] = request.headers[\"Cookie\"].map { $0 + \"; \" + pair } ?? pair",
        ]
      default:
        attach = [
          "let pair = PercentEncoding.component.encode(\(SafeText.literal(name))) + \"=\" + PercentEncoding.component.encode(credential.accessToken)",
          "if let url = try? request.url.appending(query: pair) { request.url = url }",
        ]
      }
    case .oauth: lines.append("  /// Sign in with the credential that an `OAuthClient` gets.")
    }
    lines.append("  \(prefix)static let authenticator: Authenticator = {")
    if attach.isEmpty {
      lines.append("    Authenticator()")
    } else {
      lines += ["    var rules = Authenticator.Rules()", "    rules.attach = { credential, request in"]
      lines += attach.map { "      \($0)" } + ["    }", "    return Authenticator(rules: rules)"]
    }
    lines.append("  }()")
    if case .basic = scheme {
      lines += [
        "", "  /// The credential of a user with a password.",
        "  \(prefix)static func credential(user: String, password: String) -> Credential {",
        "    Credential(accessToken: Data(\"\\(user):\\(password)\".utf8).base64EncodedString(), tokenType: \"Basic\")",
        "  }",
      ]
    }
    return lines + configurations
  }

  /// Whether the service has clients of an authorization server.
  var hasOAuth: Bool { !configurations.isEmpty }

  private var configurations: [String] {
    guard case .oauth(let flows) = security.scheme else { return [] }
    var lines: [String] = []
    var names = NameTable()
    for flow in flows {
      guard let token = flow.tokenURL, Self.isAddress(token) else { continue }
      let scopes = flow.scopes.isEmpty ? "" : ", scopes: scopes"
      let address =
        flow.authorizationURL.flatMap {
          Self.isAddress($0) ? ", authorizationEndpoint: \(SafeText.literal($0))" : nil
        } ?? ""
      let argument =
        flow.scopes.isEmpty
        ? "" : ", scopes: [String] = [\(flow.scopes.map(SafeText.literal).joined(separator: ", "))]"
      let known = ["authorizationCode", "clientCredentials", "password", "implicit"].contains(flow.kind)
      let name = names.unique(known ? flow.kind : "other")
      lines += [
        "", "  /// The client of the authorization server, for the flow \(SafeText.code(name)).",
        "  \(source.prefix)static func \(name)Configuration(clientID: String\(argument)) -> OAuthConfiguration {",
        "    OAuthConfiguration(clientID: clientID\(address), tokenEndpoint: \(SafeText.literal(token))\(scopes))",
        "  }",
      ]
    }
    return lines
  }

  private func statusOutput() -> [String] {
    let (prefix, name) = (source.prefix, "\(source.service)StatusOutput")
    let loads = "{ try await .read(response"
    return [
      "", "/// An output whose type depends on the status of the response.",
      "\(source.valuePrefix)protocol \(name): Sendable {",
      "  /// Reads a response.", "  init(_ response: APIResponse) throws(APIError)", "}", "",
      "nonisolated extension \(name) {", "  /// Reads a response off the caller's actor.",
      "  @concurrent static func read(_ response: APIResponse) async throws(APIError) -> Self {",
      "    try Self(response)", "  }", "}", "",
      "extension APIManager where Output: \(name) {",
      "  /// Loads, and reads the response by its status.",
      "  \(prefix)func value() async throws(APIError) -> Output \(loads)()) }",
      "  /// Loads with parameters, and reads the response by its status.",
      "  \(prefix)func value(_ parameters: Parameters) async throws(APIError) -> Output \(loads)(parameters)) }",
      "}",
    ]
      + (hasInputs
        ? [
          "", "extension \(source.service)Manager where Output: \(name) {",
          "  /// Loads with an input, and reads the response by its status.",
          "  \(prefix)func value(_ input: Input) async throws(APIError) -> Output \(loads)(input)) }",
          "}",
        ] : [])
  }

  private func box() -> [String] {
    let (prefix, name) = (source.prefix, "\(source.service)Box")
    return [
      "", "/// Holds a value on the heap: a member of a structure that contains itself.",
      "\(source.valuePrefix)indirect enum \(name)<Value: Sendable>: Sendable {", "  case boxed(Value)", "",
      "  /// Puts a value into a box.", "  \(prefix)init(_ value: Value) { self = .boxed(value) }", "",
      "  /// The value in the box.", "  \(prefix)var value: Value {",
      "    get { switch self { case .boxed(let value): value } }",
      "    set { self = .boxed(newValue) }", "  }", "}", "",
      "nonisolated extension \(name): RawDecodable where Value: RawDecodable {",
      "  \(prefix)init(_ raw: borrowing RawData) throws { self = .boxed(try Value(raw)) }", "}",
      "nonisolated extension \(name): Encodable where Value: Encodable {",
      "  \(prefix)func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }", "}",
    ]
  }
}
