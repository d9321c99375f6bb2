import APIKitTesting
import Foundation
import Synchronization
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Transfers whose requests a system carries while the process is suspended.
@MainActor final class SuspendedTransferTests: TransferQueueCase {
  func testTheCarrierGetsTheRequestsAndTheHandlerComesLast() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(500) }
    defer { server.stop() }
    let service = try service(server)
    let carrier = CarrierOfTests()
    let queue = queue(service, carrier: carrier)
    try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    let isCalled = Counter()
    queue.handleEvents {
      MainActor.assertIsolated()
      XCTAssertEqual(carrier.story.withLock { $0.last }, "settled 0")
      isCalled.increment()
    }
    try await turn { isCalled.value == 1 }
    XCTAssertEqual(server.requests.count, 0, "nothing went by the service's own transport")
    XCTAssertEqual(bytes("a"), [7, 7, 7])
    let story = carrier.story.withLock { $0 }
    XCTAssertTrue(story.contains("kept 1"), "\(story)")
    XCTAssertTrue(story.contains("settled 1"), "\(story)")
  }

  func testWithoutASessionTheHandlerIsCalledWhenNothingIsLeftToDo() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200, ["ETag": "\"a\""], [1]) }
    defer { server.stop() }
    let service = try service(server)
    let queue = queue(service)
    try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    let isCalled = Counter()
    let file = path("a")
    queue.handleEvents {
      XCTAssertTrue(FileManager.default.fileExists(atPath: file))
      isCalled.increment()
    }
    try await turn { isCalled.value == 1 }
  }
}

/// Stands for the session of a system that carries requests while the process is suspended, decided by the same machine.
private final class CarrierOfTests: TransferCarrier, Sendable {
  let story = Mutex<[String]>([])
  private let handler = Mutex<(@MainActor () -> Void)?>(nil)
  private let tasks = Mutex(BackgroundTasks())

  init() {
    act { $0.listed([]) }
    act { $0.eventsEnded() }
  }

  func keepOnly(_ keys: Set<String>) {
    story.withLock { $0.append("kept \(keys.count)") }
    act { $0.keep(only: keys) }
  }
  func settled(underWay count: Int) {
    story.withLock { $0.append("settled \(count)") }
    act { $0.settled(underWay: count) }
  }
  @MainActor func take(handler new: @escaping @MainActor () -> Void) {
    handler.withLock { $0 = new }
    act { $0.tookHandler() }
  }
  func transport(for key: String) -> any HTTPTransport {
    ThreeBytes { self.story.withLock { $0.contains("settled 1") } }
  }

  private func act(_ event: (inout BackgroundTasks) -> [BackgroundTasks.Action]) {
    for action in tasks.withLock({ event(&$0) }) where action == .callHandler {
      if let handler = handler.withLock({ $0.take() }) { MainDelivery.main.put { handler() } }
    }
  }
}

/// Answers once it is known how many requests are under way.
private struct ThreeBytes: AsyncHTTPTransport {
  var isSettled: @Sendable () -> Bool
  var capabilities: TransportCapabilities { [.streamDownload, .totalTimeout] }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    for _ in 0..<2000 where !isSettled() { try? await Task.sleep(for: .milliseconds(5)) }
    let rest = Mutex<[[UInt8]]>([[7, 7, 7]])
    let stream = ResponseStream { () async throws(APIError) in rest.withLock { $0.popLast() } }
    return HTTPResponse(
      status: 200, headers: ["ETag": "\"a\"", "Content-Length": "3"], body: .stream(stream),
      url: exchange.request.url)
  }
}
