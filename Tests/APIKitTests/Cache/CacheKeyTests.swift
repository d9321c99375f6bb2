import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What tells responses apart, and what is stored at all.
@MainActor final class CacheKeyTests: CachePolicyCase {
  // MARK: Keys

  func testTheOrderOfParametersDoesNotMatter() async throws {
    script(.json("[1]"))
    _ = try await lands(["city": "Suzhou", "beds": 2])
    XCTAssertEqualProvenance(try await lands(["beds": 2, "city": "Suzhou"]), .memory(age: .zero))
  }

  func testOtherParametersHaveOtherResponses() async throws {
    script(.json("[1]"))
    _ = try await lands(["page": 1])
    for parameters in [
      ["page": 2] as Parameters, ["page": "1"], ["page": ParameterValue.null], [:], ["page": [1]],
    ] {
      XCTAssertEqualProvenance(try await lands(parameters), .network)
    }
  }

  func testVolatileParametersDoNotTellResponsesApart() async throws {
    script(.json("[1]"))
    manager.cacheTraits.volatileParameters = ["request-id"]
    manager.service.common = ["timestamp": 1, "sign": "x"]
    _ = try await lands(["page": 1, "request-id": "a"])
    manager.service.common = ["timestamp": 2, "sign": "y"]
    XCTAssertEqualProvenance(try await lands(["page": 1, "request-id": "b"]), .memory(age: .zero))
  }

  func testALoadsOwnParameterOfAVolatileNameTellsResponsesApart() async throws {
    script(.json("[1]"))
    manager.service.common = ["timestamp": 0]
    for name in CacheTraits.usuallyVolatile {
      _ = try await lands([name: 1])
      XCTAssertEqualProvenance(try await lands([name: 2]), .network)
      XCTAssertEqualProvenance(try await lands([name: 1]), .memory(age: .zero))
    }
  }

