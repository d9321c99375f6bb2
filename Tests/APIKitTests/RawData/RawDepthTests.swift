import APIKit
import Foundation
import XCTest

/// The deepest document that any limit allows is read, compared, written and decoded without running out of stack.
final class RawDepthTests: XCTestCase {
  /// A list of lists.
  private struct Nest: Decodable {
    var inner: [Nest]

    init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode([Nest].self) }
  }

  func testTheDeepestDocumentFitsAThreadOfTheUsualSize() throws {
    let depth = RawData.Limits.hardMaximumDepth
    let limits = RawData.Limits(maximumDepth: .max)
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let raw = try RawData(parsing: text, limits: limits)
    let object = try RawData(
      parsing: String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth),
      limits: limits)
    // What overflows ends the process.
    onThread(stackSize: 8 << 20) {
      for raw in [raw, object] {
        XCTAssertTrue(raw == (try? RawData(parsing: raw.jsonBytes(canonical: true), limits: limits)))
        XCTAssertNotNil(raw.any)
      }
      XCTAssertNotNil(try? raw.decode(as: Nest.self))
    }
  }

  func testPropertyListsStopAtTheSameDepth() throws {
    let depth = RawData.Limits.hardMaximumDepth
    func nested(_ depth: Int) -> [UInt8] {
      let open = String(repeating: "<array>", count: depth)
      let close = String(repeating: "</array>", count: depth)
      return Array(#"<?xml version="1.0"?><plist>\#(open)\#(close)</plist>"#.utf8)
    }
    let limits = RawData.Limits(maximumDepth: .max)
    XCTAssertNoThrow(try PropertyListBodyDecoder().decode(nested(depth), limits: limits))
    XCTAssertThrowsError(try PropertyListBodyDecoder().decode(nested(depth + 1), limits: limits)) { error in
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded)
    }
  }

  func testADeepBinaryPropertyListIsRefusedAndNotAnOverflow() {
    // Each object is an array of the next one: 50,000 levels, references of four bytes.
    let count = 50_000
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in 0..<count {
      offsets.append(bytes.count)
      bytes.append(object + 1 < count ? 0xA1 : 0xA0)
      if object + 1 < count { withUnsafeBytes(of: UInt32(object + 1).bigEndian) { bytes += $0 } }
    }
    let table = bytes.count
    for offset in offsets { withUnsafeBytes(of: UInt32(offset).bigEndian) { bytes += $0 } }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for number in [count, 0, table] { withUnsafeBytes(of: UInt64(number).bigEndian) { bytes += $0 } }
    XCTAssertThrowsError(
      try PropertyListBodyDecoder().decode(bytes, limits: RawData.Limits(maximumDepth: .max))
    ) { error in
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded, "\(error)")
    }
  }

  private func onThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
    let done = expectation(description: "the thread ended")
    let thread = Thread {
      body()
      done.fulfill()
    }
    thread.stackSize = stackSize
    thread.start()
    wait(for: [done], timeout: 60)
  }
}
