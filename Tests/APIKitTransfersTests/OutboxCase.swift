import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Tests of the outbox, with a folder, a clock, a network and a stub of their own.
@MainActor class OutboxCase: XCTestCase {
  lazy var folder = temporaryPath()
  let time = ManualTime()
  let network = NetworkMonitor(watchesSystem: false)
  var stub = StubTransport()
  var outboxes: [Outbox] = []
  var service = TestService(StubTransport())

  override func setUp() async throws {
    stub = StubTransport(.json(#"{"id": 42, "name": "lake"}"#))
    service = TestService(stub)
    service.environments = ServiceEnvironments([
      .release: "https://homes.test/api", "staging": "https://staging.test/api",
    ])
  }

  override func tearDown() async throws { outboxes = [] }

  func outbox(
    knows: Bool = true, _ change: (inout OutboxConfiguration) -> Void = { _ in }
  ) -> Outbox {
    var configuration = OutboxConfiguration(folder: folder)
    configuration.network = network
    configuration.backoff = .constant(.seconds(10))
    change(&configuration)
    let outbox = Outbox(configuration, time: time, boot: "one")
    if knows { outbox.register(QueuedNoteManager.self) { [service] in QueuedNoteManager(service) } }
    outboxes.append(outbox)
    // Before its folder is removed.
    addTeardownBlock { [weak outbox] in await outbox?.stop() }
    return outbox
  }

  func manager(_ delegate: OutboxRecorder? = nil) -> QueuedNoteManager {
    let manager = QueuedNoteManager(service)
    manager.delegate = delegate
    return manager
  }

  /// Turns the clock until a condition holds: waits of the outbox pass at once.
  func turn(until isTrue: @MainActor () async throws -> Bool) async throws {
    for _ in 0..<2000 {
      if try await isTrue() { return }
      time.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTFail("the condition did not come true")
  }
}

final class QueuedNoteManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "notes"
  var method = HTTPMethod.post
  let isQueued = true
  var headers: HTTPHeaders = ["X-Note": "own"]
  var body: HTTPBody?

  init(_ service: TestService) { self.service = service }

  func body(for parameters: Parameters) throws -> HTTPBody? { body }
}

final class UnknownNoteManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "notes"
  let method = HTTPMethod.post
  let isQueued = true

  init(_ service: TestService) { self.service = service }
}

@MainActor final class OutboxRecorder: APIManagerDelegate {
  var story: [String] = []
  var onSuccess: @MainActor () -> Void = {}

  func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID) {
    story.append("queued \(item)")
  }
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    story.append("succeeded \(response.raw.id.int ?? 0)")
    onSuccess()
  }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    story.append("failed \(error.reason) \(error.context.status ?? 0)")
  }
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    story.append("cancelled \(reason)")
  }
}

@MainActor final class LandingInterceptor: APIManagerInterceptor {
  var story: [String] = []
  var received: FlightID?
  var isVetoing = false

  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {
    story.append("received \(response.status)")
    received = flight
  }
  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
    story.append("before")
    return !isVetoing
  }
  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) { story.append("after") }
}
