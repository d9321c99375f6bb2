import APIKit
import XCTest

@testable import APIKitImages

/// What a view shows of its image, and what is loaded for it, event by event.
final class ImageSlotMachineTests: XCTestCase {
  private typealias Machine = ImageSlotMachine<String>
  private let one = ImageAddress.url("https://images.test/1")
  private let two = ImageAddress.url("https://images.test/2")
  private let failure = APIError(.transport, .connectionLost, "the connection was lost")

  private func target(_ side: Double) throws -> ImageTarget {
    try XCTUnwrap(ImageTarget(width: side, height: side, fills: true))
  }

  private func nothing(_ wish: Machine.Wish) -> String? { nil }

  /// A machine of a visible view of 64 pixels.
  private func visible(_ address: ImageAddress? = nil) throws -> Machine {
    var machine = Machine()
    machine.show(address, kept: nothing)
    machine.appear(kept: nothing)
    machine.resize(to: try target(64), kept: nothing)
    return machine
  }

  /// One that shows `picture`.
  private func showing(_ address: ImageAddress, _ picture: String) throws -> Machine {
    var machine = try visible(address)
    machine.landed(try XCTUnwrap(machine.load).number, .success(picture))
    return machine
  }

  private func failed(_ error: APIError) throws -> Machine {
    var machine = try visible(one)
    machine.landed(try XCTUnwrap(machine.load).number, .failure(error))
    return machine
  }

  private func shown(_ machine: Machine) -> String {
    switch machine.phase {
    case .placeholder: "placeholder"
    case .picture(let picture, _): picture
    case .failure(let error): error.label
    }
  }

  // MARK: Beginning

  func testNothingIsLoadedBeforeTheViewIsVisibleAndHasASize() throws {
    var machine = Machine()
    machine.show(one, kept: nothing)
    XCTAssertNil(machine.load)
    machine.resize(to: try target(64), kept: nothing)
    XCTAssertNil(machine.load)
    machine.appear(kept: nothing)
    XCTAssertEqual(machine.load?.wish, Machine.Wish(address: one, target: try target(64)))
    XCTAssertEqual(machine.load?.cache, .asPolicy)
    XCTAssertEqual(shown(machine), "placeholder")
  }

  func testAPictureInMemoryIsShownWithoutALoadAndWithoutAFlicker() throws {
    var machine = try showing(two, "two")
    let before = machine.changes
    machine.show(one) { $0.address == self.one ? "one" : nil }
    XCTAssertEqual(shown(machine), "one")
    XCTAssertNil(machine.load)
    XCTAssertGreaterThan(machine.changes, before)
  }

  func testTheSameImageAgainChangesNothing() throws {
    var machine = try visible(one)
    let load = machine.load
    machine.show(one, kept: nothing)
    XCTAssertEqual(machine.load, load)
    machine.landed(try XCTUnwrap(load).number, .success("one"))
    let changes = machine.changes
    machine.show(one, kept: nothing)
    machine.appear(kept: nothing)
    XCTAssertNil(machine.load)
    XCTAssertEqual(machine.changes, changes)
  }

  // MARK: Reuse

  func testAReusedViewShowsNothingOfTheImageBefore() throws {
    var machine = try visible(one)
    let first = try XCTUnwrap(machine.load)
    machine.show(two, kept: nothing)
    let second = try XCTUnwrap(machine.load)
    XCTAssertNotEqual(first.number, second.number)
    XCTAssertEqual(second.wish.address, two)
    machine.landed(first.number, .success("one"))
    XCTAssertEqual(shown(machine), "placeholder", "what comes after the reuse lands nowhere")
    XCTAssertEqual(machine.load, second)
    machine.landed(second.number, .success("two"))
    machine.landed(first.number, .failure(failure))
    XCTAssertEqual(shown(machine), "two")
  }

  func testAReusedViewThatShowedAPictureBeginsWithThePlaceholder() throws {
    var machine = try showing(one, "one")
    machine.show(two, kept: nothing)
    XCTAssertEqual(shown(machine), "placeholder")
    XCTAssertEqual(machine.load?.wish.address, two)
  }

  func testBackAtTheFirstImageItsFirstLoadStillLandsNowhere() throws {
    var machine = try visible(one)
    let first = try XCTUnwrap(machine.load)
    machine.show(two, kept: nothing)
    machine.show(one, kept: nothing)
    machine.landed(first.number, .success("late"))
    XCTAssertEqual(shown(machine), "placeholder")
    XCTAssertEqual(machine.load?.wish.address, one)
  }

