import APIKit
import APIKitSettings

extension VersionedForm where Value: QueueConfiguration {
  /// The form of the configuration of a queue: what all of them have, and its own members.
  fileprivate init(name: String, own: Member...) {
    let shared: [Member] = [
      // Null for the application's own folder, whose path may be another one after an update.
      .mapped(
        "folder", \.folder, write: { $0 == Value.standardFolder ? nil : Optional($0) },
        read: { $0 ?? Value.standardFolder }),
      .plain("maximumItems", \.maximumItems), .plain("maximumBytes", \.maximumBytes),
      .plain("concurrency", \.concurrency), .plain("backoff", \.backoff),
      .plain("maximumAttempts", \.maximumAttempts), .seconds("lifetime", \.lifetime),
      .plain("keepsItemsAtSignOut", \.keepsItemsAtSignOut), .storageKey(\.storageKey),
    ]
    self.init(
      name: name, start: { Value(folder: nil) }, members: shared + own,
      unwritable: [
        "user": { $0.statedUser != nil }, "network": { $0.network !== NetworkMonitor.shared },
      ])
  }
}

extension OutboxConfiguration: Codable {
  static let form = VersionedForm<Self>(
    name: "OutboxConfiguration", own: .plain("idempotencyKeyField", \.idempotencyKeyField))

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

extension TransferQueueConfiguration: Codable {
  static let form = VersionedForm<Self>(
    name: "TransferQueueConfiguration", own: .plain("sessionIdentifier", \.sessionIdentifier),
    .plain("session", \.session))

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

extension BackgroundSessionOptions: Codable {
  static let form = VersionedForm<Self>(
    name: "BackgroundSessionOptions", start: { Self() },
    .plain("isDiscretionary", \.isDiscretionary), .plain("connectionsPerHost", \.connectionsPerHost),
    .seconds("limit", \.limit), .plain("proxy", \.proxy),
    .tlsVersion("minimumTLS", \.minimumTLS),
    .plain("sharedContainerIdentifier", \.sharedContainerIdentifier))

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}
