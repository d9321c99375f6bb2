public import APIKit

extension RedirectPolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RedirectPolicy", start: { .follow },
    .plain("rule", \.kind), .plain("limit", \.limit), .plain("allowsDowngrade", \.allowsDowngrade),
    .texts("publicHeaders", \.publicHeaders))
}

extension RedirectPolicy.RedirectRule: CaseCodable {
  package static let cases = CaseTable<Self>(
    .plain("follow", .follow) { if case .follow = $0 { true } else { false } },
    .plain("refuse", .refuse) { if case .refuse = $0 { true } else { false } },
    .plain("sameOrigin", .sameOrigin) { if case .sameOrigin = $0 { true } else { false } },
    .unwritable("a closure that rewrites redirects") { if case .rewrite = $0 { true } else { false } })
}
