import APIKit
package import APIKitSettings

extension GroupPolicy: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["failFast": .failFast, "settleAll": .settleAll, "firstSuccess": .firstSuccess],
    .holding("quorum", { if case .quorum(let count) = $0 { count } else { nil } }, make: Self.quorum))
}
