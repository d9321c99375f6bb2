extension CookieJar {
  /// Which servers may set cookies.
  public enum AcceptPolicy: Sendable, Hashable {
    /// Those of every server.
    case always
    /// None.
    case never
    /// Those of these domains and the names below them: the application's own servers, but not the hosts
    /// that they redirect to.
    case firstParty([String])
  }

  /// The largest numbers of cookies; above one of them the least recently used cookie is removed
  /// (RFC 6265, 6.1).
  public struct Limits: Sendable, Hashable {
    /// Cookies of one domain; the default is 50.
    public var perDomain: Int
    /// Cookies in all; the default is 3,000.
    public var total: Int

    /// Makes limits.
    public init(perDomain: Int = 50, total: Int = 3000) {
      self.perDomain = perDomain
      self.total = total
    }
  }
}

// MARK: What the policy means for a host

extension CookieJar {
  /// Whether the policy lets a host set cookies.
  func accepts(_ host: String) -> Bool {
    switch acceptPolicy {
    case .always: true
    case .never: false
    case .firstParty(let domains):
      domains.contains { Cookie.domain(URLHost.canonical($0) ?? $0.lowercased(), matches: host) }
    }
  }

  /// Whether two hosts have the same registrable domain.
  func isSameSite(_ host: String, _ other: String) -> Bool {
    if host == other { return true }
    guard let site = site(of: host) else { return false }
    return site == self.site(of: other)
  }

  /// The registrable domain of a host; nil for an address and for a public suffix.
  private func site(of host: String) -> String? {
    guard !Cookie.isAddress(host) else { return nil }
    var domain = host[...]
    while let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) {
      let parent = domain[domain.index(after: dot)...]
      if isPublicSuffix(String(parent)) { return isPublicSuffix(String(domain)) ? nil : String(domain) }
      domain = parent
    }
    return nil
  }
}
