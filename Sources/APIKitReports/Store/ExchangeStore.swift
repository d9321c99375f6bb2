public import APIKit
import Dispatch
import Foundation

/// Keeps requests and responses over launches, for search and export: head and body of each attempt.
///
/// ```swift
/// let exchanges = try ExchangeStore(path: folder + "/exchanges.sqlite", key: key)
/// let client = HTTPClient(transport: exchanges.keeping(DefaultTransport.shared))
/// exchanges.isOn = true
/// // Later, perhaps in another launch:
/// var query = ExchangeQuery()
/// query.host = "homes.example.com"
/// query.status = 500...599
/// let archive = try await exchanges.archive(of: exchanges.find(query))
/// ```
/// The store is an SQLite database, which several processes may share. URLs, header fields and bodies are masked as in an
/// ``ExchangeArchive`` and encrypted under the key. The properties of ``KeptExchange`` are open columns: anybody who can read
/// the file sees the hosts, paths, times and statuses, and no content. The first 64 KiB of a body are kept, also of a file
/// and of a response's stream, which is kept when it ends; a request's stream is not read.
///
/// The store writes on a queue of its own. At most 1,000 exchanges of together 16 MiB wait; further ones are dropped and
/// counted, and so are exchanges that cannot be written. The oldest exchanges are removed above the maximum of bytes and
/// after the maximum of age. A damaged database is copied to `PATH.damaged`, which replaces an earlier copy, and the store
/// starts a new one; ``fault`` tells. Safe on any thread.
public final class ExchangeStore: UserStore {
  /// The numbers of exchanges of this process so far.
  public struct Counts: Sendable, Hashable {
    /// Written exchanges.
    public var kept = 0
    /// Exchanges without room in the queue.
    public var dropped = 0
    /// Exchanges that could not be written, for example because the disk was full.
    public var failed = 0
  }

  static let mostWaiting = 1000
  static let mostWaitingBytes = 16 << 20

  /// An exchange that waits to be written, without masks.
  struct Waiting: Sendable {
    let number: Int64
    /// The name of the load's user; nil where none is known.
    let user: String?
    var sent: SentExchange
    var result: Result<HTTPResponse, APIError>
    let size: Int64?
    /// What broke the stream of the body; nil for a complete one, and for other bodies.
    let cut: APIError?
    let bytes: Int
  }

  struct StoreState {
    var waiting: [Waiting] = []
    var waitingBytes = 0
    var isWriting = false
    var counts = Counts()
    var fault: APIError?
    var flushers: [CheckedContinuation<Void, Never>] = []
    /// Users who were forgotten: of those of their exchanges that began before this one nothing is kept.
    var forgotten: [ExactText?: Int] = [:]
    /// When all exchanges were erased: of those that began before this one nothing is kept.
    var erased = 0
  }

  let state = Mutex(StoreState())
  let database: Mutex<ExchangeDatabase>
  let path: String
  let time: any TimeSource
  private let flag = AtomicFlag()
  private let numbers = AtomicInt()
  /// Raised when users are forgotten, and when all is erased.
  let epoch = AtomicInt()
  private let queue = DispatchQueue(label: "APIKit.ExchangeStore", qos: .utility)

  /// Makes a store, off. The database is opened when it is first used.
  ///
  /// - Parameters:
  ///   - path: The path of the database. Its folder is created with mode 0700 if it does not exist.
  ///   - key: 32 random bytes, such as `SecretKey.keychain`. Exchanges under another key are found, but not opened.
  ///   - maximumBytes: The bytes of all exchanges together; 64 MiB by default. The file is a little larger, and does not
  ///     shrink.
  ///   - maximumAge: The age after which an exchange is removed; 7 days by default.
  /// - Throws: `APIError.Reason.misconfigured` for a key of another length.
  public convenience init(
    path: String, key: SecretKey, maximumBytes: Int64 = 64 << 20, maximumAge: Duration = .seconds(7 * 86_400)
  ) throws(APIError) {
    try self.init(
      path: path, key: key, limits: ExchangeLimits(maximumBytes: maximumBytes, maximumAge: maximumAge),
      time: SystemTime())
  }

  /// - Parameter maximumPages: A bound of the database, for tests of a full disk.
  init(
    path: String, key: SecretKey, limits: ExchangeLimits = ExchangeLimits(), time: any TimeSource,
    maximumPages: Int? = nil
  ) throws(APIError) {
    let sealing = try StorageKey(key.withBytes { $0 }, of: "kept exchanges", .transport)
    (self.path, self.time) = (path, time)
    database = Mutex(ExchangeDatabase(path: path, key: sealing, limits: limits, maximumPages: maximumPages))
    // What an earlier launch has begun to erase.
    if let marked = try? ExchangeDatabase.marked(at: path), !marked.isEmpty {
      queue.async { self.database.withLock { try? $0.erase(marked) } }
    }
  }

