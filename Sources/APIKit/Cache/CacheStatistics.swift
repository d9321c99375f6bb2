/// The statistics of a cache: hits, misses, stores and contents of each level.
public struct CacheStatistics: Sendable, Hashable {
  /// The counts of one level.
  public struct Level: Sendable, Hashable {
    /// Look-ups that found a response, fresh or not.
    public var hits = 0
    /// Look-ups that found none.
    public var misses = 0
    /// Responses stored.
    public var stores = 0
    /// Responses evicted to keep the bounds.
    public var evictions = 0
    /// Responses held now.
    public var count = 0
    /// Bytes held now.
    public var bytes = 0

    /// Makes counts of zero.
    public init() {}
  }

  /// The level in memory.
  public var memory = Level()
  /// This process's counts for the level on disk, and its contents; zeros without a disk.
  public var disk = Level()
  /// The level on disk with the counts of all processes since it was made or last emptied; ``disk`` has
  /// those of this process. Counts of other processes are as of their last write.
  public var diskOverall = Level()
  /// Stored responses that the server has confirmed with 304.
  public var revalidations = 0
  /// Responses that landed although they were stale.
  public var staleLandings = 0
  /// Faults so far; see ``CacheFault``.
  public var faults = 0

  /// Makes counts of zero.
  public init() {}
}

/// Something that went wrong inside a cache. It fails no load: the load continues to the network.
public struct CacheFault: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of faults.
  public enum Kind: String, Sendable, Hashable {
    /// The folder or the database cannot be opened or written, e.g. because the folder is read-only or the
    /// disk is full; or a configured key cannot be used.
    case unusable
    /// The database was damaged, not a database, or removed while it was open; it was emptied.
    case damagedDatabase = "damaged-database"
    /// The database was written by a later version of the framework. It was not changed, and the cache
    /// continues in memory.
    case futureSchema = "future-schema"
    /// One stored response is damaged, truncated or missing, or cannot be decoded; it was removed.
    case damagedEntry = "damaged-entry"
    /// An encrypted response cannot be opened with the configured key; it was removed.
    case undecipherable
    /// Responses arrived faster than the disk writes them; some were not written.
    case overrun
  }

  /// The kind.
  public let kind: Kind
  /// The event with its numbers. Safe to log.
  public let detail: String

  /// Kind and detail, e.g. `damaged-entry: …`. Safe to log.
  public var description: String { "\(kind.rawValue): \(detail)" }
}
