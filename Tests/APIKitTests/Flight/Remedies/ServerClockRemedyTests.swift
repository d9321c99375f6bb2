import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A device whose clock is wrong, and a server that refuses signatures for their time.
@MainActor final class ServerClockRemedyTests: XCTestCase {
  private let device = ManualTime()
  private lazy var clock = ServerClock { [device] in device.wallClock }

  /// Accepts signatures no further than a minute from its own time, an hour ahead of the device.
  private func makeManager(offset: Double = 3600, signs: Bool = true) -> (TestManager, StubTransport) {
    let device = device
    let stub = StubTransport(
      .computed { request in
        let server = device.wallClock + offset
        let signed = request.headers["X-Time"].flatMap { Double($0) } ?? 0
        let date: HTTPHeaders = ["Date": HTTPDate.text(secondsSince1970: server)]
        return abs(signed - server) < 60 ? .json(someJSON, headers: date) : .status(401, headers: date)
      })
    var service = TestService(stub)
    service.clock = clock
    if signs { service.signer = CountingSigner() }
    let manager = TestManager(service)
    manager.time = device
    return (manager, stub)
  }

  func testARefusedTimeTeachesTheClockAndTheLoadSucceedsWithoutARetryPolicy() async throws {
    let (manager, stub) = makeManager()
    let response = try await manager.response()
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertEqual(clock.offset, 3600, accuracy: 1)
    XCTAssertEqual(response.record?.description.contains("the server's clock is 3600.0 s ahead"), true)
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 3, "what was learned is kept")
  }

  func testAClockThatJumpsIsLearnedAgain() async throws {
    let (manager, stub) = makeManager(offset: 0)
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 1)
    clock.offset = -86_400
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 3)
    XCTAssertEqual(clock.offset, 0, accuracy: 1)
  }

  func testARefusalWithARightClockIsFinal() async throws {
    let stub = StubTransport(
      .status(401, headers: ["Date": HTTPDate.text(secondsSince1970: device.wallClock)]))
    var service = TestService(stub)
    service.clock = clock
    service.signer = CountingSigner()
    let manager = TestManager(service)
    manager.time = device
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAServerThatRefusesTheLearnedTimeTooIsAskedTwiceOnly() async throws {
    let date = HTTPDate.text(secondsSince1970: device.wallClock + 900)
    let stub = StubTransport(.status(403, headers: ["Date": date]))
    var service = TestService(stub)
    service.clock = clock
    service.signer = CountingSigner()
    let manager = TestManager(service)
    manager.time = device
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 403)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testWithoutASignatureNothingIsLearned() async throws {
    let (manager, stub) = makeManager(signs: false)
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(clock.offset, 0)
  }
}
