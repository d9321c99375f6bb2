import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What one backend's habits make of a call: endpoint, parameters, header fields, bytes, errors.
@MainActor final class ServiceTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  private func load(_ service: TestService, _ parameters: Parameters = [:]) async throws(APIError)
    -> HTTPRequest
  {
    let manager = TestManager(service)
    _ = try await manager.response(parameters)
    return stub.requests.last!
  }

  func testTheEnvironmentIsSwitchedAtRunTimeForLaterLoads() async throws {
    var service = TestService(stub)
    service.environments = ServiceEnvironments(
      [
        .release: "https://homes.test", .development: "http://127.0.0.1:8080/dev",
        "staging": "https://s.test",
      ])
    let first = try await load(service)
    service.environments.current = .development
    let second = try await load(service)
    service.environments.current = "staging"
    let third = try await load(service)
    XCTAssertEqual(
      [first, second, third].map(\.url.string),
      ["https://homes.test/list", "http://127.0.0.1:8080/dev/list", "https://s.test/list"])
  }

  func testAFlightInTheAirStaysInItsEnvironment() async throws {
    var service = TestService(stub)
    service.environments = ServiceEnvironments(
      [.release: "https://homes.test", .development: "https://dev.test"])
    service.environments.current = .release
    stub.hold()
    let manager = TestManager(service)
    manager.load()
    service.environments.current = .development
    stub.release()
    try await stub.waitForRequests(1)
    XCTAssertEqual(stub.requests[0].url.host, "homes.test")
    manager.cancel()
  }

  func testAnEnvironmentWithoutBaseURLFailsWithAReasonThatNamesIt() async throws {
    var service = TestService(stub)
    service.environments = ServiceEnvironments("https://homes.test")
    service.environments.current = "qa"
    let error = try await errorThrown { () throws(APIError) in try await self.load(service) }
    XCTAssertEqual(error.stage, .assembly)
    XCTAssertEqual(error.reason, .misconfigured)
    XCTAssertTrue(error.detail.contains("environment qa"), error.detail)
  }

  func testAnAbsoluteURLInThePlaceOfTheNameIsRefusedByName() async throws {
    let manager = TestManager(stub)
    for name in ["https://other.test/list?token=s3cret", "HTTP://127.0.0.1:8080", "x-app+1.0://open"] {
      manager.apiName = name
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.label, "assembly.misconfigured")
      XCTAssertTrue(error.detail.contains("TestManager"), error.detail)
      XCTAssertTrue(error.detail.contains(name.prefix { $0 != "?" }), error.detail)
      XCTAssertFalse(error.detail.contains("s3cret"), error.detail)
    }
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testANameWithAColonIsAPath() async throws {
    let manager = TestManager(stub)
    manager.apiName = "homes/urn:7/photos:latest"
    _ = try await manager.response()
    manager.apiName = "proxy/https://homes.test"
    _ = try await manager.response()
    XCTAssertEqual(
      stub.requests.map(\.url.path), ["/api/homes/urn:7/photos:latest", "/api/proxy/https://homes.test"])
  }

  func testVersionAndNameFollowTheBaseURL() async throws {
    var service = TestService(stub)
    service.apiVersion = "v2"
    let request = try await load(service)
    XCTAssertEqual(request.url.string, "https://homes.test/api/v2/list")
  }

  func testPlaceholdersAreFilledFromParametersAndNotSentAgain() async throws {
    let manager = TestManager(stub)
    manager.apiName = "home/{id}/photos"
    _ = try await manager.response(["id": "a/b", "size": "l"])
    XCTAssertEqual(stub.requests[0].url.string, "https://homes.test/api/home/a%2Fb/photos?size=l")
  }

  func testAMissingPlaceholderFailsInAssembly() async throws {
    let manager = TestManager(stub)
    manager.apiName = "home/{id}"
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.stage, .assembly)
    XCTAssertEqual(error.reason, .invalidURL)
    XCTAssertTrue(error.detail.contains("{id}"), error.detail)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAnEnvironmentStatesWhichServersItAsksWithoutTLS() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = TestService(stub)
    service.environments = ServiceEnvironments(
      [.release: "https://homes.test", .development: "http://dev.test", "staging": "http://staging.test"],
      cleartext: [.release: .loopback, .development: .loopback(and: ["dev.test"]), "staging": .loopback])
    let manager = TestManager(service)
    _ = try await manager.response()
    service.environments.current = .development
    _ = try await manager.response()
    service.environments.current = "staging"
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .cleartextRefused)
    XCTAssertEqual(stub.requests.map(\.url.host), ["homes.test", "dev.test"])
    service.environments["staging"] = "https://staging.test"
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.last?.options.cleartext, .loopback, "a new base URL keeps the policy")
  }

  func testAnEndpointRuleOfTheServicesOwnWins() async throws {
    let manager = RuledManager(service: RuledService(wire: WireOptions(client: HTTPClient(transport: stub))))
    _ = try await manager.response(["id": 7, "x": 1])
    XCTAssertEqual(stub.requests[0].url.string, "https://gateway.test/?do=detail&x=1")
  }

  func testParametersAndHeadersOfTheCallWinOverTheCommonOnes() async throws {
    var service = TestService(stub)
    service.common = ["app": "demo", "lang": "en"]
    service.extraHeaders = ["X-App": "demo", "Accept": "application/json"]
    let manager = TestManager(service)
    manager.headers = ["x-app": "mine"]
    _ = try await manager.response(["lang": "zh"])
    let request = stub.requests[0]
    XCTAssertEqual(request.url.query, "app=demo&lang=zh")
    XCTAssertEqual(request.headers.values("X-App"), ["mine"])
    XCTAssertEqual(request.headers["Accept"], "application/json")
  }

  func testTimeoutsOfTheManagerWinOverTheServices() async throws {
    var service = TestService(stub)
    service.timeouts = HTTPTimeouts(total: .seconds(9))
    let manager = TestManager(service)
    _ = try await manager.response()
    manager.timeouts = HTTPTimeouts(total: .seconds(2))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map(\.timeouts.total), [.seconds(9), .seconds(2)])
  }

  func testBytesAreEncipheredOnTheWayOutAndDecipheredOnTheWayBack() async throws {
    let reversed = Array(someJSON.utf8.reversed())
    let stub = StubTransport(.bytes(reversed, headers: ["Content-Type": "application/json"]))
    var service = TestService(stub)
    service.transform = { $0.reversed() }
    let manager = TestManager(service)
    manager.method = .post
    let response = try await manager.response(["a": 1])
    XCTAssertEqual(response.raw["total"].int, 1)
    guard case .bytes(let sent) = stub.requests[0].body else { return XCTFail("no body") }
    XCTAssertEqual(String(decoding: sent.reversed(), as: UTF8.self), #"{"a":1}"#)
  }

  func testABodyThatCannotBeDecipheredIsKeptInTheError() async throws {
    struct WrongKey: Error {}
    var service = TestService(StubTransport(.text("secret")))
    service.transform = { _ in throw WrongKey() }
    let manager = TestManager(service)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .undecipherableBody)
    XCTAssertTrue(error.underlying is WrongKey)
    XCTAssertEqual(error.response?.bytes, Array("secret".utf8))
  }

  func testTheErrorHookMayLetThroughReplaceSwallowAndReplay() async throws {
    let failing = StubTransport(.status(500))
    var service = TestService(failing)
    let calls = Counter()
    service.onError = { _ in
      calls.increment()
      return .letThrough
    }
    var error = try await errorThrown { () throws(APIError) in try await TestManager(service).response() }
    XCTAssertEqual(error.reason, .unacceptableStatus)
    XCTAssertEqual(calls.value, 1)

    service.onError = { _ in .replace(APIError(.auth, .businessError, "signed out")) }
    error = try await errorThrown { () throws(APIError) in try await TestManager(service).response() }
    XCTAssertEqual(error.detail, "signed out")
    XCTAssertEqual(error.context.apiName, "list")

    service.onError = { _ in .swallow }
    let recorder = Recorder()
    let manager = TestManager(service)
    manager.delegate = recorder
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.handledByService])

    let healing = StubTransport(.status(500), .json(someJSON))
    service.client = HTTPClient(transport: healing)
    service.onError = { _ in .replay }
    let response = try await TestManager(service).response()
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(healing.requests.count, 2)
  }

  func testSeveralServicesLiveSideBySide() async throws {
    var homes = TestService(stub)
    homes.name = "Homes"
    var rents = TestService(stub)
    rents.name = "Rents"
    rents.environments = ServiceEnvironments("https://rents.test/v9")
    _ = try await load(homes)
    _ = try await load(rents)
    XCTAssertEqual(stub.requests.map(\.url.host), ["homes.test", "rents.test"])
  }

  func testEveryAttemptIsSignedWithAFreshNonceAndTheServersClock() async throws {
    var service = TestService(stub)
    service.signer = NonceSigner()
    service.clock = ServerClock(device: { 1000 })
    service.clock?.offset = 500
    _ = try await load(service, ["b": 2])
    _ = try await load(service, ["b": 2])
    let signatures = stub.requests.compactMap { $0.headers["X-Signature"] }
    XCTAssertEqual(signatures.count, 2)
    XCTAssertTrue(signatures.allSatisfy { $0.hasPrefix("list b 1500 ") }, "\(signatures)")
    XCTAssertNotEqual(signatures[0], signatures[1])
  }
}

/// A gateway whose APIs are told apart by a parameter.
private struct RuledService: APIService {
  let name = "Gateway"
  let environments = ServiceEnvironments("https://gateway.test")
  var wire: WireOptions

  func endpoint(of call: APICall) throws(APIError) -> Endpoint {
    var url = call.baseURL!
    url.query = "do=\(call.apiName)"
    return Endpoint(url: url, apiName: call.apiName, pathParameters: ["id"])
  }
}

private final class RuledManager: BaseAPIManager, APIManager {
  let service: RuledService
  let apiName = "detail"

  init(service: RuledService) {
    self.service = service
    super.init()
  }
}

/// Writes what it was given into a header field.
private struct NonceSigner: RequestSigner {
  var volatileParameters: Set<String> { [] }

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Signature"] =
      "\(subject.apiName) \(subject.parameters.names.joined()) \(subject.secondsSince1970) \(subject.nonce)"
  }
}
