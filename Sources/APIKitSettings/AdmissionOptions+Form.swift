public import APIKit

extension AdmissionOptions: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "AdmissionOptions", start: { Self() },
    .plain("retryPolicy", \.retryPolicy), .plain("networkGate", \.networkGate),
    .plain("requestRate", \.requestRate), .plain("hostLimits", \.hostLimits), .plain("breaker", \.breaker),
    unwritable: ["network": { $0.network !== NetworkMonitor.shared }, "hosts": { $0.hosts != nil }])
}

extension BusinessErrorRule: CaseCodable {
  package static let cases = CaseTable<Self>(
    .plain("none", .none) { if case .none = $0.kind { true } else { false } },
    .holding(
      "code",
      { rule -> Code? in
        guard case .code(let path, let success, let message) = rule.kind else { return nil }
        return Code(path: path.description, success: success.sorted(), message: message.description)
      },
      make: { code in
        Self(kind: .code(RawPath(code.path), success: Set(code.success), message: RawPath(code.message)))
      }),
    .unwritable("a closure that finds errors") { if case .custom = $0.kind { true } else { false } })

  private struct Code: Codable {
    let path: String
    let success: [String]
    let message: String
  }
}
