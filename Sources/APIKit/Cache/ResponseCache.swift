import Synchronization

/// Answers kept so that what need not be asked again is not asked again.
///
/// Give one to a service through ``APIService/cache``; several services may share one. What is kept and when
/// it is used is each manager's ``APIManager/cachePolicy``. Only answers that validated at their landing
/// are stored. Look-ups in memory take microseconds; storing never waits for the disk. May be used from any
/// thread. In a test, make one of your own: the default is memory only and shared by the process.
public final class ResponseCache: Sendable {
  /// The cache of services that state none of their own: in memory only, with the default bounds.
  public static let shared = ResponseCache()

  private struct State {
    var table = CacheConditionTable.standard
    var condition: @Sendable () -> CacheCondition = { .unrestricted }
    var revalidations = 0
    var staleLandings = 0
    /// Counts invalidations, so that an answer asked for before one is not stored after it.
    var epoch: UInt64 = 0
    var epochs: [String: UInt64] = [:]
  }

  let memory: MemoryCache
  let disk: DiskCache?
  let time: any TimeSource
  private let state = Mutex(State())
  private let faults: CacheFaults

  /// Makes a cache; in memory only where no disk is given.
  ///
  /// - Parameters:
  ///   - memoryBytes: The bound in memory, in bytes, books included. The default is 32 MiB.
  ///   - memoryCount: The most answers in memory. The default is 20,000.
  ///   - disk: Where answers are kept beyond the life of the process. What goes wrong there is told to
  ///     ``onFault(_:)``, and the cache goes on in memory.
  ///   - time: The clocks that ages are measured by.
  public init(
    memoryBytes: Int = 32 << 20, memoryCount: Int = 20_000, disk: DiskCacheConfiguration? = nil,
    time: any TimeSource = SystemTime()
  ) {
    memory = MemoryCache(maximumBytes: memoryBytes, maximumCount: memoryCount)
    self.time = time
    let faults = CacheFaults()
    self.faults = faults
    self.disk = disk.map { DiskCache($0, time: time) { faults.report($0) } }
  }

  /// Returns when everything stored and removed before is on disk, or has failed to be.
  ///
  /// For tests, and before a process ends that must not lose the last answers.
  public func flush() async { await disk?.flush() }

  // MARK: The network's condition

  /// What is done under each condition of the network. The default is ``CacheConditionTable/standard``.
  public var conditionTable: CacheConditionTable {
    get { state.withLock { $0.table } }
    set { state.withLock { $0.table = newValue } }
  }

  /// Takes the network's condition from a source: a monitor, or a value set by hand (`{ .offline }`).
  ///
  /// - Parameter source: Called at every look-up, on any thread; it must be quick.
  public func followCondition(_ source: @escaping @Sendable () -> CacheCondition) {
    state.withLock { $0.condition = source }
  }

  /// What the network's condition makes of the policies now.
  var preference: CachePreference {
    let (table, condition) = state.withLock { ($0.table, $0.condition) }
    return table[condition()]
  }

  // MARK: Removing

  /// Makes every stored answer that carries one of the tags stale: it is not used before the server has
  /// confirmed it.
  public func expire(tags: Set<String>) {
    guard !tags.isEmpty else { return }
    advance(tags.map { "tag " + $0 })
    memory.expire(tags: tags)
    disk?.enqueue(.expireTags(tags))
  }

  /// Makes the stored answers of a URL stale, as a good answer to an unsafe request does (RFC 9111, 4.4).
  func expire(url: HTTPURL) {
    let fingerprint = url.fingerprint
    advance(["url " + url.cacheText])
    memory.expire(url: fingerprint)
    disk?.enqueue(.expireURL(fingerprint))
  }

  /// Drops everything.
  public func removeAll() {
    state.withLock { state in
      state.epoch += 1
      state.epochs = ["all": state.epoch]
    }
    memory.removeAll()
    disk?.enqueue(.removeAll)
  }

  /// Drops the answers of one partition, e.g. of a user who signs out.
  public func removeAll(of partition: String) {
    let fingerprint = Checksum.of(partition)
    // Answers of that user that are in the air land, but are not stored; nor are those of others.
    state.withLock { state in
      state.epoch += 1
      state.epochs = ["all": state.epoch]
    }
    memory.remove(partition: fingerprint)
    disk?.enqueue(.removePartition(fingerprint))
  }

  // MARK: Numbers

  /// What the cache has done since it was made, and what it holds now.
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

  /// Has a closure told of every fault, on any thread: those from now on, and the first that came before.
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

  /// The number of invalidations so far; given back when storing.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  /// Whether an answer may be outdated already: something that concerns it was made stale after it was
  /// asked for.
  ///
  /// - Parameters:
  ///   - asked: The ``epoch`` when it was asked for.
  ///   - url: What was asked.
  func isOutdated(_ entry: CacheEntry, asked: UInt64, url: HTTPURL) -> Bool {
    state.withLock { state in
      guard state.epoch != asked else { return false }
      return (["all", "url " + url.cacheText] + entry.tags.map { "tag " + $0 }).contains {
        (state.epochs[$0] ?? 0) > asked
      }
    }
  }

  /// Stores an answer that has validated.
  func store(_ entry: CacheEntry, in levels: CacheLevels) {
    if levels.contains(.memory) { memory.store(entry, now: entry.arrival.wall) }
    if levels.contains(.disk), let disk {
      // What must not be written must not leave what was there before, either.
      disk.enqueue(disk.accepts(entry) ? .store(entry) : .remove(entry.key))
    }
  }

  /// Keeps what was found on disk in memory, too.
  func promote(_ entry: CacheEntry) { memory.store(entry, now: time.wallClock) }

  /// Drops the answers of a call: they did not validate any more.
  func remove(_ key: CacheKey) {
    memory.remove(key)
    disk?.enqueue(.remove(key))
  }

  /// Drops what is stored and cannot be used, and says so.
  func drop(_ key: CacheKey, because reason: String) {
    remove(key)
    faults.report(CacheFault(kind: .damagedEntry, detail: reason))
  }

  private func advance(_ names: [String]) {
    state.withLock { state in
      state.epoch += 1
      // Forgetting which was what is safe: everything asked for before now counts as outdated then.
      if state.epochs.count > 4096 { state.epochs = ["all": state.epoch] }
      for name in names { state.epochs[name] = state.epoch }
    }
  }
}

/// Counts a cache's faults and tells whoever listens.
final class CacheFaults: Sendable {
  private struct State {
    var count = 0
    var listener: (@Sendable (CacheFault) -> Void)?
    /// Faults from before somebody listened: the disk is opened while the cache is made.
    var untold: [CacheFault] = []
  }

  private let state = Mutex(State())

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
