/// Sees every load of a manager at seven points, and may veto at three of them.
///
/// The order is fixed: `shouldLoad`, then after takeoff `didLoad`; at landing `didReceive` (when there is an
/// answer), `beforeSuccess` or `beforeFailure`, the delegate, `afterSuccess` or `afterFailure`. Interceptors
/// are asked in the order in which they were added; the first veto ends the asking. A vetoed landing is told
/// to the delegate as a cancellation. Held weakly; a child that adopts this protocol is its own first
/// interceptor. All run on the main actor; all have defaults.
@MainActor public protocol APIManagerInterceptor: AnyObject {
  /// Before takeoff, with parameters that validated. False refuses the load. The default is true.
  func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool

  /// The load has taken off, or waits by its policy.
  func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID)

  /// An answer has come, good or bad.
  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID)

  /// Before the delegate is shown a stored answer while the flight goes on. False hides it. The default is
  /// true. The other points see the flight's landing alone.
  func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool

  /// Before the delegate is told of a success. False makes it a cancellation. The default is true.
  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool

  /// After the delegate was told of a success.
  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse)

  /// Before the delegate is told of a failure. False makes it a cancellation. The default is true.
  func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool

  /// After the delegate was told of a failure.
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
  private struct Entry {
    weak var interceptor: (any APIManagerInterceptor)?
  }

  private var entries: [Entry] = []

  mutating func add(_ interceptor: any APIManagerInterceptor) {
    entries.removeAll { $0.interceptor == nil || $0.interceptor === interceptor }
    entries.append(Entry(interceptor: interceptor))
  }

  mutating func remove(_ interceptor: any APIManagerInterceptor) {
    entries.removeAll { $0.interceptor == nil || $0.interceptor === interceptor }
  }

  var isEmpty: Bool { entries.isEmpty }

  func forEach(_ body: (any APIManagerInterceptor) -> Void) {
    for entry in entries { if let interceptor = entry.interceptor { body(interceptor) } }
  }

  /// Whether nobody vetoes; the first veto ends the asking.
  func allow(_ ask: (any APIManagerInterceptor) -> Bool) -> Bool {
    for entry in entries { if let interceptor = entry.interceptor, !ask(interceptor) { return false } }
    return true
  }
}
