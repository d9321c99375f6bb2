/// Receives the results of a manager: usually the view or controller that shows the data.
///
/// Held weakly; called on the main actor. Every flight ends in exactly one of success, failure and
/// cancellation. The flight is removed from the manager first, so the delegate may start the next load from
/// inside the callback, on the same manager too. A refused load may end here as a failure as well; see
/// ``Takeoff/refused(_:)``. One delegate may serve several managers: compare with `===`.
@MainActor public protocol APIManagerDelegate: AnyObject {
  /// The load has succeeded. Map its data for the view with ``BaseAPIManager/fetchData(with:)``.
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse)

  /// The load has failed.
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError)

  /// A stored response is available while the load continues; its landing follows. Only managers whose
  /// ``APIManager/cachePolicy`` is ``CachePolicy/cacheThenNetwork`` have previews. The default calls
  /// ``manager(_:didSucceedWith:)``, so that a view shows the stored data first and the server's data
  /// afterwards.
  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse)

  /// The load was cancelled, or an interceptor suppressed its result or its refusal. The default does
  /// nothing.
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason)

  /// A load of a manager with ``APIManager/isQueued`` is on disk in the offline write queue. It will be sent now, later, or
  /// after a relaunch; its landing follows. The default does nothing.
  func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID)

  /// A transfer has made progress. Called at most about ten times a second per flight, and only when
  /// ``BaseAPIManager/reportsProgress`` is true. The default does nothing.
  func manager(_ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID)
}

extension APIManagerDelegate {
  /// Calls ``manager(_:didSucceedWith:)``.
  public func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
    self.manager(manager, didSucceedWith: response)
  }

  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {
    DeveloperNotice.unheard(
      Self.self, "manager(_:didCancel:because:)", "a load of \(type(of: manager)) was cancelled")
  }

  /// Does nothing.
  public func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID) {
    DeveloperNotice.unheard(Self.self, "manager(_:didQueue:of:)", "a load of \(type(of: manager)) was queued")
  }

  /// Does nothing.
  public func manager(
    _ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID
  ) {}
}
