public import APIKit
import Foundation

/// Records user actions (analytics), keeps them on disk, and sends them in batches.
///
/// ```swift
/// let log = ActionLog { batch in
///   let manager = ActionsManager()
///   manager.headers["Idempotency-Key"] = batch.key
///   _ = try await manager.response(["actions": batch.actions])
/// }
/// log.start()
/// log.record("open-home", ["id": 7])
/// ```
/// The log sends a request when 30 actions have gathered, and at each launch for the remaining ones. A batch keeps its
/// members and its key until the server has responded, so that the server can detect a batch that arrives twice. Isolated to
/// the main actor; it does not wait for the disk there. Keep it as long as the application runs.
@MainActor public final class ActionLog {
  /// Sends a batch; returns when the server has it.
  ///
  /// After an `APIError` with status 413, 400 or 422 the batch is sent in halves, and a single action is parked. After any
  /// other failure the same batch is sent again, after a wait that grows.
  public typealias Send = @MainActor (ActionBatch) async throws -> Void

  /// The number of actions in one request; the default is 30.
  public let batchSize: Int
  /// The largest number of kept actions; above it the oldest are dropped and counted. The default is
  /// 10,000.
  public let maximumActions: Int
  /// Whether the user agrees to be recorded. Withdrawing it erases the kept actions, and nothing is recorded from then on.
  public private(set) var hasConsent: Bool

  private let store: ActionStore
  private let time: any TimeSource
  private let backoff: Backoff
  private let send: Send
  private var pending: Task<Void, Never>?
  private let loop = WorkLoop()
  /// The wait after a failure, while there is one.
  private var pausing: Task<Void, Never>?
  private var isRunning = false
  /// Whether what is left goes although it is no whole batch.
  private var wantsAll = false
  /// The logs whose batches the present task sends: who sends one may not wait for its end.
  @TaskLocal private static var sending: Set<ObjectIdentifier> = []

  /// Makes a log. Nothing is sent before ``start()``.
  ///
  /// - Parameters:
  ///   - folder: The folder, which belongs to the log alone; nil, the default, is `actions` in the application's folder for
  ///     persistent data.
  ///   - batchSize: The number of actions in one request.
  ///   - maximumActions: The largest number of kept actions.
  ///   - hasConsent: Whether the user agrees.
  ///   - storageKey: The key, of 32 bytes, that encrypts actions on disk; nil leaves them readable for anybody who may read
  ///     the folder. The default is that of the keychain, nil on Linux.
  ///   - send: Sends a batch.
  public convenience init(
    folder: String? = nil, batchSize: Int = 30, maximumActions: Int = 10_000, hasConsent: Bool = true,
    storageKey: SecretKey? = .keychain, send: @escaping Send
  ) {
    self.init(
      folder: folder ?? StandardFolder.state.path + "/actions", batchSize: batchSize,
      maximumActions: maximumActions, hasConsent: hasConsent, storageKey: storageKey, time: SystemTime(),
      send: send)
  }

  init(
    folder: String, batchSize: Int, maximumActions: Int, hasConsent: Bool, storageKey: SecretKey? = nil,
    time: any TimeSource,
    backoff: Backoff = Backoff(initial: .seconds(1), maximum: .seconds(300)), send: @escaping Send
  ) {
    store = ActionStore(folder: folder, seal: QueueSeal(storageKey))
    self.batchSize = max(1, batchSize)
    self.maximumActions = max(1, maximumActions)
    self.hasConsent = hasConsent
    self.time = time
    self.backoff = backoff
    self.send = send
  }

