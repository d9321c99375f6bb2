import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of the session: hands each callback to the flight it belongs to.
///
/// All callbacks come on the session's serial queue.
final class URLSessionBridge: NSObject, URLSessionDataDelegate {
  private struct State {
    var flights: [Int: URLSessionAttempt] = [:]
    var isStopped = false
  }

  private let state = Mutex(State())

  /// Makes a flight and registers it; nil when the transport is stopped.
  ///
  /// `make` runs under the lock: a task made in an invalidated session ends the program on Linux.
  func add(_ make: () throws(APIError) -> URLSessionAttempt) throws(APIError) -> URLSessionAttempt? {
    try state.withLock { state throws(APIError) in
      guard !state.isStopped else { return nil }
      let flight = try make()
      state.flights[flight.task.taskIdentifier] = flight
      return flight
    }
  }

  /// Lets a flight go that failed before its task ended, or began; what still comes for it is dropped.
  func forget(_ flight: URLSessionAttempt) {
    state.withLock { $0.flights[flight.task.taskIdentifier] = nil }
  }

  /// Takes no more flights and gives those in the air.
  func stop() -> [URLSessionAttempt] {
    state.withLock { state in
      state.isStopped = true
      defer { state.flights = [:] }
      return Array(state.flights.values)
    }
  }

  private func flight(_ task: URLSessionTask) -> URLSessionAttempt? {
    state.withLock { $0.flights[task.taskIdentifier] }
  }

  // MARK: URLSessionTaskDelegate

  // A redirect is an answer like any other here; those above follow it.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  // Logins are not ours: a 401 is an answer. Apple's session gives it when nobody has a credential. On Linux
  // the challenge comes after the whole answer, and whatever it is answered with, the task hangs or fails.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      flight(task)?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    flight(task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let flight = state.withLock { $0.flights.removeValue(forKey: task.taskIdentifier) }
    flight?.complete(error)
  }

  #if !canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      flight(task)?.receive(metrics: metrics)
    }
  #endif

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = flight(dataTask)?.receive(head: response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    flight(dataTask)?.receive(data)
  }
}
