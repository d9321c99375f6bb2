import APIKit
import Foundation

/// Takes what a queue may send and has it sent, as long as it runs: at once, when there is a network again, after a wait, when
/// its user has come back.
@MainActor final class QueueRunner {
  /// The interval at which the database is read for items of other processes, and for processes that have ended.
  private static let poll = Duration.seconds(2)

  let queue: DurableQueue
  let configuration: any QueueConfiguration
  weak var owner: (any QueueOwner)?
  /// Called when nothing is left to do for the moment. None by default.
  var onRest: () -> Void = {}

  let time: any TimeSource
  private var authenticators: [ObjectIdentifier: Task<Void, Never>] = [:]
  private var networkTask: Task<Void, Never>?
  private(set) var isRunning = false
  private(set) var running: [Int64: Task<Void, Never>] = [:]
  /// How often the items that wait for a sign-in were woken.
  private(set) var wakes = 0
  /// The condition of the network when items that are on their way began.
  private(set) var conditions: [Int64: NetworkCondition] = [:]
  /// Items that wait for another network, a limited time.
  var awaitingNetwork: Set<Int64> = []
  private let loop = WorkLoop()
  private var timer: Task<Void, Never>?
  private var tidied: Duration?
  /// Whether the database was looked over in this launch.
  private var isChecked = false
  /// Results of items that could not be written, by their ids. They are written later.
  private var owed: [Int64: @MainActor () async throws(DurableQueue.Fault) -> Void] = [:]
  /// Items that were cancelled and are still in the database. They are not sent.
  private var givenUp: Set<Int64> = []
  /// Items whose delegate was told and whose landing is still on the disk.
  var told: Set<Int64> = []
  /// How often a user has left.
  private(set) var departures = 0
  /// What ``departures`` was when a user last left and took all items along, by the bytes of their names.
  private var lastDepartures: [[UInt8]: Int] = [:]

  /// - Parameter discard: Removes what an item that is given up has beside its row and its file.
  init(
    _ configuration: any QueueConfiguration, time: any TimeSource, boot: String,
    discard: @escaping @Sendable (QueueStore.Row) -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.time = time
    queue = DurableQueue(
      folder: configuration.folder, limits: configuration.limits, time: time, boot: boot,
      seal: QueueSeal(configuration.storageKey), discard: discard)
  }

  deinit {
    networkTask?.cancel()
    timer?.cancel()
    for task in authenticators.values { task.cancel() }
    for task in running.values { task.cancel() }
  }

  // MARK: Running

  /// Begins to send, until ``stop()``. Items of a dead process are sent again.
  func start() {
    guard !isRunning else { return }
    isRunning = true
    let network = configuration.network
    networkTask = Task { [weak self] in
      for await condition in network.changes() where !condition.isOffline { await self?.networkCame() }
    }
    Task {
      await queue.tellOfDamage { [weak self] copies in
        MainDelivery.main.put { [weak self] in self?.owner?.damaged(copies) }
      }
      await wakeAll()
    }
  }

  /// Ends sending, and returns when no attempt is running any more. Items that were running return to the queue.
  func stop() async {
    isRunning = false
    networkTask?.cancel()
    timer?.cancel()
    (networkTask, timer) = (nil, nil)
    let tasks = Array(running.values)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    await loop.task?.value
    loop.wake()
  }

  /// Returns when nothing is on its way here and nothing waits for the time or the network; after ``stop()``, and when its task
  /// is cancelled.
  func restReached() async {
    guard isRunning else { return }
    pump()
    await loop.wait()
  }

  /// Whether an item is on its way, or what has become of it is not written yet.
  func holds(_ id: Int64) -> Bool { running[id] != nil || owed[id] != nil }

  /// Sends what may be sent, if it is running.
  func pump() {
    if isRunning { loop.run { [self] in await takeMore() } }
  }

