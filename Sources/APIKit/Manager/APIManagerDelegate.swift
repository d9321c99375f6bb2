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

  /// A stored answer to look at while the flight goes on; its landing follows. Only managers whose
  /// ``APIManager/cachePolicy`` is ``CachePolicy/cacheThenNetwork`` have previews. The default treats it as
  /// a success, so that a view shows the stored data first and the server's after it.
  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse)

  /// The flight was cancelled before it landed. The default does nothing.
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason)

  /// A transfer has moved on. Called at most about ten times a second per flight, and only when
  /// ``BaseAPIManager/reportsProgress`` is set. The default does nothing.
  func manager(_ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID)
}

extension APIManagerDelegate {
  /// As a success.
  public func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
    self.manager(manager, didSucceedWith: response)
  }

  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {}

  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID
  ) {}
}
