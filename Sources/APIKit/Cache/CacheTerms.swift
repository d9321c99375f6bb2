/// The statements of a manager about its stored responses, besides its policy.
public struct CacheTraits: Sendable, Hashable {
  /// The subjects of the responses, e.g. `["rents"]`. A load of a manager that ``expires`` one of them
  /// makes the responses stale. The default is none.
  public var tags: Set<String>
  /// The tags whose stored responses become stale when a load of this manager succeeds; for managers that
  /// change something on the server. The default is none.
  public var expires: Set<String>
  /// The version of the stored form. Stored responses of another version are not used. Raise it when a
  /// changed validator or decoder could not read them. The default is 0.
  public var version: Int
  /// Whether the responses are secrets. They are then kept in memory only, and on disk only where
  /// ``DiskCacheConfiguration/storageKey`` is set. The default is false.
  public var isSensitive: Bool
  /// Parameters, of the service or the load itself, whose values change from load to load and do not tell
  /// responses apart; in addition to those that the service names. The default is none.
  public var volatileParameters: Set<String>

  /// The parameters that signatures usually add.
  public static let usuallyVolatile: Set<String> = ["timestamp", "nonce", "sign", "signature"]

  /// Makes traits; each omitted one has its default.
  public init(
    tags: Set<String> = [], expires: Set<String> = [], version: Int = 0, isSensitive: Bool = false,
    volatileParameters: Set<String> = []
  ) {
    self.tags = tags
    self.expires = expires
    self.version = version
    self.isSensitive = isSensitive
    self.volatileParameters = volatileParameters
  }
}

/// How one load uses the cache: an exception from its manager's policy.
///
/// A load may use only responses that the policy has stored: with ``CachePolicy/none``, an unsafe method or a service without
/// a cache nothing is stored. `Docs/Cache.md` compares the six cases.
public enum CacheUse: Sendable, Hashable {
  /// By the rules: the manager's policy and the network's condition.
  case asPolicy
  /// A stored response lands only after the server has confirmed it with 304; for a pull to refresh that saves bytes. The
  /// request says `Cache-Control: max-age=0`, so that caches between this machine and the server ask it too, unless the
  /// manager has a `Cache-Control` of its own. Under ``CachePolicy/http`` a fresh response that the server declared immutable
  /// needs no confirmation (RFC 8246). It does not lift a prohibition to ask the server: see
  /// ``CacheConditionTable/Preference/storedOnly`` and ``CachePolicy/cacheOnly``.
  case revalidating
  /// The server is asked as if nothing were stored; its response is stored as the policy allows. The response may
  /// come from a cache between this machine and the server.
  case ignoring
  /// As ``ignoring``, and the request has `Cache-Control: no-cache` beside the manager's value of that field, so
  /// that caches between this machine and the server ask it too (RFC 9111, 5.2.1.4). The field is sent under
  /// every policy.
  case ignoringAllCaches
  /// A stored response lands whatever its age; otherwise the server is asked. As ``CacheConditionTable/Preference/stored``, for one
  /// load: under ``CachePolicy/http`` the directives of request and response still apply.
  case storedElseNetwork
  /// A stored response lands whatever its age; otherwise the load fails with ``APIError/Reason/notCached``, and
  /// nothing is sent. As ``CacheConditionTable/Preference/storedOnly``, for one load.
  case storedOnly
}

extension CacheUse {
  /// Whether nothing is looked up.
  var ignoresStored: Bool { self == .ignoring || self == .ignoringAllCaches }

  /// The same for a load that may not see what is stored.
  var withoutStored: CacheUse { self == .ignoringAllCaches || self == .storedOnly ? self : .ignoring }

  /// How strongly stored responses are preferred, where the network's condition prefers them so. What the condition
  /// forbids stays forbidden.
  func preference(under condition: CacheConditionTable.Preference) -> CacheConditionTable.Preference {
    switch self {
    case .storedOnly: .storedOnly
    case .storedElseNetwork: condition == .storedOnly ? .storedOnly : .stored
    case .asPolicy, .revalidating, .ignoring, .ignoringAllCaches: condition
    }
  }
}

/// Everything about the cache that manager and service state for one load at takeoff.
public struct CacheTerms: Sendable {
  /// The manager's policy.
  public var policy: CachePolicy
  /// The manager's traits.
  public var traits: CacheTraits
  /// How this load uses the cache.
  public var use: CacheUse

  /// Makes terms; each omitted one has its default. With the policy ``CachePolicy/none`` nothing is looked
  /// up or stored.
  public init(
    policy: CachePolicy = .none, traits: CacheTraits = CacheTraits(), use: CacheUse = .asPolicy
  ) {
    self.policy = policy
    self.traits = traits
    self.use = use
  }
}
