public import APIKit

extension CookieJar.Limits: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "CookieJar.Limits", start: { Self() },
    .plain("perDomain", \.perDomain), .plain("total", \.total))
}

extension CookieJar.AcceptPolicy: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["always": .always, "never": .never],
    .holding(
      "firstParty", { if case .firstParty(let domains) = $0 { domains } else { nil } },
      make: Self.firstParty))
}
