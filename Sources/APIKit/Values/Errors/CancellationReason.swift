/// The reason of a cancellation, which is neither a success nor a failure.
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The stable name.
  public let description: String

  /// `cancel` was called on the manager, its group or the registry.
  public static let byCaller = Self(description: "by-caller")
  /// A later load replaced it, by the takeoff policy.
  public static let superseded = Self(description: "superseded")
  /// The task that awaited it was cancelled.
  public static let taskCancelled = Self(description: "task-cancelled")
  /// The transport was stopped during its attempt.
  public static let transportStopped = Self(description: "transport-stopped")
  /// An interceptor vetoed its landing.
  public static let vetoed = Self(description: "vetoed")
  /// The sign-in that it waited for was abandoned.
  public static let signInCancelled = Self(description: "sign-in-cancelled")
  /// The service's error hook has dealt with the failure.
  public static let handledByService = Self(description: "handled-by-service")
  /// The user to whom the load belongs has signed out.
  public static let signedOut = Self(description: "signed-out")
  /// The last reference to its manager was released before it landed.
  public static let managerReleased = Self(description: "manager-released")
}

extension APIError {
  /// The error of a cancelled load.
  package init(cancelled reason: CancellationReason) {
    self.init(.takeoff, .cancelled, "cancelled: \(reason)")
    context.cancellation = reason
  }

  /// Why the load was cancelled; nil when the error is not a cancellation.
  public var cancellation: CancellationReason? {
    switch reason {
    case .cancelled: context.cancellation ?? .taskCancelled
    case .transportStopped: .transportStopped
    case .signInCancelled: .signInCancelled
    default: nil
    }
  }

  /// Whether the load was cancelled and did not fail.
  public var isCancellation: Bool { cancellation != nil }
}
