/// Whether one server is used: a state machine without time, tasks or sockets; times come with each event.
///
/// Legal moves: open → aside (five failures in a row, or a certificate that is not accepted), aside → probing (its rest is
/// over), probing → open (it responded), probing → aside (it failed), aside → open (it responded all the same: when every
/// server is aside all are used).
struct HostHealth: Equatable {
  enum HealthState: Equatable {
    case open
    case aside(until: Duration)
    case probing(since: Duration)
  }

  enum Standing: Equatable {
    /// Nothing speaks against it.
    case good
    /// Its last attempt failed, less than ``firstRest`` ago.
    case doubtful
    case aside
    /// It may be asked once.
    case due
  }

  /// How many failures in a row put it aside.
  static let patience = 5
  static let firstRest = Duration.seconds(30)
  static let longestRest = Duration.seconds(300)
  /// A probe that has not come back for so long is forgotten.
  private static let probeLimit = Duration.seconds(30)

  private(set) var state = HealthState.open
  /// In a row.
  private(set) var failures = 0
  private var rests = 0
  private var failedAt = Duration.zero
  /// When it was taken back last.
  private var openSince = Duration.zero

  func standing(now: Duration) -> Standing {
    switch state {
    case .open: failures == 0 || now - failedAt >= Self.firstRest ? .good : .doubtful
    case .aside(let until): now >= until ? .due : .aside
    case .probing(let since): now - since >= Self.probeLimit ? .due : .aside
    }
  }

  /// The one probe begins.
  mutating func probe(now: Duration) {
    if standing(now: now) == .due { state = .probing(since: now) }
  }

  mutating func succeeded(now: Duration) {
    failures = 0
    guard state != .open else { return }
    (state, openSince) = (.open, now)
  }

  mutating func failed(now: Duration) {
    failures += 1
    failedAt = now
    switch state {
    case .open: if failures >= Self.patience { putAside(now: now) }
    case .probing: putAside(now: now)
    // The server rests already. An attempt from before, or one for want of other servers, tells nothing new.
    case .aside: break
    }
  }

  /// At once: what is wrong will be wrong at the next attempt.
  mutating func putAside(now: Duration) {
    // Used for want of others, and wrong again: its rest is no longer for it.
    if case .aside(let until) = state, now < until { return }
    if state == .open, now - openSince > Self.longestRest { rests = 0 }
    rests += 1
    let rest = Backoff(initial: Self.firstRest, maximum: Self.longestRest, isJittered: false)
      .wait(before: rests, jitter: 1)
    state = .aside(until: now + rest)
  }

  /// The probe ended without saying anything: cancelled.
  mutating func leftProbe(now: Duration) {
    if case .probing = state { state = .aside(until: now) }
  }
}
