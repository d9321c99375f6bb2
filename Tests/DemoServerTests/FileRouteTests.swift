import APIKit
@testable import DemoServer
@testable import TestSupport
import XCTest

/// The files of the demo server, and its form of a home.
final class FileRouteTests: XCTestCase {
  private var server: DemoServer!

  override func setUp() async throws { server = try DemoServer() }
  override func tearDown() async throws { server = nil }

  private func response(
    _ target: String, method: String = "GET", fields: String = "", body: String = ""
  ) -> (head: String, body: [UInt8]) {
    let client = RawClient(port: server.port)
    client.send(
      "\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let bytes = client.readBytesToEnd()
    let end = bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) } ?? bytes.count
    return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes.dropFirst(end + 4)))
  }

  func testAPartOfAFileHasTheBytesOfTheWhole() {
    for range in [0..<0, 0..<1, 65_535..<65_537, 70_000..<200_001, 131_072..<262_144] {
      XCTAssertEqual(DemoTransfers.bytes(range), range.map(DemoTransfers.byte), "\(range)")
    }
    let rest = response("/transfers/files/70000", fields: "Range: bytes=69990-\r\n")
    XCTAssertTrue(rest.head.contains("Content-Range: bytes 69990-69999/70000"), rest.head)
    XCTAssertEqual(rest.body, (69_990..<70_000).map(DemoTransfers.byte))
    let part = response("/transfers/files/70000", fields: "Range: bytes=5-9\r\n")
    XCTAssertTrue(part.head.contains("Content-Range: bytes 5-9/70000"), part.head)
    XCTAssertEqual(part.body, (5..<10).map(DemoTransfers.byte))
    let long = response("/transfers/files/10", fields: "Range: bytes=8-99\r\n")
    XCTAssertTrue(long.head.contains("Content-Range: bytes 8-9/10"), long.head)
    XCTAssertTrue(response("/transfers/files/10", fields: "Range: bytes=9-8\r\n").head.contains(" 200 OK"))
    XCTAssertTrue(response("/transfers/files/10", fields: "Range: bytes=10-\r\n").head.contains(" 416 "))
  }

  func testAnUploadOfLessThanNothingIsRefused() {
    for (length, status) in [("-1", 400), ("0", 201), ("9223372036854775807", 413)] {
      let fields = "Tus-Resumable: 1.0.0\r\nUpload-Length: \(length)\r\n"
      let head = response("/transfers/tus", method: "POST", fields: fields).head
      XCTAssertTrue(head.contains(" \(status) "), head)
    }
  }

  func testARateSlowsAFileDown() {
    let began = ContinuousClock.now
    let slow = response("/transfers/files/40000?demo_rate=100000")
    XCTAssertGreaterThan(ContinuousClock.now - began, .milliseconds(350))
    XCTAssertEqual(slow.body, (0..<40_000).map(DemoTransfers.byte))
    let broken = response("/transfers/files/40000?demo_rate=1000000&demo_break=9000")
    XCTAssertEqual(broken.body.count, 9000)
    for rate in ["999", "100000001", "-1", "fast", ""] {
      let refused = response("/transfers/files/10?demo_rate=\(rate)")
      XCTAssertTrue(refused.head.hasPrefix("HTTP/1.1 400 "), "\(rate): \(refused.head)")
    }
  }

  func testAFaultThatIsNoNumberIsRefused() {
    for fault in ["demo_break=-1", "demo_break=x", "demo_delay=-5", "demo_truncate=-1", "demo_stall=soon"] {
      let refused = response("/transfers/files/10?\(fault)")
      XCTAssertTrue(refused.head.hasPrefix("HTTP/1.1 400 "), "\(fault): \(refused.head)")
      let name = fault.prefix { $0 != "=" }
      XCTAssertTrue(String(decoding: refused.body, as: UTF8.self).contains("\(name) must be"), fault)
    }
  }

  func testAHomeWithFaultsIsRefusedByField() {
    func post(_ body: String) -> String {
      let (head, body) = response("/recipes/homes", method: "POST", body: body)
      return head.split(separator: " ")[1] + " " + String(decoding: body, as: UTF8.self)
    }
    XCTAssertEqual(post(#"{"title": "By the lake", "beds": 3}"#), #"201 {"id":1,"title":"By the lake"}"#)
    XCTAssertEqual(
      post(#"{"title": "B", "beds": 21}"#),
      #"422 {"errors":{"title":["is too short"],"beds":["must be 0 to 20"]}}"#)
    XCTAssertEqual(post("{}"), #"422 {"errors":{"title":["is missing"]}}"#)
    XCTAssertTrue(post("[").hasPrefix("400 "))
  }
}