  deinit { isOn = false }

  /// Whether exchanges are kept; false at first.
  public var isOn: Bool {
    get { flag.load() }
    set { if flag.exchange(newValue) != newValue { ExchangeKeepers.change(by: newValue ? 1 : -1) } }
  }

  /// The numbers of exchanges of this process so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// The latest reason why exchanges could not be kept, or why a damaged database was replaced; nil for none.
  public var fault: APIError? { state.withLock { $0.fault } }

  /// A transport that sends by another one and has this store keep each exchange.
  public func keeping(_ transport: any HTTPTransport) -> any HTTPTransport {
    KeepingTransport(base: transport, store: self)
  }

  /// Returns when all exchanges that wait at the call are written or have failed.
  public func flush() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isWriting { state.flushers.append(continuation) }
        return !state.isWriting
      }
      if isIdle { continuation.resume() }
    }
  }

  // MARK: Keeping

  private struct KeepingTransport: TransportWrapper {
    let base: any HTTPTransport
    let store: ExchangeStore

    func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
      guard store.isOn else { return completion }
      let (store, sent, clock) = (store, SentExchange(exchange, over: base), SystemTime())
      let (begin, user, epoch) = (clock.now, exchange.load?.user, store.epoch.load())
      @Sendable func keep(
        _ result: Result<HTTPResponse, APIError>, size: Int64?, cut: APIError? = nil
      ) {
        var sent = sent
        sent.took = clock.now - begin
        store.keep(sent, result, size: size, cut: cut, of: user, since: epoch)
      }
      return { result in
        guard case .success(var response) = result, case .stream(let stream) = response.body else {
          keep(result, size: (try? result.get())?.body.count)
          return completion(result)
        }
        let head = response
        response.body = .stream(
          stream.keepingBeginning(ExchangeArchive.bodyLimit) { beginning, count, error in
            var kept = head
            kept.body = .bytes(beginning)
            keep(.success(kept), size: count, cut: error)
          })
        completion(.success(response))
      }
    }
  }

  private func keep(
    _ sent: SentExchange, _ result: Result<HTTPResponse, APIError>, size: Int64?, cut: APIError?,
    of user: String?, since epoch: Int
  ) {
    let limit = ExchangeArchive.bodyLimit
    let sent = sent.reduced(to: limit, keepsFile: true)
    let reduced = result.map { $0.reduced(to: limit, keepsFile: true) }
    let bytes = sent.keptCount + ((try? reduced.get())?.bytes.count ?? 0)
    let mustStart = state.withLock { state in
      let forgotten = state.forgotten[user.map(ExactText.init)] ?? 0
      guard max(forgotten, state.erased) <= epoch else { return false }
      guard state.waiting.count < Self.mostWaiting, state.waitingBytes + bytes <= Self.mostWaitingBytes else {
        state.counts.dropped += 1
        return false
      }
      state.waiting.append(
        Waiting(
          number: Int64(numbers.add(1)), user: user, sent: sent, result: reduced, size: size, cut: cut,
          bytes: bytes))
      state.waitingBytes += bytes
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart { queue.async { self.work() } }
  }

  private func work() {
    while true {
      // The exchanges that a flusher waits for are in this batch or were in an earlier one.
      let (batch, flushers) = state.withLock {
        state -> ([Waiting], [CheckedContinuation<Void, Never>]) in
        defer { (state.waiting, state.waitingBytes, state.flushers) = ([], 0, []) }
        if state.waiting.isEmpty { state.isWriting = false }
        return (state.waiting, state.flushers)
      }
      if !batch.isEmpty { write(batch) }
      for flusher in flushers { flusher.resume() }
      if batch.isEmpty { return }
    }
  }

  private func write(_ batch: [Waiting]) {
    let rows = batch.map { ExchangeRow($0) }
    let now = time.wallClock
    do throws(ExchangeDatabase.Fault) {
      try use { (database) throws(SQLiteFailure) in try database.insert(rows, now: now) }
      state.withLock { $0.counts.kept += batch.count }
    } catch {
      let fault = error.told
      state.withLock { state in
        state.counts.failed += batch.count
        state.fault = fault
      }
    }
  }

  /// Works with the database; a second time after a damaged one was set aside.
  func use<Value: Sendable>(
    _ work: @Sendable (ExchangeDatabase.Connection) throws(SQLiteFailure) -> Value
  ) throws(ExchangeDatabase.Fault) -> Value {
    let (result, damage) = database.withLock {
      database -> (Result<Value, ExchangeDatabase.Fault>, String?) in
      var damage: String?
      let result = Result { () throws(ExchangeDatabase.Fault) in try database.use(work) { damage = $0 } }
      return (result, damage)
    }
    if let damage {
      state.withLock { $0.fault = APIError(.transport, .fileFailed, "the kept exchanges " + damage) }
    }
    return try result.get()
  }
}
