import Foundation

@testable import APIKit
@testable import APIKitTransfers

/// Stands for the session of a system that carries requests while the process is suspended, decided by the same machine. It
/// responds with three bytes, once it is known how many requests are under way.
final class CarrierOfTests: TransferCarrier, Sendable {
  private struct Known {
    var story: [String] = []
    var exchanges: [CarriedExchange] = []
    var completions: [String: HTTPTransport.Completion] = [:]
    var handler: (@MainActor () -> Void)?
    var tasks = BackgroundTasks()
  }

  let options: BackgroundSessionOptions
  let fault: APIError?
  private let responds: Bool
  private let known = Mutex(Known())

  /// - Parameter responds: Whether requests get a response.
  init(
    responds: Bool = true, options: BackgroundSessionOptions = BackgroundSessionOptions(),
    fault: APIError? = nil
  ) {
    (self.responds, self.options, self.fault) = (responds, options, fault)
    act { $0.listed([]) }
    act { $0.eventsEnded() }
  }

  var story: [String] { known.withLock { $0.story } }
  var exchanges: [CarriedExchange] { known.withLock { $0.exchanges } }

  func open() { note("opened") }

  func keepOnly(_ keys: Set<String>) {
    note("kept \(keys.count)")
    act { $0.keep(only: keys) }
  }
  func settled(underWay count: Int) {
    note("settled \(count)")
    act { $0.settled(underWay: count) }
  }
  func forget(_ key: String) { note("forgot") }
  @MainActor func take(handler new: @escaping @MainActor () -> Void) {
    known.withLock { $0.handler = new }
    act { $0.tookHandler() }
  }

  func start(_ carried: CarriedExchange, completion: @escaping HTTPTransport.Completion) {
    known.withLock { known in
      known.exchanges.append(carried)
      known.completions[carried.name] = completion
    }
    guard responds else { return }
    Task.detached {
      // How many are under way is told where a queue is at work.
      for _ in 0..<2000 where self.story.contains("opened") && !self.story.contains("settled 1") {
        try? await Task.sleep(for: .milliseconds(5))
      }
      let rest = Mutex<[[UInt8]]>([[7, 7, 7]])
      let stream = ResponseStream { () async throws(APIError) in rest.withLock { $0.popLast() } }
      let response = HTTPResponse(
        status: 200, headers: ["ETag": "\"a\"", "Content-Length": "3"], body: .stream(stream),
        url: carried.exchange.request.url)
      self.known.withLock { $0.completions.removeValue(forKey: carried.name) }?(.success(response))
    }
  }

  func cancel(_ name: String) {
    guard let completion = known.withLock({ $0.completions.removeValue(forKey: name) }) else { return }
    note("cancelled")
    completion(.failure(APIError(.transport, .cancelled)))
  }

  private func note(_ event: String) { known.withLock { $0.story.append(event) } }

  private func act(_ event: (inout BackgroundTasks) -> [BackgroundTasks.Action]) {
    for action in known.withLock({ event(&$0.tasks) }) where action == .callHandler {
      if let handler = known.withLock({ $0.handler.take() }) { MainDelivery.main.put { handler() } }
    }
  }
}
