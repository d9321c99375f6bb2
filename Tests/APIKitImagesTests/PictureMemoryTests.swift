@testable import TestSupport
import XCTest

@testable import APIKitImages

/// Decoded images in memory: the bound, and what goes when it is reached.
final class PictureMemoryTests: XCTestCase {
  private func memory(_ bytes: Int, keeping names: String..., each cost: Int) -> PictureMemory<String, String>
  {
    var memory = PictureMemory<String, String>(maximumBytes: bytes)
    for name in names { memory.keep(name.uppercased(), bytes: cost, for: name) }
    return memory
  }

  private func names(in memory: inout PictureMemory<String, String>) -> String {
    "abcdef".filter { memory.find(String($0)) != nil }
  }

  func testTheLeastRecentlyUsedGoesFirst() {
    var memory = memory(300, keeping: "a", "b", "c", each: 100)
    XCTAssertEqual(memory.find("a"), "A")
    memory.keep("D", bytes: 100, for: "d")
    XCTAssertEqual(names(in: &memory), "acd")
    XCTAssertEqual(memory.bytes, 300)
  }

  func testALargePictureTakesThePlaceOfSeveral() {
    var memory = memory(300, keeping: "a", "b", "c", each: 100)
    memory.keep("D", bytes: 150, for: "d")
    XCTAssertEqual(names(in: &memory), "cd")
    XCTAssertEqual(memory.bytes, 250)
  }

  func testAPictureLargerThanTheBoundIsNotKeptAndDropsNoOther() {
    var memory = memory(300, keeping: "a", "b", each: 100)
    memory.keep("C", bytes: 301, for: "c")
    XCTAssertEqual(names(in: &memory), "ab")
    memory.keep("B", bytes: 301, for: "b")
    XCTAssertEqual(names(in: &memory), "a", "what it was to replace is out of date")
    XCTAssertEqual(memory.bytes, 100)
  }

  func testAPictureInThePlaceOfItsFormerOneCountsOnce() {
    var memory = memory(300, keeping: "a", "b", "c", each: 100)
    memory.keep("AA", bytes: 120, for: "a")
    XCTAssertEqual(memory.find("a"), "AA")
    XCTAssertNil(memory.find("b"))
    XCTAssertEqual(memory.bytes, 220)
    XCTAssertEqual(memory.count, 2)
  }

  func testWithoutABoundNothingIsKept() {
    var memory = memory(0, keeping: "a", each: 1)
    XCTAssertNil(memory.find("a"))
    XCTAssertEqual(memory.count, 0)
  }

  func testAllGoAtOnceAndOthersMayCome() {
    var memory = memory(300, keeping: "a", "b", each: 100)
    memory.removeAll()
    XCTAssertEqual(memory.bytes, 0)
    memory.keep("C", bytes: 300, for: "c")
    XCTAssertEqual(names(in: &memory), "c")
  }

  func testTheBoundHoldsAndTheOrderIsThatOfAPlainList() {
    var generator = SeededGenerator(seed: 7)
    var memory = PictureMemory<Int, Int>(maximumBytes: 1000)
    var list: [(key: Int, cost: Int)] = []  // The least recently used first.
    for _ in 0..<20_000 {
      let key = Int.random(in: 0..<50, using: &generator)
      let index = list.firstIndex { $0.key == key }
      if Bool.random(using: &generator) {
        let cost = Int.random(in: 1...300, using: &generator)
        memory.keep(key, bytes: cost, for: key)
        if let index { list.remove(at: index) }
        while list.reduce(cost, { $0 + $1.cost }) > 1000 { list.removeFirst() }
        list.append((key, cost))
      } else {
        XCTAssertEqual(memory.find(key), index == nil ? nil : key)
        if let index { list.append(list.remove(at: index)) }
      }
      XCTAssertEqual(memory.bytes, list.reduce(0) { $0 + $1.cost })
    }
    XCTAssertEqual(memory.count, list.count)
  }
}
