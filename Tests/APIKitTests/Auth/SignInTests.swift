import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Sign-in as an application meets it, over a stub.
@MainActor final class SignInTests: SignInCase {
  func testAnExemptManagerCarriesNothingAndRenewsNothing() async throws {
    stub.on("/api/list", .status(401))
    let manager = makeManager(try authenticator(renewal: renewing(to: "new")), .exempt)
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.context.status, 401)
    XCTAssertNil(stub.requests.first?.headers["Authorization"])
    XCTAssertEqual(renewals.value, 0)
  }

  func testLoadsThatRequireASignInAreResumedByIt() async throws {
    acceptOnly("fresh")
    let authenticator = try authenticator(nil)
    var changes = authenticator.changes().makeAsyncIterator()
    let manager = makeManager(authenticator, .required)
    let recorder = Recorder()
    manager.delegate = recorder
    for number in 0..<5 { manager.load(["n": number]) }
    var told: [SignInChange] = []
    for _ in 0..<6 { if let change = await changes.next() { told.append(change) } }
    XCTAssertEqual(told, [.signedOut] + Array(repeating: .signInNeeded, count: 5), "each load is announced")
    await waitUntil { authenticator.waiterCount == 5 }
    XCTAssertEqual(stub.requests.count, 0)
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    await recorder.waitForLandings(5)
    XCTAssertEqual(recorder.responses.count, 5)
    let last = await changes.next()
    XCTAssertEqual(last, .signedIn)
  }

  func testALoadThatWaitsForASignInIsSuspended() async throws {
    acceptOnly("fresh")
    let authenticator = try authenticator(nil)
    let manager = makeManager(authenticator, .required)
    let recorder = Recorder()
    manager.delegate = recorder
    let changes = manager.stateChanges()
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { manager.state(of: flight) == .suspended }
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    await recorder.waitForLandings()
    var states: [FlightState] = []
    for await change in changes {
      states.append(change.to)
      if change.to.isFinal { break }
    }
    XCTAssertEqual(states, [.waiting, .flying, .suspended, .flying, .succeeded])
  }

  func testASignInThatIsGivenUpCancelsTheLoadsAndOneThatFailsFailsThem() async throws {
    let outcomes = Mutex<[APIError]>([
      APIError(.auth, .cancelled), APIError(.auth, .accessDenied, "the user is locked out"),
    ])
    let box = Outcomes(outcomes)
    let authenticator = try authenticator(nil, signIn: { throw box.next() })
    let manager = makeManager(authenticator, .required)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    await recorder.waitForLandings(1)
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.signInCancelled])
    manager.load()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.reason), [.signInFailed])
    XCTAssertEqual(recorder.errors.first?.detail, "the sign-in has failed: the user is locked out")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testALoadThatIsCancelledWhileItWaitsLeavesTheOthersAlone() async throws {
    acceptOnly("fresh")
    let authenticator = try authenticator(nil)
    let manager = makeManager(authenticator, .required)
    let recorder = Recorder()
    manager.delegate = recorder
    let flights = (0..<3).compactMap { manager.load(["n": $0]).flightID }
    await waitUntil { authenticator.waiterCount == 3 }
    manager.cancel(flights[1])
    await waitUntil { authenticator.waiterCount == 2 }
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    await recorder.waitForLandings(3)
    XCTAssertEqual(recorder.cancellations.map(\.flight), [flights[1]])
    XCTAssertEqual(recorder.responses.count, 2)
  }

  func testTheStreamOfChangesEndsWithItsAuthenticator() async throws {
    var authenticator: Authenticator? = Authenticator()
    let changes = try XCTUnwrap(authenticator?.changes())
    try authenticator?.signIn(with: Credential(accessToken: "a"))
    try authenticator?.signOut()
    authenticator = nil
    var told: [SignInChange] = []
    for await change in changes { told.append(change) }
    XCTAssertEqual(told, [.signedOut, .signedIn, .signedOut], "the state at the beginning comes first")
  }

  func testWhoBeginsToListenWhileLoadsWaitLearnsThatASignInIsNeeded() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = try authenticator(nil)
    let manager = makeManager(authenticator, .required)
    let recorder = Recorder()
    manager.delegate = recorder
    // As a guide has it: the listener is begun beside the load, in the same turn.
    let needs = Counter()
    let listener = Task {
      for await change in authenticator.changes() where change == .signInNeeded { needs.increment() }
    }
    defer { listener.cancel() }
    manager.load(["n": 1])
    await waitUntil { needs.value > 0 }
    XCTAssertTrue(authenticator.isSignInNeeded)
    let before = needs.value
    manager.load(["n": 2])
    // A second load that waits is announced as well.
    await waitUntil { needs.value > before }
    await waitUntil { authenticator.waiterCount == 2 }
    var late = authenticator.changes().makeAsyncIterator()
    let first = await late.next()
    XCTAssertEqual(first, .signInNeeded)
    manager.cancel()
    await waitUntil { !authenticator.isSignInNeeded }
    manager.load(["n": 3])
    await waitUntil { authenticator.isSignInNeeded }
    try authenticator.signIn(with: Credential(accessToken: "a"))
    await recorder.waitForLandings(3)
    XCTAssertFalse(authenticator.isSignInNeeded)
    var signedIn = authenticator.changes().makeAsyncIterator()
    let present = await signedIn.next()
    XCTAssertEqual(present, .signedIn)
  }

  func testTheCredentialOutlivesTheAuthenticatorInItsStore() async throws {
    acceptOnly("new")
    let store = MemoryCredentialStore()
    let first = Authenticator(store: store, renewal: renewing(to: "new"))
    try first.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    _ = try await makeManager(first).response()
    await waitUntil { store.credential(of: "default")?.accessToken == "new" }
    let second = Authenticator(store: store)
    XCTAssertEqual(second.credential?.accessToken, "new")
    try second.signOut()
    XCTAssertNil(store.credential(of: "default"))
  }

  func testAStoredResponseIsNotShownWhileNobodyIsSignedIn() async throws {
    stub.on("/api/list", .json(someJSON))
    let authenticator = try authenticator("ann")
    let manager = makeManager(authenticator, .required)
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh()
    _ = try await manager.response()
    let stored = try await manager.response()
    XCTAssertEqual(stored.provenance.isStored, true)
    try authenticator.signOut()
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { authenticator.waiterCount == 1 }
    XCTAssertEqual(recorder.landingCount, 0)
    XCTAssertEqual(stub.requests.count, 1)
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.first?.provenance, .network)
    let story = manager.record(of: flight)?.description ?? ""
    XCTAssertTrue(story.contains("cache: what is stored is not shown: nobody is signed in"), story)
  }

  func testALoadThatTakesOnlyWhatIsStoredFailsWhileNobodyIsSignedIn() async throws {
    stub.on("/api/list", .json(someJSON))
    let authenticator = try authenticator("ann")
    let manager = makeManager(authenticator, .required)
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh()
    _ = try await manager.response()
    let stored = try await manager.response([:], cache: .storedOnly)
    XCTAssertEqual(stored.provenance.isStored, true)
    try authenticator.signOut()
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response([:], cache: .storedOnly)
    }
    XCTAssertEqual(error.reason, .notCached)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTwoUsersAreNeverJoined() async throws {
    stub.on("/api/list", .json(someJSON))
    stub.hold()
    let authenticator = try authenticator("ann")
    let manager = makeManager(authenticator)
    manager.joinsIdenticalFlights = true
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    try await stub.waitForRequests(1)
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    manager.load()
    try await stub.waitForRequests(2)
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer ann", "Bearer bob"])
  }

  func testABodyThatIsUsedUpIsNotSentAgainButTheTokenIsRenewed() async throws {
    stub.on("/api/list", .status(401))
    let authenticator = try authenticator(renewal: renewing(to: "new"))
    let manager = makeManager(authenticator)
    manager.method = .post
    manager.body = .stream(
      HTTPBodyStream {
        let rest = Mutex<[[UInt8]]>([[1]])
        let chunks = Chunks(rest)
        return { chunks.next() }
      })
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.context.status, 401)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(authenticator.credential?.accessToken, "new")
  }

  func testABackendMaySayNoInItsOwnWords() async throws {
    stub.on("/api/list", .json(#"{"code": 40101}"#), .json(#"{"code": 0}"#))
    var rules = Authenticator.Rules()
    rules.isRefusal = { ($0.underlying as? BusinessError)?.code == "40101" }
    rules.attach = { credential, request in request.headers["X-Token"] = credential.accessToken }
    let manager = makeManager(try authenticator(rules: rules, renewal: renewing(to: "new")))
    manager.service.findBusinessError = { raw in
      raw["code"].int == 0 ? nil : BusinessError(code: raw["code"].lenientString ?? "", message: "no")
    }
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["X-Token"] }, ["old", "new"])
  }
}

/// Gives the chunks of a body once.
private final class Chunks: Sendable {
  private let rest: Mutex<[[UInt8]]>
  init(_ rest: consuming Mutex<[[UInt8]]>) { self.rest = rest }
  func next() -> [UInt8]? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

/// Gives errors in turn.
private final class Outcomes: Sendable {
  private let errors: Mutex<[APIError]>
  init(_ errors: consuming Mutex<[APIError]>) { self.errors = errors }
  func next() -> APIError { errors.withLock { $0.removeFirst() } }
}

extension Provenance {
  fileprivate var isStored: Bool {
    switch self {
    case .memory, .disk: true
    default: false
    }
  }
}
