public import APIKit

/// Receives the results of a ``ManagerGroup``.
///
/// Held weakly; called on the main actor. Every run ends in exactly one of success, failure and
/// cancellation. The run is over by then, so the delegate may start the next one. The delegates of the
/// members' managers are called as usual: before the group's for a member that has ended, after it for one that the
/// end of the run cancels.
@MainActor public protocol ManagerGroupDelegate: AnyObject {
  /// The policy is satisfied.
  func group(_ group: ManagerGroup, didSucceedWith results: GroupResults)

  /// The policy cannot be satisfied, or the deadline has passed. The results contain those of the members
  /// that ended.
  func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults)

  /// The run was cancelled. The default does nothing.
  func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason)

  /// The member at this index has ended. The group may be cancelled from here. The default does nothing.
  func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults)

  /// The group has made progress. Called when a member ends and, with ``ManagerGroup/reportsProgress``,
  /// during transfers. The default does nothing.
  func group(_ group: ManagerGroup, didProgress progress: GroupProgress)
}

extension ManagerGroupDelegate {
  /// Does nothing.
  public func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason) {}
  /// Does nothing.
  public func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults) {}
  /// Does nothing.
  public func group(_ group: ManagerGroup, didProgress progress: GroupProgress) {}
}
