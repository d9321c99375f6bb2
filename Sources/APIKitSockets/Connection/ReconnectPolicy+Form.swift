import APIKit

extension ReconnectPolicy: Codable {
  static let form = WrittenForm<Self>(
    name: "ReconnectPolicy", start: { .never },
    members: [
      .plain("attempts", \.attempts), .plain("backoff", \.backoff), .seconds("stableAfter", \.stableAfter),
      .seconds("longestWait", \.longestWait), .plain("table", \.table), .plain("unsent", \.unsent),
    ], settle: { $0.attempts = max(0, $0.attempts) })

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

extension ReconnectPolicy.Unsent: Codable {
  /// Reads the written form: the name of the case, or an object with the name and what the case holds.
  public init(from decoder: any Decoder) throws {
    let one = try WrittenCase.Reader(decoder)
    switch one.name {
    case "drop": self = .drop
    case "keep": self = .keep(upTo: try one.value())
    default: throw one.unreadable(as: Self.self)
    }
  }

  /// Writes the form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .drop: try WrittenCase("drop").write(to: encoder)
    case .keep(let bytes): try WrittenCase("keep", bytes).write(to: encoder)
    }
  }
}
