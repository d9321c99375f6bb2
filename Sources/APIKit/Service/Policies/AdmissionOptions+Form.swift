extension AdmissionOptions: Written {
  static let form = WrittenForm<Self>(
    name: "AdmissionOptions", start: { Self() },
    members: [
      .plain("retryPolicy", \.retryPolicy), .plain("networkGate", \.networkGate),
      .plain("requestRate", \.requestRate), .plain("hostLimits", \.hostLimits), .plain("breaker", \.breaker),
    ],
    unwritable: { $0.network !== NetworkMonitor.shared ? "network" : $0.hosts != nil ? "hosts" : nil })
}

extension BusinessErrorRule: WrittenCases {
  var written: WrittenCase {
    get throws {
      switch kind {
      case .none: return WrittenCase("none")
      case .code(let path, let success, let message):
        return WrittenCase(
          "code", Code(path: path.description, success: success.sorted(), message: message.description))
      case .custom:
        throw APIError(.assembly, .unwritableForm, "a closure that finds errors has no written form")
      }
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "none": return Self.none
    case "code":
      let code: Code = try one.value()
      return Self(
        kind: .code(RawPath(code.path), success: Set(code.success), message: RawPath(code.message)))
    default: return nil
    }
  }

  private struct Code: Codable {
    let path: String
    let success: [String]
    let message: String
  }
}
