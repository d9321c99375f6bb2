extension ReconnectPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "ReconnectPolicy", start: { .never },
    members: [
      .plain("attempts", \.attempts), .plain("backoff", \.backoff), .seconds("stableAfter", \.stableAfter),
      .seconds("longestWait", \.longestWait), .plain("table", \.table), .plain("unsent", \.unsent),
    ], settle: { $0.attempts = max(0, $0.attempts) })
}

extension ReconnectPolicy.Unsent: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .drop: WrittenCase("drop")
    case .keep(let bytes): WrittenCase("keep", bytes)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "drop": .drop
    case "keep": .keep(upTo: try one.value())
    default: nil
    }
  }
}
