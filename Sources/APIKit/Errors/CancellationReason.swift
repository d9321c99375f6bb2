/// Why a flight ended without success or failure.
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The stable name.
  public let description: String

  /// `cancel` was called on the manager or the registry.
  public static let byCaller = Self(description: "by-caller")
  /// A later load took its place by the takeoff policy.
  public static let superseded = Self(description: "superseded")
  /// The task that awaited it was cancelled.
  public static let taskCancelled = Self(description: "task-cancelled")
  /// The transport was stopped while it was in the air.
  public static let transportStopped = Self(description: "transport-stopped")
  /// An interceptor vetoed its landing.
  public static let vetoed = Self(description: "vetoed")
  /// The sign-in it waited for was given up.
  public static let signInCancelled = Self(description: "sign-in-cancelled")
  /// The service's common-error hook has dealt with the failure.
  public static let handledByService = Self(description: "handled-by-service")
  /// The last reference to its manager was released while it was in the air.
  public static let managerReleased = Self(description: "manager-released")
}

extension APIError {
  /// The error of a load that ends without success or failure.
  init(cancelled reason: CancellationReason) {
    self.init(.takeoff, .cancelled, "cancelled: \(reason)")
    context.cancellation = reason
  }

  /// Who cancelled the load; nil for an error that is no cancellation.
  public var cancellation: CancellationReason? {
    switch reason {
    case .cancelled: context.cancellation ?? .taskCancelled
    case .transportStopped: .transportStopped
    case .signInCancelled: .signInCancelled
    default: nil
    }
  }

  /// Whether the load was cancelled, and did not fail.
  public var isCancellation: Bool { cancellation != nil }
}
