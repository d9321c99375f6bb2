extension ResponseCache {
  /// Makes a cache that stores responses where a transport's configuration says: in memory and on disk
  /// under ``TransportConfiguration/Persistence/disk``, otherwise in memory only.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the service's transport, which also says where its cookies are
  ///     kept.
  ///   - disk: Where on disk; the default is the program's own folder, ``DiskCacheConfiguration/standard``.
  public convenience init(for configuration: TransportConfiguration, disk: DiskCacheConfiguration = .standard)
  {
    self.init(disk: configuration.persistence == .disk ? disk : nil)
  }
}
