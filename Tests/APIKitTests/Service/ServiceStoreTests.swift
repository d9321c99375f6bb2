import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// One backend is one object; where there are several, the record and the standard error stream say so.
@MainActor final class ServiceStoreTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  private func makeService(_ name: String, hasClock: Bool = false) -> TestService {
    var service = TestService(stub)
    service.name = name
    service.environments = ServiceEnvironments("https://twins.test")
    if hasClock { service.clock = ServerClock() }
    return service
  }

  /// What was said on the standard error stream of a service.
  private func lines(of name: String, during body: () async throws -> Void) async rethrows -> [String] {
    let said = Words()
    let before = DeveloperNotice.sink.withLock { sink in
      defer { sink = { said.add($0) } }
      return sink
    }
    let wereOn = DeveloperNotices.areOn
    DeveloperNotices.areOn = true
    defer {
      DeveloperNotices.areOn = wereOn
      DeveloperNotice.sink.withLock { $0 = before }
    }
    try await body()
    return said.all.filter { $0.contains("the service \(name) ") }
  }

  private func notes(of manager: TestManager) async throws -> [String] {
    let response = try await manager.response()
    return (response.record?.events ?? []).map(\.description).filter { $0.hasPrefix("service: ") }
  }

  func testAServiceThatIsGoneIsNotKept() {
    let store = ServiceStore()
    for number in 0..<1_000 {
      XCTAssertNil(store.enter(URLService(HTTPURL(stringLiteral: "https://host\(number).test"))))
    }
    XCTAssertLessThan(store.count, 100)
  }

  func testManagersOfOneObjectSayNothing() async throws {
    let service = makeService("One")
    let lines = try await lines(of: "One") {
      for _ in 0..<3 {
        let notes = try await notes(of: TestManager(service))
        XCTAssertEqual(notes, [])
      }
    }
    XCTAssertEqual(lines, [])
  }

  func testASecondLiveObjectIsNotedByEachManagerAndSaidOncePerName() async throws {
    let (first, second) = (makeService("Twins"), makeService("Twins", hasClock: true))
    let lines = try await lines(of: "Twins") {
      let good = TestManager(first)
      var notes = try await notes(of: good)
      XCTAssertEqual(notes, [])
      for _ in 0..<2 {
        let other = TestManager(second)
        notes = try await self.notes(of: other)
        XCTAssertEqual(notes.count, 1)
        XCTAssertTrue(notes.first?.contains("`let service = TestService.shared`") == true, "\(notes)")
        notes = try await self.notes(of: other)
        XCTAssertEqual(notes, [], "only the first load of a manager looks")
      }
      notes = try await self.notes(of: TestManager(first))
      XCTAssertEqual(notes, [], "the first one is the service")
    }
    XCTAssertEqual(lines.count, 1)
  }

  func testTwoObjectsWithoutStateAreAsGoodAsOne() async throws {
    let (first, second) = (makeService("Alike"), makeService("Alike"))
    let lines = try await lines(of: "Alike") {
      for service in [first, second] {
        let notes = try await notes(of: TestManager(service))
        XCTAssertEqual(notes, [])
      }
    }
    XCTAssertEqual(lines, [])
  }

  func testNothingIsSaidInTestsAndWhereItIsSwitchedOff() async throws {
    XCTAssertFalse(DeveloperNotices.areOn, "the process of a test")
    let said = Words()
    let before = DeveloperNotice.sink.withLock { sink in
      defer { sink = { said.add($0) } }
      return sink
    }
    defer { DeveloperNotice.sink.withLock { $0 = before } }
    DeveloperNotice.hint("nothing of this is written")
    XCTAssertEqual(said.all, [])
  }

  func testAnObjectThatIsGoneIsReplacedWithoutAWord() async throws {
    let lines = try await lines(of: "Gone") {
      for _ in 0..<3 {
        let notes = try await notes(of: TestManager(makeService("Gone")))
        XCTAssertEqual(notes, [])
        await landingsWorkedOff()
      }
    }
    XCTAssertEqual(lines, [])
  }
}

private final class Words: Sendable {
  private let words = Mutex<[String]>([])
  var all: [String] { words.withLock { $0 } }
  func add(_ line: String) { words.withLock { $0.append(line) } }
}
