import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Delegate, validator, interceptors and the child's own hooks: who is asked when, and what a no does.
@MainActor final class CollaboratorTests: XCTestCase {
  private let stub = StubTransport()
  private let recorder = Recorder()

  private func makeManager(_ response: StubResponse = .json(someJSON)) -> TestManager {
    stub.on("/api/list", response)
    let manager = TestManager(stub)
    manager.delegate = recorder
    return manager
  }

  func testTheOrderOfASuccessIsFixed() async throws {
    let manager = makeManager()
    manager.validator = recorder
    manager.addInterceptor(recorder)
    manager.load()
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(
      recorder.events,
      [
        "validate.parameters", "shouldLoad", "didLoad", "validate.response", "didReceive", "beforeSuccess",
        "delegate.success", "afterSuccess",
      ])
  }

  func testTheOrderOfAFailureIsFixedAndAfterComesAfterTheDelegate() async throws {
    let manager = makeManager(.status(503))
    manager.addInterceptor(recorder)
    manager.load()
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(
      recorder.events,
      ["shouldLoad", "didLoad", "didReceive", "beforeFailure", "delegate.failure", "afterFailure"])
  }

  func testWithoutValidatorEverythingIsValid() async throws {
    let manager = makeManager()
    XCTAssertNil(manager.validator)
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.events, ["delegate.success"])
  }

  func testAVetoBeforeTakeoffSendsNothingAndIsToldByTheTakeoffAlone() async throws {
    let manager = makeManager()
    manager.addInterceptor(recorder)
    recorder.vetoes = ["shouldLoad"]
    XCTAssertEqual(manager.load().refusal?.reason, .vetoed)
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["shouldLoad"])
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAVetoedSuccessLandsAsCancelledAndLeavesNoData() async throws {
    let manager = makeManager()
    manager.addInterceptor(recorder)
    recorder.vetoes = ["beforeSuccess"]
    manager.load()
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.vetoed])
    XCTAssertEqual(recorder.events.last, "delegate.cancel")
    XCTAssertFalse(manager.rawData.exists)
  }

  func testAVetoedFailureLandsAsCancelled() async throws {
    let manager = makeManager(.status(500))
    manager.addInterceptor(recorder)
    recorder.vetoes = ["beforeFailure"]
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.vetoed])
    XCTAssertEqual(recorder.errors.count, 0)
  }

  func testARefusalWhoseDeliveryIsVetoedIsToldAsACancellation() async throws {
    let manager = makeManager()
    manager.addInterceptor(recorder)
    manager.onValidateParameters = { _ in throw ValidationError("city is missing") }
    recorder.vetoes = ["beforeFailure"]
    XCTAssertEqual(manager.load().refusal?.reason, .invalidParameters)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.vetoed])
    XCTAssertEqual(recorder.errors.count, 0)
    let flight = try XCTUnwrap(recorder.cancellations.first?.flight)
    let events = (manager.record(of: flight)?.events.map(\.description) ?? []).withoutNotices
    XCTAssertEqual(
      events,
      [
        "takeoff refused (parameters.invalid-parameters): city is missing",
        "interceptor: vetoed the delivery of the refusal",
      ])
  }

  func testInterceptorsAreAskedInOrderAndTheFirstVetoEndsTheAsking() async throws {
    let manager = makeManager()
    let first = Recorder()
    let second = Recorder()
    first.vetoes = ["shouldLoad"]
    manager.addInterceptor(first)
    manager.addInterceptor(second)
    manager.load()
    XCTAssertEqual(first.events, ["shouldLoad"])
    XCTAssertEqual(second.events, [])
    manager.removeInterceptor(first)
    manager.load()
    XCTAssertEqual(first.events, ["shouldLoad"])
    XCTAssertEqual(second.events, ["shouldLoad", "didLoad"])
  }

  func testAChildThatIsAnInterceptorHearsOfItsOwnLoads() async throws {
    let manager = SelfWatchingManager(TestService(stub))
    stub.on("/api/self", .json(someJSON))
    _ = try? await manager.response()
    XCTAssertEqual(manager.heard, ["shouldLoad", "afterSuccess"])
  }

  func testALoadWithOptionsAsksTheParameterSourceInBothForms() async throws {
    let manager = makeManager()
    recorder.given = ["city": "Ames"]
    manager.parameterSource = recorder
    let options = LoadOptions(usesCookies: false)
    manager.load(options: options)
    await recorder.waitForLandings()
    _ = try await manager.response(options: options)
    _ = try await manager.response([:], options: options)
    XCTAssertEqual(stub.requests.map(\.url.query), ["city=Ames", "city=Ames", nil])
  }

  func testCollaboratorsAreHeldWeakly() async throws {
    let manager = makeManager()
    var other: Recorder? = Recorder()
    weak let released = other
    manager.delegate = other
    manager.validator = other
    manager.parameterSource = other
    manager.owner = other
    manager.addInterceptor(other!)
    other = nil
    XCTAssertNil(released)
    XCTAssertNotNil(manager.load().flightID)
  }

  func testParametersThatDoNotValidateAreNotSentAndLandOnTheDelegateOnce() async throws {
    let manager = makeManager()
    manager.validator = recorder
    recorder.validateParameters = { parameters in
      guard parameters["city"] != nil else { throw ValidationError("city is missing") }
    }
    let refusal = manager.load().refusal
    XCTAssertEqual(refusal?.reason, .invalidParameters)
    XCTAssertEqual(refusal?.stage, .parameters)
    XCTAssertEqual(recorder.errors.count, 0, "the delegate is not called before load returns")
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.errors.map(\.detail), ["city is missing"])
    XCTAssertEqual(recorder.errors[0].context.apiName, "list")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testTheChildReformsParametersBeforeTheyAreValidated() async throws {
    let manager = makeManager()
    manager.onReformParameters = { $0.merging(["version": 2]) }
    var validated: Parameters?
    manager.onValidateParameters = { validated = $0 }
    manager.load(["city": "Suzhou"])
    await recorder.waitForLandings()
    XCTAssertEqual(validated, ["city": "Suzhou", "version": 2])
    XCTAssertEqual(stub.requests[0].url.query, "city=Suzhou&version=2")
  }

  func testAnErrorThrownByTheChildsReformRefusesTheLoad() async throws {
    struct Odd: Error {}
    let manager = makeManager()
    manager.onReformParameters = { _ in throw Odd() }
    let refusal = manager.load().refusal
    XCTAssertEqual(refusal?.reason, .invalidParameters)
    XCTAssertTrue(refusal?.underlying is Odd)
    await recorder.waitForLandings()
  }

  func testAResponseThatDoesNotValidateFailsWithItsBodyKept() async throws {
    let manager = makeManager()
    manager.onValidateResponse = { response in
      if response.raw["total"].int != 7 { throw ValidationError("total is not 7") }
    }
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors[0].reason, .invalidResponse)
    XCTAssertEqual(
      recorder.errors[0].description, "GET list (Homes) failed in response: total is not 7; status 200")
    XCTAssertEqual(recorder.errors[0].response.map { String(decoding: $0.bytes, as: UTF8.self) }, someJSON)
  }

  func testTheValidatorJudgesAfterTheChild() async throws {
    let manager = makeManager()
    manager.validator = recorder
    recorder.validateResponse = { _ in throw APIError(.response, .businessError, "sold out") }
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors[0].reason, .businessError)
    XCTAssertEqual(recorder.errors[0].context.manager, "TestManager")
  }
}

/// A child that is its own interceptor.
private final class SelfWatchingManager: BaseAPIManager, APIManager, APIManagerInterceptor {
  let service: TestService
  let apiName = "self"
  private(set) var heard: [String] = []

  init(_ service: TestService) {
    self.service = service
    super.init()
  }

  func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool {
    heard.append("shouldLoad")
    return true
  }

  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) { heard.append("afterSuccess") }
}
