/// The rule of a manager: when a stored response lands, and when the server is asked.
///
/// The default of every manager is ``none``. It applies to safe methods only: whatever the policy, other
/// requests are sent, and their responses are not stored (RFC 9111, 4). `Docs/Cache.md` tells which policy to
/// choose. A single load departs from it by a ``CacheUse``.
public struct CachePolicy: Sendable, Hashable {
  /// The rules to choose from.
  public enum Rule: Sendable, Hashable {
    /// Nothing is stored and nothing is looked up.
    case none
    /// A stored response lands while it is not older than this; otherwise the server is asked.
    case fresh(Duration)
    /// The rules of RFC 9111 and RFC 5861 for a private cache.
    case http
    /// A stored response is shown as a preview, whatever its age; then the server is asked.
    case cacheThenNetwork
    /// The server is asked. On an outage (the transport fails, the status is 500, 502, 503 or 504, there is
    /// no network, or the circuit breaker is open) a stored response up to this age lands.
    case networkElseStale(Duration)
    /// A stored response lands, whatever its age; otherwise the load fails with
    /// ``APIError/Reason/notCached``. Only a load with ``CacheUse/ignoring`` asks the server.
    case cacheOnly
  }

  /// The rule.
  public var rule: Rule
  /// The levels where responses are stored and looked up. The default is both.
  public var levels: CacheLevels
  /// Under ``Rule/http``, how long a response is fresh that states neither `max-age` nor `Expires`. It takes the place
  /// of the heuristic from `Last-Modified`, under the same conditions: a status that is cacheable by heuristics, or
  /// `public` (RFC 9111, 4.2.2). The default, nil, leaves it to the heuristic.
  public var defaultLifetime: Duration?
  /// The media types whose responses may be stored, as `type/subtype` in lower case or `type/*`. The default, the
  /// empty set, is all of them; otherwise a response without a type is not stored.
  public var mediaTypes: Set<String> = []

  /// Makes a policy.
  public init(_ rule: Rule, in levels: CacheLevels = .all) {
    self.rule = rule
    self.levels = levels
  }

  /// Nothing is stored and nothing is looked up.
  public static let none = Self(.none)

  /// A stored response lands while it is not older than `age`, by default three minutes; otherwise the
  /// server is asked. Freshness does not depend on the server's header fields.
  public static func fresh(for age: Duration = .seconds(180), in levels: CacheLevels = .all) -> Self {
    Self(.fresh(age), in: levels)
  }

  /// The rules of RFC 9111 and RFC 5861 for a private cache: the server's header fields decide.
  public static let http = Self(.http)

  /// As ``http``; a response that states no lifetime is fresh for `lifetime`, see ``defaultLifetime``.
  public static func http(otherwise lifetime: Duration) -> Self {
    var policy = Self.http
    policy.defaultLifetime = lifetime
    return policy
  }

  /// A stored response as a preview, then the landing with the server's response.
  public static let cacheThenNetwork = Self(.cacheThenNetwork)

  /// The server's response; on an outage a stored response up to `age`, by default 30 days.
  public static func networkElseStale(upTo age: Duration = .seconds(2_592_000)) -> Self {
    Self(.networkElseStale(age))
  }

  /// A stored response; otherwise the load fails with ``APIError/Reason/notCached``.
  public static let cacheOnly = Self(.cacheOnly)

  /// The same policy on these levels only.
  public func stored(in levels: CacheLevels) -> Self {
    var policy = self
    policy.levels = levels
    return policy
  }

  /// The same policy for responses of these media types only; the default is ``usualMediaTypes``. See ``mediaTypes``.
  public func stored(as types: Set<String> = usualMediaTypes) -> Self {
    var policy = self
    policy.mediaTypes = types
    return policy
  }

  /// The usual media types: JSON, HTML, plain text and images.
  public static let usualMediaTypes: Set<String> = ["application/json", "text/html", "text/plain", "image/*"]
}

/// The levels of a cache.
public struct CacheLevels: OptionSet, Sendable, Hashable {
  /// One bit for each level.
  public let rawValue: UInt8
  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// In memory, with parsed bodies.
  public static let memory = Self(rawValue: 1)
  /// On disk. It has an effect only where the cache has a ``DiskCacheConfiguration``.
  public static let disk = Self(rawValue: 2)
  /// Memory and disk.
  public static let all: Self = [.memory, .disk]
}

extension APIError.Reason {
  /// No stored response may be used, and the policy, the request or the network condition forbids asking
  /// the server.
  public static let notCached = Self("not-cached", "there is no stored response")
}
