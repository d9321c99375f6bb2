import XCTest

@testable import APIKit

/// What is kept of hosts and APIs does not grow with the number of those that were ever asked.
final class PrunedTableTests: XCTestCase {
  private func host(_ number: Int) throws -> HostKey { HostKey(try HTTPURL("https://host\(number).test/")) }

  func testIdleEntriesAreRemovedAndOthersAreKept() {
    var table = PrunedTable<Int, Bool>()
    for number in 0..<10_000 {
      table.makeRoom(for: number) { $0 }
      table[number] = number % 1_000 != 0
    }
    XCTAssertLessThanOrEqual(table.values.count, 128)
    XCTAssertEqual(table.values.values.count { !$0 }, 10)
  }

  func testATableInUseIsNotSearchedForEachNewEntry() {
    var (table, searched) = (PrunedTable<Int, Int>(), 0)
    for number in 0..<10_000 {
      table.makeRoom(for: number) { _ in
        searched += 1
        return false
      }
      table[number] = number
    }
    XCTAssertEqual(table.values.count, 10_000)
    XCTAssertLessThan(searched, 20_000)
    let before = searched
    for number in 0..<10_000 { table.makeRoom(for: number) { _ in true } }
    XCTAssertEqual(searched, before)
  }

  func testBreakersOfHostsThatAreNotAskedAgainAreForgotten() throws {
    let breakers = Breakers()
    var policy = BreakerPolicy()
    (policy.minimumAttempts, policy.window) = (1, .seconds(10))
    (policy.openInterval, policy.maximumOpenInterval) = (.seconds(5), .seconds(20))
    func key(_ number: Int) throws -> Breakers.BreakerKey {
      Breakers.BreakerKey(host: try host(number), api: nil, policy: policy)
    }
    for number in 0..<5_000 {
      let now = Duration.seconds(number)
      guard case .permit(let permit) = breakers.admit(try key(number), now: now) else {
        return XCTFail("it was not let through")
      }
      _ = breakers.report(number % 2 == 0 ? .bad : .good, of: permit, try key(number), now: now)
    }
    XCTAssertLessThanOrEqual(breakers.count, 128)
    // One that is open still is.
    XCTAssertEqual(
      breakers.admit(try key(4_998), now: .seconds(5_000)), .refuse(retryIn: .seconds(3)))
  }

  func testBudgetsThatAreFullAgainCostNothing() throws {
    let state = SharedState()
    for number in 0..<5_000 {
      XCTAssertTrue(state.drawRetry(at: try host(number), now: .seconds(number)))
    }
    XCTAssertLessThanOrEqual(state.budgetCount, 128)
    let last = try host(4_999)
    for _ in 0..<19 { XCTAssertTrue(state.drawRetry(at: last, now: .seconds(4_999))) }
    XCTAssertFalse(state.drawRetry(at: last, now: .seconds(4_999)))
  }
}
