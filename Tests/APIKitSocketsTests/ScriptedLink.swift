import Dispatch
import Foundation
import XCTest

@testable import APIKit

/// A connection of Apple's Network framework, played by the test: writes down what is asked of it, and reports what the
/// test says.
final class ScriptedLink: NetworkLink {
  private struct LinkState {
    var queue: DispatchQueue?
    var report: (@Sendable (NetworkEvent) -> Void)?
    var said: [String] = []
    var sent = Data()
    var unconfirmed: [(number: Int, count: Int)] = []
    var mostUnconfirmed = 0
    var isConfirming = true
  }

  private let state = Mutex(LinkState())

  /// What was asked of it, in order.
  var said: [String] { state.withLock { $0.said } }
  /// What was sent.
  var sent: Data { state.withLock { $0.sent } }
  /// The most bytes that were sent and not reported as taken.
  var mostUnconfirmed: Int { state.withLock { $0.mostUnconfirmed } }
  /// The wire's queue; nil before the start.
  var queue: DispatchQueue? { state.withLock { $0.queue } }

  /// Reports events on the wire's queue; returns when that is done.
  func report(_ events: NetworkEvent...) {
    queue?.sync { for event in events { state.withLock { $0.report }?(event) } }
  }

  /// Whether parts are reported as taken by themselves; those that wait are at once.
  func setConfirming(_ isOn: Bool) {
    let waiting = state.withLock { state in
      state.isConfirming = isOn
      defer { if isOn { state.unconfirmed = [] } }
      return isOn ? state.unconfirmed : []
    }
    for part in waiting { report(.sent(number: part.number, nil)) }
  }

  func wait(
    _ what: String, file: StaticString = #filePath, line: UInt = #line, until holds: (ScriptedLink) -> Bool
  ) async {
    for _ in 0..<2000 {
      if holds(self) { return }
      try? await Task.sleep(for: .milliseconds(5))
    }
    XCTFail("waited for \(what) in vain: \(said)", file: file, line: line)
  }

  // MARK: NetworkLink

  func start(on queue: DispatchQueue, _ report: @escaping @Sendable (NetworkEvent) -> Void) {
    state.withLock {
      ($0.queue, $0.report) = (queue, report)
      $0.said.append("start")
    }
  }

  func receive(atMost count: Int) { state.withLock { $0.said.append("receive") } }

  func send(_ data: Data, number: Int) {
    let confirms = state.withLock { state in
      state.said.append("send")
      state.sent += data
      if state.isConfirming { return true }
      state.unconfirmed.append((number, data.count))
      state.mostUnconfirmed = max(state.mostUnconfirmed, state.unconfirmed.reduce(0) { $0 + $1.count })
      return false
    }
    // The system reports later, and never within the call.
    if confirms { queue?.async { self.state.withLock { $0.report }?(.sent(number: number, nil)) } }
  }

  func endSending() { state.withLock { $0.said.append("fin") } }

  func cancel(isForced: Bool) { state.withLock { $0.said.append(isForced ? "force" : "cancel") } }
}

/// Opens wires over links of the test, the first first.
final class ScriptedNetwork: WireTransport {
  let capabilities: TransportCapabilities = URLSessionTransport.onApple
  private let transport: URLSessionTransport
  private let links: Mutex<[ScriptedLink]>
  private let tolerance: Int64

  init(_ links: ScriptedLink..., tolerance: Int64 = NetworkWire.tolerance) throws {
    transport = try URLSessionTransport()
    self.links = Mutex(links)
    self.tolerance = tolerance
  }

  func makeWire(for exchange: HTTPExchange, speaksHTTP: Bool) throws(APIError) -> any Wire {
    let terms = try NetworkWireTerms(
      exchange, TransportConfiguration(), speaksHTTP: speaksHTTP, takesProxies: true, plist: nil)
    let (link, bridge) = (links.withLock { $0.removeFirst() }, transport.bridge)
    return NetworkWire(link, terms.machine, tolerance: tolerance) { wire throws(APIError) in
      _ = try bridge.add { () throws(APIError) in wire }
    } leave: {
      bridge.forget($0.taskIdentifier)
    }
  }

  func shutdown() { transport.shutdown() }

  func finish() async { await transport.finish() }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    completion(.failure(APIError(.transport, .transportFailed)))
    return NoOperation()
  }
}