  private func takeMore() async {
    for (id, work) in owed where await report(work) { owed[id] = nil }
    for id in givenUp { await dropGivenUp(id) }
    guard isRunning else { return }
    let isOffline = configuration.network.condition.isOffline
    var wait: Duration? = Self.poll
    var isResting = false
    let isUsable = await report { () async throws(DurableQueue.Fault) in
      if self.tidied.map({ self.time.now - $0 >= Self.poll }) ?? true { try await self.tidy() }
      // What is too old ends without a network, too.
      let free = isOffline ? 0 : self.configuration.concurrency - self.running.count
      guard free > 0 else { return }
      let rows = try await self.queue.claim(atMost: free)
      // stop() may have been called meanwhile: nothing is sent after it returns.
      guard self.isRunning else {
        for row in rows { await self.putBack(row, .zero, isAttempt: false) }
        return
      }
      for row in rows where !self.givenUp.contains(row.id) { self.begin(row) }
      if !self.isChecked {
        self.isChecked = true
        // The log may still have items that were dropped when a process ended.
        try await self.queue.emptyLog()
        try await self.queue.checkWhole()
      }
      // As many as asked for: the queue may have more as soon as one of them has landed.
      guard rows.count < free else { return }
      let next = try await self.queue.nextWait()
      isResting = self.running.isEmpty && self.owed.isEmpty && self.givenUp.isEmpty && next == nil
      wait = next.map { min($0, Self.poll) } ?? Self.poll
    }
    if !isOffline { onRest() }
    // finish() does not wait for a database that cannot be used.
    if isResting || !isUsable && owed.isEmpty, running.isEmpty { loop.wake() }
    timer?.cancel()
    guard isRunning, let wait else { return }
    timer = Task { [weak self, time] in
      do { try await time.sleep(for: max(wait, .milliseconds(10))) } catch { return }
      self?.pump()
    }
  }

  private func tidy() async throws(DurableQueue.Fault) {
    tidied = time.now
    let expired = try await queue.tidy { row in
      QueuedLanding(Self.expiry(of: row)).enveloped
    }
    for row in expired { await owner?.expired(row, Self.expiry(of: row)) }
  }

  private nonisolated static func expiry(of row: QueueStore.Row) -> APIError {
    APIError(.takeoff, .deadlineExceeded, "item \(row.id) was not sent in time")
  }

  private func begin(_ row: QueueStore.Row) {
    awaitingNetwork.remove(row.id)
    conditions[row.id] = configuration.network.condition
    running[row.id] = Task {
      await owner?.send(row)
      (running[row.id], conditions[row.id]) = (nil, nil)
      pump()
    }
  }

  // MARK: What becomes of an item

  func wakeAll() async {
    wakes += 1
    await report { () async throws(DurableQueue.Fault) in try await self.queue.wake() }
    pump()
  }

  func putBack(_ row: QueueStore.Row, _ wait: Duration?, isAttempt: Bool) async {
    let queue = queue
    await settle(row.id) { () async throws(DurableQueue.Fault) in
      try await queue.putBack(row.id, after: wait, isAttempt: isAttempt)
    }
  }

  /// Parks an item until the application decides about it.
  func park(_ row: QueueStore.Row, _ reason: String) async {
    let queue = queue
    await settle(row.id) { () async throws(DurableQueue.Fault) in try await queue.park(row.id, reason) }
  }

  // MARK: Deciding

  /// Whose items are to be kept, and what ``departures`` was when they were made.
  struct Keeper {
    let user: String
    let departures: Int
  }

  /// Has items kept, and returns once they are on the disk; where that fails, their files go. Those of a user who has left
  /// meanwhile are refused: nothing would drop them any more.
  func keep(
    files: [String?], of keeper: Keeper? = nil, _ enqueue: () async throws(DurableQueue.Fault) -> [Int64]
  ) async throws(APIError) -> [Int64] {
    if let keeper, let last = lastDepartures[Array(keeper.user.utf8)], last > keeper.departures {
      await queue.removeSpools(files)
      throw APIError(
        .auth, .signedOut, "the user has left before the \(configuration.names.item) was on the disk")
    }
    do throws(DurableQueue.Fault) {
      let ids = try await enqueue()
      pump()
      return ids
    } catch {
      await queue.removeSpools(files)
      throw APIError(error, of: configuration)
    }
  }

  /// Keeps items; see ``keep(files:of:_:)``.
  func keep(_ entries: [QueueStore.QueueEntry], of keeper: Keeper? = nil) async throws(APIError) -> [Int64] {
    try await keep(files: entries.map(\.spool), of: keeper) { () async throws(DurableQueue.Fault) in
      try await self.queue.enqueue(entries)
    }
  }

  /// Sends an item that was parked, and those that were parked because of it, as if they were new.
  func unpark(_ id: Int64) async throws(APIError) {
    try await named { () async throws(DurableQueue.Fault) in try await self.queue.unpark(id) }
    pump()
  }

