import APIKitTesting
import Foundation
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
      XCTAssertEqual(carrier.story.last, "settled 0")
      isCalled.increment()
    }
    try await turn(by: .zero) { isCalled.value == 1 }
    XCTAssertEqual(server.requests.count, 0, "nothing went by the service's own transport")
    XCTAssertEqual(bytes("a"), [7, 7, 7])
    XCTAssertEqual(carrier.story.first, "opened")
    XCTAssertTrue(carrier.story.contains("kept 1"), "\(carrier.story)")
    XCTAssertTrue(carrier.story.contains("settled 1"), "\(carrier.story)")
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
    try await turn(by: .zero) { isCalled.value == 1 }
  }

  func testTheHandlerIsCalledAfter25SecondsWhateverWaits() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(500) }
    defer { server.stop() }
    let service = try service(server)
    for carrier in [CarrierOfTests(responds: false), nil] {
      let queue = queue(service, carrier: carrier) { $0.folder = self.path(carrier == nil ? "q" : "r") }
      try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
      queue.start()
      let (isCalled, begin) = (Counter(), time.now)
      queue.handleEvents { isCalled.increment() }
      try await turn { isCalled.value == 1 }
      XCTAssertGreaterThanOrEqual(time.now - begin, .seconds(25))
      XCTAssertLessThan(time.now - begin, .seconds(60))
      try await turn { time.now - begin > .seconds(120) }
      XCTAssertEqual(isCalled.value, 1, "once")
      await queue.stop()
    }
  }

  private func service(
    _ base: HTTPURL, _ change: (inout TransportConfiguration) -> Void
  ) throws -> TestService {
    var configuration = TransportConfiguration()
    configuration.proxy = BackgroundSessionOptions().proxy
    change(&configuration)
    return TestService(
      HTTPClient(transport: try DefaultTransport.make(configuration)), ServiceEnvironments(base))
  }

  func testATransferThatTheSessionWouldCarryUnderWeakerTermsIsRefusedBeforeItIsTaken() async throws {
    let carrier = CarrierOfTests()
    let asking = try service("https://homes.test/") { $0.challenges = ChallengeHandler { _ in .default } }
    let strict = try service("https://homes.test/") { $0.tls.minimumVersion = .tls1_3 }
    for (service, name) in [(asking, "challenges"), (strict, "minimumTLS")] {
      let queue = queue(service, carrier: carrier)
      let works: [() async throws -> TransferID] = [
        { try await queue.enqueue(KeptDownloads(service), to: .file(self.path("a"))) },
        { try await queue.enqueue(KeptUploads(service), uploading: .bytes([1])) },
      ]
      for work in works {
        let error = await failure { try await work() }
        XCTAssertEqual(error?.reason, .unsupportedCapability)
        XCTAssertTrue(error?.detail.contains(name) == true, error?.detail ?? "none")
      }
      let listed = try await queue.transfers()
      XCTAssertEqual(listed, [])
    }
  }

  func testATransportWithoutAConfigurationIsRefusedByName() async throws {
    let service = TestService(
      HTTPClient(transport: StubTransport()), ServiceEnvironments("https://homes.test/"))
    let queue = queue(service, carrier: CarrierOfTests())
    let error = await failure { try await queue.enqueue(KeptDownloads(service), to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.detail.contains("StubTransport") == true, error?.detail ?? "none")
  }

  func testAServerThatAForegroundLoadDoesNotAskWithoutTLSIsNotAskedByTheSession() async throws {
    let carrier = CarrierOfTests()
    let service = try service("http://homes.test/api") { _ in }
    let queue = queue(service, carrier: carrier)
    let error = await failure { try await queue.enqueue(KeptDownloads(service), to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .cleartextRefused)
    // Kept by an earlier version, which did not ask.
    let transport = try CarriedTransport(by: carrier, for: "k", of: service)
    var request = HTTPRequest(url: "http://homes.test/api/files")
    request.headers["Authorization"] = "Bearer secret"
    let refusal = await failure { try await transport.send(HTTPExchange(request)) }
    XCTAssertEqual(refusal?.reason, .cleartextRefused)
    XCTAssertEqual(refusal?.requestProgress, .unsent)
    XCTAssertEqual(carrier.exchanges.count, 0, "nothing was given to the session")
    // The environment's exception goes before the configuration, as in the foreground.
    request.options.cleartext = .allowed
    _ = try await transport.send(HTTPExchange(request, destination: .stream))
    XCTAssertEqual(carrier.exchanges.count, 1)
  }

  func testARequestHasWhatTheTransportOfItsServiceWouldGiveIt() async throws {
    let carrier = CarrierOfTests()
    let service = try service("https://homes.test/") { $0.headers["X-Client"] = "tablet" }
    let transport = try CarriedTransport(by: carrier, for: "k", of: service)
    var request = HTTPRequest(url: "https://homes.test/files")
    request.headers["User-Agent"] = "own"
    request.options.allowsCellular = false
    var exchange = HTTPExchange(request, destination: .stream)
    _ = try await transport.send(exchange)
    exchange.crossesOrigin = true
    _ = try await transport.send(exchange)
    let sent = carrier.exchanges.map(\.exchange.request)
    XCTAssertEqual(sent.map { $0.headers["X-Client"] }, ["tablet", nil])
    XCTAssertEqual(sent[0].headers["User-Agent"], "own")
    XCTAssertEqual(sent[0].options.allowsCellular, false)
    XCTAssertEqual(sent[0].options.allowsExpensive, true, "the configuration's")
    XCTAssertEqual(sent[0].options.serviceType, .standard)
    XCTAssertTrue(carrier.exchanges.allSatisfy { $0.name.hasPrefix("k ") })
    XCTAssertEqual(transport.caller, service.client.transport.caller)
  }

  func testWhatARequestAsksBeyondTheSessionIsRefusedByName() async throws {
    let transport = try CarriedTransport(
      by: CarrierOfTests(), for: "k", of: try service("https://homes.test/") { _ in })
    let refusals: [(String, (inout HTTPExchange) -> Void)] = [
      ("login", { $0.request.options.login = HTTPLogin(user: "a", password: "b") }),
      ("compressesBody", { $0.request.options.compressesBody = true }),
      ("expectContinue", { $0.request.options.expectsContinue = true }),
      ("totalTimeout", { $0.request.timeouts.total = .seconds(1) }),
      ("connectTimeout", { $0.request.timeouts.connect = .seconds(1) }),
      ("headInspection", { $0.inspectHead = { _, _ in } }),
      ("fileDownload", { $0.destination = .file(path: "/a") }),
      ("GET", { $0.request.body = .bytes([1]) }),
    ]
    for (name, change) in refusals {
      var exchange = HTTPExchange(HTTPRequest(url: "https://homes.test/files"))
      change(&exchange)
      let ready = exchange
      let error = await failure { try await transport.send(ready) }
      XCTAssertEqual(error?.reason, .unsupportedCapability, name)
      XCTAssertTrue(error?.detail.contains(name) == true, error?.detail ?? "none")
    }
  }

  func testATransferThatIsGivenUpIsForgottenByTheSession() async throws {
    let carrier = CarrierOfTests(responds: false)
    let service = try service("https://homes.test/") { _ in }
    let queue = queue(service, carrier: carrier)
    let id = try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    try await turn { carrier.exchanges.count == 1 }
    try await queue.drop(id)
    XCTAssertTrue(carrier.story.contains("forgot"), "\(carrier.story)")
    XCTAssertTrue(carrier.story.contains("cancelled"), "\(carrier.story)")
  }
}
