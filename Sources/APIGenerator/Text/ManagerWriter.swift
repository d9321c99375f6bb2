/// Writes the managers.
struct ManagerWriter {
  let source: SourceWriter

  /// The declaration of the manager of an operation.
  func declaration(of operation: OperationPlan) -> [String] {
    let text = SafeText.line(operation.text, limit: 400)
    var lines = SafeText.comment(
      "\(SafeText.code(operation.key))\(text.isEmpty ? "" : ": " + text)", limit: 900)
    lines += advice(operation)
    let members = operation.parameters.map(\.member)
    let prefix = source.prefix
    let (base, protocols) = inheritance(operation)
    if source.writesBases {
      lines += ["///", "/// A subclass adopts \(protocols.map { "`\($0)`" }.joined(separator: " and "))."]
    }
    if operation.node["deprecated"]?.bool == true { lines.append("@available(*, deprecated)") }
    lines.append(
      source.writesBases
        ? "open class \(operation.className): \(base) {"
        : "\(prefix)final class \(operation.className): \(([base] + protocols).joined(separator: ", ")) {")
    if !members.isEmpty {
      lines.append("  \(source.valuePrefix)struct Input: Encodable, Sendable {")
      lines += source.structure(members, isSent: true, isReceived: false, indent: "    ")
      lines += ["  }", ""]
    }
    lines += output(operation)
    let template = SafeText.literal(operation.template)
    if prefix.isEmpty {
      lines.append("  let service = \(operation.service).shared, apiName = \(template)")
    } else {
      lines += [
        "  \(prefix)let service = \(operation.service).shared", "  \(prefix)let apiName = \(template)",
      ]
    }
    lines += statements(operation).map { "  \(prefix)\($0)" }
    return lines + ["}"]
  }

  private func inheritance(_ operation: OperationPlan) -> (base: String, protocols: [String]) {
    if case .upload = operation.body { return ("BaseUploadManager", ["UploadManager"]) }
    let own = operation.parameters.isEmpty ? [] : ["\(source.service)Manager"]
    if operation.isPaged { return ("BaseAPIManager", ["PageableAPIManager"] + own) }
    return ("BaseAPIManager", own.isEmpty ? ["APIManager"] : own)
  }

  private func advice(_ operation: OperationPlan) -> [String] {
    var lines: [String] = []
    if case .upload(let type) = operation.body {
      let input = operation.parameters.isEmpty ? "" : ", Parameters(encoding: input)"
      lines += ["///", "/// It sends \(SafeText.code(type)): `response(uploading: body\(input))`."]
      if type.lowercased().hasPrefix("multipart/form-data"),
        let node = operation.node["requestBody"].flatMap(source.resolve)
      {
        let names =
          source.resolve(node["content"]?[type]?["schema"])?["properties"]?.members.map(\.name) ?? []
        if !names.isEmpty {
          lines += SafeText.comment(
            "Its parts, for a `MultipartForm`: \(names.map { SafeText.code($0) }.joined(separator: ", ")).")
        }
      }
    }
    if case .bytes(let type) = operation.output {
      lines += ["///", "/// The response is \(SafeText.code(type)): `response(_:).http.bytes`."]
    }
    return lines
  }

  private func output(_ operation: OperationPlan) -> [String] {
    let prefix = source.prefix
    switch operation.output {
    case .nothing: return ["  \(prefix)typealias Output = \(source.service)Nothing"]
    case .value(let type, let isOptional):
      return ["  \(prefix)typealias Output = \(text(type, isOptional))"]
    case .bytes: return []
    case .byStatus(let replies):
      var lines = [
        "  /// The response, by its status.",
        "  \(source.valuePrefix)enum Output: \(source.service)StatusOutput {",
      ]
      var cases: [String] = []
      for (status, output) in replies {
        let name = Words.statusName(status)
        let pattern =
          status.hasSuffix("XX")
          ? "\(status.prefix(1))00...\(status.prefix(1))99" : status
        var (payload, value) = ("", "")
        switch output {
        case .value(let type, let isOptional):
          (payload, value) = ("(\(text(type, isOptional)))", "(try response.decode())")
        case .bytes: (payload, value) = ("([UInt8])", "(response.bytes)")
        case .nothing, .byStatus: break
        }
        lines.append("    case \(name)\(payload)")
        cases.append("      case \(pattern): self = .\(name)\(value)")
      }
      return lines + [
        "", "    \(prefix)init(_ response: APIResponse) throws(APIError) {", "      switch response.status {",
      ] + cases + [
        "      default:",
        "        throw APIError(.reform, .unacceptableStatus, \"no output has the status \\(response.status)\")",
        "      }", "    }", "  }", "",
      ]
    }
  }

