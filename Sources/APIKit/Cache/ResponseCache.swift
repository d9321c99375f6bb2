/// A store of responses in memory and, where configured, on disk, so that loads can land without the
/// server.
///
/// Give one to a service through ``APIService/cache``; several services may share one. Each manager's
/// ``APIManager/cachePolicy`` decides what is stored and when it is used. Only responses that validated at
/// their landing are stored. A look-up in memory takes microseconds; storing does not wait for the disk. It
/// may be used from any thread. In a test, make a separate cache: ``shared`` is in memory only and shared
/// by the process.
public final class ResponseCache: Sendable {
  /// The default cache of services, in memory only, with the default bounds.
  public static let shared = ResponseCache()

  /// The default bound in memory, in bytes: 4 MiB on watchOS, 16 MiB on tvOS, 32 MiB elsewhere.
  public static var defaultMemoryBytes: Int { DeviceKind.present.responseBytes }

  private struct CacheState {
    var table = CacheConditionTable.standard
    var condition: @Sendable () -> CacheConditionTable.Condition = { .unrestricted }
    var revalidations = 0
    var staleLandings = 0
    /// Counts invalidations, so that a response requested before one is not stored after it.
    var changes = ChangeEpochs()
    /// What the server is being asked for behind landings.
    var refreshes: Set<CacheKey> = []
  }

  let memory: MemoryCache
  let disk: DiskCache?
  let time: any TimeSource
  private let state = Mutex(CacheState())
  private let faults: CacheFaults

  /// Makes a cache; in memory only where no disk is given.
  ///
  /// - Parameters:
  ///   - memoryBytes: The bound in memory, in bytes, bookkeeping included. The default is
  ///     ``defaultMemoryBytes``.
  ///   - memoryCount: The most responses in memory. The default is 20,000.
  ///   - disk: Where responses are stored beyond the life of the process. Its failures are passed to
  ///     ``onFault(_:)``, and the cache continues in memory.
  ///   - time: The clocks that measure ages.
  public init(
    memoryBytes: Int = ResponseCache.defaultMemoryBytes, memoryCount: Int = 20_000,
    disk: DiskCacheConfiguration? = nil, time: any TimeSource = SystemTime()
  ) {
    memory = MemoryCache(maximumBytes: memoryBytes, maximumCount: memoryCount)
    self.time = time
    let faults = CacheFaults()
    self.faults = faults
    self.disk = disk.map { DiskCache($0, time: time) { faults.report($0) } }
  }

  /// Returns when everything stored and removed before is on disk, or has failed to be written.
  ///
  /// For tests, and for the end of a process that must not lose the last responses.
  public func flush() async { await disk?.flush() }

  // MARK: The network's condition

  /// The preference under each condition of the network. The default is
  /// ``CacheConditionTable/standard``.
  public var conditionTable: CacheConditionTable {
    get { state.withLock { $0.table } }
    set { state.withLock { $0.table = newValue } }
  }

  /// Reads the network's condition from a source: a monitor, or a fixed value (`{ .offline }`).
  ///
  /// Until it is called, the condition is ``CacheConditionTable/Condition/unrestricted``.
  /// - Parameter source: Called once for each load whose manager has a cache policy, at its takeoff; it
  ///   must return quickly.
  public func followCondition(_ source: @escaping @Sendable () -> CacheConditionTable.Condition) {
    state.withLock { $0.condition = source }
  }

  /// The preference under the network's present condition.
  var preference: CacheConditionTable.Preference {
    let (table, condition) = state.withLock { ($0.table, $0.condition) }
    return table[condition()]
  }

  // MARK: Removing

  /// Makes every stored response with one of the tags stale.
  ///
  /// Under ``CachePolicy/fresh(for:in:)`` and ``CachePolicy/http`` it lands only after the server has
  /// confirmed it. Policies and preferences that accept a response of any age still use it.
  public func expire(tags: Set<String>) {
    guard !tags.isEmpty else { return }
    state.withLock { $0.changes.advance(tags: tags) }
    memory.expire(tags: tags)
    disk?.enqueue(.expireTags(tags))
  }

  /// Makes the stored responses of a URL stale, as a successful response to an unsafe request does (RFC
  /// 9111, 4.4).
  func expire(url: HTTPURL) {
    let fingerprint = url.fingerprint
    state.withLock { $0.changes.advance(urls: [url]) }
    memory.expire(url: fingerprint)
    disk?.enqueue(.expireURL(fingerprint))
  }

  /// Removes everything. Responses to requests sent before land but are not stored.
  ///
  /// If the process ends before that is done, or the disk is full, the next process removes everything. Returns when
  /// the disk has a note of it.
  public func removeAll() {
    state.withLock { $0.changes.advanceAll() }
    memory.removeAll()
    disk?.removeLastingly(.removeAll)
  }

