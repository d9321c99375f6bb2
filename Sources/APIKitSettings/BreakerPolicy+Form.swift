public import APIKit

extension BreakerPolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "BreakerPolicy", start: { Self() },
    .plain("scope", \.scope), .seconds("window", \.window), .plain("minimumAttempts", \.minimumAttempts),
    .plain("failureRatio", \.failureRatio), .seconds("openInterval", \.openInterval),
    .seconds("maximumOpenInterval", \.maximumOpenInterval), .plain("probes", \.probes))
}

extension BreakerPolicy.Scope: CaseCodable {
  package static let cases = CaseTable<Self>(["host": .host, "api": .api])
}

extension TracePolicy: CaseCodable {
  package static let cases = CaseTable<Self>([
    "none": .none, "sent": .sent, "sentEverywhere": .sentEverywhere,
  ])
}

extension HostLimits: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "HostLimits", start: { Self(attemptsPerHost: 1) },
    .plain("attemptsPerHost", \.attemptsPerHost), .seconds("ageing", \.ageing),
    settle: { $0 = Self(attemptsPerHost: $0.attemptsPerHost, ageing: $0.ageing) })
}

extension RequestRate: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RequestRate", start: { .unlimited },
    .plain("requests", \.requests), .seconds("interval", \.interval), .plain("scope", \.scope),
    .plain("excess", \.excess),
    settle: { $0 = Self($0.requests, per: $0.interval, scope: $0.scope, excess: $0.excess) })
}

extension RequestRate.Scope: CaseCodable {
  package static let cases = CaseTable<Self>(["service": .service, "api": .api])
}

extension RequestRate.Excess: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["refuse": .refuse],
    .holding("wait", { if case .wait(let most) = $0 { most } else { nil } }, make: Self.wait(atMost:)))
}

extension NetworkGate: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "NetworkGate", start: { .fly },
    .plain("rule", \.rule), .plain("allowsExpensive", \.allowsExpensive),
    .plain("allowsConstrained", \.allowsConstrained))
}

extension NetworkGate.Rule: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["fly": .fly, "refuse": .refuse],
    .seconds("wait", { if case .wait(let limit) = $0 { limit } else { nil } }, make: Self.wait(upTo:)))
}
