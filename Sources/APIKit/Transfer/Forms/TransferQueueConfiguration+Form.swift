extension TransferQueueConfiguration: Written {
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
}
