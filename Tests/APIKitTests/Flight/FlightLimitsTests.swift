import APIKitTesting
import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit

/// Deadlines that end waits, and sizes and formats that decide on which thread a step runs.
@MainActor final class FlightLimitsTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()

  func testALoadThatHasLandedIsReleasedWithItsTransport() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    server.on(.get, "/api/list") { _ in .json(someJSON) }
    server.on(.get, "/api/refused") { _ in .json("{}", status: 500) }
    var transport: (any HTTPTransport)? = try DefaultTransport.make(.ephemeral)
    weak let released = transport as AnyObject?
    var flights: [() -> Flight?] = []
    for apiName in ["list", "refused", "unreachable", "list"] {
      let manager = TestManager(stub)
      let base = apiName == "unreachable" ? "http://127.0.0.1:1/" : server.baseURL.string
      manager.service.environments = ServiceEnvironments(try HTTPURL(base + "api"))
      manager.service.client = HTTPClient(transport: try XCTUnwrap(transport))
      manager.apiName = apiName
      manager.reportsProgress = true
      guard case .flying(let id) = manager.load() else { return XCTFail("it did not take off") }
      weak let flight = manager.flightStore[id]
      flights.append { flight }
      if flights.count == 4 { manager.cancel() }
      await waitUntil { !manager.isLoading }
    }
    transport = nil
    await waitUntil { released == nil && flights.allSatisfy { $0() == nil } }
  }

  func testTheDeadlineEndsTheWaitForASignIn() async throws {
    let authenticator = Authenticator()
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = .required
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { authenticator.waiterCount == 1 }
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
  }

  func testTheDeadlineEndsTheWaitForARenewal() async throws {
    stub.on("/api/list", .status(401))
    let gate = StubGate()
    let authenticator = Authenticator { _ in
      _ = await gate.arrive()
      return Credential(accessToken: "new")
    }
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { authenticator.waiterCount == 1 }
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    gate.open()
  }

  func testALongTextInsideAListIsNotAssembledOnTheMainThread() async throws {
    let text = ParameterValue.string(String(repeating: "a", count: 1 << 20))
    for parameters: Parameters in [["notes": [text]], ["note": ["text": text]]] {
      let sites = Record<Site>()
      let manager = TestManager(stub)
      manager.method = .post
      manager.parameterEncoding = .body(SpyEncoder(sites: sites))
      _ = try await manager.response(parameters)
      XCTAssertEqual(sites.all, [.other])
    }
  }

  func testTheServicesDecoderReadsARefusedStatusOffTheTransportsThread() async throws {
    for format in [ResponseExpectation.Format.bytes, .decoder(JSONBodyDecoder())] {
      let sites = Record<Site>()
      let manager = RefusedManager(
        RefusedService(
          client: HTTPClient(transport: HandTransport.responding { _ in .json(status: 404) }), sites: sites))
      manager.expectation.format = format
      _ = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(sites.all, [.other])
    }
  }
}

private struct SpyEncoder: BodyEncoder {
  let contentType = "application/json"
  let sites: Record<Site>
  var runsInline: Bool { true }
  func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    sites.add(.current)
    return [123, 125]
  }
}

private struct SpyDecoder: BodyDecoder {
  let sites: Record<Site>
  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
    sites.add(.current)
    return [:]
  }
}

private struct RefusedService: APIService {
  let name = "Refused"
  let environments = ServiceEnvironments("https://homes.test/api")
  let client: HTTPClient
  let sites: Record<Site>
  let businessErrors: BusinessErrorRule = .code("code", success: "0", message: "message")
  var wire: WireOptions {
    var decoders = BodyDecoders.standard
    decoders.register(SpyDecoder(sites: sites), for: "application/json")
    return WireOptions(client: client, decoders: decoders)
  }
}

private final class RefusedManager: BaseAPIManager, APIManager {
  let service: RefusedService
  let apiName = "list"
  var expectation = ResponseExpectation()
  init(_ service: RefusedService) {
    self.service = service
    super.init()
  }
}
