/// What each member of a group landed with, read by the keys that ``ManagerGroup/add(_:)`` gave.
public struct GroupResults: Sendable {
  /// How one member ended.
  public struct Member: Sendable {
    /// Its name.
    public let name: String
    /// What it landed with; nil while it waits or flies. A member that the group's end cut short has failed
    /// with ``APIError/Reason/cancelled``, or with ``APIError/Reason/deadlineExceeded``.
    public internal(set) var result: Result<any Sendable, APIError>?

    var value: (any Sendable)? { try? result?.get() }
  }

  /// All members in the order in which they were added.
  public internal(set) var members: [Member]
  let group: ObjectIdentifier

  /// What a member landed with; nil while it waits or flies, and for the key of another group.
  public subscript<Value>(key: MemberKey<Value>) -> Result<Value, APIError>? {
    guard key.group == group, members.indices.contains(key.index) else { return nil }
    switch members[key.index].result {
    case .success(let value)?: return (value as? Value).map { .success($0) }
    case .failure(let error)?: return .failure(error)
    case nil: return nil
    }
  }

  /// What a member landed with; nil when it failed or has not ended.
  public func value<Value>(of key: MemberKey<Value>) -> Value? { try? self[key]?.get() }

  /// How many have succeeded.
  public var successCount: Int { members.count { $0.value != nil } }

  /// The failures by member name, in the order of the members.
  public var failures: [(name: String, error: APIError)] {
    members.compactMap { member in
      if case .failure(let error)? = member.result { (member.name, error) } else { nil }
    }
  }
}

/// Finds one member's result, and says of what type it is.
public struct MemberKey<Value: Sendable>: Sendable {
  let group: ObjectIdentifier
  let index: Int
}