  func testHostEnvironmentUserVersionAndMethodTellResponsesApart() async throws {
    stub.when({ _ in true }, .json("[1]"))
    _ = try await lands()
    var other = manager.service
    other.cachePartition = "user 7"
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other.cachePartition = ""
    other.environments = ServiceEnvironments("https://elsewhere.test/api")
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other.environments = ServiceEnvironments(
      [.development: "https://homes.test/api"], current: .development)
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other = makeManager().service
    other.apiVersion = "v2"
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    manager.service = makeManager().service
    manager.method = .head
    XCTAssertEqualProvenance(try await lands(), .network)
    manager.method = .get
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAnotherVersionOfTheManagerDoesNotGetTheResponse() async throws {
    script(.json("[1]"))
    _ = try await lands()
    manager.cacheTraits.version = 1
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  // MARK: Only what validated

  func testAResponseThatDoesNotValidateIsNotStored() async throws {
    script(.json("[1]"))
    manager.onValidateResponse = { _ in throw ValidationError("never") }
    _ = await fails()
    manager.onValidateResponse = { _ in }
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  func testABusinessErrorIsNotStored() async throws {
    script(.json("[1]"))
    manager.service.findBusinessError = { _ in BusinessError(code: "1", message: "no") }
    _ = await fails()
    XCTAssertEqual(cache.statistics.memory.stores, 0)
  }

  func testAStoredResponseThatValidatesNoMoreIsDroppedAndTheServerAsked() async throws {
    script(.json("[1]"), .json("[2]"))
    _ = try await lands()
    manager.onValidateResponse = { response in
      if response.raw[0].int == 1 { throw ValidationError("one is no longer good") }
    }
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
  }

  func testAnotherTypeOfManagerDoesNotGetTheResponse() async throws {
    script(.json("[1]"))
    _ = try await lands()
    let other = OtherManager(manager.service)
    let response = try await other.response([:])
    XCTAssertEqualProvenance(response, .network)
  }

  private final class OtherManager: BaseAPIManager, APIManager {
    let service: TestService
    let apiName = "list"
    let cachePolicy = CachePolicy.fresh()
    init(_ service: TestService) { self.service = service }
  }

  // MARK: Users

  /// A service that says nothing about whose responses it keeps.
  private struct SignedInService: APIService {
    let name = "Homes"
    let environments = ServiceEnvironments("https://homes.test/api")
    let wire: WireOptions
    let cache: CacheOptions
    let identity: ServiceIdentity

    init(client: HTTPClient, cache: ResponseCache, authenticator: Authenticator) {
      wire = WireOptions(client: client)
      self.cache = CacheOptions(store: cache)
      identity = ServiceIdentity(authenticator: authenticator)
    }
  }

  private final class SignedInManager: BaseAPIManager, APIManager {
    let service: SignedInService
    let apiName = "list"
    let cachePolicy = CachePolicy.fresh()
    init(_ service: SignedInService) { self.service = service }
  }

  func testAFreshResponseIsNotShownToAnotherSignedInUser() async throws {
    script(.json("[1]"))
    let authenticator = Authenticator()
    let manager = SignedInManager(
      SignedInService(client: HTTPClient(transport: stub), cache: cache, authenticator: authenticator))
    XCTAssertEqualProvenance(try await manager.response([:]), .network)
    XCTAssertEqualProvenance(try await manager.response([:]), .memory(age: .zero))
    for user in ["ann", "bob"] {
      try authenticator.signIn(
        with: Credential(accessToken: "access of \(user)", refreshToken: "renew \(user)"))
      XCTAssertEqualProvenance(try await manager.response([:]), .network)
      XCTAssertEqualProvenance(try await manager.response([:]), .memory(age: .zero))
      try authenticator.signIn(
        with: Credential(accessToken: "next of \(user)", refreshToken: "renew \(user)"))
      XCTAssertEqualProvenance(try await manager.response([:]), .memory(age: .zero))
    }
    try authenticator.signOut()
    XCTAssertEqualProvenance(try await manager.response([:]), .memory(age: .zero))
    XCTAssertEqual(asked, 3, "nobody, ann and bob")
  }

  func testAResponseForWhoSignedInWhileTheLoadWasInTheAirIsNotStoredForNobody() async throws {
    stub.on("/api/list", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer bob" }, .json("[1]"))
    stub.hold()
    let authenticator = Authenticator()
    let manager = SignedInManager(
      SignedInService(client: HTTPClient(transport: stub), cache: cache, authenticator: authenticator))
    async let bobs = manager.response([:])
    try await stub.waitForRequests(1)
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    stub.release()
    XCTAssertEqualProvenance(try await bobs, .network)
    try authenticator.signOut()
    do {
      let response = try await manager.response([:])
      XCTFail("nobody was shown bob's response, \(response.provenance)")
    } catch {
      XCTAssertEqual(error.context.status, 401)
    }
  }

  func testTheKeyOfALoadIsKnownWithoutTheLoad() throws {
    let authenticator = Authenticator()
    let manager = SignedInManager(
      SignedInService(client: HTTPClient(transport: stub), cache: cache, authenticator: authenticator))
    stub.hold()
    var keys: [CacheKey?] = []
    for user in [nil, "ann", "bob"] {
      if let user { try authenticator.signIn(with: Credential(accessToken: user)) }
      let flight = try XCTUnwrap(manager.load(["page": 2]).flightID)
      let key = manager.storedKey(for: ["page": 2])
      XCTAssertEqual(key, manager.flightStore[flight]?.cache?.key)
      XCTAssertNotEqual(key, manager.storedKey(for: ["page": 3]))
      keys.append(key)
    }
    XCTAssertEqual(Set(keys).count, 3, "nobody, ann and bob")
    manager.cancel()
  }

  func testTheDefaultPartitionHoldsNoToken() throws {
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "s3cret"))
    let manager = SignedInManager(
      SignedInService(client: HTTPClient(transport: stub), cache: cache, authenticator: authenticator))
    stub.hold()
    let flight = manager.load().flightID
    let call = try XCTUnwrap(FlightRegistry.shared.flights().first { $0.id == flight }?.call)
    let partition = try XCTUnwrap(LoadIdentity.partition(of: call))
    XCTAssertEqual(partition.count, 64)
    XCTAssertFalse(partition.contains("s3cret"))
    manager.cancel()
  }
}
