import APIKitTesting
import XCTest

@testable import APIKit
@testable import TestSupport

/// The level in memory: its bounds, and what goes when one is reached.
final class MemoryCacheTests: XCTestCase {
  private func cache(bytes: Int = 1 << 20, count: Int = 1000) -> MemoryCache {
    MemoryCache(maximumBytes: bytes, maximumCount: count)
  }

  private func has(_ cache: MemoryCache, _ numbers: Int...) -> [Bool] {
    numbers.map { number in cache.find(CacheFixture.query(number)) != nil }
  }

  func testBeyondTheCountGoesWhatWasUsedLongestAgo() {
    let cache = cache(count: 3)
    for number in 1...3 { cache.store(CacheFixture.entry(number), now: 0) }
    XCTAssertEqual(has(cache, 1), [true])
    cache.store(CacheFixture.entry(4), now: 0)
    XCTAssertEqual(has(cache, 1, 2, 3, 4), [true, false, true, true])
    XCTAssertEqual(cache.statistics.evictions, 1)
    XCTAssertEqual(cache.statistics.count, 3)
  }

  func testWhatHasExpiredGoesBeforeWhatWasUsedLongAgo() {
    let time = ManualTime()
    let cache = cache(count: 3)
    cache.store(CacheFixture.entry(1, time: time), now: time.wallClock)
    cache.store(CacheFixture.entry(2, time: time), now: time.wallClock)
    cache.store(CacheFixture.entry(3, lifetime: 10, time: time), now: time.wallClock)
    time.advance(by: .seconds(11))
    cache.store(CacheFixture.entry(4, time: time), now: time.wallClock)
    XCTAssertEqual(has(cache, 1, 2, 3, 4), [true, true, false, true])
  }

  func testTheNamesOfAVaryCountTowardsTheBound() {
    let cache = cache(bytes: 1 << 20)
    for number in 0..<100 {
      let names = (0..<2000).map { "\(number)-\($0)" }.joined(separator: ",")
      let vary = VaryMatcher(response: ["Vary": names], request: [:])
      cache.store(CacheFixture.entry(number).with { $0.vary = vary }, now: 0)
    }
    // Each name takes 32 bytes in memory at least.
    XCTAssertLessThanOrEqual(cache.statistics.count, (1 << 20) / (2000 * 32))
    XCTAssertGreaterThan(cache.statistics.count, 5)
  }

  func testTheBoundInBytesHoldsAtEveryMomentOfConcurrentWriting() async {
    let bound = 200_000
    let cache = cache(bytes: bound)
    await withTaskGroup(of: Int.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var most = 0
          for number in 0..<500 {
            cache.store(CacheFixture.entry(writer * 500 + number, bytes: number % 7 * 900), now: 0)
            if number % 3 == 0 { _ = cache.find(CacheFixture.query(number)) }
            most = max(most, cache.statistics.bytes)
          }
          return most
        }
      }
      for await most in group { XCTAssertLessThanOrEqual(most, bound) }
    }
    let numbers = cache.statistics
    XCTAssertEqual(numbers.stores, 2000)
    XCTAssertEqual(numbers.evictions, 2000 - numbers.count)
    XCTAssertGreaterThan(numbers.bytes, bound / 2, "it does not drop more than it must")
  }

  func testAResponseThatWouldDriveOutAQuarterIsNotKeptNorIsTheOneBefore() {
    let cache = cache(bytes: 40_000)
    cache.store(CacheFixture.entry(1), now: 0)
    cache.store(CacheFixture.entry(1, bytes: 12_000), now: 0)
    XCTAssertEqual(has(cache, 1), [false])
    XCTAssertEqual(cache.statistics.bytes, 0)
  }

  func testOfOneKeyAFewVariantsAreKept() {
    let cache = cache()
    for language in 0..<20 {
      let vary = VaryMatcher(
        response: ["Vary": "Accept-Language"], request: ["Accept-Language": "\(language)"])
      cache.store(CacheFixture.entry(1, vary: vary), now: 0)
    }
    XCTAssertEqual(cache.statistics.count, 8)
    XCTAssertNotNil(cache.find(CacheFixture.query(1, headers: ["Accept-Language": "19"])))
    XCTAssertNil(cache.find(CacheFixture.query(1, headers: ["Accept-Language": "0"])))
  }

  func testAVariantIsThatOfTheSameBytes() {
    let cache = cache()
    let vary = VaryMatcher(response: ["Vary": "X-Account"], request: ["X-Account": "Caf\u{E9}"])
    cache.store(CacheFixture.entry(1, vary: vary), now: 0)
    XCTAssertNotNil(cache.find(CacheFixture.query(1, headers: ["X-Account": "Caf\u{E9}"])))
    XCTAssertNil(cache.find(CacheFixture.query(1, headers: ["X-Account": "Cafe\u{301}"])))
  }

  func testTheBoundsHoldForTheVariantsOfOneKeyToo() {
    for (cache, bytes, most) in [(cache(bytes: 100_000), 20_000, 1), (cache(count: 3), 100, 3)] {
      for language in 0..<20 {
        let vary = VaryMatcher(
          response: ["Vary": "Accept-Language"], request: ["Accept-Language": "\(language)"])
        cache.store(CacheFixture.entry(1, bytes: bytes, vary: vary), now: 0)
        XCTAssertNotNil(cache.find(CacheFixture.query(1, headers: ["Accept-Language": "\(language)"])))
        XCTAssertLessThanOrEqual(cache.statistics.bytes, cache.maximumBytes)
        XCTAssertLessThanOrEqual(cache.statistics.count, cache.maximumCount)
      }
      XCTAssertEqual(cache.statistics.count, most)
    }
  }

  func testWhatIsRemovedLeavesNothingInTheBooks() {
    let cache = cache()
    for number in 1...20 {
      cache.store(
        CacheFixture.entry(number, tags: ["t\(number % 2)"], partition: number < 6 ? "ann" : "bob"), now: 0)
    }
    cache.remove(partition: Checksum.of("ann"))
    XCTAssertEqual(cache.statistics.count, 15)
    XCTAssertEqual(has(cache, 5, 6), [false, true])
    cache.expire(tags: ["t0"])
    XCTAssertEqual(cache.find(CacheFixture.query(6))?.isExpired, true)
    XCTAssertEqual(cache.find(CacheFixture.query(7))?.isExpired, false)
    cache.remove(CacheFixture.key(6))
    cache.removeAll()
    XCTAssertEqual(cache.statistics.count, 0)
    XCTAssertEqual(cache.statistics.bytes, 0)
    XCTAssertEqual(cache.statistics.stores, 20, "what was done is still known")
  }
}
