import APIKit

extension TransferQueueConfiguration: Codable {
  static let form = WrittenForm<Self>(
    name: "TransferQueueConfiguration", start: { Self() },
    members: [
      .folder("folder", \.folder, standard: Self.standardFolder), .plain("maximumItems", \.maximumItems),
      .plain("maximumBytes", \.maximumBytes), .plain("concurrency", \.concurrency),
      .plain("backoff", \.backoff), .plain("maximumAttempts", \.maximumAttempts),
      .seconds("lifetime", \.lifetime), .plain("keepsItemsAtSignOut", \.keepsItemsAtSignOut),
      .storageKey(\.storageKey),
      .plain("sessionIdentifier", \.sessionIdentifier),
    ],
    unwritable: {
      $0.statedUser != nil ? "user" : $0.network !== NetworkMonitor.shared ? "network" : nil
    })

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}
