/// Where results land: whoever shows or uses the data of a manager.
///
/// Held weakly; called on the main actor, exactly once for every flight. The flight is retired before, so
/// the delegate may start the next load, of the same manager too, from inside the callback. One delegate
/// may serve several managers: compare with `===`.
@MainActor public protocol APIManagerDelegate: AnyObject {
  /// The load has succeeded. Fetch what the view needs with ``BaseAPIManager/fetchData(with:)``.
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse)

  /// The load has failed.
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError)

  /// The flight was cancelled before it landed. The default does nothing.
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason)

  /// A transfer has moved on. Called at most about ten times a second per flight, and only when
  /// ``BaseAPIManager/reportsProgress`` is set. The default does nothing.
  func manager(_ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID)
}

extension APIManagerDelegate {
  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {}

  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID
  ) {}
}
