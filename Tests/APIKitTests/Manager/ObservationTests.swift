import APIKitTesting
import Observation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a view sees of a manager without being its delegate.
@MainActor final class ObservationTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  override func setUp() async throws {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else {
      throw XCTSkip("this system cannot observe")
    }
  }

  /// Whether the next change of what `read` reads is told.
  private func track<Value>(_ read: () -> Value) -> Counter {
    let changes = Counter()
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return changes }
    _ = withObservationTracking(read) { changes.increment() }
    return changes
  }

  func testALoadChangesIsLoadingTwice() async throws {
    stub.hold()
    let manager = TestManager(stub)
    let begins = track { manager.isLoading }
    manager.load()
    XCTAssertEqual(begins.value, 1)
    let second = track { manager.isLoading }
    manager.load()
    XCTAssertEqual(second.value, 0, "it was loading before")
    stub.release()
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(second.value, 1)
  }

  func testALandingChangesTheResponseThroughEveryWayToReadIt() async throws {
    struct Raw: Reformer {
      func reform(_ raw: RawData, from source: ReformSource) throws -> Bool { raw.exists }
    }
    let manager = TestManager(stub)
    let changes = [
      track { manager.lastResponse?.status }, track { manager.rawData.exists },
      track { try? manager.fetchData(with: Raw()) },
    ]
    let untouched = track { manager.lastError?.label }
    _ = try await manager.response()
    XCTAssertEqual(changes.map(\.value), [1, 1, 1])
    XCTAssertEqual(untouched.value, 0)
  }

  func testAFailureChangesTheErrorAndASuccessTakesItAway() async throws {
    let stub = StubTransport(.json("{}", status: 500), .json(someJSON))
    let manager = TestManager(stub)
    let fails = track { manager.lastError?.label }
    _ = try? await manager.response()
    XCTAssertEqual(fails.value, 1)
    let recovers = track { manager.lastError?.label }
    _ = try await manager.response()
    XCTAssertEqual(recovers.value, 1)
    XCTAssertNil(manager.lastError)
  }

  func testACancellationEndsIsLoading() async throws {
    stub.hold()
    let manager = TestManager(stub)
    manager.load()
    let ends = track { manager.isLoading }
    manager.cancel()
    XCTAssertEqual(ends.value, 1)
    stub.release()
  }

  func testLandingsComeAsAStreamUntilTheManagerGoes() async throws {
    let stub = StubTransport(.json(someJSON), .json("{}", status: 500))
    var manager: TestManager? = TestManager(stub)
    let stream = try XCTUnwrap(manager?.landings())
    _ = try await manager?.response()
    _ = try? await manager?.response()
    stub.hold()
    manager?.load()
    manager?.cancel()
    stub.release()
    manager = nil
    var labels: [String] = []
    for await landing in stream {
      switch landing {
      case .success(let response): labels.append("\(response.status)")
      case .failure(let error): labels.append(error.isCancellation ? "cancelled" : error.label)
      }
    }
    XCTAssertEqual(labels, ["200", "response.unacceptable-status", "cancelled"])
  }

  func testAnObserverThatSignsTheUserOutIsNotFollowedByASuccess() async throws {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
    for readsError in [false, true] {
      let stub = StubTransport(.json("{}", status: 500), .json(someJSON))
      let authenticator = Authenticator()
      try authenticator.signIn(with: Credential(accessToken: "anna"))
      var service = TestService(stub)
      service.authenticator = authenticator
      let manager = TestManager(service)
      let recorder = Recorder()
      manager.delegate = recorder
      _ = try? await manager.response()
      onNextChange(of: { if readsError { _ = manager.lastError } else { _ = manager.lastResponse } }) {
        try? authenticator.signOut()
      }
      manager.load()
      await recorder.waitForLandings(2)
      XCTAssertEqual(recorder.responses.count, 0, "\(readsError)")
      XCTAssertEqual(recorder.errors.last?.reason, .signedOut)
      XCTAssertEqual(manager.lastError?.reason, .signedOut)
    }
  }
}
