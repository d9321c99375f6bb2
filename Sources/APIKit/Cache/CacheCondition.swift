/// The state of the network as far as the cache minds it.
public enum CacheCondition: Sendable, Hashable, CaseIterable {
  /// Wi-Fi, a cable: bytes are cheap.
  case unrestricted
  /// Cellular, a hotspot: bytes cost.
  case expensive
  /// No network.
  case offline
}

extension CacheCondition {
  /// What a condition of the network means for the cache. One that is not known restricts nothing.
  public init(_ condition: NetworkCondition) {
    if condition.isOffline {
      self = .offline
    } else {
      self = condition.isExpensive || condition.isConstrained ? .expensive : .unrestricted
    }
  }
}

/// How much the cache is preferred to the network.
public enum CachePreference: Sendable, Hashable {
  /// As the manager's policy says.
  case asPolicy
  /// A stored answer lands even when it is no longer fresh, unless its server forbids that.
  case stored
  /// A stored answer lands, or ``APIError/Reason/notCached``; the server is not asked.
  case storedOnly
}

/// What the cache does under each condition of the network; managers without a cache policy are not touched.
public struct CacheConditionTable: Sendable, Hashable {
  private var preferences: [CacheCondition: CachePreference]

  /// Makes a table; a condition that is left out goes as the policy says.
  public init(_ preferences: [CacheCondition: CachePreference] = [:]) { self.preferences = preferences }

  /// As the policy says on Wi-Fi, stored answers first on cellular, stored answers alone when offline.
  public static let standard = Self([.expensive: .stored, .offline: .storedOnly])

  /// The preference under a condition.
  public subscript(condition: CacheCondition) -> CachePreference {
    get { preferences[condition] ?? .asPolicy }
    set { preferences[condition] = newValue }
  }
}
