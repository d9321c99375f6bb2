public import APIKit

/// What a reformer made of each damage; see ``ReformerContract``.
public struct ContractReport: Sendable, CustomStringConvertible {
  /// What came of one damage.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The reformer threw.
    case threw
    /// It put out something else than for the intact answer.
    case defaulted
    /// It put out the same: it does not read the value, or does not need it.
    case unnoticed
    /// It brought its process down. Only an isolated run can tell.
    case crashed
  }

  /// One damage and what came of it.
  public struct Finding: Sendable {
    /// The damage.
    public let damage: Damage
    /// What came of it.
    public let verdict: Verdict
    /// The error's detail when it threw.
    public let text: String
  }

  /// Every damage in the order of the answer.
  public let findings: [Finding]
  /// Why the reformer refuses the intact answer; nil when it takes it. The findings are empty then.
  public let intactError: String?

  /// Whether the reformer takes the intact answer and survives every damage.
  public var isKept: Bool { intactError == nil && !findings.isEmpty && self[.crashed].isEmpty }

  /// The findings of one verdict.
  public subscript(verdict: Verdict) -> [Finding] { findings.filter { $0.verdict == verdict } }

  /// What came of one damage; nil when it was not tried.
  public func verdict(at path: RawPath, _ how: Damage.How) -> Verdict? {
    findings.first { $0.damage.path == path && $0.damage.how == how }?.verdict
  }

  /// A count per verdict, then each damage with what came of it.
  public var description: String {
    if let intactError { return "the intact answer is refused: \(intactError)" }
    let counts = Verdict.allCases.map { "\(self[$0].count) \($0.rawValue)" }.joined(separator: ", ")
    let lines = findings.map { finding in
      "  \(finding.damage): \(finding.verdict.rawValue)" + (finding.text.isEmpty ? "" : " (\(finding.text))")
    }
    return (["\(findings.count) damages: \(counts)"] + lines).joined(separator: "\n")
  }
}
