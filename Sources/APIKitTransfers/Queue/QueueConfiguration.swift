import APIKit

/// How the items of a queue are sent: what ``OutboxConfiguration`` and ``TransferQueueConfiguration`` state alike.
protocol QueueConfiguration: Sendable {
  /// What the queue is called in sentences, and what an item of it is.
  var names: (queue: String, item: String) { get }
  static var standardFolder: String { get }

  var folder: String { get set }
  var maximumItems: Int { get set }
  var maximumBytes: Int64 { get set }
  var concurrency: Int { get set }
  var backoff: Backoff { get set }
  var maximumAttempts: Int { get set }
  var lifetime: Duration? { get set }
  var user: @Sendable (Credential) -> String? { get }
  var statedUser: (@Sendable (Credential) -> String?)? { get }
  var keepsItemsAtSignOut: Bool { get set }
  var network: NetworkMonitor { get }
  var storageKey: SecretKey? { get set }

  init(folder: String?)
}

extension QueueConfiguration {
  var name: String { names.queue }

  var limits: QueueStore.Limits { QueueStore.Limits(count: Int64(maximumItems), bytes: maximumBytes) }

  /// The user to whom a load belongs that is made now; empty for none.
  func user(
    _ rule: SignInRule, of service: any APIService, for manager: String
  ) throws(APIError) -> String {
    guard rule != .exempt, let authenticator = service.identity.authenticator else { return "" }
    guard let credential = authenticator.credential else {
      guard rule == .required else { return "" }
      throw APIError(.auth, .signedOut, "\(manager) needs a user, and nobody is signed in")
    }
    if let user = user(credential), !user.isEmpty { return user }
    throw APIError(
      .takeoff, .misconfigured,
      "the \(name) cannot tell the users of \(service.name) apart: give each Credential the user's id as its note "
        + "`user`, or state `user` of its configuration")
  }
}

extension APIError {
  /// What a queue says, as an error of a load.
  init(_ fault: DurableQueue.Fault, of queue: any QueueConfiguration) {
    self.init(fault, of: queue.name, in: queue.folder, queue.limits)
  }

  /// What a store on the disk says.
  ///
  /// - Parameter name: What it is called in sentences.
  init(
    _ fault: DurableQueue.Fault, of name: String, in folder: String,
    _ limits: QueueStore.Limits = QueueStore.Limits()
  ) {
    switch fault {
    case .full:
      self.init(
        .takeoff, .queueFull, "the \(name) may have \(limits.count) items and \(limits.bytes) bytes")
    case .cycle(let way):
      self.init(
        .takeoff, .misconfigured,
        "the items would wait for one another: \(way.map { "\($0)" }.joined(separator: " → "))")
    case .unknown(let id):
      self.init(.takeoff, .misconfigured, "there has never been an item \(id) to wait for")
    case .unusable(let why): self.init(.takeoff, .outboxUnusable, why)
    case .failed(let failure):
      self.init(
        .takeoff, failure.isFull ? .storageFull : .outboxUnusable,
        "the \(name) in \(folder) cannot be used: \(failure)", underlying: failure)
    }
  }
}
