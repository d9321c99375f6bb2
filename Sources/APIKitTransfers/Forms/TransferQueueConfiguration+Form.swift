import APIKit

extension TransferQueueConfiguration: Codable {
  static let form = VersionedForm<Self>(
    name: "TransferQueueConfiguration", start: { Self() },
    .folder("folder", \.folder, standard: Self.standardFolder), .plain("maximumItems", \.maximumItems),
    .plain("maximumBytes", \.maximumBytes), .plain("concurrency", \.concurrency),
    .plain("backoff", \.backoff), .plain("maximumAttempts", \.maximumAttempts),
    .seconds("lifetime", \.lifetime), .plain("keepsItemsAtSignOut", \.keepsItemsAtSignOut),
    .storageKey(\.storageKey), .plain("sessionIdentifier", \.sessionIdentifier),
    unwritable: [
      "user": { $0.statedUser != nil }, "network": { $0.network !== NetworkMonitor.shared },
    ])

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}
