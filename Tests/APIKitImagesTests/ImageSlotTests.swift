import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitImages

/// The place of an image in a view, over a stub: what is drawn, what is sent and what is cancelled.
@MainActor final class ImageSlotTests: XCTestCase {
  private typealias Fixture = ImageFixture

  /// A view as the tests need one: it notes each drawing.
  @MainActor private final class Screen {
    let slot = ImageSlot<Drawing>()
    private(set) var drawings: [String] = []

    init() {
      slot.onChange = { [weak self] in self.map { $0.drawings.append($0.drawn($0.slot.phase)) } }
    }

    func drawn(_ phase: ImageSlotMachine<Drawing>.Phase) -> String {
      switch phase {
      case .placeholder: "placeholder"
      case .picture(let picture, _): String(decoding: picture.bytes, as: UTF8.self)
      case .failure(let error): error.reason.description
      }
    }
  }

  private func visibleScreen() -> Screen {
    let screen = Screen()
    screen.slot.appear()
    screen.slot.resize(to: Fixture.target())
    return screen
  }

  func testAReusedViewCancelsTheLoadBeforeAndDrawsTheNewImageAlone() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    let screen = visibleScreen()
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    try await fixture.stub.waitForRequests(1)
    screen.slot.show(Fixture.two, by: fixture.pipeline)
    try await fixture.stub.waitForRequests(2)
    await waitUntil { fixture.stub.heldCount == 1 }
    fixture.stub.release()
    await waitUntil { !screen.drawings.isEmpty }
    XCTAssertEqual(screen.drawings, ["two"])
    XCTAssertEqual(fixture.stub.requests.map(\.url.query), ["id=1", "id=2"])
  }

  func testDisappearanceCancelsTheLoadAndReappearanceLoadsAgain() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    let screen = visibleScreen()
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    try await fixture.stub.waitForRequests(1)
    screen.slot.disappear()
    await waitUntil { fixture.stub.heldCount == 0 && !fixture.manager.isLoading }
    fixture.stub.release()
    screen.slot.appear()
    await waitUntil { !screen.drawings.isEmpty }
    XCTAssertEqual(screen.drawings, ["one"])
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testAPictureInMemoryIsDrawnInTheSameTurnWithoutThePlaceholder() async throws {
    let fixture = Fixture()
    _ = try await fixture.pipeline.picture(Fixture.one, Fixture.target())
    _ = try await fixture.pipeline.picture(Fixture.two, Fixture.target())
    let screen = visibleScreen()
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    screen.slot.show(Fixture.two, by: fixture.pipeline)
    XCTAssertEqual(screen.drawings, ["one", "two"])
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testAViewDrawsWhatIsInMemoryBeforeTheSlotHasHeardOfIt() async throws {
    let fixture = Fixture()
    _ = try await fixture.pipeline.picture(Fixture.two, Fixture.target())
    let screen = visibleScreen()
    func drawn(_ address: ImageAddress?, _ side: Int = 64) -> String {
      screen.drawn(screen.slot.phase(showing: address, by: fixture.pipeline, in: Fixture.target(side)))
    }
    XCTAssertEqual(drawn(Fixture.two), "two")
    XCTAssertEqual(drawn(Fixture.one), "placeholder")
    screen.slot.want(Fixture.two, by: fixture.pipeline, in: Fixture.target())
    XCTAssertEqual(drawn(Fixture.two, 640), "two", "the smaller one, until the larger one is there")
    XCTAssertEqual(drawn(Fixture.one), "placeholder", "nothing of another image")
    XCTAssertEqual(drawn(nil), "placeholder")
    XCTAssertEqual(screen.drawings, ["two"])
  }

  func testAFailureIsTriedAgainByATapAndNotByAnotherDrawing() async throws {
    let fixture = Fixture()
    fixture.stub.when({ $0.url.query == "id=1" }, .status(503), Fixture.image("one"))
    let screen = visibleScreen()
    screen.slot.want(Fixture.one, by: fixture.pipeline, in: Fixture.target())
    await waitUntil { screen.slot.isFailed }
    screen.slot.want(Fixture.one, by: fixture.pipeline, in: Fixture.target())
    XCTAssertTrue(screen.slot.isFailed)
    screen.slot.tap()
    XCTAssertFalse(screen.slot.isFailed)
    await waitUntil { screen.drawings.last == "one" }
    XCTAssertEqual(screen.drawings.dropFirst(), ["placeholder", "one"])
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testAStoredResponseThatIsNoImageIsLoadedAnewByATap() async throws {
    let fixture = Fixture()
    fixture.manager.cachePolicy = .fresh()
    fixture.stub.when({ $0.url.query == "id=1" }, Fixture.image("broken"), Fixture.image("one"))
    let screen = visibleScreen()
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    await waitUntil { screen.slot.isFailed }
    screen.slot.tap()
    await waitUntil { screen.drawings.last == "one" }
    XCTAssertEqual(fixture.stub.requests.count, 2)
  }

  func testTheSameNameAtAnotherLoaderIsAnotherImage() async throws {
    let (fixture, other) = (Fixture(), Fixture())
    other.stub.when({ $0.url.query == "id=1" }, Fixture.image("other"))
    let screen = visibleScreen()
    screen.slot.want(Fixture.one, by: fixture.pipeline, in: Fixture.target())
    await waitUntil { screen.drawings.last == "one" }
    screen.slot.want(Fixture.one, by: other.pipeline, in: Fixture.target())
    XCTAssertEqual(screen.drawings, ["one", "placeholder"])
    await waitUntil { screen.drawings.last == "other" }
  }

  func testAReleasedViewCancelsItsLoadAndIsReleasedDuringIt() async throws {
    let fixture = Fixture()
    fixture.stub.hold()
    var screen: Screen? = visibleScreen()
    weak let slot = screen?.slot
    screen?.slot.show(Fixture.one, by: fixture.pipeline)
    try await fixture.stub.waitForRequests(1)
    screen = nil
    XCTAssertNil(slot)
    await waitUntil { fixture.stub.heldCount == 0 && !fixture.manager.isLoading }
  }

  func testThePictureOfAUserIsNotShownToTheNext() async throws {
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "anna", notes: ["user": "anna"]))
    let fixture = Fixture { ($0.authenticator, $0.cachePartition) = (authenticator, nil) }
    let screen = visibleScreen()
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    await waitUntil { screen.drawings.last == "one" }
    try authenticator.signIn(with: Credential(accessToken: "bert", notes: ["user": "bert"]))
    fixture.stub.when({ $0.url.query == "id=1" }, Fixture.image("bert's"))
    let drawn = screen.slot.phase(showing: Fixture.one, by: fixture.pipeline, in: Fixture.target())
    XCTAssertEqual(screen.drawn(drawn), "placeholder")
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    XCTAssertEqual(screen.drawings, ["one", "placeholder"])
    await waitUntil { screen.drawings.last == "bert's" }
    // A new credential of the same user changes nothing.
    try authenticator.signIn(with: Credential(accessToken: "bert 2", notes: ["user": "bert"]))
    screen.slot.show(Fixture.one, by: fixture.pipeline)
    XCTAssertEqual(screen.drawings, ["one", "placeholder", "bert's"])
  }
}
