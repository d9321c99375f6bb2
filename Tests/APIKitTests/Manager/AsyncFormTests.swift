import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The awaited forms: the same flight, with a result instead of a delegate.
@MainActor final class AsyncFormTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let recorder = Recorder()

  func testAnAwaitedLoadReturnsWhatItLandsWith() async throws {
    let manager = TestManager(stub)
    let response = try await manager.response(["city": "Suzhou"])
    XCTAssertEqual(response.raw["total"].int, 1)
    XCTAssertEqual(stub.requests[0].url.query, "city=Suzhou")
  }

  func testTheDelegateIsToldOfAnAwaitedLoadToo() async throws {
    let manager = TestManager(stub)
    manager.delegate = recorder
    _ = try await manager.response()
    XCTAssertEqual(recorder.events, ["delegate.success"])
  }

  func testAnAwaitedFailureIsThrown() async throws {
    let manager = TestManager(StubTransport(.status(404)))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .unacceptableStatus)
  }

  func testAnAwaitedRefusalIsThrown() async throws {
    let manager = TestManager(stub)
    manager.takeoffPolicy = .ignoreNew
    stub.hold()
    manager.load()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .alreadyLoading)
    stub.release()
  }

  func testCancellingTheTaskCancelsTheFlight() async throws {
    let manager = TestManager(stub)
    manager.delegate = recorder
    stub.hold()
    let task = Task { try await manager.response() }
    try await stub.waitForRequests(1)
    task.cancel()
    let result = await task.result
    guard case .failure(let error) = result else { return XCTFail("it landed") }
    XCTAssertEqual((error as? APIError)?.reason, .cancelled)
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.taskCancelled])
    XCTAssertFalse(manager.isLoading)
    stub.release()
  }

  func testATaskThatIsCancelledAlreadySendsNothingWhateverItAwaits() async throws {
    let manager = TestManager(stub)
    manager.delegate = recorder
    let forms: [(String, @MainActor () async throws -> Void)] = [
      ("response()", { _ = try await manager.response() }),
      ("response(_:cache:)", { _ = try await manager.response([:], cache: .ignoring) }),
      ("responses(_:)", { for try await _ in manager.responses([:]) {} }),
    ]
    for (what, form) in forms {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await form()
      }
      _ = await task.result
      await landingsWorkedOff()
      XCTAssertEqual(stub.requests.count, 0, what)
      XCTAssertFalse(manager.isLoading, what)
    }
    XCTAssertEqual(recorder.responses.count, 0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manager.response()
    }
    guard case .failure(let error) = await task.result else { return XCTFail("it landed") }
    XCTAssertEqual((error as? APIError)?.cancellation, .taskCancelled)
  }

  func testALoadWhoseTaskIsCancelledSendsNothingMoreEvenWhileTheMainActorIsBusy() async throws {
    let manager = TestManager(stub)
    manager.retryPolicy = RetryPolicy(attempts: 2)
    manager.time = ManualTime()
    let gate = StubGate()
    stub.on("/api/list", .held(by: gate, .redirect(to: "/api/moved")))
    let task = Task.detached { _ = try await manager.response() }
    try await gate.waitForArrivals(1)
    // The main actor does not come to hear of it before the response is there.
    task.cancel()
    gate.open()
    _ = await task.result
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/list"])
  }

  func testASupersededAwaitedLoadThrowsCancelled() async throws {
    let manager = TestManager(stub)
    manager.takeoffPolicy = .cancelPrevious
    stub.hold()
    let task = Task { try await manager.response() }
    try await stub.waitForRequests(1)
    manager.load()
    guard case .failure(let error) = await task.result else { return XCTFail("it landed") }
    XCTAssertEqual((error as? APIError)?.detail, "cancelled: superseded")
    stub.release()
  }

  func testManyAwaitedLoadsOfOneManagerEachGetTheirOwnResponse() async throws {
    let stub = StubTransport(.computed { request in .json(#"{"q": "\#(request.url.query ?? "")"}"#) })
    let manager = TestManager(stub)
    try await withThrowingTaskGroup(of: (Int, String?).self) { group in
      for index in 0..<100 {
        group.addTask {
          let response = try await manager.response(["n": index])
          return (index, response.raw["q"].string)
        }
      }
      for try await (index, text) in group { XCTAssertEqual(text, "n=\(index)") }
    }
  }
}
