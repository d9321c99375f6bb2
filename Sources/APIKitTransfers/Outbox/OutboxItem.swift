public import APIKit

/// A load that waits in an ``Outbox``.
public struct OutboxItem: Sendable, Hashable, Identifiable {
  /// Its state.
  public enum State: Sendable, Hashable {
    /// It waits for earlier items, for the network, for a sign-in, or for its next attempt.
    case waiting
    /// Its request is running.
    case sending
    /// It was set aside, for this reason, until ``Outbox/retry(_:)`` or ``Outbox/drop(_:)``.
    case parked(String)
    /// Its bytes on the disk were damaged: it is not sent. Of its other properties only the id is certain.
    case damaged
  }

  /// Its id.
  public let id: OutboxItemID
  /// Its state.
  public let state: State
  /// The name under which its manager's type is registered.
  public let manager: String
  /// The user to whom it belongs; empty for none.
  public let user: String
  /// The number of failed attempts.
  public let attempts: Int
  /// The API's name.
  public let apiName: String
  /// The environment in which it was made, and in which it is sent.
  public let environment: ServiceEnvironment
  /// The parameters.
  public let parameters: Parameters
  /// The idempotency key that all of its attempts carry.
  public let idempotencyKey: String

  init(_ row: QueueStore.Row, _ call: QueuedCall) {
    id = OutboxItemID(rawValue: row.id)
    state =
      switch row.state {
      case _ where row.isDamaged: .damaged
      case .waiting: .waiting
      case .running: .sending
      case .parked: .parked(row.reason ?? "")
      }
    manager = row.type
    user = row.user
    attempts = row.attempts
    apiName = call.apiName
    environment = ServiceEnvironment(call.environment)
    parameters = call.parameters
    idempotencyKey = call.key
  }
}

/// A parameter that is known only after another item has succeeded, such as the id of an object that it creates.
public struct OutboxValue: Sendable, Hashable {
  /// The parameter that gets it.
  public var parameter: String
  /// The item from whose response it is taken.
  public var item: OutboxItemID
  /// The path in that response of a text, a number or a boolean.
  public var path: String

  /// Makes a value.
  public init(_ parameter: String, of item: OutboxItemID, at path: String) {
    self.parameter = parameter
    self.item = item
    self.path = path
  }
}

/// The folder, limits and settings of an ``Outbox``.
public struct OutboxConfiguration: Sendable {
  /// The folder, which belongs to the outbox alone. Several processes may share it. The default is `outbox` in the
  /// application's folder for persistent data.
  public var folder: String
  /// The largest number of items; more are refused with `APIError.Reason.queueFull`. The default is 100,000.
  public var maximumItems = 100_000
  /// The largest size of all items together in bytes, bodies included. The default is 1 GiB.
  public var maximumBytes: Int64 = 1 << 30
  /// The number of items that are sent at once, each of another lane (`APIManager.queueLane`). The
  /// default is 4.
  public var concurrency = 4
  /// The waits after attempts that may succeed later (408, 425, 429, 5xx, failures of the transport). The default
  /// begins with a second and ends with five minutes. A `Retry-After` that asks for more counts, up to a day.
  public var backoff = Backoff(initial: .seconds(1), maximum: .seconds(300))
  /// The number of such attempts after which an item is parked. The default is 20.
  public var maximumAttempts = 20
  /// The longest time that an item waits; an older one fails with `APIError.Reason.deadlineExceeded`. The default, nil,
  /// means no limit. The time counts also while the process and the device are off; setting the clock changes nothing.
  public var lifetime: Duration?
  /// The header field of the idempotency key. The default is `Idempotency-Key`.
  public var idempotencyKeyField = "Idempotency-Key"
  /// The id of the signed-in user, the same after the next sign-in. The default is the credential's note `user`.
  ///
  /// An item belongs to the user who was signed in when it was made, and is sent for no other user. If a credential has no
  /// such id, loads with it are not queued: they fail with `APIError.Reason.misconfigured`.
  public var user: @Sendable (Credential) -> String? {
    get { statedUser ?? { $0.notes["user"] } }
    set { statedUser = newValue }
  }
  /// What the application has set; nil where the default counts.
  private(set) var statedUser: (@Sendable (Credential) -> String?)?
  /// Whether the items of a user who signs out are kept until that user's next sign-in. The default is false: they are
  /// dropped.
  public var keepsItemsAtSignOut = false
  /// The monitor of the network condition. The default is `NetworkMonitor.shared`.
  public var network = NetworkMonitor.shared
  /// The key, of 32 bytes, that encrypts the contents of kept items (AES-256-GCM); nil leaves them readable for anybody who
  /// may read the folder. The default is that of the keychain, nil on Linux. Data that was stored without a key is still
  /// sent. Type, user, lane and the bodies in `spool` are not encrypted.
  public var storageKey = SecretKey.keychain

  /// Makes a configuration.
  ///
  /// - Parameter folder: The folder; nil, the default, is the application's own.
  public init(folder: String? = nil) {
    self.folder = folder ?? Self.standardFolder
  }
}

extension OutboxConfiguration: QueueConfiguration {
  var names: (queue: String, item: String) { ("outbox", "item") }
  static let standardFolder = StandardFolder.state.path + "/outbox"
}
