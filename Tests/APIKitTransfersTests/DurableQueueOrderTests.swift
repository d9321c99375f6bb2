import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// In which order items go: lanes, dependencies, circles.
final class DurableQueueOrderTests: DurableQueueCase {
  func testALaneGoesInOrderAndLanesGoSideBySide() async throws {
    let queue = queue()
    _ = try await queue.enqueue([
      entry("a1", lane: "a"), entry("a2", lane: "a"), entry("b1", lane: "b"), entry("free"), entry("free"),
    ])
    _ = try await queue.enqueue([entry("a3", lane: "a")])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1, 3, 4, 5])
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    // What waits for its next attempt holds its lane.
    try await queue.putBack(1, after: .seconds(5), isAttempt: true)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    let wait = try await queue.nextWait()
    XCTAssertEqual(wait, .seconds(5))
    time.advance(by: .seconds(5))
    let rows = try await queue.claim(atMost: 9)
    XCTAssertEqual(rows.map(\.id), [1])
    XCTAssertEqual(rows.map(\.attempts), [1])
    try await queue.finish(1, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    // What is parked does not.
    try await queue.park(2, "why")
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [6])
  }

  func testAnItemThatIsTakenBackHasItsOldPlace() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(lane: "a"), entry(lane: "a"), entry(lane: "a")])
    _ = try await queue.claim(atMost: 1)
    try await queue.park(1, "why")
    try await queue.unpark(1)
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1])
    try await queue.park(1, "why")
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    // The one that is on its way keeps its place; the earlier one is next.
    try await queue.unpark(1)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    try await queue.finish(2, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1])
  }

  func testAChildWaitsForItsParentsAndIsParkedWithThem() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(), entry(), entry(after: []), entry(afterEntries: [0, 1])])
    _ = try await queue.enqueue([entry(after: [4])])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1, 2, 3])
    try await queue.finish(1, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    try await queue.park(2, "poisoned")
    let parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.map(\.id), [2, 4, 5])
    XCTAssertEqual(parked[1].reason, "it waits for item 2, which is parked")
    // One that waits for a parked one is parked at once.
    _ = try await queue.enqueue([entry(after: [5])])
    try await queue.unpark(2)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    for id: Int64 in [2, 4, 5, 6] {
      try await queue.finish(id, landing: nil)
      taken = try await queue.claim(atMost: 9).map(\.id)
      XCTAssertEqual(taken, id == 6 ? [] : [id == 2 ? 4 : id + 1])
    }
  }

  func testAChildOfAnItemThatIsDoneGoesAtOnceAndOneOfNoneIsRefused() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry()])
    try await queue.finish(1, landing: nil)
    _ = try await queue.enqueue([entry(after: [1])])
    let taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    do {
      _ = try await queue.enqueue([entry(after: [3])])
      XCTFail("there is no item 3")
    } catch {
      guard case .unknown(3) = error else { return XCTFail("\(error)") }
    }
  }

  func testACircleIsRefusedAlsoThroughALane() async throws {
    let circles = [
      [entry(afterEntries: [0])], [entry(afterEntries: [1]), entry(afterEntries: [0])],
      [entry(lane: "a", afterEntries: [1]), entry(lane: "a")],
      [entry(lane: "a"), entry(afterEntries: [2]), entry(lane: "a", afterEntries: [1])],
    ]
    for circle in circles {
      do {
        _ = try await queue().enqueue(circle)
        XCTFail("it was kept")
      } catch {
        guard case .cycle = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertNil(QueueOrder.cycle(in: [entry(lane: "a"), entry(lane: "a", afterEntries: [2]), entry()]))
  }

  func testWhatIsGivenUpParksItsChildren() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(lane: "a"), entry(lane: "a"), entry(afterEntries: [0])])
    let dropped = try await queue.drop(1)
    XCTAssertEqual(dropped?.id, 1)
    let again = try await queue.drop(1)
    XCTAssertNil(again)
    let parked = try await queue.rows(.parked).map(\.id)
    XCTAssertEqual(parked, [3])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    try await queue.unpark(3)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [3])
  }

  func testAChildTakesValuesOfItsParentsResponseOrIsParked() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(), entry("child", afterEntries: [0]), entry("odd", afterEntries: [0])])
    try await queue.finish(1, landing: nil) { row in
      row.id == 2 ? (Array("filled".utf8), "") : (nil, "no value")
    }
    let taken = try await queue.claim(atMost: 9)
    XCTAssertEqual(taken.map { String(decoding: $0.payload, as: UTF8.self) }, ["filled"])
    let parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.map(\.reason), ["no value"])
  }

  func testALongChainIsParkedAndTakenBack() async throws {
    let queue = queue()
    let count = 20_000
    let ids = try await queue.enqueue((0..<count).map { entry(afterEntries: $0 == 0 ? [] : [$0 - 1]) })
    try await queue.park(ids[0], "refused")
    var parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.map(\.id), ids)
    XCTAssertEqual(parked.last?.reason, "it waits for item \(ids[count - 2]), which is parked")
    try await queue.unpark(ids[0])
    parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.count, 0)
  }
}
