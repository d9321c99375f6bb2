/// Where the results of a ``ManagerGroup`` land.
///
/// Held weakly; called on the main actor, exactly once for every run. The run is over by then, so the
/// delegate may start the next. The delegates of the members' managers are told as ever, each before.
@MainActor public protocol ManagerGroupDelegate: AnyObject {
  /// The policy is satisfied.
  func group(_ group: ManagerGroup, didSucceedWith results: GroupResults)

  /// The policy cannot be satisfied, or the deadline has passed. What did land is in the results.
  func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults)

  /// The run was cancelled. The default does nothing.
  func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason)

  /// A member has ended, the one at this place. The group may be cancelled from here. The default does nothing.
  func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults)

  /// The group has come further. Called when a member ends and, with
  /// ``ManagerGroup/reportsProgress``, while transfers move. The default does nothing.
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
