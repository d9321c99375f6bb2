import APIKit

/// What becomes of an item whose attempt has failed: a decision without sockets, files and time.
enum OutboxVerdict: Sendable, Equatable {
  /// It goes back as it was: the attempt was cancelled, or there is no network. After a wait where its transport was
  /// stopped: that may stay so.
  case again(after: Duration)
  /// It is tried again after a wait.
  case later(Duration)
  /// It waits until its user has signed in.
  case awaitSignIn
  /// It waits until the network changes, for so long at most: its manager does not accept the present one.
  case awaitNetwork(upTo: Duration)
  /// It is parked until the application decides about it.
  case park

  /// What is known beside the failure.
  struct Circumstances: Sendable {
    /// The attempts that counted, this one included.
    var attempts = 1
    /// After how many of them the item is parked.
    var maximumAttempts = 20
    /// False where a server may have acted on it that could not tell a repetition.
    var mayGoAgain = true
    var isOffline = false
    /// Whether there is an authenticator, so that a user can sign in.
    var hasSignIn = false
    /// Whether the item's user is signed in.
    var isSignedIn = false
    /// Whether the user's credential can be renewed: nobody will sign in who could be waited for.
    var canRenew = false
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(300))
    /// From 0 to 1.
    var jitter = 1.0
    var wallClock: Double = 0
  }

  init(_ error: APIError, _ known: Circumstances) {
    let status = error.reason == .unacceptableStatus ? error.status : nil
    if !known.mayGoAgain {
      self = .park
    } else if error.cancellation == .transportStopped {
      self = .again(after: known.backoff.wait(before: known.attempts, jitter: known.jitter))
    } else if error.reason == .noNetwork, !known.isOffline {
      self = .awaitNetwork(upTo: known.backoff.maximum)
    } else if known.isOffline && status == nil || error.cancellation.map(Self.isOurs) == true {
      self = .again(after: .zero)
    } else if error.reason == .signedOut, known.isSignedIn {
      // The user is back.
      self = .again(after: .zero)
    } else if status == 401 || error.stage == .auth, !known.isSignedIn || !known.canRenew {
      self = known.hasSignIn ? .awaitSignIn : .park
    } else if error.stage == .auth || status.map(Self.passes) ?? Self.passing(error) {
      guard known.attempts < known.maximumAttempts else {
        self = .park
        return
      }
      let own = known.backoff.wait(before: known.attempts, jitter: known.jitter)
      let asked = error.retryAfter(now: known.wallClock)
      self = .later(min(max(own, asked ?? .zero), max(own, Self.longestWait)))
    } else {
      self = .park
    }
  }

  /// The longest wait that a server may ask for: a day.
  private static let longestWait = Duration.seconds(86_400)

  /// Whether the outbox itself has ended the attempt. What a hook or an interceptor has ended counts as an attempt, or it would
  /// be made again without end.
  private static func isOurs(_ reason: CancellationReason) -> Bool {
    [.byCaller, .taskCancelled, .managerReleased].contains(reason)
  }

  /// Whether a status is one of the moment.
  private static func passes(_ status: Int) -> Bool {
    [401, 408, 425, 429].contains(status) || status >= 500
  }

  /// Whether a failure without a status is one of the moment.
  private static func passing(_ error: APIError) -> Bool {
    switch error.reason {
    case .circuitOpen, .rateLimited, .deadlineExceeded, .alreadyLoading: true
    case .unreadableBody, .fileFailed, .unsupportedCapability, .unsupportedScheme, .responseTooLarge,
      .cleartextRefused:
      false
    default: error.stage == .transport || error.isCancellation
    }
  }
}
