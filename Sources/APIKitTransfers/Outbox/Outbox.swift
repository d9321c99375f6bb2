public import APIKit
import Foundation

/// An offline write queue: keeps the changes of a user on disk, and sends them at once, or when there is a network again,
/// after the next sign-in, or after a relaunch.
///
/// ```swift
/// final class NoteManager: BaseAPIManager, APIManager {
///   let service = Homes.shared
///   let apiName = "notes"
///   let method = HTTPMethod.post
///   let isQueued = true
/// }
///
/// let outbox = Outbox()
/// outbox.register(NoteManager.self) { NoteManager() }
/// outbox.start()
/// ```
/// Loads of managers that state `APIManager.isQueued` then wait here. Each is sent at least once, with an idempotency key
/// that is the same for all attempts; the server must recognise a repeated key. Isolated to the main actor; it does not
/// wait for the disk there. Keep it as long as the application runs.
@MainActor public final class Outbox {
  /// The configuration.
  public let configuration: OutboxConfiguration

  /// Called with the paths of copies of damaged databases: after ``start()`` in each launch until ``forgetDamage()``, and when
  /// damage is found. None by default.
  public var onDamage: (@MainActor ([String]) -> Void)?

  let runner: QueueRunner
  let time: any TimeSource
  /// Makes a manager that sends an item.
  typealias Work = @MainActor () -> any APIManager
  var registry: QueueRegistry<Work>

  // Coming in.
  var drafts: [OutboxDraft] = []
  /// Calls of `enqueue` that wait behind loads, by the ids of theirs.
  var enqueuers: [FlightID: CheckedContinuation<Result<OutboxItemID, APIError>, Never>] = [:]
  let keeping = WorkLoop()
  /// Loads whose caller does not want them any more, and that are not kept yet.
  var givenUp: Set<FlightID> = []
  /// The load whose large body is being written, what ends that, and why it was ended.
  var spooling: (load: FlightID, user: String, task: Task<Spooled, Never>, end: CancellationReason)?
  var waiters: [Int64: QueuedLoad] = [:]
  /// The items of the loads that wait.
  var kept: [FlightID: Int64] = [:]

  /// Makes an outbox. Nothing is read or sent before ``start()``.
  public convenience init(_ configuration: OutboxConfiguration = OutboxConfiguration()) {
    self.init(configuration, time: SystemTime())
  }

  init(_ configuration: OutboxConfiguration, time: any TimeSource, boot: String = QueueClock.machineBoot) {
    self.configuration = configuration
    self.time = time
    registry = QueueRegistry(of: configuration.name)
    runner = QueueRunner(configuration, time: time, boot: boot)
    runner.owner = self
  }

  // MARK: Types and delegates

  /// Makes a type known, at launch and before its first load.
  ///
  /// - Parameters:
  ///   - type: The type, which states `APIManager.isQueued`.
  ///   - name: The name under which its items are kept; it must be the same in each launch. The default is the type's.
  ///   - make: Makes a manager that sends an item. The outbox sets no delegate.
  public func register<Manager: APIManager>(
    _ type: Manager.Type, as name: String? = nil, make: @escaping @MainActor () -> Manager
  ) {
    registry.register(type, as: name, of: make().service, make, with: runner)
    serve(type)
  }

  /// Sends the results of a manager's type, or of the given name, to its delegate, unless they belong to a load of another
  /// object in this launch; at once also earlier results, of earlier launches too. The outbox holds the manager weakly; the
  /// last one attached counts.
  ///
  /// - Parameters:
  ///   - manager: The manager whose delegate is called.
  ///   - name: Tells several managers of a type apart, such as the document that they show. Loads that this object makes from
  ///     now on are kept under it. The default is the name of the type.
  public func attach<Manager: APIManager>(_ manager: Manager, as name: String? = nil) {
    registry.attach(manager, as: name, with: runner) { manager, landing in
      manager.land(kept: landing.result(of: manager, manager.expectation))
    }
  }

  // MARK: Running

  /// Begins to send, until ``stop()``. Items of a process that has ended are sent again.
  public func start() { runner.start() }

  /// Ends sending, and returns when no attempt is running any more. Items that were running return to the queue.
  public func stop() async { await runner.stop() }

  /// Returns when no item can be sent without the user; parked items and those that wait for a sign-in stay. Call it after
  /// ``start()``. It waits for the network and for retries, and returns early when its task is cancelled, e.g. when the time
  /// of a background task is over.
  public func finish() async {
    await flush()
    await runner.restReached()
  }

  /// Returns when all items that were queued so far are on the disk or refused. Returns early when its task is cancelled,
  /// because the body of an item may come slowly.
  public func flush() async {
    guard keeping.task != nil else { return }
    _ = await Task<Void, Never>.leavable { await self.allKept() }
  }

  func allKept() async {
    while let task = keeping.task { await task.value }
  }

  // MARK: Looking and deciding

  /// All items, in order.
  public func items() async throws(APIError) -> [OutboxItem] {
    await flush()
    return try await contents().map { OutboxItem($0.row, $0.content ?? QueuedCall()) }
  }

  /// Sends an item that was parked, and those that were parked because they wait for it, as if they were new.
  public func retry(_ item: OutboxItemID) async throws(APIError) {
    try await runner.unpark(item.rawValue)
  }

  /// Removes an item. A request that is running is cancelled, but the server may have received it. Items that wait for it are
  /// parked.
  public func drop(_ item: OutboxItemID) async throws(APIError) {
    _ = try await runner.drop(item.rawValue)
    land(item.rawValue, .failure(APIError(cancelled: .byCaller)))
    runner.pump()
  }

  /// The paths of copies of databases that were damaged, in earlier launches too; empty without damage.
  ///
  /// Their readable items have been carried over. The copies stay until ``forgetDamage()``; a sign-out that drops a user's
  /// items removes them.
  public func damagedDatabases() async -> [String] { await queue.damagedDatabases }

  /// Removes the copies of damaged databases, so that later launches do not report them.
  public func forgetDamage() async { await queue.forgetDamage() }
}

extension APIError.Reason {
  /// The outbox on the disk cannot be read or written: it belongs to a later version, or the disk fails.
  public static let outboxUnusable = Self("outbox-unusable", "the outbox cannot be used")
}
