import APIKitTesting
import Foundation
import XCTest

@testable import APIKit

/// Loads that are kept until they can be sent: what the delegate hears, now and after a relaunch; whose they are.
@MainActor final class OutboxTests: XCTestCase {
  private var folder = ""
  private let time = ManualTime()
  private let network = NetworkMonitor(watchesSystem: false)
  private var stub = StubTransport()
  private var outboxes: [Outbox] = []
  private var service = TestService(StubTransport())

  override func setUp() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    stub = StubTransport(.json(#"{"id": 42, "name": "lake"}"#))
    service = TestService(stub)
    service.environments = ServiceEnvironments([
      .release: "https://homes.test/api", "staging": "https://staging.test/api",
    ])
  }

  override func tearDown() async throws {
    for outbox in outboxes { await outbox.stop() }
    outboxes = []
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func outbox(
    knows: Bool = true, _ change: (inout OutboxConfiguration) -> Void = { _ in }
  ) -> Outbox {
    var configuration = OutboxConfiguration(folder: folder)
    configuration.network = network
    configuration.backoff = .constant(.seconds(10))
    change(&configuration)
    let outbox = Outbox(configuration, time: time, boot: "one")
    if knows { outbox.register(NoteManager.self) { [service] in NoteManager(service) } }
    outboxes.append(outbox)
    return outbox
  }

  private func manager(_ delegate: OutboxRecorder? = nil) -> NoteManager {
    let manager = NoteManager(service)
    manager.delegate = delegate
    return manager
  }

  /// Turns the clock until a condition holds: waits of the outbox pass at once.
  private func turn(until isTrue: @MainActor () async throws -> Bool) async throws {
    for _ in 0..<2000 {
      if try await isTrue() { return }
      time.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTFail("the condition did not come true")
  }

  // MARK: Kept and sent

  func testTheDelegateHearsQueuedAndThenTheLanding() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    let takeoff = manager.load(["text": "hello"])
    guard case .waiting(let flight) = takeoff else { return XCTFail("\(takeoff)") }
    XCTAssertTrue(manager.isLoading)
    await outbox.flush()
    XCTAssertEqual(delegate.story, ["queued 1"])
    XCTAssertEqual(manager.state(of: flight), .waiting)
    XCTAssertEqual(stub.requests.count, 0, "it was not started")
    outbox.start()
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "succeeded 42"])
    XCTAssertEqual(manager.lastResponse?.source.flightID, flight)
    XCTAssertFalse(manager.isLoading)
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.method, .post)
    XCTAssertEqual(request.url.string, "https://homes.test/api/notes")
    XCTAssertEqual(request.headers["Idempotency-Key"]?.isEmpty, false)
    XCTAssertEqual(request.headers["X-Note"], "own")
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
  }

  func testTheAwaitedFormWaitsForTheLanding() async throws {
    let outbox = outbox()
    outbox.start()
    let manager = manager()
    let response = try await manager.response(for: ["text": "hello"])
    XCTAssertEqual(response.raw.id.int, 42)
  }

  func testATypeThatNoOutboxKnowsFailsByName() async throws {
    let other = OtherManager(service)
    let error = try await errorThrown { () async throws(APIError) in try await other.response(for: [:]) }
    XCTAssertEqual(error.reason, .misconfigured)
    XCTAssertTrue(error.detail.contains("register(OtherManager.self)"), error.detail)
  }

  func testALandingReachesTheDelegateThatIsAttachedAfterARelaunch() async throws {
    let first = outbox()
    first.start()
    var gone: NoteManager? = manager()
    gone?.load(["text": "hello"])
    await first.flush()
    gone = nil
    try await turn { try await first.items().isEmpty }
    await first.stop()
    // Another launch: nobody was told.
    let (second, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    second.attach(manager)
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["succeeded 42"])
    XCTAssertTrue(manager.lastResponse?.source.managerType == NoteManager.self)
    second.attach(manager)
    await landingsWorkedOff()
    await second.flush()
    XCTAssertEqual(delegate.story, ["succeeded 42"], "once")
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testWhatWasNotSentIsSentAfterARelaunchByTheSameKeyInItsOwnEnvironment() async throws {
    service.environments.current = "staging"
    let first = outbox()
    let manager = manager()
    manager.body = .bytes([UInt8](repeating: 7, count: 100_000))
    manager.load(["text": "hello"])
    let items = try await first.items()
    XCTAssertEqual(items.map(\.environment), ["staging"])
    XCTAssertEqual(items.first?.parameters, ["text": "hello"])
    service.environments.current = .release
    let (second, delegate) = (outbox(), OutboxRecorder())
    let attached = self.manager(delegate)
    second.attach(attached)
    second.start()
    try await turn { !delegate.story.isEmpty }
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.url.string, "https://staging.test/api/notes?text=hello")
    XCTAssertEqual(request.headers["Idempotency-Key"], items.first?.idempotencyKey)
    guard case .bytes(let sent) = request.body else { return XCTFail("\(request.body)") }
    XCTAssertEqual(sent.count, 100_000)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/spool"), [])
  }

  func testAttachedNamesTellManagersOfATypeApart() async throws {
    let outbox = outbox()
    let (left, right) = (OutboxRecorder(), OutboxRecorder())
    let (one, two) = (manager(left), manager(right))
    outbox.attach(one, as: "note 1")
    outbox.attach(two, as: "note 2")
    try await outbox.enqueue(two, ["text": "b"])
    outbox.start()
    try await turn { !right.story.isEmpty }
    XCTAssertEqual(left.story, [])
    XCTAssertEqual(right.story, ["succeeded 42"])
  }

  // MARK: Failures

  func testPassingFailuresBackOffAndOthersPark() async throws {
    stub.reset()
    stub.on("/api/notes", .status(503), .failure(.connectionLost), .status(429), .json(#"{"id": 42}"#))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.count, 4)
    XCTAssertEqual(Set(stub.requests.map { $0.headers["Idempotency-Key"] }).count, 1)
    stub.reset()
    stub.on("/api/notes", .status(422), .json(#"{"id": 42}"#))
    manager.load()
    try await turn { delegate.story.last?.hasPrefix("failed") == true }
    XCTAssertEqual(delegate.story.last, "failed unacceptable-status 422")
    let items = try await outbox.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail("\(items)") }
    XCTAssertTrue(why.contains("422"), why)
    // Sent again, it lands for whoever is attached.
    outbox.attach(manager)
    try await outbox.retry(items[0].id)
    try await turn { delegate.story.last == "succeeded 42" }
  }

  func testAnUnknownManagerTypeParks() async throws {
    let first = outbox()
    let manager = manager()
    manager.load()
    await first.flush()
    let second = outbox(knows: false)
    second.start()
    try await turn { if case .parked? = try await second.items().first?.state { true } else { false } }
    let items = try await second.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail() }
    XCTAssertTrue(why.contains("does not know the manager type NoteManager"), why)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testNothingIsTriedWithoutANetworkAndAllWithOne() async throws {
    network.force(.offline)
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    await outbox.flush()
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.count, 0)
    network.force(.wifi)
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAVerdictIsByStatusAndReason() {
    var known = OutboxVerdict.Circumstances()
    known.hasSignIn = true
    known.backoff = .constant(.seconds(10))
    func verdict(_ status: Int, _ headers: [(String, String)] = []) -> OutboxVerdict {
      var error = APIError(
        .response, .unacceptableStatus,
        evidence: APIError.Evidence(status: status, headers: headers.map { ($0.0, $0.1) }, body: []))
      error.context.status = status
      return OutboxVerdict(error, known)
    }
    for status in [408, 425, 429, 500, 503, 599] { XCTAssertEqual(verdict(status), .later(.seconds(10))) }
    for status in [400, 403, 404, 409, 413, 422, 451] { XCTAssertEqual(verdict(status), .park) }
    XCTAssertEqual(verdict(401), .awaitSignIn)
    XCTAssertEqual(verdict(503, [("Retry-After", "3600")]), .later(.seconds(3600)))
    XCTAssertEqual(verdict(503, [("Retry-After", "999999999")]), .later(.seconds(86_400)))
    known.attempts = 20
    XCTAssertEqual(verdict(503), .park)
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .connectionRefused), known), .park)
    known.attempts = 19
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .connectionRefused), known), .later(.seconds(10)))
    XCTAssertEqual(OutboxVerdict(APIError(.response, .businessError), known), .park)
    XCTAssertEqual(OutboxVerdict(APIError(.auth, .signedOut), known), .awaitSignIn)
    XCTAssertEqual(OutboxVerdict(APIError(cancelled: .byCaller), known), .again)
    XCTAssertEqual(OutboxVerdict(APIError(cancelled: .handledByService), known), .later(.seconds(10)))
    known.isOffline = true
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .unknownHost), known), .again)
    known.hasSignIn = false
    XCTAssertEqual(verdict(401), .park)
  }

  // MARK: Given up

  func testCancellingALoadGivesUpItsItemAndReleasingItsManagerDoesNot() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "one"])
    manager.cancel()
    await outbox.flush()
    manager.load(["text": "two"])
    await outbox.flush()
    manager.cancel()
    var released: NoteManager? = self.manager()
    released?.load(["text": "three"])
    await outbox.flush()
    released = nil
    try await turn { try await outbox.items().count == 1 }
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [["text": "three"]])
    XCTAssertEqual(delegate.story, ["cancelled by-caller", "queued 2", "cancelled by-caller"])
  }

  func testMoreThanTheLimitsFailsByName() async throws {
    let (outbox, delegate) = (outbox { $0.maximumItems = 1 }, OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    manager.load()
    await outbox.flush()
    XCTAssertEqual(delegate.story, ["queued 1", "failed queue-full 0"])
  }

  // MARK: Order

  func testAnItemTakesValuesOfTheResponseItWaitsFor() async throws {
    let outbox = outbox()
    let manager = manager()
    let parent = try await outbox.enqueue(manager, ["text": "new"], lane: "a")
    let child = try await outbox.enqueue(
      manager, ["text": "photo"], lane: "b", taking: [OutboxValue("note", of: parent, at: "id")])
    let odd = try await outbox.enqueue(
      manager, lane: "c", taking: [OutboxValue("note", of: parent, at: "no.such")])
    outbox.start()
    try await turn { self.stub.requests.count == 2 }
    guard case .bytes(let body)? = stub.requests.last?.body else { return XCTFail() }
    XCTAssertEqual(try RawData(parsing: body).note.int, 42)
    try await turn { try await outbox.items().map(\.id) == [odd] }
    XCTAssertLessThan(parent, child)
    let items = try await outbox.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail() }
    XCTAssertTrue(why.contains("no.such"), why)
  }

  // MARK: Users

  private func credential(_ user: String) -> Credential {
    Credential(accessToken: "token of \(user)", notes: ["user": user])
  }

  func testAnItemIsNeverSentAsAnotherUser() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let outbox = outbox { $0.keepsItemsAtSignOut = true }
    let manager = manager()
    manager.load(["text": "ann's"])
    await outbox.flush()
    try authenticator.signOut()
    try authenticator.signIn(with: credential("bob"))
    manager.load(["text": "bob's"])
    outbox.start()
    try await turn { self.stub.requests.count == 1 }
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer token of bob"])
    try authenticator.signIn(with: credential("ann"))
    try await turn { self.stub.requests.count == 2 }
    XCTAssertEqual(stub.requests.last?.headers["Authorization"], "Bearer token of ann")
  }

  func testWhoSignsOutTakesTheItemsAlong() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    // One is on its way, one waits.
    stub.hold()
    manager.load(["text": "one"])
    manager.load(["text": "two"])
    outbox.start()
    try await stub.waitForRequests(1)
    try authenticator.signOut()
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(
      delegate.story, ["queued 1", "queued 2", "cancelled signed-out", "cancelled signed-out"])
    stub.release()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testARefusedCredentialWaitsForTheNextSignIn() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    stub.reset()
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(#"{"id": 42}"#))
    stub.when({ $0.headers["Authorization"] != "Bearer new" }, .status(401))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    try await stub.waitForRequests(1)
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.count, 1)
    try authenticator.signIn(with: Credential(accessToken: "new", notes: ["user": "ann"]))
    try await turn { delegate.story.contains("succeeded 42") }
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
  }

  func testUsersThatCannotBeToldApartAreRefusedAndNobodysItemCarriesNoCredential() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "nobody's"])
    await outbox.flush()
    try authenticator.signIn(with: Credential(accessToken: "t"))
    manager.load(["text": "somebody's"])
    await landingsWorkedOff()
    XCTAssertEqual(delegate.story, ["queued 1", "failed misconfigured 0"])
    outbox.start()
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [nil])
  }

  func testSecretsOfTheManagerAreNotKept() async throws {
    let outbox = outbox()
    let manager = manager()
    manager.headers.add("X-API-Token", "not-for-the-disk")
    manager.load()
    await outbox.flush()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      XCTAssertNil(bytes.range(of: Data("not-for-the-disk".utf8)), name)
    }
  }
}

private final class NoteManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "notes"
  let method = HTTPMethod.post
  let isQueued = true
  var headers: HTTPHeaders = ["X-Note": "own"]
  var body: HTTPBody?

  init(_ service: TestService) { self.service = service }

  func body(for parameters: Parameters) throws -> HTTPBody? { body }
}

private final class OtherManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "notes"
  let method = HTTPMethod.post
  let isQueued = true

  init(_ service: TestService) { self.service = service }
}

@MainActor private final class OutboxRecorder: APIManagerDelegate {
  var story: [String] = []

  func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID) {
    story.append("queued \(item)")
  }
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    story.append("succeeded \(response.raw.id.int ?? 0)")
  }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    story.append("failed \(error.reason) \(error.context.status ?? 0)")
  }
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    story.append("cancelled \(reason)")
  }
}
