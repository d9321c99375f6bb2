/// Something that a ``ManagerGroup`` starts beside others, or a ``ManagerChain`` after another.
///
/// ``ManagerLoad`` (one load of a manager), ``MemberWork`` (a closure), ``ManagerGroup`` and ``ManagerChain``
/// are members, so groups and chains nest. Write one for work of another kind; in a test, use
/// ``MemberWork`` with a fixed value.
@MainActor public protocol GroupMember<Value> {
  /// What it lands with.
  associatedtype Value: Sendable

  /// Its name in results and errors.
  var memberName: String { get }

  /// Runs once, to its end.
  ///
  /// Cancelling the task must end it soon, with ``APIError/Reason/cancelled``.
  /// - Parameter report: To be called with the part that is done, from 0 to 1; nil when nobody listens.
  func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> Value
}

/// One load of a manager, as a member: made by ``APIManager/loading(_:cache:)``.
@MainActor public struct ManagerLoad<Manager: APIManager>: GroupMember {
  let manager: Manager
  let parameters: Parameters?
  let cache: CacheUse

  /// The manager's type.
  public var memberName: String { String(describing: Manager.self) }

  /// Loads, and returns what the load lands with. The manager's delegate is told as ever.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> APIResponse {
    guard let report else { return try await manager.response(given: parameters, cache: cache) }
    return try await manager.response(given: parameters, cache: cache) { report($0.fraction) }
  }
}

extension APIManager {
  /// A load of this manager for a group or a chain to start. Holds the manager.
  ///
  /// - Parameters:
  ///   - parameters: Those of the load; nil, the default, asks the ``BaseAPIManager/parameterSource`` when it
  ///     starts.
  ///   - cache: How stored responses are used.
  public func loading(_ parameters: Parameters? = nil, cache: CacheUse = .asPolicy) -> ManagerLoad<Self> {
    ManagerLoad(manager: self, parameters: parameters, cache: cache)
  }
}

/// A closure as a member: for work that is not a load, and for tests.
@MainActor public struct MemberWork<Value: Sendable>: GroupMember {
  /// Its name in results and errors.
  public let memberName: String
  private let work: @MainActor () async throws -> Value

  /// Makes a member of a closure. What it throws becomes an ``APIError``; a cancellation error becomes
  /// ``APIError/Reason/cancelled``.
  public init(_ name: String, _ work: @escaping @MainActor () async throws -> Value) {
    memberName = name
    self.work = work
  }

  /// Runs the closure.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> Value {
    do { return try await work() } catch { throw APIError(member: error, memberName, "failed") }
  }
}

extension APIError {
  /// What a member, or whoever builds one, threw, as an error of the framework.
  init(member error: any Error, _ name: String, _ verb: String) {
    switch error {
    case let error as APIError: self = error
    case is CancellationError: self.init(.takeoff, .cancelled)
    default:
      let words = (error as? ValidationError)?.message ?? "\(type(of: error))"
      self.init(.takeoff, .memberFailed, "\(name) \(verb): \(words)", underlying: error)
    }
  }
}

extension TransferProgress {
  /// The part that is done, from 0 to 1: of what is sent and received together where the totals are known.
  var fraction: Double {
    let total = (totalToSend ?? 0) + (totalToReceive ?? 0)
    return total > 0 ? min(1, Double(sent + received) / Double(total)) : 0
  }
}
