#if os(Linux)
  /// How old a resolved name may be, after the network has changed.
  ///
  /// libcurl keeps names for 60 seconds and has, before 8.16, no call that drops them. But it takes none that is older than
  /// the option CURLOPT_DNS_CACHE_TIMEOUT of the transfer that asks.
  struct CurlDNSCacheAge {
    private var changed = Int64.min

    /// libcurl's own limit, in microseconds.
    private static let standard: Int64 = 60_000_000

    mutating func networkChanged(at now: Int64) { changed = now }

    /// The option's value in seconds for a transfer that starts now; nil for libcurl's own. What was resolved in the second
    /// of the change is resolved again.
    func limit(at now: Int64) -> Int? {
      guard changed != .min, now - changed < Self.standard else { return nil }
      return Int((now - changed) / 1_000_000)
    }
  }
#endif
