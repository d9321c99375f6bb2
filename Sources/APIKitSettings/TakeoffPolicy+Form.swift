public import APIKit

extension TakeoffPolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "TakeoffPolicy", start: { .concurrent },
    .plain("rule", \.rule), .plain("key", \.key))
}

extension TakeoffPolicy.Rule: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["concurrent": .concurrent, "ignoreNew": .ignoreNew, "cancelPrevious": .cancelPrevious],
    .holding(
      "queue",
      { rule -> Queue? in
        guard case .queue(let limit, let overflow) = rule else { return nil }
        return Queue(limit: limit, overflow: overflow)
      }, make: { .queue(limit: max(0, $0.limit), overflow: $0.overflow) }),
    .seconds("debounce", { if case .debounce(let pause) = $0 { pause } else { nil } }, make: Self.debounce),
    .holding(
      "throttle",
      { rule -> Throttle? in
        guard case .throttle(let interval, let edge) = rule else { return nil }
        return Throttle(interval: CodedSeconds(interval), edge: edge)
      }, make: { .throttle($0.interval.duration, $0.edge) }))

  private struct Queue: Codable {
    let limit: Int
    let overflow: TakeoffPolicy.QueueOverflow
  }

  private struct Throttle: Codable {
    let interval: CodedSeconds
    let edge: TakeoffPolicy.ThrottleEdge
  }
}

extension TakeoffPolicy.QueueOverflow: CaseCodable {
  package static let cases = CaseTable<Self>(["refuseNewest": .refuseNewest, "cancelOldest": .cancelOldest])
}

extension TakeoffPolicy.ThrottleEdge: CaseCodable {
  package static let cases = CaseTable<Self>(["leading": .leading, "trailing": .trailing, "both": .both])
}

extension TakeoffPolicy.Key: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["manager": .manager, "allParameters": .allParameters],
    .holding(
      "parameters", { if case .parameters(let names) = $0 { names } else { nil } }, make: Self.parameters))
}
