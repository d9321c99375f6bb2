import APIKitTesting
import Dispatch
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// A system that frames WebSockets itself, as URLSession does, played by the test.
final class StagedTransport: MessageTransport {
  let capabilities = TransportCapabilities()
  private let made = Mutex<[StagedWire]>([])

  /// The wires so far, the oldest first.
  var wires: [StagedWire] { made.withLock { $0 } }

  func makeMessageWire(
    for exchange: HTTPExchange, _ terms: MessageWireTerms
  ) throws(APIError) -> any MessageWire {
    let wire = StagedWire(exchange, terms)
    made.withLock { $0.append(wire) }
    return wire
  }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    completion(.failure(APIError(.transport, .transportFailed)))
    return NoOperation()
  }
}

/// Writes down what is asked of it, and tells what the test says.
final class StagedWire: MessageWire {
  let exchange: HTTPExchange
  let terms: MessageWireTerms
  private let queue = DispatchQueue(label: "StagedWire")
  private let state = Mutex(State())

  private struct State {
    var said: [String] = []
    var owner: (any MessageWireOwner)?
    var sent: [@Sendable () -> Void] = []
    var pongs: [@Sendable () -> Void] = []
  }

  init(_ exchange: HTTPExchange, _ terms: MessageWireTerms) {
    self.exchange = exchange
    self.terms = terms
  }

  /// What was asked of it, in order.
  var said: [String] { state.withLock { $0.said } }

  /// Has the owner told something, on the wire's queue; returns when that is done.
  func tell(_ words: @escaping @Sendable (any MessageWireOwner) -> Void) {
    queue.sync { state.withLock { $0.owner }.map(words) }
  }

  func accept(_ fields: HTTPHeaders = HTTPHeaders()) {
    tell { $0.opened(HTTPResponse(status: 101, headers: fields)) }
  }

  /// The system has sent the oldest message.
  func confirm() { queue.sync { state.withLock { $0.sent.isEmpty ? {} : $0.sent.removeFirst() }() } }

  func pong() { queue.sync { state.withLock { $0.pongs.isEmpty ? {} : $0.pongs.removeFirst() }() } }

  func end(_ error: APIError? = nil, refusal: HTTPResponse? = nil) {
    queue.sync { state.withLock { $0.owner.take() }?.ended(error, refusal: refusal) }
  }

  // MARK: MessageWire

  func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func open(for owner: any MessageWireOwner) {
    state.withLock {
      $0.said.append("open")
      $0.owner = owner
    }
  }

  func send(_ message: SocketMessage, _ done: @escaping @Sendable () -> Void) {
    state.withLock {
      switch message {
      case .text(let text): $0.said.append("send \(text)")
      case .data(let bytes): $0.said.append("send \(bytes.count) bytes")
      }
      $0.sent.append(done)
    }
  }

  func receive() { state.withLock { $0.said.append("receive") } }

  func ping(_ pong: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.said.append("ping")
      $0.pongs.append(pong)
    }
  }

  func canClose(with code: UInt16) -> Bool { SystemSocketRules.canClose(with: code) }

  func close(_ code: UInt16, _ reason: String) {
    state.withLock { $0.said.append("close \(code) \(reason)") }
  }

  func cut() {
    state.withLock {
      $0.said.append("cut")
      return $0.owner.take()
    }?.ended(nil, refusal: nil)
  }
}
