import APIKit

extension OutboxConfiguration: Codable {
  static let form = VersionedForm<Self>(
    name: "OutboxConfiguration", start: { Self() },
    .folder("folder", \.folder, standard: Self.standardFolder), .plain("maximumItems", \.maximumItems),
    .plain("maximumBytes", \.maximumBytes), .plain("concurrency", \.concurrency),
    .plain("backoff", \.backoff), .plain("maximumAttempts", \.maximumAttempts),
    .seconds("lifetime", \.lifetime), .plain("idempotencyKeyField", \.idempotencyKeyField),
    .plain("keepsItemsAtSignOut", \.keepsItemsAtSignOut), .storageKey(\.storageKey),
    unwritable: [
      "user": { $0.statedUser != nil }, "network": { $0.network !== NetworkMonitor.shared },
    ])

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

extension VersionedForm.Member {
  /// A folder; null for the application's own, whose path may be another one after an update.
  static func folder(_ name: String, _ path: Path<String>, standard: String) -> Self {
    mapped(name, path, write: { $0 == standard ? nil : Optional($0) }, read: { $0 ?? standard })
  }
}
