import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What holds an item back before it is sent: its manager's gate, and a circuit breaker.
@MainActor final class OutboxGateTests: OutboxCase {
  private final class UnmeteredNotes: BaseAPIManager, APIManager {
    let service: TestService
    let apiName = "notes"
    let method = HTTPMethod.post
    let isQueued = true
    let networkGate = NetworkGate.refuse.unmetered
    init(_ service: TestService) { self.service = service }
  }

  func testAnItemIsNotSentOverANetworkThatItsManagerDoesNotAccept() async throws {
    let made = Counter()
    for monitor in [network, service.network] { monitor.force(.cellular) }
    let outbox = outbox(knows: false) { $0.maximumAttempts = 2 }
    outbox.register(UnmeteredNotes.self) { [service] in
      made.increment()
      return UnmeteredNotes(service)
    }
    outbox.start()
    let note = UnmeteredNotes(service)
    note.load(["text": "a"])
    try await turn { made.value > 8 || stub.requests.count > 0 }
    XCTAssertEqual(stub.requests.count, 0)
    for monitor in [network, service.network] { monitor.force(.wifi) }
    try await turn { stub.requests.count == 1 }
    try await turn { try await outbox.items().isEmpty }
  }

  func testAnItemThatWaitsForAnotherNetworkIsSentWhenThatComes() async throws {
    let made = Counter()
    for monitor in [network, service.network] { monitor.force(.cellular) }
    let outbox = outbox(knows: false) { $0.backoff = .constant(.seconds(300)) }
    outbox.register(UnmeteredNotes.self) { [service] in
      made.increment()
      return UnmeteredNotes(service)
    }
    outbox.start()
    UnmeteredNotes(service).load(["text": "a"])
    for _ in 0..<2000 {
      if made.value > 1, try await outbox.items().map(\.state) == [.waiting] { break }
      try await Task.sleep(for: .milliseconds(2))
    }
    for monitor in [service.network, network] { monitor.force(.wifi) }
    // No time passes.
    try await stub.waitForRequests(1)
    XCTAssertEqual(made.value, 3, "registered, refused, sent")
  }

  func testAnItemThatCannotBeSentIsNotDoneByAFallback() async throws {
    service.breaker = .standard
    service.breaker?.minimumAttempts = 1
    service.breaker?.openInterval = .seconds(60)
    service.onFallback = { _ in APIResponse(raw: .missing, http: HTTPResponse(status: 200)) }
    stub = StubTransport(.status(503), .json("{}"))
    service.client = HTTPClient(transport: stub)
    let outbox = outbox(knows: false) { $0.maximumAttempts = 1000 }
    outbox.register(QueuedNoteManager.self) { [service, time] in
      let note = QueuedNoteManager(service)
      note.time = time
      return note
    }
    outbox.start()
    let note = manager()
    note.load(["text": "a"])
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(stub.requests.count, 2, "the second one was accepted")
  }
}
