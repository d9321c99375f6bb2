/// Who waits for which wire call: a state machine without time, tasks or sockets.
///
/// Flights enter and leave, calls finish; what to do about it comes out.
struct JoinTable<Key: Hashable> {
  enum Role: Equatable {
    /// The flight is the first: the wire call is to be made.
    case lead
    /// The call of this flight is in the air already.
    case follow(FlightID)
  }

  private struct Group {
    let leader: FlightID
    var waiters: [FlightID]
  }

  private var groups: [Key: Group] = [:]

  /// How many wire calls are in the air.
  var count: Int { groups.count }

  /// Whether the call of this leader is still wanted.
  func isLed(by leader: FlightID, _ key: Key) -> Bool { groups[key]?.leader == leader }

  /// A flight wants the response to this key.
  mutating func enter(_ flight: FlightID, _ key: Key) -> Role {
    if let leader = groups[key]?.leader {
      groups[key]?.waiters.append(flight)
      return .follow(leader)
    }
    groups[key] = Group(leader: flight, waiters: [flight])
    return .lead
  }

  /// A flight waits no longer. Returns the leader whose call is to be cancelled when it was the last.
  mutating func leave(_ flight: FlightID, _ key: Key) -> FlightID? {
    guard let group = groups[key], let index = group.waiters.lastIndex(of: flight) else { return nil }
    guard group.waiters.count > 1 else {
      groups[key] = nil
      return group.leader
    }
    groups[key]?.waiters.remove(at: index)
    return nil
  }

  /// The call of a leader is done. Returns the loads that wait for it; none when it was given up before.
  mutating func finish(_ leader: FlightID, _ key: Key) -> [FlightID] {
    guard let group = groups[key], group.leader == leader else { return [] }
    groups[key] = nil
    return group.waiters
  }
}
