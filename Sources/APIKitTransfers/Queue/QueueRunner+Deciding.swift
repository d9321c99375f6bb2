import APIKit

/// What becomes of an item whose attempt has failed, and what it waits for.
extension QueueRunner {
  /// As whom an item is sent: as its user, as long as the authenticator is at this epoch; without one, as nobody.
  struct Identity {
    var epoch: Int?
  }

  /// Nil where the user of an item is not there: it has gone back to its place.
  func identity(of row: QueueStore.Row, _ authenticator: Authenticator?) async -> Identity? {
    guard !row.user.isEmpty else { return Identity() }
    // Read before the user is compared: while the epoch stays the same, so does the user.
    let epoch = authenticator?.epoch
    if epoch != nil, isPresent(row.user, authenticator) { return Identity(epoch: epoch) }
    await putBackUntilSignIn(row)
    return nil
  }

  /// Whether items of a user may be sent and told now. Items without a user always may.
  func isPresent(_ user: String, _ authenticator: Authenticator?) -> Bool {
    user.isEmpty || (authenticator?.credential.flatMap(configuration.user)).equalsExactly(user)
  }

  /// Decides about an item whose attempt has failed.
  ///
  /// - Returns: Whether it was set aside.
  func fail(
    _ row: QueueStore.Row, _ error: APIError, mayGoAgain: Bool, signedInBy authenticator: Authenticator?
  ) async -> Bool {
    var known = OutboxVerdict.Circumstances()
    known.mayGoAgain = mayGoAgain
    known.attempts = row.attempts + 1
    known.maximumAttempts = configuration.maximumAttempts
    known.isOffline = configuration.network.condition.isOffline
    // No sign-in changes what another origin says that got no credential.
    known.hasSignIn = authenticator != nil && !row.user.isEmpty && !error.context.isElsewhere
    known.isSignedIn = known.hasSignIn && isPresent(row.user, authenticator)
    known.canRenew = authenticator?.canRenew == true
    known.backoff = configuration.backoff
    known.jitter = .random(in: 0.5...1)
    known.wallClock = time.wallClock
    switch OutboxVerdict(error, known) {
    case .again(let wait): await putBack(row, wait, isAttempt: false)
    case .later(let wait): await putBack(row, wait, isAttempt: true)
    case .awaitSignIn: await putBackUntilSignIn(row)
    case .awaitNetwork(let longest): await putBackUntilNetworkChanges(row, upTo: longest)
    case .park:
      let why = mayGoAgain ? "" : "; the server may have acted on it, and could not tell a repetition"
      await park(row, error.description + why)
      return true
    }
    return false
  }

  /// An item whose user is absent waits until that user signs in. A sign-in while this is written counts.
  private func putBackUntilSignIn(_ row: QueueStore.Row) async {
    let before = wakes
    await putBack(row, nil, isAttempt: false)
    if wakes != before { await wakeAll() }
  }

  /// An item whose manager does not accept the network waits for another one, for so long at most. A change since the item
  /// began counts.
  private func putBackUntilNetworkChanges(_ row: QueueStore.Row, upTo longest: Duration) async {
    await putBack(row, longest, isAttempt: false)
    awaitingNetwork.insert(row.id)
    if configuration.network.condition != conditions[row.id] { await networkCame() }
  }

  /// There is a network, which may be another one.
  func networkCame() async {
    let waiting = awaitingNetwork
    awaitingNetwork = []
    if !waiting.isEmpty {
      await report { () async throws(DurableQueue.Fault) in try await self.queue.makeDue(waiting) }
    }
    pump()
  }
}
