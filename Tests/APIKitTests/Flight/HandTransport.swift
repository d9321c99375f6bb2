@testable import TestSupport
import APIKit
import Foundation

/// Where code runs, as the path of a load tells threads apart.
enum Site: Hashable, Sendable {
  case main
  /// A thread of ``HandTransport``.
  case transport
  case other

  private static let mark = "hand transport"

  static var current: Site {
    if Thread.isMainThread { return .main }
    return Thread.current.threadDictionary[mark] == nil ? .other : .transport
  }

  /// Runs `work` on a thread that counts as the transport's, and returns when it has ended.
  static func onTransport(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      detach {
        work()
        continuation.resume()
      }
    }
  }

  /// Runs `work` on a thread that counts as the transport's.
  static func detach(_ work: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      Thread.current.threadDictionary[mark] = true
      work()
    }
  }
}

/// A transport whose completions a test calls itself, on the thread and as often as it wants.
final class HandTransport: HTTPTransport {
  /// A call of `start`.
  struct Start: Sendable {
    let request: HTTPRequest
    let site: Site
    /// Identifies the task that called; nil for none.
    let task: Int?
    let completion: Completion
  }

  let capabilities = TransportCapabilities.all
  let record = Record<Start>()
  let cancellations = Counter()
  private let onStart: @Sendable (HTTPRequest, @escaping Completion) -> Void

  var starts: [Start] { record.all }

  /// Makes a transport that does nothing when an exchange starts, unless told otherwise.
  init(_ onStart: @escaping @Sendable (HTTPRequest, @escaping Completion) -> Void = { _, _ in }) {
    self.onStart = onStart
  }

  /// One that responds at once, on a thread of its own.
  static func responding(_ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse) -> HandTransport {
    HandTransport { request, complete in Site.detach { complete(.success(respond(request))) } }
  }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    record.add(
      Start(
        request: exchange.request, site: .current, task: withUnsafeCurrentTask { $0?.hashValue },
        completion: completion))
    onStart(exchange.request, completion)
    return Stop(count: cancellations)
  }

  private struct Stop: CancellableOperation {
    let count: Counter
    func cancel() { count.increment() }
  }
}

extension HTTPResponse {
  static func json(_ text: String = someJSON, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
  }
}
