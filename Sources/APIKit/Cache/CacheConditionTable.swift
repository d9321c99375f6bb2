/// The preference of the cache under each condition of the network. It does not apply to managers whose policy
/// is ``CachePolicy/none``.
public struct CacheConditionTable: Sendable, Hashable {
  /// The state of the network, in the three cases that the cache distinguishes.
  public enum Condition: Sendable, Hashable, CaseIterable {
    /// Wi-Fi or a cable: traffic is free of charge.
    case unrestricted
    /// Cellular or a hotspot: traffic costs money.
    case expensive
    /// No network.
    case offline

    /// Makes the cache's condition from that of the network; an unknown one counts as ``unrestricted``.
    public init(_ condition: NetworkCondition) {
      if condition.isOffline {
        self = .offline
      } else {
        self = condition.isExpensive || condition.isConstrained ? .expensive : .unrestricted
      }
    }
  }

  /// How strongly stored responses are preferred to the network.
  public enum Preference: Sendable, Hashable {
    /// As the manager's policy says.
    case asPolicy
    /// A stored response lands even when it is no longer fresh; without one, the server is asked. Under
    /// ``CachePolicy/http`` the directives of request and response still apply.
    case stored
    /// A stored response lands, as under ``stored``; otherwise the load fails with
    /// ``APIError/Reason/notCached``. Only a load with ``CacheUse/ignoring`` still asks the server.
    case storedOnly
  }

  private var preferences: [Condition: Preference]

  /// Makes a table; a condition that is left out gets ``Preference/asPolicy``.
  public init(_ preferences: [Condition: Preference] = [:]) { self.preferences = preferences }

  /// The default: stored responses are preferred on an expensive network, and only they land offline.
  public static let standard = Self([.expensive: .stored, .offline: .storedOnly])

  /// The preference under a condition; ``Preference/asPolicy`` unless set.
  public subscript(condition: Condition) -> Preference {
    get { preferences[condition] ?? .asPolicy }
    set { preferences[condition] = newValue }
  }
}

/// Renamed: use ``CacheConditionTable/Condition``.
@available(*, deprecated, renamed: "CacheConditionTable.Condition")
public typealias CacheCondition = CacheConditionTable.Condition
/// Renamed: use ``CacheConditionTable/Preference``.
@available(*, deprecated, renamed: "CacheConditionTable.Preference")
public typealias CachePreference = CacheConditionTable.Preference