  /// Gives up an item, and cancels it if it is on its way; nil when it was not there.
  func drop(_ id: Int64) async throws(APIError) -> QueueStore.Row? {
    let row = try await named { () async throws(DurableQueue.Fault) in try await self.queue.drop(id) }
    running[id]?.cancel()
    return row
  }

  /// Gives up an item whose caller does not want it any more, and cancels it if it is on its way. Where that cannot be written
  /// it is tried again in each round, and the item is not sent meanwhile.
  func giveUp(_ id: Int64) async {
    givenUp.insert(id)
    running[id]?.cancel()
    await dropGivenUp(id)
    pump()
  }

  private func dropGivenUp(_ id: Int64) async {
    let isGone = await report { () async throws(DurableQueue.Fault) in try await self.queue.drop(id) }
    if isGone { givenUp.remove(id) }
  }

  // MARK: Users

  /// Follows an authenticator's users: at a sign-in their items are sent, at a sign-out dropped.
  func watch(_ authenticator: Authenticator) {
    let id = ObjectIdentifier(authenticator)
    guard authenticators[id] == nil else { return }
    let changes = authenticator.changes()
    authenticators[id] = Task { [weak self] in
      for await change in changes {
        guard let self else { return }
        switch change {
        case .signedIn:
          await wakeAll()
          for name in owner?.attachedNames ?? [] { deliverKept(to: name) }
        case .refreshed: await wakeAll()
        case .signedOut, .signInNeeded: break
        }
      }
    }
    // The authenticator keeps what is called here for as long as it lives: the path alone, not the queue with its database.
    let (user, keeps, folder) = (configuration.user, configuration.keepsItemsAtSignOut, queue.folder)
    authenticator.onLeave { [weak self] credential in
      guard let user = user(credential), !user.isEmpty else { return }
      // Noted before the credential is removed: if the process ends now, the next launch drops the items.
      if !keeps { DurableQueue.noteLeave(of: user, in: folder) }
      MainDelivery.main.put { [weak self] in
        guard let self else { return }
        Task {
          await self.report { () async throws(DurableQueue.Fault) in try await self.leave(user, keeps: keeps)
          }
        }
      }
    }
  }

  /// Ends what is on its way for a user, and drops all of the user's items.
  func forget(_ user: String) async throws(DurableQueue.Fault) {
    DurableQueue.noteLeave(of: user, in: queue.folder)
    try await leave(user, keeps: false)
  }

  private func leave(_ user: String, keeps: Bool) async throws(DurableQueue.Fault) {
    departures += 1
    if !keeps {
      lastDepartures[Array(user.utf8)] = departures
      owner?.userLeaves(user)
    }
    await owner?.allKept()
    // If nothing is running, the database need not be opened.
    if !running.isEmpty {
      let own = Set(try await queue.rows(.running).filter { $0.user.equalsExactly(user) }.map(\.id))
      for (id, task) in running where own.contains(id) {
        task.cancel()
        await task.value
      }
    }
    guard !keeps else { return }
    for row in try await queue.drop(user: user) {
      owner?.dropped(row, because: APIError(cancelled: .signedOut))
    }
  }

  // MARK: Faults

  func named<Value: Sendable>(
    _ work: () async throws(DurableQueue.Fault) -> Value
  ) async throws(APIError) -> Value {
    do throws(DurableQueue.Fault) { return try await work() } catch {
      throw APIError(error, of: configuration)
    }
  }

  /// Runs a write whose result has no caller. False when it has failed; the developer is told.
  @discardableResult func report(_ work: () async throws(DurableQueue.Fault) -> Void) async -> Bool {
    do throws(DurableQueue.Fault) { try await work() } catch {
      DeveloperNotice.give("\(configuration.name): \(APIError(error, of: configuration).detail)")
      return false
    }
    return true
  }

  /// Writes what has become of an item; see ``owe(_:_:)`` for what fails.
  func settle(_ id: Int64, _ work: @escaping @MainActor () async throws(DurableQueue.Fault) -> Void) async {
    if await !report(work) { owe(id, work) }
  }

  /// Has the writing of what has become of an item tried again in each round, every two seconds at least, as long as the queue
  /// runs. Without it the item would stay under way until the next launch, and then be sent once more.
  func owe(_ id: Int64, _ work: @escaping @MainActor () async throws(DurableQueue.Fault) -> Void) {
    owed[id] = work
  }
}
