extension CookieJar.Limits: VersionedCodable {
  static let form = VersionedForm<Self>(
    name: "CookieJar.Limits", start: { Self() },
    .plain("perDomain", \.perDomain), .plain("total", \.total))
}

extension CookieJar.AcceptPolicy: CaseCodable {
  static let cases = CaseTable<Self>(
    ["always": .always, "never": .never],
    .holding(
      "firstParty", { if case .firstParty(let domains) = $0 { domains } else { nil } },
      make: Self.firstParty))
}
