import APIKit
import APIKitSettings

extension ReconnectPolicy: Codable {
  static let form = VersionedForm<Self>(
    name: "ReconnectPolicy", start: { .never },
    .plain("attempts", \.attempts), .plain("backoff", \.backoff), .seconds("stableAfter", \.stableAfter),
    .seconds("longestWait", \.longestWait), .plain("table", \.table), .plain("unsent", \.unsent),
    settle: { $0.attempts = max(0, $0.attempts) })

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

extension ReconnectPolicy.Unsent: Codable {
  private static let cases = CaseTable<Self>(
    ["drop": .drop],
    .holding("keep", { if case .keep(let bytes) = $0 { bytes } else { nil } }, make: Self.keep(upTo:)))

  /// Reads the written form: the name of the case, or an object with the name and what the case holds.
  public init(from decoder: any Decoder) throws { self = try Self.cases.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.cases.write(self, to: encoder) }
}
