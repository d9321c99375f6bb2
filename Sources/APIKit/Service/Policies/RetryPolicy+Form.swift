extension RetryPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "RetryPolicy", start: { Self(attempts: 1) },
    members: [
      .plain("attempts", \.attempts), .plain("backoff", \.backoff), .seconds("deadline", \.deadline),
      .plain("honoursRetryAfter", \.honoursRetryAfter), .seconds("longestWait", \.longestWait),
      .plain("table", \.table), .plain("idempotencyKeyField", \.idempotencyKeyField),
      .plain("drawsOnBudget", \.drawsOnBudget), .plain("hedgesSlowReads", \.hedgesSlowReads),
    ], settle: { $0.attempts = max(1, $0.attempts) })
}

extension Backoff: Written {
  static let form = WrittenForm<Self>(
    name: "Backoff", start: { Self() },
    members: [
      .seconds("initial", \.initial), .plain("multiplier", \.multiplier), .seconds("maximum", \.maximum),
      .seconds("floor", \.floor), .plain("isJittered", \.isJittered),
    ])
}

extension RetryTable: Written {
  static let form = WrittenForm<Self>(
    name: "RetryTable", start: { Self() },
    members: [
      .mapped(
        "statuses", \.byStatus,
        { rows in Dictionary(rows.map { (String($0.key), $0.value) }) { first, _ in first } },
        { rows in
          try rows.reduce(into: [:]) { table, row in
            guard let status = Int(row.key) else {
              throw APIError(.assembly, .unreadableForm, "\(row.key.debugDescription) is no status")
            }
            table[status] = row.value
          }
        }),
      .mapped(
        "reasons", \.byReason,
        { rows in Dictionary(rows.map { ($0.key.name, $0.value) }) { first, _ in first } },
        { rows in rows.reduce(into: [:]) { $0[APIError.Reason($1.key, $1.key)] = $1.value } }),
    ])
}

extension RetryTable.Row: Written {
  static let form = WrittenForm<Self>(
    name: "RetryTable.Row", start: { .leave("") },
    members: [
      .plain("isOn", \.isOn), .plain("provesNothingSent", \.provesNothingSent), .plain("why", \.why),
    ])
}
