import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

@MainActor final class FlightRecordTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  func testARecordIsReachableFromResponseErrorAndManager() async throws {
    let manager = TestManager(stub)
    let response = try await manager.response()
    let flight = try XCTUnwrap(response.flightID)
    XCTAssertEqual(response.record?.flight, flight)
    XCTAssertEqual(manager.record(of: flight)?.landing, .succeeded(.network))
    stub.on("/api/list", .status(404))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(
      error.record?.landing, .failed(label: "response.unacceptable-status", detail: "status 404"))
  }

  func testAFlightInTheAirCanBeAsked() async throws {
    let manager = TestManager(stub)
    stub.hold()
    let flight = try XCTUnwrap(manager.load().flightID)
    try await stub.waitForRequests(1)
    let record = try XCTUnwrap(manager.record(of: flight))
    XCTAssertNil(record.landing)
    XCTAssertEqual(record.attempts, 1)
    manager.cancel()
    XCTAssertEqual(manager.record(of: flight)?.landing, .cancelled("by-caller"))
  }

  func testARefusalIsRecordedWithItsReason() async throws {
    let manager = TestManager(stub)
    manager.onValidateParameters = { _ in throw ValidationError("the city is missing") }
    let takeoff = manager.load(["password": "hunter2"])
    let record = try XCTUnwrap(takeoff.refusal?.record)
    XCTAssertTrue(record.description.contains("refused (parameters.invalid-parameters): the city is missing"))
    XCTAssertTrue(record.description.contains("password=•••"))
  }

  func testATakeoffPolicyThatHoldsBackIsRecorded() async throws {
    let manager = TestManager(stub)
    let time = ManualTime()
    manager.time = time
    manager.takeoffPolicy = .debounce(.seconds(1))
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await time.advanceOnceAsleep(by: .seconds(1))
    await recorder.waitForLandings()
    let record = try XCTUnwrap(manager.record(of: flight))
    let lines = record.events.map(\.description).withoutNotices.prefix(2)
    XCTAssertEqual(lines, ["waits by its takeoff policy: debounce", "took off (debounce)"])
    XCTAssertEqual(record.entries.map(\.at).first, .zero)
    XCTAssertEqual(record.duration, .seconds(1))
  }

  func testSecretsAreMaskedAtEveryDepthAndLongValuesAreCut() async {
    let recorder = FlightRecorder(flight: .next(), manager: TestManager.self, time: ManualTime())
    recorder.describe(
      service: "Homes", method: .post, apiName: "sign-in",
      parameters: [
        "user": "ann", "password": "p1",
        "nested": Parameters(["refreshToken": "p2", "list": [["otp": "p3"]]]),
        "text": String(repeating: "x", count: 500), "bytes": [1, 2, 3] as [UInt8],
      ])
    let text = recorder.record.description
    for secret in ["p1", "p2", "p3"] { XCTAssertFalse(text.contains(secret), text) }
    XCTAssertTrue(text.contains("user=ann, password=•••"), text)
    XCTAssertTrue(text.contains("bytes=3 bytes"), text)
    XCTAssertLessThan(text.utf8.count, 400)
  }

  func testParametersAddNoLineToARecord() async throws {
    let manager = TestManager(StubTransport(.json(someJSON)))
    let response = try await manager.response(["q": "a\r\n  +12 ms landed\u{2028}b"])
    let record = try XCTUnwrap(response.record)
    let lines = record.description.split(whereSeparator: \.isNewline)
    XCTAssertEqual(lines.count, record.entries.count + 2, record.description)
  }

  func testTheLogIsARingAndAsksForItsOldestFirst() async {
    let log = FlightLog(capacity: 3)
    let flights = (0..<5).map { _ in FlightID.next() }
    for flight in flights {
      log.add(FlightRecorder(flight: flight, manager: TestManager.self, time: ManualTime()))
    }
    XCTAssertEqual(log.records.map(\.flight), Array(flights.suffix(3)))
    XCTAssertNil(log.record(of: flights[0]))
    log.capacity = 1
    XCTAssertEqual(log.records.map(\.flight), [flights[4]])
    log.capacity = 0
    log.add(FlightRecorder(flight: .next(), manager: TestManager.self, time: ManualTime()))
    XCTAssertEqual(log.records.count, 0)
  }

  func testDurationsThatNoNumberOfSecondsHasAreCounted() async {
    let longest = Duration.seconds(Int64.max)
    for (duration, sign) in [
      (longest + longest, 1), (longest, 1), (.seconds(Int64.min), -1), (.zero - longest, -1),
    ] {
      XCTAssertEqual(duration.microseconds, Int64(sign) * (.max / 2))
      XCTAssertEqual(duration.inSeconds, duration / .seconds(1))
    }
    XCTAssertEqual(Duration.seconds(1.5).inSeconds, 1.5)
    XCTAssertEqual(Duration.milliseconds(-1500).microseconds, -1_500_000)
  }

  func testDurationsReadWell() async {
    let texts: [(Duration, String)] = [
      (.zero, "0 µs"), (.microseconds(420), "420 µs"), (.microseconds(3210), "3.2 ms"),
      (.milliseconds(1500), "1.5 s"), (.seconds(119), "119 s"), (.seconds(150), "2.5 min"),
      (.seconds(3600), "1 h"), (.seconds(3900), "1 h 5 min"), (.seconds(-3900), "-1 h 5 min"),
      (.seconds(-150), "-2.5 min"),
    ]
    for (duration, text) in texts { XCTAssertEqual(duration.shortText, text) }
  }
}
