public import APIKit

extension RetryPolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RetryPolicy", start: { Self(attempts: 1) },
    .plain("attempts", \.attempts), .plain("backoff", \.backoff), .seconds("deadline", \.deadline),
    .plain("honoursRetryAfter", \.honoursRetryAfter), .seconds("longestWait", \.longestWait),
    .plain("table", \.table), .plain("idempotencyKeyField", \.idempotencyKeyField),
    .plain("drawsOnBudget", \.drawsOnBudget), .plain("hedgesSlowReads", \.hedgesSlowReads),
    settle: { $0.attempts = max(1, $0.attempts) })
}

extension Backoff: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "Backoff", start: { Self() },
    .seconds("initial", \.initial), .plain("multiplier", \.multiplier), .seconds("maximum", \.maximum),
    .seconds("floor", \.floor), .plain("isJittered", \.isJittered))
}

extension RetryTable: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RetryTable", start: { Self() },
    .mapped(
      "statuses", \.byStatus,
      write: { rows in Dictionary(rows.map { (String($0.key), $0.value) }) { first, _ in first } },
      read: { rows in
        try rows.reduce(into: [:]) {
          $0[try Int($1.key).readable("\($1.key.debugDescription) is no status")] = $1.value
        }
      }),
    .mapped(
      "reasons", \.byReason,
      write: { rows in Dictionary(rows.map { ($0.key.name, $0.value) }) { first, _ in first } },
      read: { rows in rows.reduce(into: [:]) { $0[APIError.Reason($1.key, $1.key)] = $1.value } }))
}

extension RetryTable.Row: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "RetryTable.Row", start: { .leave("") },
    .plain("isOn", \.isOn), .plain("provesNothingSent", \.provesNothingSent), .plain("why", \.why))
}
