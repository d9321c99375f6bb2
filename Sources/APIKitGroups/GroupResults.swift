public import APIKit

/// The results of the members of a group, read by the keys that ``ManagerGroup/add(_:)`` returned.
public struct GroupResults: Sendable {
  /// The result of one member.
  public struct Member: Sendable {
    /// Its name.
    public let name: String
    /// Its result; nil while it waits or is in flight. A member that was cancelled because the run ended
    /// has failed with `APIError.Reason.cancelled`, or with `APIError.Reason.deadlineExceeded`.
    public internal(set) var result: Result<any Sendable, APIError>?

    var value: (any Sendable)? { try? result?.get() }
  }

  /// All members in the order in which they were added.
  public internal(set) var members: [Member]
  let group: ObjectIdentifier

  /// The result of a member; nil while it waits or is in flight, and for the key of another group.
  public subscript<Value>(key: MemberKey<Value>) -> Result<Value, APIError>? {
    guard key.group == group, members.indices.contains(key.index) else { return nil }
    switch members[key.index].result {
    case .success(let value)?: return (value as? Value).map { .success($0) }
    case .failure(let error)?: return .failure(error)
    case nil: return nil
    }
  }

  /// The value of a member; nil when it failed or has not ended.
  public func value<Value>(of key: MemberKey<Value>) -> Value? { try? self[key]?.get() }

  /// The number of members that have succeeded.
  public var successCount: Int { members.count { $0.value != nil } }

  /// The failures by member name, in the order of the members.
  public var failures: [(name: String, error: APIError)] {
    members.compactMap { member in
      if case .failure(let error)? = member.result { (member.name, error) } else { nil }
    }
  }
}

/// Identifies a member of a group, with the type of its value.
public struct MemberKey<Value: Sendable>: Sendable {
  let group: ObjectIdentifier
  let index: Int
}
