public import APIKit
import Foundation

/// The folder, limits and settings of a ``TransferQueue``.
public struct TransferQueueConfiguration: Sendable {
  /// The folder, which belongs to the queue alone. Several processes may share it. The default is `transfers` in the
  /// application's folder for persistent data.
  public var folder: String
  /// The largest number of transfers; more are refused with `APIError.Reason.queueFull`. The default is 10,000.
  public var maximumItems = 10_000
  /// The largest size of the bodies that the queue copies, together, in bytes. The default is 4 GiB. Files
  /// are not copied.
  public var maximumBytes: Int64 = 4 << 30
  /// The number of transfers that run at once. The default is 4.
  public var concurrency = 4
  /// The waits after attempts that may succeed later. The default begins with a second and ends with five minutes.
  public var backoff = Backoff(initial: .seconds(1), maximum: .seconds(300))
  /// The number of such attempts after which a transfer is parked. The default is 20.
  public var maximumAttempts = 20
  /// The longest time that a transfer waits; an older one fails with `APIError.Reason.deadlineExceeded`. The default, nil,
  /// means no limit.
  public var lifetime: Duration?
  /// The id of the signed-in user; see ``OutboxConfiguration/user``. The default is the credential's note `user`.
  public var user: @Sendable (Credential) -> String? {
    get { statedUser ?? { $0.notes["user"] } }
    set { statedUser = newValue }
  }
  /// What the application has set; nil where the default counts.
  private(set) var statedUser: (@Sendable (Credential) -> String?)?
  /// Whether the transfers of a user who signs out are kept until that user's next sign-in. The default is false: they are
  /// dropped, with their partial files.
  public var keepsItemsAtSignOut = false
  /// The monitor of the network condition. The default is `NetworkMonitor.shared`.
  public var network = NetworkMonitor.shared
  /// The key, of 32 bytes, that encrypts the contents of kept transfers (AES-256-GCM); nil leaves them readable for anybody
  /// who may read the folder. The default is that of the keychain, nil on Linux. Data that was stored without a key is
  /// still sent. Type, user, lane and the bodies in `spool` are not encrypted.
  public var storageKey = SecretKey.keychain
  /// On Apple systems the identifier of the background session that continues the transfers while the process is suspended or
  /// has ended. With nil the services' own transports send them, as on other systems, where it has no effect and any process
  /// that runs the queue continues them. The default is `apikit.transfers`, and nil in an extension of an application, whose
  /// session needs an identifier of its own and ``BackgroundSessionOptions/sharedContainerIdentifier``. One queue per
  /// identifier.
  public var sessionIdentifier = Self.standardIdentifier(inExtension: Bundle.isOfExtension)
  /// The settings of the background session; see ``BackgroundSessionOptions``.
  public var session = BackgroundSessionOptions()

  /// Makes a configuration.
  ///
  /// - Parameter folder: The folder; nil, the default, is the application's own.
  public init(folder: String? = nil) {
    self.folder = folder ?? Self.standardFolder
  }
}

extension TransferQueueConfiguration: QueueConfiguration {
  var names: (queue: String, item: String) { ("queue of transfers", "transfer") }
  static let standardFolder = StandardFolder.state.path + "/transfers"

  static func standardIdentifier(inExtension isExtension: Bool) -> String? {
    isExtension ? nil : "apikit.transfers"
  }
}
