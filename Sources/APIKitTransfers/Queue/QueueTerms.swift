import APIKit

/// How the items of a queue are sent: what an ``Outbox`` and a ``TransferQueue`` state alike.
struct QueueTerms: Sendable {
  /// What it is called in sentences.
  var name: String
  var folder: String
  var maximumItems: Int
  var maximumBytes: Int64
  /// How many are on their way at once.
  var concurrency: Int
  var backoff: Backoff
  var maximumAttempts: Int
  /// Who is signed in.
  var user: @Sendable (Credential) -> String?
  var keepsItemsAtSignOut: Bool
  var network: NetworkMonitor
  /// The key under which contents are sealed.
  var storageKey: SigningKey?

  var limits: QueueStore.Limits { QueueStore.Limits(count: Int64(maximumItems), bytes: maximumBytes) }

  /// The user whose a load is that is made now; empty for none.
  func user(
    _ rule: SignInRule, _ service: any APIService, _ manager: String
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

  /// The lane of a user: none ever waits for another's.
  static func lane(_ lane: String, _ user: String) -> String { "\(user)\u{1F}\(lane)" }
}

extension APIError {
  /// What a queue says, as an error of a load.
  init(_ fault: DurableQueue.Fault, _ terms: QueueTerms) {
    switch fault {
    case .full:
      self.init(
        .takeoff, .queueFull,
        "the \(terms.name) may have \(terms.maximumItems) items and \(terms.maximumBytes) bytes")
    case .cycle(let way):
      self.init(
        .takeoff, .misconfigured,
        "the items would wait for one another: \(way.map { "\($0)" }.joined(separator: " → "))")
    case .unknown(let id):
      self.init(.takeoff, .misconfigured, "there has never been an item \(id) to wait for")
    case .unusable(let why): self.init(.takeoff, .outboxUnusable, why)
    case .failed(let failure):
      let isFull = failure.code & 0xFF == 13
      self.init(
        .takeoff, isFull ? .storageFull : .outboxUnusable,
        "the \(terms.name) in \(terms.folder) cannot be used: \(failure)", underlying: failure)
    }
  }
}
