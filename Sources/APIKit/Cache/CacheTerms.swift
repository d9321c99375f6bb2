/// What a manager says about its stored answers, beside its policy.
public struct CacheTraits: Sendable, Hashable {
  /// What the answers are about: `["rents"]`. A manager that ``expires`` one of these makes them stale.
  public var tags: Set<String>
  /// The tags whose stored answers become stale when a load of this manager succeeds. For managers that
  /// change something on the server.
  public var expires: Set<String>
  /// The version of what the manager stores. Answers of another version are not used. Raise it when a
  /// changed validator or decoder could not read them. The default is 0.
  public var version: Int
  /// Whether the answers are secrets: then they are kept in memory only, or encrypted on disk when the
  /// cache has a key. The default is false.
  public var isSensitive: Bool
  /// Parameters, beside those of the service, whose values change from load to load and do not tell
  /// answers apart.
  public var volatileParameters: Set<String>

  /// What signatures usually add to the parameters.
  public static let usuallyVolatile: Set<String> = ["timestamp", "nonce", "sign", "signature"]

  /// Makes traits; what is left out has its default.
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

/// What one load does with the cache.
public enum CacheUse: Sendable, Hashable {
  /// As the manager's policy says.
  case asPolicy
  /// A stored answer lands only after the server has confirmed it (304); for a pull to refresh that saves
  /// bytes. An answer that the server declared immutable needs no confirmation while fresh (RFC 8246).
  case revalidating
  /// The server is asked as if nothing were stored; its answer is stored.
  case ignoring
}

/// Everything one load says about the cache, as its manager and service state it at takeoff.
public struct CacheTerms: Sendable {
  /// The manager's policy.
  public var policy: CachePolicy
  /// The manager's traits.
  public var traits: CacheTraits
  /// What this load asks for.
  public var use: CacheUse
  /// Whose answers these are: the service's signed-in user.
  public var partition: String

  /// Makes terms; what is left out has its default, and a policy of none takes no part in caching.
  public init(
    policy: CachePolicy = .none, traits: CacheTraits = CacheTraits(), use: CacheUse = .asPolicy,
    partition: String = ""
  ) {
    self.policy = policy
    self.traits = traits
    self.use = use
    self.partition = partition
  }
}
