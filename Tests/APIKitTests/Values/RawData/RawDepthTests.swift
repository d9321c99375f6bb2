import APIKit
import APIKitXML
import Foundation
import XCTest

/// The deepest document that any limit allows is read, compared, written and decoded without running out of stack.
final class RawDepthTests: XCTestCase {
  /// A list of lists.
  private struct Nest: Decodable {
    var inner: [Nest]

    init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode([Nest].self) }
  }

  private struct Link: Decodable {
    var a: [Link]?
    var end: Int?
  }

  /// Threads of Dispatch, and of Swift concurrency on Apple platforms, have 512 KiB. What overflows ends the process.
  func testTheDeepestDocumentFitsAThreadOf512KiB() throws {
    onThread(stackSize: 512 << 10) {
      do { try Self.useTheDeepest() } catch { XCTFail("\(error)") }
    }
  }

  private static func useTheDeepest() throws {
    let depth = RawData.Limits.hardMaximumDepth
    let limits = RawData.Limits(maximumDepth: .max)
    func nested(_ open: String, _ inner: String, _ close: String, _ count: Int = depth) -> String {
      String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    }
    let lists = try RawData(parsing: nested("[", "", "]"), limits: limits)
    let links = try RawData(parsing: nested(#"{"a":["#, #"{"end":7}"#, "]}", depth / 2 - 1), limits: limits)
    for raw in [lists, links, try RawData(parsing: nested(#"{"a":"#, "1", "}"), limits: limits)] {
      XCTAssertEqual(raw, try RawData(parsing: raw.jsonBytes(canonical: true), limits: limits))
      XCTAssertEqual(raw.jsonBytes(canonical: true), raw.jsonBytes())
      XCTAssertFalse("\(raw)".isEmpty)
      XCTAssertNotNil(raw.any)
      XCTAssertTrue(raw.array != nil || raw.dictionary != nil)
    }
    XCTAssertEqual(try lists.decode(as: Nest.self).inner.count, 1)
    XCTAssertEqual(try links.decode(as: Link.self).a?.count, 1)
    XCTAssertThrowsError(try lists.decode(as: [[Int]].self))

    let plain = try RawData(parsing: nested("[", "1", "]", 512))
    XCTAssertEqual(try RawData(plain: plain.any), plain)
    XCTAssertThrowsError(try RawData(plain: lists.any)) { error in
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded)
    }

    let xml = try XMLBodyDecoder().decode(Array(nested("<a>", "1", "</a>", depth - 1).utf8), limits: limits)
    XCTAssertEqual(xml, try RawData(parsing: xml.jsonBytes(canonical: true), limits: limits))
    let list = try PropertyListBodyDecoder().decode(nestedList(depth), limits: limits)
    XCTAssertEqual(list.jsonText(), lists.jsonText())
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
    XCTAssertThrowsError(
      try PropertyListBodyDecoder().decode(
        Self.nestedList(50_000), limits: RawData.Limits(maximumDepth: .max))
    ) { error in
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded, "\(error)")
    }
  }

  /// A binary property list in which each object is an array of the next one, with references of four bytes; the innermost of which is empty.
  private static func nestedList(_ count: Int) -> [UInt8] {
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
    return bytes
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
