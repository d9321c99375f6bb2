import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Loads whose parameters go into header fields and cookies count like loads whose manager states them.
@MainActor final class ParameterFieldTests: CachePolicyCase {
  private var headers: [HTTPHeaders] { stub.requests.map(\.headers) }

  private func manager(_ encoding: ParameterEncoding) -> TestManager {
    stub.when({ _ in true }, .json(someJSON))
    let manager = TestManager(stub)
    manager.parameterEncoding = encoding
    manager.sharedState = SharedState()
    return manager
  }

  func testWhatCannotBeAFieldRefusesTheLoadByNameBeforeAnythingIsSent() async throws {
    let manager = manager(.query.inHeaders("X-Note").inCookies("theme"))
    for (name, word) in [("X-Note", "X-Note"), ("theme", "cookie theme")] {
      let error = try await errorThrown { () throws(APIError) in
        try await manager.response([name: "a\r\nX-Admin: 1"])
      }
      XCTAssertEqual(error.reason, .invalidHeader)
      XCTAssertTrue(error.description.contains(word), error.description)
    }
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAParameterWinsOverTheManagersFieldAndThatOverTheServices() async throws {
    let manager = manager(.query.inHeaders("X-Kind"))
    manager.service.extraHeaders = ["X-Kind": "service", "Cookie": "a=service"]
    manager.headers = ["x-kind": "manager"]
    _ = try await manager.response([:])
    _ = try await manager.response(["X-Kind": "load"])
    XCTAssertEqual(headers.map { $0.values("X-Kind") }, [["manager"], ["load"]])
    XCTAssertEqual(headers.map { $0["Cookie"] }, ["a=service", "a=service"])
  }

  func testCookiesOfParametersGoWithThoseOfServiceAndJar() async throws {
    let jar = CookieJar()
    for (name, value) in [("sid", "7"), ("theme", "light")] {
      jar.set(Cookie(name, value, domain: "homes.test", path: "/api"))
    }
    let manager = manager(.query.inCookies("theme"))
    manager.service.client.cookies = jar
    manager.service.extraHeaders = ["Cookie": "a=1"]
    _ = try await manager.response(["theme": "dark"])
    _ = try await manager.response([:])
    XCTAssertEqual(headers[0]["Cookie"], "theme=dark; a=1; sid=7")
    XCTAssertEqual(
      Set((headers[1]["Cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }),
      [
        "a=1", "sid=7", "theme=light",
      ])
    XCTAssertEqual(jar.cookies.map(\.value).sorted(), ["7", "light"])
  }

  func testCommonParametersHaveTheirPlacesToo() async throws {
    let manager = manager(.query.inHeaders("X-Tenant"))
    manager.service.common = ["X-Tenant": "north", "lang": "en"]
    _ = try await manager.response([:])
    XCTAssertEqual(headers[0]["X-Tenant"], "north")
    XCTAssertEqual(stub.requests[0].url.query, "lang=en")
  }

  func testBesideABodyOfTheManagersOwnTheyAreFieldsToo() async throws {
    let manager = manager(.json.inHeaders("If-Match").named(["id": "home"]))
    manager.method = .put
    manager.body = .bytes([1])
    _ = try await manager.response(["If-Match": "*", "id": 7])
    XCTAssertEqual(headers[0]["If-Match"], "*")
    XCTAssertEqual(stub.requests[0].url.query, "home=7")
    manager.parameterEncoding = .json.body(at: "id")
    let error = try await errorThrown { () throws(APIError) in try await manager.response(["id": 7]) }
    XCTAssertEqual(error.reason, .misconfigured)
  }

  func testAPlaceholderTakesItsParameterAndLeavesTheNameToTheBody() async throws {
    let manager = manager(.json)
    manager.method = .put
    manager.apiName = "users/{userID}"
    _ = try await manager.response(["userID": 7, "id": 8])
    XCTAssertEqual(stub.requests[0].url.path, "/api/users/7")
    guard case .bytes(let bytes) = stub.requests[0].body else { return XCTFail("no body") }
    XCTAssertEqual(String(decoding: bytes, as: UTF8.self), #"{"id":8}"#)
  }

  // MARK: Identity

  func testLoadsThatDifferInAFieldOrACookieDoNotShareARequest() async throws {
    let manager = manager(.query.inHeaders("Accept-Language").inCookies("theme"))
    manager.joinsIdenticalFlights = true
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    for parameters in [
      ["Accept-Language": "de"], ["Accept-Language": "en"], ["Accept-Language": "de"], ["theme": "a"],
      ["theme": "b"],
      ["theme": "a"],
    ] as [Parameters] { manager.load(parameters) }
    await waitUntil { manager.sharedState.joins.waiterCount == 6 }
    try await stub.waitForRequests(4)
    stub.release()
    await recorder.waitForLandings(6)
    XCTAssertEqual(stub.requests.count, 4)
  }

  func testTheyTellStoredResponsesApartUnlessTheyAreVolatile() async throws {
    script(.json("[1]"))
    manager.parameterEncoding = .query.inHeaders("X-Tenant", "X-Trace").inCookies("theme")
    manager.cacheTraits.volatileParameters = ["X-Trace"]
    _ = try await lands(["X-Tenant": "a", "theme": "x", "X-Trace": 1])
    XCTAssertEqualProvenance(
      try await lands(["X-Tenant": "a", "theme": "x", "X-Trace": 2]), .memory(age: .zero))
    XCTAssertEqualProvenance(try await lands(["X-Tenant": "b", "theme": "x"]), .network)
    XCTAssertEqualProvenance(try await lands(["X-Tenant": "a", "theme": "y"]), .network)
  }

  func testAResponseThatVariesByTheirFieldIsFoundAgain() async throws {
    script(.json("[1]", headers: ["Vary": "Accept-Language, Cookie"]))
    manager.parameterEncoding = .query.inHeaders("Accept-Language").inCookies("theme")
    manager.cacheTraits.volatileParameters = ["Accept-Language", "theme"]
    _ = try await lands(["Accept-Language": "de", "theme": "x"])
    XCTAssertEqualProvenance(try await lands(["Accept-Language": "de", "theme": "x"]), .memory(age: .zero))
    XCTAssertEqualProvenance(try await lands(["Accept-Language": "en", "theme": "x"]), .network)
    XCTAssertEqualProvenance(try await lands(["Accept-Language": "en", "theme": "y"]), .network)
  }

  func testACacheControlOfTheLoadIsObeyed() async throws {
    let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    script(.json("[1]", headers: fresh), .json("[2]", headers: fresh))
    manager.parameterEncoding = .query.inHeaders("Cache-Control")
    manager.cacheTraits.volatileParameters = ["Cache-Control"]
    manager.cachePolicy = .http
    _ = try await lands([:])
    XCTAssertEqualProvenance(try await lands([:]), .memory(age: .zero))
    XCTAssertEqualProvenance(try await lands(["Cache-Control": "no-cache"]), .network)
    _ = try await lands(["Cache-Control": "max-stale"], cache: .ignoringAllCaches)
    XCTAssertEqual(
      headers.map { $0.values("Cache-Control") }, [[], ["no-cache"], ["max-stale", "no-cache"]])
  }

  func testASecretFieldIsWhoseTheLoadIs() async throws {
    let manager = manager(.query.inHeaders("X-API-Key").inCookies("theme"))
    manager.service.cachePartition = nil
    func call(_ parameters: Parameters) throws -> APICall {
      try manager.makeCall(keeping: parameters, ManualTime())
    }
    func identity(_ parameters: Parameters) throws -> LoadIdentity { LoadIdentity(try call(parameters)) }
    XCTAssertEqual(try identity(["X-API-Key": "ann"]), try identity(["X-API-Key": "ann"]))
    XCTAssertNotEqual(try identity(["X-API-Key": "ann"]), try identity(["X-API-Key": "bob"]))
    XCTAssertNotEqual(try identity(["theme": "a"]), try identity(["theme": "b"]))
    XCTAssertNotEqual(
      LoadIdentity.partition(of: try call(["theme": "a"])), LoadIdentity.partition(of: try call([:])))
  }

  func testOfABatchTheyAreSentAndKeepItsLoadsApart() async throws {
    let manager = manager(.query.inHeaders("Accept-Language"))
    let time = ManualTime()
    manager.time = time
    manager.apiName = "home"
    manager.service.onBatchPlan = { _ in
      BatchPlan(apiName: "homes") { loads in
        ["ids": loads.compactMap { $0["id"]?.integer }]
      } split: { raw, loads in
        loads.map { _ in raw }
      }
    }
    let recorder = Recorder()
    manager.delegate = recorder
    for (id, language) in [(1, "de"), (2, "de"), (3, "en"), (4, "en")] {
      manager.load(["id": id, "Accept-Language": language])
    }
    await waitUntil { manager.sharedState.batches.waitingCount == 4 }
    await time.advanceOnceAsleep(by: .milliseconds(10), sleepers: 2)
    await recorder.waitForLandings(4)
    XCTAssertEqual(Set(headers.map { $0["Accept-Language"] }), ["de", "en"])
    XCTAssertEqual(stub.requests.count, 2)
  }

  // MARK: Signatures and masks

  func testASignatureOverParametersLeavesThemToTheHead() async throws {
    let seen = Record<(request: HTTPRequest, subject: SigningSubject)>()
    let manager = manager(.query.inHeaders("If-Match").inCookies("theme").named(["q": "search"]))
    manager.service.signer = SubjectSigner(seen: seen)
    _ = try await manager.response(["If-Match": "*", "theme": "dark", "q": "x"])
    let witnessed = try XCTUnwrap(seen.all.first)
    XCTAssertEqual(witnessed.subject.parameters, ["search": "x"])
    XCTAssertEqual(witnessed.request.headers["If-Match"], "*")
    XCTAssertEqual(witnessed.request.headers["Cookie"], "theme=dark")
  }

  func testRecordsMaskCookiesAndWhatIsASecretByTheNameThatIsSent() async throws {
    let manager = manager(.query.inHeaders("X-API-Key").inCookies("visit").named(["k": "api_key"]))
    manager.onValidateParameters = { if $0["fail"] != nil { throw ValidationError("no") } }
    let secret: Parameters = ["X-API-Key": "hunter2", "visit": "hunter3", "k": "hunter4", "city": "Ames"]
    let response = try await manager.response(secret)
    let refused = manager.load(secret.merging(["fail": 1]))
    for record in [response.record, refused.refusal?.record] {
      let text = try XCTUnwrap(record).description
      XCTAssertFalse(text.contains("hunter"), text)
      XCTAssertTrue(text.contains("city=Ames"), text)
    }
    XCTAssertFalse(stub.requests[0].curlCommand().contains("hunter"))
    XCTAssertTrue(stub.requests[0].url.query?.contains("api_key=hunter4") ?? false)
  }
}

private struct SubjectSigner: RequestSigner {
  let seen: Record<(request: HTTPRequest, subject: SigningSubject)>

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    seen.add((request, subject))
  }
}
