import APIKitTesting
import XCTest

@testable import APIKit

/// The awaited forms: the same flight, with a result instead of a delegate.
@MainActor final class AsyncFormTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let recorder = Recorder()

  func testAnAwaitedLoadReturnsWhatItLandsWith() async throws {
    let manager = TestManager(stub)
    let response = try await manager.response(for: ["city": "Suzhou"])
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

  func testATaskThatIsCancelledAlreadyDoesNotHang() async throws {
    let manager = TestManager(stub)
    stub.hold()
    let task = Task { () -> APIResponse in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manager.response()
    }
    guard case .failure = await task.result else { return XCTFail("it landed") }
    XCTAssertFalse(manager.isLoading)
    stub.release()
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

  func testManyAwaitedLoadsOfOneManagerEachGetTheirOwnAnswer() async throws {
    let stub = StubTransport(.computed { request in .json(#"{"q": "\#(request.url.query ?? "")"}"#) })
    let manager = TestManager(stub)
    try await withThrowingTaskGroup(of: (Int, String?).self) { group in
      for index in 0..<100 {
        group.addTask {
          let response = try await manager.response(for: ["n": index])
          return (index, response.raw["q"].string)
        }
      }
      for try await (index, text) in group { XCTAssertEqual(text, "n=\(index)") }
    }
  }
}