  /// Begins to send: first the actions of earlier launches. Without consent they are erased.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    wantsAll = true
    guard hasConsent else {
      // The process may have ended before what was withdrawn was gone.
      let before = pending
      pending = Task { [store] in
        await before?.value
        await report { try await store.erase() }
      }
      return
    }
    pump()
  }

  /// Records an action; does nothing without consent.
  ///
  /// - Parameters:
  ///   - name: The name of the action.
  ///   - values: Its values.
  public func record(_ name: String, _ values: Parameters = [:]) {
    guard hasConsent else { return }
    var call = QueuedCall()
    call.key = Nonce.make()
    call.apiName = name
    call.parameters = values
    call.headers.add("time", "\(time.wallClock)")
    let payload = call.enveloped
    let (before, limit) = (pending, maximumActions)
    pending = Task { [store] in
      await before?.value
      guard hasConsent else { return }
      let waiting = await report { try await store.append(payload, limit: limit) } ?? 0
      if waiting >= batchSize { pump() }
    }
  }

  /// Sends all kept actions, also an incomplete batch. Returns when they were sent, when a request has failed, or when its
  /// task is cancelled; at once where it is called while a batch is sent, from within ``Send``.
  public func flush() async {
    await pending?.value
    wantsAll = true
    pump()
    // Who asks now does not wait for the next attempt, which may be minutes away.
    pausing?.cancel()
    if loop.task != nil, !isSender { await loop.wait() }
  }

  /// Sets whether the user agrees. Withdrawing the consent cancels the running request, erases all kept actions, and
  /// returns when they are gone from the disk.
  public func setConsent(_ isGiven: Bool) async {
    hasConsent = isGiven
    guard !isGiven else { return }
    await report { try store.markErasure() }
    await report { try await erase() }
  }

  /// Says on the disk that all that is kept is to be erased.
  func markErasure() throws { try store.markErasure() }

  /// Cancels what is on its way, and erases all that is kept.
  func erase() async throws {
    let (before, sending) = (pending, loop.task)
    sending?.cancel()
    let erasure = Task { [store] in
      await before?.value
      try await store.erase()
    }
    // What is recorded from now on comes behind it, and stays.
    pending = Task { _ = await erasure.result }
    if !isSender { await sending?.value }
    try await erasure.value
  }

  /// The numbers of actions that wait, that are parked (refused by the server, or damaged on the disk), and
  /// that the limit has dropped.
  public func counts() async -> (waiting: Int, parked: Int, dropped: Int) {
    await pending?.value
    return await report { try await store.counts() } ?? (0, 0, 0)
  }

  // MARK: Insides

  private var isSender: Bool { Self.sending.contains(ObjectIdentifier(self)) }

  private func pump() {
    guard isRunning, hasConsent else { return }
    loop.run { [self] in
      await sendAll()
    } then: { [self] in
      // It was cancelled, and asked for again meanwhile.
      if loop.isWantedAgain { pump() }
      if loop.task == nil { loop.wake() }
    }
  }

  private func sendAll() async {
    var failures = 0
    while hasConsent, !Task.isCancelled {
      let least = wantsAll ? 1 : batchSize
      guard let batch = await report({ try await store.next(size: batchSize, atLeast: least) }) ?? nil else {
        break
      }
      let isRefused = await isRefused(batch)
      // All that is kept is being erased.
      guard !Task.isCancelled else { return }
      guard let isHalved = isRefused else {
        guard await pause(&failures) else { return }
        continue
      }
      // Where that cannot be written it is tried again, and the batch is not sent once more.
      while await report({ isHalved ? try await store.halve(batch) : try await store.finish(batch) }) == nil {
        guard await pause(&failures) else { return }
      }
      failures = 0
    }
    // What was asked for meanwhile is not over yet.
    if !loop.isWantedAgain { wantsAll = false }
  }

  /// Sends a batch. Whether the server has refused its content; nil where it has to be sent again.
  private func isRefused(_ batch: ActionStore.Batch) async -> Bool? {
    // All of its actions were damaged.
    guard !batch.events.isEmpty else { return false }
    let dropped = await report { try await store.counts() }?.dropped ?? 0
    // The consent may have been withdrawn since the actions were read.
    guard !Task.isCancelled else { return nil }
    let senders = Self.sending.union([ObjectIdentifier(self)])
    do {
      try await Self.$sending.withValue(senders) { try await send(ActionBatch(batch, dropped: dropped)) }
    } catch {
      let status = (error as? APIError)?.status
      return status.map([400, 413, 422].contains) == true ? true : nil
    }
    return false
  }

  /// Waits after another failure, until ``flush()`` at most. False when the sending was cancelled meanwhile.
  private func pause(_ failures: inout Int) async -> Bool {
    failures += 1
    loop.wake()
    let wait = backoff.wait(before: failures, jitter: .random(in: 0.5...1))
    let pause = Task { [time] in _ = try? await time.sleep(for: wait) }
    pausing = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    pausing = nil
    return !Task.isCancelled
  }

  @discardableResult private func report<Value: Sendable>(_ work: () async throws -> Value) async -> Value? {
    do { return try await work() } catch {
      DeveloperNotice.give("action log: \((error as? APIError)?.detail ?? "\(error)")")
      return nil
    }
  }
}

/// Actions that go in one request.
public struct ActionBatch: Sendable {
  /// The idempotency key; it is the same until the server has responded.
  public let key: String
  /// The actions in order, each an object of `id`, `sequence`, `name`, `time` (seconds since 1970) and `values`.
  public let actions: [ParameterValue]
  /// The number of actions that the limit has dropped so far.
  public let dropped: Int

  init(_ batch: ActionStore.Batch, dropped: Int) {
    key = batch.key
    self.dropped = dropped
    actions = batch.events.compactMap { event in
      guard let call = QueuedCall(enveloped: event.payload) else { return nil }
      return .object(
        Parameters([
          ("id", .string(call.key)), ("sequence", .integer(Int(event.sequence))),
          ("name", .string(call.apiName)),
          ("time", .double(call.headers["time"].flatMap(Double.init) ?? 0)),
          ("values", .object(call.parameters)),
        ]))
    }
  }
}