  func testWithoutAnImageTheLoadIsGivenUp() throws {
    var machine = try visible(one)
    machine.show(nil, kept: nothing)
    XCTAssertNil(machine.load)
    XCTAssertEqual(shown(machine), "placeholder")
  }

  // MARK: Disappearance

  func testDisappearanceGivesTheLoadUpAndReappearanceLoadsAgain() throws {
    var machine = try visible(one)
    let first = try XCTUnwrap(machine.load)
    machine.disappear()
    XCTAssertNil(machine.load)
    machine.landed(first.number, .success("late"))
    XCTAssertEqual(shown(machine), "placeholder")
    machine.appear(kept: nothing)
    XCTAssertEqual(machine.load?.wish, first.wish)
    XCTAssertNotEqual(machine.load?.number, first.number)
  }

  func testWhatIsShownStaysOverADisappearance() throws {
    var machine = try showing(one, "one")
    machine.disappear()
    machine.appear(kept: nothing)
    XCTAssertEqual(shown(machine), "one")
    XCTAssertNil(machine.load)
  }

  func testAnInvisibleViewLoadsNothingWhateverItIsTold() throws {
    var machine = try visible(one)
    machine.disappear()
    machine.show(two, kept: nothing)
    machine.resize(to: try target(640), kept: nothing)
    machine.tap(kept: nothing)
    XCTAssertNil(machine.load)
  }

  // MARK: Sizes

  func testALargerViewKeepsItsPictureUntilTheLargerOneIsThere() throws {
    var machine = try showing(one, "small")
    machine.resize(to: try target(640), kept: nothing)
    XCTAssertEqual(shown(machine), "small")
    let load = try XCTUnwrap(machine.load)
    XCTAssertEqual(load.wish.target, try target(640))
    machine.landed(load.number, .success("large"))
    XCTAssertEqual(shown(machine), "large")
  }

  func testASmallerViewLoadsNothing() throws {
    var machine = try visible(one)
    let load = machine.load
    machine.resize(to: try target(32), kept: nothing)
    XCTAssertEqual(machine.load, load, "the larger one under way serves it")
    machine.landed(try XCTUnwrap(load).number, .success("one"))
    machine.resize(to: try target(10), kept: nothing)
    XCTAssertNil(machine.load)
  }

  func testASmallerPictureIsBetterThanAFailure() throws {
    var machine = try showing(one, "small")
    machine.resize(to: try target(640), kept: nothing)
    machine.landed(try XCTUnwrap(machine.load).number, .failure(failure))
    XCTAssertEqual(shown(machine), "small")
    XCTAssertNil(machine.load)
  }

  func testAViewThatLosesItsSizeGivesTheLoadUp() throws {
    var machine = try visible(one)
    machine.resize(to: nil, kept: nothing)
    XCTAssertNil(machine.load)
  }

  // MARK: Failures

  func testAFailureIsShownAndWaitsForATap() throws {
    var machine = try failed(failure)
    XCTAssertEqual(shown(machine), failure.label)
    machine.resize(to: try target(640), kept: nothing)
    XCTAssertNil(machine.load)
    machine.tap(kept: nothing)
    XCTAssertEqual(shown(machine), "placeholder")
    XCTAssertEqual(machine.load?.cache, .asPolicy)
    machine.landed(try XCTUnwrap(machine.load).number, .success("one"))
    XCTAssertEqual(shown(machine), "one")
  }

  func testAStoredResponseThatIsNoImageIsNotTakenAgain() throws {
    var machine = try failed(APIError(.response, .malformedBody, "it is no image"))
    machine.tap { _ in "kept" }
    XCTAssertEqual(machine.load?.cache, .ignoring)
  }

  func testTheSameImageAndAReappearanceTryAFailureAgain() throws {
    var asked = try failed(failure)
    asked.show(one, kept: nothing)
    XCTAssertNotNil(asked.load)
    var reappeared = try failed(failure)
    reappeared.disappear()
    XCTAssertEqual(shown(reappeared), failure.label)
    reappeared.appear(kept: nothing)
    XCTAssertNotNil(reappeared.load)
    XCTAssertEqual(shown(reappeared), "placeholder")
  }

  func testATapWithoutAFailureDoesNothing() throws {
    var loading = try visible(one)
    let load = loading.load
    loading.tap(kept: nothing)
    XCTAssertEqual(loading.load, load)
    var showing = try showing(one, "one")
    showing.tap(kept: nothing)
    XCTAssertNil(showing.load)
    XCTAssertEqual(shown(showing), "one")
  }
}
