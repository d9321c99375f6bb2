/// Where and how a ``ResponseCache`` keeps answers on disk.
public struct DiskCacheConfiguration: Sendable {
  /// The folder; made when it is not there. Give the cache a folder of its own.
  public var folder: String
  /// The bound in bytes of all that is stored; the default is 256 MiB. An answer larger than half of it,
  /// or than 1 GiB, is not stored.
  public var maximumBytes: Int
  /// Bodies above this stand as files beside the database; the default is 64 KiB, and more than 16 MiB counts
  /// as that.
  public var bodyFileThreshold: Int
  /// The key for answers marked sensitive: 32 bytes, from the system's key store. The default, nil, keeps
  /// those in memory alone. A key of another length counts as none, and is told as a fault.
  public var encryptionKey: SigningKey?

  /// Answers that wait for a slow disk take no more than this; what comes on top is not written.
  var maximumPendingBytes = 64 << 20
  /// A bound on the database in pages, for tests of a full disk.
  var maximumPages: Int?
  /// Body files that nobody names are removed when they are this old, in seconds.
  var orphanAge = 600.0

  /// Makes a place; what is left out has its default.
  public init(
    folder: String, maximumBytes: Int = 256 << 20, bodyFileThreshold: Int = 64 << 10,
    encryptionKey: SigningKey? = nil
  ) {
    self.folder = folder
    self.maximumBytes = maximumBytes
    self.bodyFileThreshold = bodyFileThreshold
    self.encryptionKey = encryptionKey
  }
}
