extension ResponseCache {
  /// Makes a cache that keeps answers where a configuration says: on disk besides under
  /// ``TransportConfiguration/Persistence/disk``, in memory alone under `memory`.
  ///
  /// - Parameters:
  ///   - configuration: That of the service's transport, whose cookies are kept alike.
  ///   - disk: Where on disk; the default is the program's own folder, ``DiskCacheConfiguration/standard``.
  public convenience init(for configuration: TransportConfiguration, disk: DiskCacheConfiguration = .standard)
  {
    self.init(disk: configuration.persistence == .disk ? disk : nil)
  }
}
