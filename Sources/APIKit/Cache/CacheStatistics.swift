/// What a cache has done since it was made, level by level.
public struct CacheStatistics: Sendable, Hashable {
  /// The counts of one level.
  public struct Level: Sendable, Hashable {
    /// Look-ups that found an answer, fresh or not.
    public var hits = 0
    /// Look-ups that found none.
    public var misses = 0
    /// Answers stored.
    public var stores = 0
    /// Answers dropped to keep the bounds.
    public var evictions = 0
    /// Answers there now.
    public var count = 0
    /// Bytes they take now.
    public var bytes = 0

    /// Zeros.
    public init() {}
  }

  /// The level in memory.
  public var memory = Level()
  /// The level on disk; zeros where there is none.
  public var disk = Level()
  /// The level on disk as all processes have used it since it was made or emptied last; ``disk`` has this
  /// process's part. The counts of other processes are as of their last writing.
  public var diskOverall = Level()
  /// Answers that the server has confirmed with 304.
  public var revalidations = 0
  /// Answers that landed though stale.
  public var staleLandings = 0
  /// Faults met; see ``CacheFault``.
  public var faults = 0

  /// Zeros.
  public init() {}
}

/// Something that went wrong inside a cache. Loads are not touched: they go on to the network.
public struct CacheFault: Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it was.
  public enum Kind: String, Sendable, Hashable {
    /// The folder or database cannot be opened or written: a read-only folder, a full disk.
    case unusable
    /// The database is damaged, or is none; it was made anew.
    case damagedDatabase = "damaged-database"
    /// The database was written by a later version of the framework; it was left alone, and the cache
    /// goes on in memory.
    case futureSchema = "future-schema"
    /// One stored answer is damaged, truncated or missing; it was dropped.
    case damagedEntry = "damaged-entry"
    /// An encrypted answer does not open with the key at hand; it was dropped.
    case undecipherable
    /// Answers came faster than the disk takes them; some were not written.
    case overrun
  }

  /// The kind.
  public let kind: Kind
  /// What happened, with its numbers. Safe to log.
  public let detail: String

  /// `damaged-entry: …`
  public var description: String { "\(kind.rawValue): \(detail)" }
}
