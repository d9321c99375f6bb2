public import APIKit

/// The effect of each change of a response on a reformer; see ``ReformerContract``.
public struct ContractReport: Sendable, CustomStringConvertible {
  /// The result of one change.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The reformer threw.
    case threw
    /// Its output differs from that for the unchanged response.
    case defaulted
    /// Its output is the same: it does not read the value, or does not need it.
    case unnoticed
    /// It crashed. Only an isolated run reports this.
    case crashed
  }

  /// One change and its result.
  public struct Finding: Sendable {
    /// The change.
    public let damage: Damage
    /// The result.
    public let verdict: Verdict
    /// The detail of the error when the reformer threw, or how a child process ended that crashed;
    /// otherwise empty.
    public let text: String
  }

  /// Every change, in the order of ``ReformerContract/damages``.
  public let findings: [Finding]
  /// The error of the reformer for the unchanged response; nil when it accepts it. When it is not
  /// nil, the findings are empty.
  public let intactError: String?

  /// Whether the reformer accepts the unchanged response and crashes at no change. False when there are no
  /// findings.
  public var isKept: Bool { intactError == nil && !findings.isEmpty && self[.crashed].isEmpty }

  /// The findings with one verdict.
  public subscript(verdict: Verdict) -> [Finding] { findings.filter { $0.verdict == verdict } }

  /// The result of one change; nil when it was not tried.
  public func verdict(at path: RawPath, _ how: Damage.How) -> Verdict? {
    findings.first { $0.damage.path == path && $0.damage.how == how }?.verdict
  }

  /// The number of findings per verdict, then each change with its result.
  public var description: String {
    if let intactError { return "the intact response is refused: \(intactError)" }
    let counts = Verdict.allCases.map { "\(self[$0].count) \($0.rawValue)" }.joined(separator: ", ")
    let lines = findings.map { finding in
      "  \(finding.damage): \(finding.verdict.rawValue)" + (finding.text.isEmpty ? "" : " (\(finding.text))")
    }
    return (["\(findings.count) damages: \(counts)"] + lines).joined(separator: "\n")
  }
}
