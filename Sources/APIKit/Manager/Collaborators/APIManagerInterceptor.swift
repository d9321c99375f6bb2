/// Observes every load of a manager at eight points, and may veto at four of them.
///
/// The order is fixed: `shouldLoad` before takeoff and `didLoad` after it; `beforePreview` when a stored
/// response is to be shown; at landing `didReceive` (if there is a response), `beforeSuccess` or
/// `beforeFailure`, the delegate, `afterSuccess` or `afterFailure`. Interceptors are called in the order in
/// which they were added. The first veto ends the calls of that point. A vetoed landing is delivered as a
/// cancellation, a vetoed takeoff or preview is not delivered.
///
/// Held weakly, called on the main actor; every method has a default. A subclass of ``BaseAPIManager`` that
/// adopts this protocol is its own first interceptor.
@MainActor public protocol APIManagerInterceptor: AnyObject {
  /// Called before takeoff with validated parameters. False refuses the load. The default is true.
  func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool

  /// Called when the load has taken off, or waits because of its policy. The default does nothing.
  func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID)

  /// Called at landing with the response, whether it was accepted or not. The default does nothing.
  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID)

  /// Called before a stored response is delivered as a preview. False suppresses the preview; the flight
  /// continues. The default is true.
  func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool

  /// Called before a success is delivered. False turns it into a cancellation. The default is true.
  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool

  /// Called after a success was delivered. The default does nothing.
  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse)

  /// Called before a failure is delivered, that of a refused load too. False turns it into a cancellation, with the
  /// reason ``CancellationReason/vetoed``. The default is true.
  func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool

  /// Called after a failure was delivered. The default does nothing.
  func manager(_ manager: BaseAPIManager, afterFailure error: APIError)
}

extension APIManagerInterceptor {
  /// True.
  public func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool { true }
  /// Does nothing.
  public func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID) {}
  /// Does nothing.
  public func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {}
  /// True.
  public func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool { true }
  /// True.
  public func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool { true }
  /// Does nothing.
  public func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) {}
  /// True.
  public func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool { true }
  /// Does nothing.
  public func manager(_ manager: BaseAPIManager, afterFailure error: APIError) {}
}

/// The interceptors of one manager, held weakly, in the order added.
@MainActor struct InterceptorList {
  private struct WeakInterceptor {
    weak var interceptor: (any APIManagerInterceptor)?
  }

  private var entries: [WeakInterceptor] = []

  mutating func add(_ interceptor: any APIManagerInterceptor) {
    entries.removeAll { $0.interceptor == nil || $0.interceptor === interceptor }
    entries.append(WeakInterceptor(interceptor: interceptor))
  }

  mutating func remove(_ interceptor: any APIManagerInterceptor) {
    entries.removeAll { $0.interceptor == nil || $0.interceptor === interceptor }
  }

  func forEach(_ body: (any APIManagerInterceptor) -> Void) {
    for entry in entries { if let interceptor = entry.interceptor { body(interceptor) } }
  }

  /// False as soon as one interceptor vetoes; the following ones are not called.
  func allow(_ ask: (any APIManagerInterceptor) -> Bool) -> Bool {
    for entry in entries { if let interceptor = entry.interceptor, !ask(interceptor) { return false } }
    return true
  }
}
