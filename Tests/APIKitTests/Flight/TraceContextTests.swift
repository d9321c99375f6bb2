import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

@MainActor final class TraceContextTests: XCTestCase {
  private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  func testAFieldIsReadAsTheRecommendationSays() throws {
    let context = try XCTUnwrap(TraceContext(traceparent: parent, tracestate: "a=1,b=2"))
    XCTAssertEqual(context.traceID, "4bf92f3577b34da6a3ce929d0e0e4736")
    XCTAssertEqual(context.parentID, "00f067aa0ba902b7")
    XCTAssertTrue(context.isSampled)
    XCTAssertEqual(context.traceparent, parent)
    XCTAssertEqual(context.state, "a=1,b=2")
    // A later version may have more parts.
    XCTAssertNotNil(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what"))
    for wrong in [
      "", "00-4bf9-00f067aa0ba902b7-01", "ff" + parent.dropFirst(2), parent + "-more", parent.uppercased(),
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    ] {
      XCTAssertNil(TraceContext(traceparent: String(wrong)), String(wrong))
    }
    XCTAssertEqual(TraceContext(traceparent: "00" + parent.dropFirst(2).dropLast(2) + "00")?.isSampled, false)
  }

  func testAStateOfMoreThan32MembersIsCut() throws {
    func state(_ members: [String]) throws -> [String] {
      let context = try XCTUnwrap(
        TraceContext(traceparent: parent, tracestate: members.joined(separator: ",")))
      return (context.state ?? "").split(separator: ",").map(String.init)
    }
    let short = (1...40).map { "v\($0)=1" }
    XCTAssertEqual(try state(Array(short.prefix(32))), Array(short.prefix(32)))
    XCTAssertEqual(try state(short), Array(short.prefix(32)), "the last ones go")
    let long = "long=" + String(repeating: "x", count: 130)
    XCTAssertEqual(try state([long] + short.prefix(32)), Array(short.prefix(32)), "long ones go first")
    XCTAssertEqual(try state([long] + short.prefix(31)), [long] + short.prefix(31), "32 are left as they are")
  }

  private func service(_ stub: StubTransport, _ policy: TracePolicy = .sent) -> TestService {
    var service = TestService(stub)
    service.trace = policy
    return service
  }

  private func contexts(_ stub: StubTransport) -> [TraceContext?] {
    stub.requests.map { $0.headers["traceparent"].flatMap { TraceContext(traceparent: $0) } }
  }

  func testNothingIsSentUnlessItIsStated() async throws {
    let stub = StubTransport(.json(someJSON))
    _ = try await TraceContext.$current.withValue(TraceContext()) {
      try await TestManager(stub).response()
    }
    XCTAssertNil(stub.requests[0].headers["traceparent"])
  }

  func testEachLoadIsATraceAndEachAttemptANewParentInIt() async throws {
    let stub = StubTransport()
    stub.on("/api/list", .failure(.connectionLost), .json(someJSON))
    let manager = TestManager(service(stub))
    manager.retryPolicy = .standard
    let time = ManualTime()
    manager.time = time
    let load = Task { try await manager.response() }
    while time.sleeperCount == 0 { await Task.yield() }
    time.advance(by: .seconds(30))
    let response = try await load.value
    _ = try await manager.response()
    let sent = contexts(stub).compactMap { $0 }
    XCTAssertEqual(sent.count, 3)
    XCTAssertEqual(sent[0].traceID, sent[1].traceID)
    XCTAssertNotEqual(sent[0].parentID, sent[1].parentID)
    XCTAssertNotEqual(sent[1].traceID, sent[2].traceID)
    let record = try XCTUnwrap(response.record)
    XCTAssertTrue(record.description.contains("trace: \(sent[0].traceID)"), "\(record)")
  }

  func testTheTraceOfTheTaskGoesOnAndItsStateIsKept() async throws {
    let stub = StubTransport(.json(someJSON))
    let context = try XCTUnwrap(TraceContext(traceparent: parent, tracestate: "vendor=1"))
    _ = try await TraceContext.$current.withValue(context) {
      try await TestManager(service(stub)).response()
    }
    let sent = try XCTUnwrap(contexts(stub)[0])
    XCTAssertEqual(sent.traceID, context.traceID)
    XCTAssertNotEqual(sent.parentID, context.parentID)
    XCTAssertEqual(stub.requests[0].headers["tracestate"], "vendor=1")
  }

  func testAStateThatIsNoFieldValueIsLeftOut() async throws {
    for state in ["vendor=1\r\nX-Evil: 1", "vendor=\u{0}", "vendor=\n"] {
      let stub = StubTransport(.json(someJSON))
      let context = TraceContext(traceparent: parent, tracestate: state)
      _ = try await TraceContext.$current.withValue(context) {
        try await TestManager(service(stub)).response()
      }
      XCTAssertNil(stub.requests[0].headers["tracestate"], state.debugDescription)
      XCTAssertEqual(contexts(stub)[0]?.traceID, "4bf92f3577b34da6a3ce929d0e0e4736")
    }
  }

  func testItIsSetBeforeTheRequestIsSigned() async throws {
    struct Signer: RequestSigner {
      let runsInline = true
      func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
        request.headers["X-Seen"] = request.headers["traceparent"]
      }
    }
    let stub = StubTransport(.json(someJSON))
    var service = service(stub)
    service.signer = Signer()
    _ = try await TestManager(service).response()
    XCTAssertEqual(stub.requests[0].headers["X-Seen"], stub.requests[0].headers["traceparent"])
    XCTAssertNotNil(stub.requests[0].headers["X-Seen"])
  }

  func testItKeepsNeitherIdenticalLoadsNorStoredResponsesApart() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = service(stub)
    service.store = ResponseCache()
    let manager = TestManager(service)
    manager.sharedState = SharedState()
    manager.joinsIdenticalFlights = true
    manager.cachePolicy = .fresh()
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    manager.load()
    manager.load()
    try await stub.waitForRequests(1)
    while manager.sharedState.joins.waiterCount < 2 { await Task.yield() }
    stub.release()
    await recorder.waitForLandings(2)
    let third = try await manager.response()
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertNotEqual(third.provenance, .network)
  }

  func testAnotherOriginIsToldOnlyWhenAskedTo() async throws {
    for (policy, isTold) in [(TracePolicy.sent, false), (.sentEverywhere, true)] {
      let stub = StubTransport()
      stub.on("/api/list", .redirect(to: "https://other.test/moved"))
      stub.on("/moved", .json(someJSON))
      _ = try await TestManager(service(stub, policy)).response()
      let sent = contexts(stub)
      XCTAssertNotNil(sent[0])
      XCTAssertEqual(sent[1] != nil, isTold)
      if isTold {
        XCTAssertEqual(sent[1]?.traceID, sent[0]?.traceID)
        XCTAssertNotEqual(sent[1]?.parentID, sent[0]?.parentID)
      }
    }
  }
}
