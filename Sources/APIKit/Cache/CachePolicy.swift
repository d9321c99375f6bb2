/// When a manager takes a stored answer, and when it asks the server.
///
/// The default of every manager is ``none``. `Docs/Cache.md` says which to choose when.
public struct CachePolicy: Sendable, Hashable {
  /// The rule itself.
  public enum Rule: Sendable, Hashable {
    /// Nothing is stored and nothing is looked up.
    case none
    /// A stored answer not older than this lands; otherwise the server is asked.
    case fresh(Duration)
    /// What RFC 9111 and RFC 5861 say, as a private cache.
    case http
    /// A stored answer is shown as a preview, whatever its age; then the server is asked.
    case cacheThenNetwork
    /// The server is asked; when it cannot be reached or fails, a stored answer up to this age lands.
    case networkElseStale(Duration)
    /// A stored answer lands, whatever its age; the server is never asked.
    case cacheOnly
  }

  /// The rule.
  public var rule: Rule
  /// Where answers are kept. The default is both levels.
  public var levels: CacheLevels

  /// Makes a policy.
  public init(_ rule: Rule, in levels: CacheLevels = .all) {
    self.rule = rule
    self.levels = levels
  }

  /// Nothing is stored and nothing is looked up.
  public static let none = Self(.none)

  /// A stored answer not older than `age` lands; three minutes by default. What the server's own header
  /// fields say about caching is not asked: the application has said it.
  public static func fresh(for age: Duration = .seconds(180), in levels: CacheLevels = .all) -> Self {
    Self(.fresh(age), in: levels)
  }

  /// What the server's header fields say, by RFC 9111 and RFC 5861.
  public static let http = Self(.http)

  /// A preview from the cache, then the landing from the network.
  public static let cacheThenNetwork = Self(.cacheThenNetwork)

  /// The network, and when it fails a stored answer up to `age`; 30 days by default.
  public static func networkElseStale(upTo age: Duration = .seconds(2_592_000)) -> Self {
    Self(.networkElseStale(age))
  }

  /// A stored answer or ``APIError/Reason/notCached``.
  public static let cacheOnly = Self(.cacheOnly)

  /// The same rule, kept in these levels only.
  public func stored(in levels: CacheLevels) -> Self { Self(rule, in: levels) }
}

/// The places where a cache keeps answers.
public struct CacheLevels: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Makes a set of its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// In memory, parsed.
  public static let memory = Self(rawValue: 1)
  /// On disk.
  public static let disk = Self(rawValue: 2)
  /// Both.
  public static let all: Self = [.memory, .disk]
}

extension APIError.Reason {
  /// No stored answer fits, and the policy or the network condition forbids asking the server.
  public static let notCached = Self("not-cached", "there is no stored answer")
}
