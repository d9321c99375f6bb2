public import APIKit

/// A unit of work that a ``ManagerGroup`` starts with others, or a ``ManagerChain`` after another.
///
/// ``ManagerLoad`` (one load of a manager), ``MemberWork`` (a closure), ``ManagerGroup`` and
/// ``ManagerChain`` are members, so groups and chains can be nested. Write one for work of another kind; in
/// a test, use ``MemberWork`` with a fixed value.
@MainActor public protocol GroupMember<Value> {
  /// The type of its result.
  associatedtype Value: Sendable

  /// Its name in results and errors.
  var memberName: String { get }

  /// Runs once, to its end.
  ///
  /// Cancelling the task must end it soon, with `APIError.Reason.cancelled`.
  /// - Parameter report: To be called with the completed fraction, from 0 to 1; nil when no reports are
  ///   needed.
  func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> Value
}

/// One load of a manager, as a member: made by `APIManager.loading(_:cache:)`.
@MainActor public struct ManagerLoad<Manager: APIManager>: GroupMember {
  let manager: Manager
  let parameters: Parameters?
  let cache: CacheUse

  /// The manager's type.
  public var memberName: String { String(describing: Manager.self) }

  /// Loads, and returns the response. The manager's delegate is called as usual.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> APIResponse {
    guard let report else { return try await manager.response(given: parameters, cache: cache) }
    return try await manager.response(given: parameters, cache: cache) { report($0.overallFraction) }
  }
}

extension APIManager {
  /// A load of this manager as a member of a group or a chain. It holds the manager strongly.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the load. The default, nil, asks the
  ///     `BaseAPIManager.parameterSource` when the load starts.
  ///   - cache: Whether stored responses are used; the default follows the manager's policy.
  public func loading(_ parameters: Parameters? = nil, cache: CacheUse = .asPolicy) -> ManagerLoad<Self> {
    ManagerLoad(manager: self, parameters: parameters, cache: cache)
  }
}

/// A closure as a member: for work that is not a load, and for tests.
@MainActor public struct MemberWork<Value: Sendable>: GroupMember {
  /// Its name in results and errors.
  public let memberName: String
  private let work: @MainActor () async throws -> Value

  /// Makes a member from a closure, which runs on the main actor. An error that it throws becomes an `APIError`; a
  /// `CancellationError` becomes `APIError.Reason.cancelled`.
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
  /// The error that a member or the closure that builds it threw, as an `APIError`.
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
  /// The completed fraction from 0 to 1, of the bytes to send and to receive together; 0 while no total is
  /// known.
  fileprivate var overallFraction: Double {
    let total = (totalToSend ?? 0) + (totalToReceive ?? 0)
    return total > 0 ? min(1, Double(sent + received) / Double(total)) : 0
  }
}
