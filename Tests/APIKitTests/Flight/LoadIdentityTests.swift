import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// Loads on behalf of different callers never share a wire call, a batch or a stored response.
@MainActor final class LoadIdentityTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let cache = ResponseCache()

  /// Two services that differ in one thing alone, by which a server tells their callers apart.
  private var pairs: [(what: String, ann: TestService, bob: TestService)] {
    func pair(_ what: String, _ change: (inout TestService, String) -> Void) -> (
      String, TestService, TestService
    ) {
      var (ann, bob) = (TestService(stub), TestService(stub))
      change(&ann, "ann")
      change(&bob, "bob")
      return (what, ann, bob)
    }
    return [
      pair("cookies of two jars") { service, user in
        let jar = CookieJar()
        jar.set(Cookie("sid", user, domain: "homes.test", path: "/api"))
        service.client.cookies = jar
      },
      pair("keys of HMAC signers") { $0.signer = HMACSigner(key: SecretKey($1)) },
      pair("keys of salted digests") { $0.signer = SaltedDigestSigner(key: SecretKey($1)) },
      pair("registered applications") {
        $0.signer = RegisteredApplicationSigner(
          applicationKey: SecretKey($1), sealingKey: SecretKey(bytes: [UInt8](repeating: 7, count: 32)))
      },
      pair("signers of the application that say so") { $0.signer = OwnSigner(caller: $1) },
      pair("signers of the application that do not") { service, _ in service.signer = OwnSigner(caller: nil)
      },
      pair("credentials") { service, user in
        let authenticator = Authenticator()
        try? authenticator.signIn(with: Credential(accessToken: user))
        service.authenticator = authenticator
      },
      pair("transports") { $0.client.transport = OwnTransport(stub: self.stub, caller: $1) },
      pair("secret fields of the service") { $0.extraHeaders = ["Authorization": "Bearer \($1)"] },
    ]
  }

  private func makeManager(_ service: TestService) -> TestManager {
    let manager = TestManager(service)
    manager.sharedState = sharedState
    return manager
  }

  func testIdenticalLoadsOfTwoCallersMakeACallEach() async throws {
    for (what, ann, bob) in pairs {
      stub.reset()
      stub.on("/api/list", .json(someJSON))
      let managers = [makeManager(ann), makeManager(bob)]
      stub.hold()
      for manager in managers {
        manager.joinsIdenticalFlights = true
        manager.load()
      }
      try await stub.waitForRequests(2)
      stub.release()
      await waitUntil { managers.allSatisfy { !$0.isLoading } }
      XCTAssertEqual(stub.requests.count, 2, what)
    }
  }

  func testTwoJarsThatHaveNothingYetMakeACallEachForTheResponseMayFillThem() async throws {
    stub.on("/api/list", .status(200, headers: ["Set-Cookie": "sid=1; Path=/"]))
    stub.hold()
    let jars = [CookieJar(), CookieJar()]
    let managers = jars.map { jar in
      var service = TestService(stub)
      service.client.cookies = jar
      return makeManager(service)
    }
    for manager in managers {
      manager.joinsIdenticalFlights = true
      manager.load()
    }
    try await stub.waitForRequests(2)
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(jars.map(\.cookies.count), [1, 1])
  }

  func testLoadsOfOneCallerStillShareACall() async throws {
    let jar = CookieJar()
    jar.set(Cookie("sid", "ann", domain: "homes.test"))
    var service = TestService(stub)
    service.client.cookies = jar
    service.signer = HMACSigner(key: SecretKey("ann"))
    stub.hold()
    let managers = [makeManager(service), makeManager(service)]
    for manager in managers {
      manager.joinsIdenticalFlights = true
      manager.load()
    }
    await waitUntil { self.sharedState.joins.waiterCount == 2 }
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testLoadsOfTwoCallersAreNeverInOneBatch() async throws {
    for (what, ann, bob) in pairs {
      stub.reset()
      stub.on("/api/home", .json(#"{"id": 1}"#))
      stub.on("/api/homes", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
      let managers = [ann, bob].map { service in
        var service = service
        service.onBatchPlan = { call in
          guard call.apiName == "home" else { return nil }
          var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
          plan.maximumCount = 2
          return plan
        }
        return makeManager(service)
      }
      for (index, manager) in managers.enumerated() {
        manager.apiName = "home"
        manager.load(["id": index + 1])
      }
      await waitUntil { managers.allSatisfy { !$0.isLoading } }
      XCTAssertEqual(stub.requests.map(\.url.path), ["/api/home", "/api/home"], what)
    }
  }

  func testAStoredResponseIsShownToItsCallerAlone() async throws {
    for (what, ann, bob) in pairs {
      stub.reset()
      stub.on("/api/list", .json(someJSON))
      let managers = [ann, bob].map { service in
        let manager = CallersManager(service, ResponseCache())
        return manager
      }
      managers[1].service.store = managers[0].service.store
      for manager in managers { _ = try await manager.response() }
      XCTAssertEqual(stub.requests.count, 2, what)
      for manager in managers { _ = try await manager.response() }
      let isUnknown = what.hasSuffix("do not")
      XCTAssertEqual(stub.requests.count, isUnknown ? 4 : 2, what)
    }
  }

  func testAnotherUserOfTheSameJarIsNotShownWhatTheOneBeforeWas() async throws {
    stub.on("/api/list", .computed { .json(#"{"user": "\#($0.headers["Cookie"] ?? "nobody")"}"#) })
    let jar = CookieJar()
    var service = TestService(stub)
    service.client.cookies = jar
    let manager = CallersManager(service, cache)
    for user in ["sid=ann", "sid=bob", "sid=ann"] {
      jar.store(["Set-Cookie": "\(user); Path=/"], from: "https://homes.test/")
      let response = try await manager.response()
      XCTAssertEqual(response.raw.user.string, user)
    }
    XCTAssertEqual(stub.requests.count, 2, "ann's is found again")
    jar.removeAll()
    let response = try await manager.response()
    XCTAssertEqual(response.raw.user.string, "nobody")
  }

  func testAResponseThatSignsInIsNotStoredForNobody() async throws {
    stub.on("/api/list", .status(200, headers: ["Set-Cookie": "sid=ann; Path=/"]))
    var service = TestService(stub)
    service.client.cookies = CookieJar()
    let manager = CallersManager(service, cache)
    _ = try await manager.response()
    service.client.cookies = CookieJar()
    let other = CallersManager(service, cache)
    _ = try await other.response()
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testVaryComparesTheCookiesAndTheCredentialThatWereSent() async throws {
    for name in ["Cookie", "Authorization"] {
      stub.reset()
      stub.on(
        "/api/list",
        .computed { .json(#""\#($0.headers[name] ?? "none")""#, headers: ["Vary": name]) })
      let (jar, authenticator) = (CookieJar(), Authenticator())
      var service = TestService(stub)
      service.client.cookies = jar
      service.authenticator = authenticator
      service.store = ResponseCache()
      // One partition for all: the server's own word keeps users apart.
      let manager = makeManager(service)
      manager.cachePolicy = .fresh()
      var seen: [String?] = []
      for user in ["ann", "bob", "bob"] {
        jar.set(Cookie("sid", user, domain: "homes.test"))
        try authenticator.signIn(with: Credential(accessToken: user))
        seen.append(try await manager.response().raw.string)
      }
      let expected =
        name == "Cookie" ? ["sid=ann", "sid=bob", "sid=bob"] : ["Bearer ann", "Bearer bob", "Bearer bob"]
      XCTAssertEqual(seen, expected)
      XCTAssertEqual(stub.requests.count, 2, name)
    }
  }

  func testASignerThatDoesNotSayWhoseItIsKeepsItsLoadsOutOfTheCacheWithAReason() async throws {
    var service = TestService(stub)
    service.signer = OwnSigner(caller: nil)
    let manager = CallersManager(service, cache)
    let response = try await manager.response()
    let record = try XCTUnwrap(response.record?.description)
    XCTAssertTrue(
      record.contains("cache: nothing is stored or found: the signer does not state its caller"), record)
    XCTAssertEqual(cache.statistics.memory.count, 0)
    manager.cachePolicy = .cacheOnly
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .notCached)
    XCTAssertEqual(stub.requests.count, 1)
  }
}

/// A manager whose service says nothing about whose responses it keeps.
private final class CallersManager: BaseAPIManager, APIManager {
  struct Service: APIService {
    var base: TestService
    var store: ResponseCache?
    var name: String { base.name }
    var environments: ServiceEnvironments { base.environments }
    var identity: ServiceIdentity { base.identity }
    var wire: WireOptions { base.wire }
    var cache: CacheOptions { CacheOptions(store: store) }
    func headers(for call: APICall) -> HTTPHeaders { base.extraHeaders }
  }

  var service: Service
  let apiName = "list"
  var cachePolicy = CachePolicy.fresh()

  init(_ service: TestService, _ store: ResponseCache) {
    self.service = Service(base: service, store: store)
    super.init()
  }
}

private struct OwnSigner: RequestSigner {
  let caller: String?

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Sign"] = caller ?? "unknown"
  }
}

private struct OwnTransport: AsyncHTTPTransport {
  let stub: StubTransport
  let caller: String
  var capabilities: TransportCapabilities { stub.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try await stub.respond(to: exchange)
  }
}
