import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitImages

/// The way from an address to a picture, over a stub.
@MainActor final class PicturePipelineTests: XCTestCase {
  private typealias Fixture = ImageFixture

  func testManyViewsOfOneImageShareOneLoadAndOneDecoding() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    let asking = (0..<20).map { _ in fixture.ask(Fixture.one) }
    try await fixture.stub.waitForRequests(1)
    fixture.stub.release()
    for one in asking {
      let picture = try await one.value.get()
      XCTAssertEqual(picture, fixture.drawing("one"))
    }
    XCTAssertEqual(fixture.stub.requests.count, 1)
    XCTAssertEqual(fixture.decoder.targets.all.count, 1)
  }

  func testViewsOfTwoSizesShareTheLoadAndHaveAPictureEach() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    let (small, large) = (fixture.ask(Fixture.one, 64), fixture.ask(Fixture.one, 640))
    try await fixture.stub.waitForRequests(1)
    await landingsWorkedOff()
    fixture.stub.release()
    let pictures = try await [small.value.get(), large.value.get()]
    XCTAssertEqual(pictures, [fixture.drawing("one", 64), fixture.drawing("one", 640)])
    XCTAssertEqual(fixture.stub.requests.count, 1)
  }

  func testAPictureInMemoryIsThereAtOnceAndAsksNothing() async throws {
    let fixture = Fixture()
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(fixture.pipeline.kept(Fixture.one, Fixture.target()), fixture.drawing("one"))
    XCTAssertNil(fixture.pipeline.kept(Fixture.two, Fixture.target()))
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target(640)))
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(fixture.stub.requests.count, 1)
    XCTAssertEqual(fixture.pipeline.keptBytes, 100)
  }

  func testTheMemoryIsBoundedInBytes() async throws {
    let fixture = Fixture(maximumBytes: 100)
    for address in [Fixture.one, Fixture.two] {
      _ = try await fixture.pipeline.picture(address, Fixture.target())
    }
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    XCTAssertNotNil(fixture.pipeline.kept(Fixture.two, Fixture.target()))
    XCTAssertEqual(fixture.pipeline.keptBytes, 100)
  }

  func testLoadsUseTheResponseCacheByThePolicyOfTheManager() async throws {
    let fixture = Fixture()
    fixture.manager.cachePolicy = .fresh()
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    fixture.pipeline.removeAll()
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(fixture.stub.requests.count, 1)
    XCTAssertEqual(fixture.decoder.targets.all.count, 2)
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target(), cache: .ignoring)
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testDecodingRunsOffTheMainThread() async throws {
    let fixture = Fixture()
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(fixture.decoder.wasOnMainThread.all, [false])
  }

  func testALoadThatNobodyWaitsForAnyLongerIsCancelled() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    let asking = (0..<2).map { _ in fixture.ask(Fixture.one) }
    try await fixture.stub.waitForRequests(1)
    await waitUntil { fixture.pipeline.waiterCount == 2 && fixture.stub.heldCount == 1 }
    asking[0].cancel()
    let first = await asking[0].value
    XCTAssertEqual(first.failureReason, .cancelled)
    XCTAssertEqual(fixture.stub.heldCount, 1, "the other one still waits")
    asking[1].cancel()
    let second = await asking[1].value
    XCTAssertEqual(second.failureReason, .cancelled)
    await waitUntil { fixture.stub.heldCount == 0 && !fixture.manager.isLoading }
  }

  func testAFailureLandsWithAllWhoWaitAndTheNextAsksAgain() async throws {
    let fixture = Fixture()
    fixture.stub.when({ $0.url.query == "id=1" }, .failure(.connectionLost), Fixture.image("one"))
    fixture.stub.hold()
    let asking = (0..<3).map { _ in fixture.ask(Fixture.one) }
    try await fixture.stub.waitForRequests(1)
    await landingsWorkedOff()
    fixture.stub.release()
    for one in asking {
      let reason = await one.value.failureReason
      XCTAssertEqual(reason, .connectionLost)
    }
    let picture = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(picture, fixture.drawing("one"))
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testBytesThatAreNoImageFailAndAreNotKept() async throws {
    let fixture = Fixture()
    fixture.stub.when({ $0.url.query == "id=1" }, Fixture.image("broken"))
    let reason = await fixture.ask(Fixture.one).value.failureReason
    XCTAssertEqual(reason, .malformedBody)
    XCTAssertEqual(fixture.pipeline.keptBytes, 0)
  }

  func testWhatTheServerForbidsToStoreIsShownAndNotKept() async throws {
    let fixture = Fixture()
    fixture.stub.when(
      { $0.url.query == "id=1" }, Fixture.image("one", headers: ["Cache-Control": "No-Store"]))
    let picture = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(picture, fixture.drawing("one"))
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
  }

  func testAFallbackIsShownAndNotKept() async throws {
    let network = NetworkMonitor(watchesSystem: false)
    let fixture = Fixture { service in
      service.network = network
      service.networkGate = .refuse
      service.onFallback = { _ in
        APIResponse(raw: [:], http: HTTPResponse(status: 200, body: .bytes(Array("none".utf8))))
      }
    }
    network.force(.offline)
    let substitute = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(substitute, fixture.drawing("none"))
    XCTAssertEqual(fixture.pipeline.keptBytes, 0)
    network.force(.wifi)
    let picture = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(picture, fixture.drawing("one"))
  }

  // MARK: URLs of a service

  func testAURLOfTheServiceIsLoadedAsItIsWithWhatTheServiceAdds() async throws {
    let fixture = Fixture { $0.extraHeaders = ["X-Client": "ios"] }
    fixture.stub.on("/photos/*", Fixture.image("one"))
    let url: HTTPURL = "https://homes.test/photos/a%2Fb.png?size=2&size=1&empty"
    _ = try await fixture.pipeline.picture(.url(url), Fixture.target())
    XCTAssertEqual(fixture.stub.requests.map(\.url.string), [url.string])
    XCTAssertEqual(fixture.stub.requests.first?.headers["X-Client"], "ios")
    XCTAssertNotNil(fixture.pipeline.kept(.url(url), Fixture.target()))
    for other: HTTPURL in [
      "https://homes.test/photos/a%2Fb.png?size=1&size=2&empty",
      "https://homes.test/photos/b.png?size=2&size=1&empty",
    ] {
      XCTAssertNil(fixture.pipeline.kept(.url(other), Fixture.target()), other.string)
    }
  }

  func testAURLOfTheServiceIsFoundInTheResponseCache() async throws {
    let fixture = Fixture()
    fixture.manager.cachePolicy = .fresh()
    fixture.stub.on("/photos/*", Fixture.image("one"), Fixture.image("two"))
    for query in ["v=1", "v=2", "v=1"] {
      let url = try HTTPURL("https://homes.test/photos/a.png?" + query)
      fixture.pipeline.removeAll()
      let picture = try await fixture.pipeline.picture(.url(url), Fixture.target())
      XCTAssertEqual(picture, fixture.drawing(query == "v=1" ? "one" : "two"))
    }
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testAURLOfAnotherOriginIsRefusedByNameAndNothingIsSent() async throws {
    let fixture = Fixture()
    for url: HTTPURL in [
      "https://elsewhere.test/1.png", "http://homes.test/1.png", "https://homes.test:8443/1",
    ] {
      let result = await fixture.ask(.url(url)).value
      XCTAssertEqual(result.failureReason, .misconfigured)
      XCTAssertNil(fixture.pipeline.kept(.url(url), Fixture.target()))
    }
    XCTAssertEqual(fixture.stub.requests.count, 0)
  }

  // MARK: Users

  private func signedIn(_ change: (inout TestService) -> Void = { _ in }) throws -> (Fixture, Authenticator) {
    let authenticator = Authenticator()
    let fixture = Fixture { service in
      service.authenticator = authenticator
      service.cachePartition = nil
      change(&service)
    }
    try authenticator.signIn(with: Credential(accessToken: "anna"))
    return (fixture, authenticator)
  }

  func testAnotherUserSeesNoPictureOfTheOneBefore() async throws {
    let (fixture, authenticator) = try signedIn()
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertNotNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    try authenticator.signOut()
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    try authenticator.signIn(with: Credential(accessToken: "bert"))
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testAUserNamedByAHeaderFieldHasPicturesOfHisOwn() async throws {
    let token = Record<String>()
    token.add("anna")
    let fixture = Fixture { service in
      service.cachePartition = nil
      service.onHeaders = { ["Authorization": "Bearer \(token.all.last ?? "")"] }
    }
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    XCTAssertNotNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    token.add("bert")
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
  }

  func testWhatIsForAllUsersStaysOverASignOut() async throws {
    let (fixture, authenticator) = try signedIn { $0.cachePartition = "" }
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    try authenticator.signOut()
    XCTAssertNotNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
  }

  func testWhoSignsOutDuringTheDecodingIsShownNothingAndNothingIsKept() async throws {
    let (fixture, authenticator) = try signedIn()
    fixture.decoder.gate.close()
    let asking = fixture.ask(Fixture.one)
    try await fixture.decoder.gate.waitForArrivals(1)
    try authenticator.signOut()
    fixture.decoder.gate.open()
    let reason = await asking.value.failureReason
    XCTAssertEqual(reason, .signedOut)
    XCTAssertEqual(fixture.pipeline.keptBytes, 0)
  }

  func testTheEnvironmentsOfAServiceHavePicturesOfTheirOwn() async throws {
    let environments = ServiceEnvironments([
      .release: "https://homes.test/api", .development: "https://dev.homes.test/api",
    ])
    let fixture = Fixture { ($0.name, $0.environments) = ("Pictures", environments) }
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    environments.current = .development
    XCTAssertNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
    environments.current = .release
    XCTAssertNotNil(fixture.pipeline.kept(Fixture.one, Fixture.target()))
  }
}
