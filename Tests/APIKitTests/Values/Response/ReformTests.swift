import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Raw data as a reformer shows it: once per response, with the right source, errors in their place.
@MainActor final class ReformTests: XCTestCase {
  private func landed(_ json: String) async throws -> TestManager {
    let manager = TestManager(StubTransport(.json(json)))
    _ = try await manager.response(["city": "Suzhou"])
    return manager
  }

  func testAReformerSeesTheDataAndWhereItCameFrom() async throws {
    let manager = try await landed(someJSON)
    let text = try manager.fetchData(with: SourceReformer())
    XCTAssertEqual(text, "TestManager Homes list Suzhou 1")
  }

  func testTheBackgroundFormGivesTheSameOffTheMainActor() async throws {
    let manager = try await landed(someJSON)
    let isMain = try await manager.fetchDataInBackground(with: ThreadReformer())
    XCTAssertFalse(isMain)
    XCTAssertTrue(try manager.fetchData(with: ThreadReformer()))
  }

  func testTwoViewsOfOneResponseCostOneReformEach() async throws {
    let manager = try await landed(someJSON)
    let runs = Counter()
    let list = CountingReformer(name: "list", runs: runs)
    let map = CountingReformer(name: "map", runs: runs)
    for _ in 0..<3 {
      XCTAssertEqual(try manager.fetchData(with: list), "list")
      XCTAssertEqual(try manager.fetchData(with: map), "map")
    }
    XCTAssertEqual(runs.value, 2)
    _ = try await manager.response()
    _ = try manager.fetchData(with: list)
    XCTAssertEqual(runs.value, 3, "another response is reformed anew")
  }

  func testReformersWithoutEndDoNotFillTheMemory() async throws {
    let manager = try await landed(someJSON)
    let runs = Counter()
    weak var first: Rows?
    for number in 0..<100 {
      let output = try manager.fetchData(with: TypedReformer(typed: "\(number)", runs: runs))
      if number == 0 { first = output }
      XCTAssertTrue(try manager.fetchData(with: TypedReformer(typed: "\(number)", runs: runs)) === output)
    }
    XCTAssertEqual(runs.value, 100)
    XCTAssertNil(first, "an output that nobody reads any more is not kept for ever")
  }

  func testAReadThatFailsNamesThePathInTheReformsPlace() async throws {
    let manager = try await landed(#"{"items": [{"price": "n/a"}]}"#)
    do throws(APIError) {
      _ = try manager.fetchData(with: PriceReformer())
      XCTFail("it did not throw")
    } catch {
      XCTAssertEqual(error.stage, .reform)
      XCTAssertEqual(error.reason, .unexpectedValue)
      XCTAssertTrue(error.detail.contains("items[0].price"), error.detail)
      XCTAssertEqual(error.context.manager, "TestManager")
      XCTAssertEqual(error.context.apiName, "list")
    }
  }

  func testBeforeTheFirstLandingThereIsNothingToReform() async throws {
    let manager = TestManager(StubTransport())
    do throws(APIError) {
      _ = try manager.fetchData(with: PriceReformer())
      XCTFail("it did not throw")
    } catch {
      XCTAssertEqual(error.reason, .reformFailed)
    }
  }

  func testEachAwaitedResponseIsReformedAsItsOwn() async throws {
    let stub = StubTransport(.computed { request in .json(#"{"q": "\#(request.url.query ?? "")"}"#) })
    let manager = TestManager(stub)
    async let one = manager.response(["n": 1])
    async let two = manager.response(["n": 2])
    let texts = try await [one.data(with: QueryReformer()), two.data(with: QueryReformer())]
    XCTAssertEqual(texts, ["n=1", "n=2"])
  }

  func testACancelledReformIsToldAsCancelled() async throws {
    let manager = try await landed(someJSON)
    let task = Task { () -> APIError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(APIError) {
        _ = try await manager.fetchDataInBackground(with: PatientReformer())
        return nil
      } catch {
        return error
      }
    }
    let error = await task.value
    XCTAssertEqual(error?.reason, .cancelled)
  }
}

private struct SourceReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> String {
    "\(source.managerType) \(source.serviceName) \(source.apiName) "
      + "\(source.parameters["city"]?.string ?? "") \(try raw["total"].require(Int.self))"
  }
}

private struct ThreadReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> Bool { Thread.isMainThread }
}

private struct CountingReformer: Reformer, Hashable {
  let name: String
  let runs: Counter

  func reform(_ raw: RawData, from source: ReformSource) throws -> String {
    runs.increment()
    return name
  }

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private struct PriceReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> [Int] {
    try raw["items"].elements.map { try $0["price"].require(Int.self) }
  }
}

private struct QueryReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> String {
    try raw["q"].require(String.self)
  }
}

private struct PatientReformer: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> Int {
    try Task.checkCancellation()
    return 1
  }
}

private final class Rows: Sendable {}

/// Filters by what a user types.
private struct TypedReformer: Reformer, Hashable {
  let typed: String
  let runs: Counter

  func reform(_ raw: RawData, from source: ReformSource) -> Rows {
    runs.increment()
    return Rows()
  }

  static func == (left: Self, right: Self) -> Bool { left.typed == right.typed }
  func hash(into hasher: inout Hasher) { hasher.combine(typed) }
}
