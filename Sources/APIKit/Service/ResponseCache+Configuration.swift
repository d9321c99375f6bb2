extension ResponseCache {
  /// Makes a cache that stores responses as a transport's configuration says: in memory and on disk
  /// under ``TransportConfiguration/Persistence/disk``, otherwise in memory only. With
  /// ``TransportConfiguration/cacheFollowsNetwork`` it follows ``NetworkMonitor/shared``.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the service's transport, which also decides where its cookies
  ///     are stored.
  ///   - disk: Where on disk; the default is the program's own folder, ``DiskCacheConfiguration/standard``.
  ///     Without a key of its own it has the configuration's ``TransportConfiguration/storageKey``.
  public convenience init(for configuration: TransportConfiguration, disk: DiskCacheConfiguration = .standard)
  {
    var disk = disk
    if disk.storageKey == nil { disk.storageKey = configuration.storageKey }
    self.init(disk: configuration.persistence == .disk ? disk : nil)
    if configuration.cacheFollowsNetwork {
      followCondition { CacheConditionTable.Condition(NetworkMonitor.shared.condition) }
    }
  }
}
