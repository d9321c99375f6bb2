/// The folder, the bounds and the key of a ``ResponseCache`` on disk.
public struct DiskCacheConfiguration: Sendable {
  /// The path of the folder, which is made with mode 0700 where it does not exist. One that belongs to another
  /// user or that others may change is not used. Give each cache a folder of its own; several processes may
  /// use the same one.
  public var folder: String
  /// The bound of everything stored, in bytes; the default is ``defaultMaximumBytes``. A response whose body is
  /// larger than half of it, or than 1 GiB, is not stored.
  public var maximumBytes: Int
  /// The length in bytes above which a body is stored in a file beside the database. The default is 64 KiB;
  /// more than 16 MiB counts as 16 MiB.
  public var bodyFileThreshold: Int
  /// The key for secrets: 32 bytes, the application's or ``SecretKey/keychain``. It encrypts sensitive
  /// responses, and those with secret header fields, such as `Set-Cookie`. With the default, nil, sensitive
  /// responses and secret fields are kept in memory only. A key of another length is not used and is
  /// reported as a fault.
  public var storageKey: SecretKey?

  /// In bytes of bodies. While more than this waits for the disk, further responses are not written.
  var maximumPendingBytes = 64 << 20
  /// A bound of the database in pages, for tests of a full disk.
  var maximumPages: Int?
  /// The age in seconds at which body files without a row are removed.
  var orphanAge = 600.0

  /// The default bound on disk, in bytes: 32 MiB on watchOS, 256 MiB elsewhere.
  public static var defaultMaximumBytes: Int { DeviceKind.present.diskBytes }

  /// Makes a configuration; each omitted one has its default.
  public init(
    folder: String, maximumBytes: Int = DiskCacheConfiguration.defaultMaximumBytes,
    bodyFileThreshold: Int = 64 << 10, storageKey: SecretKey? = nil
  ) {
    self.folder = folder
    self.maximumBytes = maximumBytes
    self.bodyFileThreshold = bodyFileThreshold
    self.storageKey = storageKey
  }
}

extension DiskCacheConfiguration {
  /// A configuration with the program's own folder: `responses` in Caches on Apple platforms, elsewhere under
  /// `XDG_CACHE_HOME` or `~/.cache`, in a folder with the name of the bundle or program.
  public static var standard: DiskCacheConfiguration {
    DiskCacheConfiguration(folder: StandardFolder.caches.path + "/responses")
  }
}

extension DiskCacheConfiguration {
  /// Renamed: use ``storageKey``.
  @available(*, deprecated, renamed: "storageKey")
  public var encryptionKey: SecretKey? {
    get { storageKey }
    set { storageKey = newValue }
  }
}