  /// Removes the responses of one partition, e.g. when a user signs out.
  ///
  /// Responses to requests sent before, of all partitions, land but are not stored. If the process ends before that is
  /// done, or the disk is full, the next process removes the responses of all partitions.
  public func removeAll(of partition: String) {
    let fingerprint = Checksum.of(partition)
    state.withLock { $0.changes.advanceAll() }
    memory.remove(partition: fingerprint)
    disk?.removeLastingly(.removePartition(fingerprint))
  }

  // MARK: Numbers

  /// The counts since the cache was made, and its present contents. It reads the database where there is a
  /// disk.
  public var statistics: CacheStatistics {
    var numbers = CacheStatistics()
    numbers.memory = memory.statistics
    state.withLock { state in
      numbers.revalidations = state.revalidations
      numbers.staleLandings = state.staleLandings
    }
    if let disk { (numbers.disk, numbers.diskOverall) = disk.statistics }
    numbers.faults = faults.count
    return numbers
  }

  /// Calls a closure for every fault from now on, and at once for up to 16 that came before the first call.
  ///
  /// It replaces an earlier closure. It is called on any thread.
  public func onFault(_ report: @escaping @Sendable (CacheFault) -> Void) { faults.listen(report) }

  func count(revalidation: Bool = false, stale: Bool = false) {
    state.withLock { state in
      if revalidation { state.revalidations += 1 }
      if stale { state.staleLandings += 1 }
    }
  }
}

// MARK: - What the flight does

extension ResponseCache {
  /// The present, on both clocks.
  var now: CacheMoment { CacheMoment(time) }

  /// The number of invalidations so far. A load keeps it when it sends its request.
  var epoch: UInt64 { state.withLock { $0.changes.now } }

  /// Whether something that concerns a response was made stale after it was requested.
  ///
  /// - Parameters:
  ///   - asked: The ``epoch`` when the request was sent.
  ///   - url: The request's URL.
  func isOutdated(_ entry: CacheEntry, asked: UInt64, url: HTTPURL) -> Bool {
    state.withLock { $0.changes.now != asked && $0.changes.latest(tags: entry.tags, url: url) > asked }
  }

  /// Stores a response that has validated.
  func store(_ entry: CacheEntry, in levels: CacheLevels) {
    if levels.contains(.memory) { memory.store(entry, now: entry.arrival.wall) }
    if levels.contains(.disk), let disk {
      // A response that must not be written must still replace the earlier one.
      disk.enqueue(disk.accepts(entry) ? .store(entry) : .remove(entry.key))
    }
  }

  /// Stores in memory what was found on disk, unless something was removed or made stale since.
  ///
  /// - Parameter epoch: The ``epoch`` before it was looked for.
  func promote(_ entry: CacheEntry, foundAt epoch: UInt64) {
    let now = time.wallClock
    // Under the lock, so that a later removal finds it.
    state.withLock { if $0.changes.now == epoch { memory.store(entry, now: now) } }
  }

  /// Whether the server is to be asked for a stale response that has landed: not while another load has it asked.
  func beginRefresh(of key: CacheKey) -> Bool { state.withLock { $0.refreshes.insert(key).inserted } }

  /// The server has been asked.
  func endRefresh(of key: CacheKey) { _ = state.withLock { $0.refreshes.remove(key) } }

  /// Removes the responses of a call, because they no longer validate.
  func remove(_ key: CacheKey) {
    memory.remove(key)
    disk?.enqueue(.remove(key))
  }

  /// Removes stored responses that cannot be used, and reports a fault.
  func drop(_ key: CacheKey, because reason: String) {
    remove(key)
    faults.report(CacheFault(kind: .damagedEntry, detail: reason))
  }
}

/// Counts a cache's faults and passes them to the listener.
final class CacheFaults: Sendable {
  private struct FaultsState {
    var count = 0
    var listener: (@Sendable (CacheFault) -> Void)?
    /// Faults from before there was a listener: the disk is opened while the cache is made.
    var untold: [CacheFault] = []
  }

  private let state = Mutex(FaultsState())

  var count: Int { state.withLock { $0.count } }

  func listen(_ listener: @escaping @Sendable (CacheFault) -> Void) {
    let untold = state.withLock { state in
      state.listener = listener
      defer { state.untold = [] }
      return state.untold
    }
    untold.forEach(listener)
  }

  func report(_ fault: CacheFault) {
    let listener = state.withLock { state in
      state.count += 1
      if state.listener == nil, state.untold.count < 16 { state.untold.append(fault) }
      return state.listener
    }
    listener?(fault)
  }
}