  private func text(_ type: SwiftType, _ isOptional: Bool) -> String {
    source.text(type) + (isOptional && type != .json ? "?" : "")
  }

  private func statements(_ operation: OperationPlan) -> [String] {
    var lines: [String] = []
    var isUpload = false
    if case .upload = operation.body { isUpload = true }
    switch operation.method {
    case "get" where !isUpload: break
    case "put" where isUpload: break
    case "trace": lines.append("let method = HTTPMethod(rawValue: \"TRACE\")")
    default: lines.append("let method = HTTPMethod.\(operation.method)")
    }
    var fields: [(String, String)] = []
    if let accept = operation.accept { fields.append(("Accept", accept)) }
    if let type = operation.bodyContentType { fields.append(("Content-Type", type)) }
    if case .upload(let type) = operation.body, !type.lowercased().hasPrefix("multipart/"),
      !type.contains("*")
    {
      fields.append(("Content-Type", type))
    }
    if !fields.isEmpty {
      lines.append(
        "let headers: HTTPHeaders = [\(fields.map { "\(SafeText.literal($0.0)): \(SafeText.literal($0.1))" }.joined(separator: ", "))]"
      )
    }
    if !isUpload, let encoding = encoding(operation) { lines.append("let parameterEncoding = \(encoding)") }
    if operation.signIn != .asAvailable {
      lines.append("let signIn = SignInRule.\(operation.signIn.rawValue)")
    }
    switch operation.output {
    case .value, .byStatus: break
    case .nothing, .bytes: lines.append("let expectation = ResponseExpectation(format: .bytes)")
    }
    if operation.isPaged {
      let size = operation.parameters.first { $0.member.key == "per_page" }?.member.key
      lines.append("let paging = Paging(.link(size: \(size.map(SafeText.literal) ?? "nil")), items: \"\")")
    }
    return lines
  }

  /// How the parameters are sent; nil where the service's way is right.
  private func encoding(_ operation: OperationPlan) -> String? {
    func keys(_ place: OperationPlan.Place) -> String {
      operation.parameters.filter { $0.place == place }.map { SafeText.literal($0.member.key) }.joined(
        separator: ", ")
    }
    var text = "ParameterEncoding"
    var isPlain = false
    switch operation.body {
    case .members(let isForm): text += isForm ? ".form" : ".json"
    case .whole(let key): text += ".json.body(at: \(SafeText.literal(key)))"
    case .none, .upload:
      text += ".query"
      isPlain = ["get", "head", "delete"].contains(operation.method) || keys(.query).isEmpty
    }
    if case .members = operation.body, !keys(.query).isEmpty { text += ".inURL(\(keys(.query)))" }
    if case .whole = operation.body, !keys(.query).isEmpty { text += ".inURL(\(keys(.query)))" }
    if !keys(.header).isEmpty { text += ".inHeaders(\(keys(.header)))" }
    if !keys(.cookie).isEmpty { text += ".inCookies(\(keys(.cookie)))" }
    let renamed = operation.parameters.filter { $0.sentName != nil }
    if !renamed.isEmpty {
      let pairs = renamed.map { "\(SafeText.literal($0.member.key)): \(SafeText.literal($0.sentName ?? ""))" }
      text += ".named([\(pairs.joined(separator: ", "))])"
    }
    if let arrays = operation.arrays { text += ".queryStyle(QueryStyle(arrays: \(arrays)))" }
    return isPlain && text == "ParameterEncoding.query" ? nil : text
  }
}
