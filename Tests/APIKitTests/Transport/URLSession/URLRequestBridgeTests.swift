import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class URLRequestBridgeTests: XCTestCase {
  func testARequestGoesOverAndComesBack() throws {
    var request = HTTPRequest(
      method: .patch, url: "https://a:8443/b%20c?x=%E5%9F%8E&y=%2B", headers: ["Accept": "a/b", "X-B": "1"],
      body: .bytes([1, 0, 2]))
    request.timeouts.idle = .milliseconds(1500)
    let foundation = try URLRequest(request)
    XCTAssertEqual(foundation.url?.absoluteString, request.url.string)
    XCTAssertEqual(foundation.httpMethod, "PATCH")
    XCTAssertEqual(foundation.timeoutInterval, 1.5)
    let back = try HTTPRequest(foundation)
    XCTAssertEqual(back.method, .patch)
    XCTAssertEqual(back.url, request.url)
    XCTAssertEqual(back.headers, request.headers)
    XCTAssertEqual(back.timeouts.idle, .milliseconds(1500))
    guard case .bytes(let bytes) = back.body else { return XCTFail("no bytes") }
    XCTAssertEqual(bytes, [1, 0, 2])
  }

  func testATimeoutThatNoDurationHoldsIsNoLimit() throws {
    var foundation = try URLRequest(HTTPRequest(url: "https://a/"))
    for interval in [Double.infinity, .greatestFiniteMagnitude, 1e19] {
      foundation.timeoutInterval = interval
      XCTAssertEqual(try HTTPRequest(foundation).timeouts.idle, .zero, "\(interval)")
    }
  }

  func testATimeoutOfFoundationsThatIsNoTimeIsRefusedWhenItIsSent() throws {
    for interval in [-1, -1e300, -.infinity, .nan] as [TimeInterval] {
      var foundation = URLRequest(url: URL(string: "https://a.test/")!)
      foundation.timeoutInterval = interval
      let request = try HTTPRequest(foundation)
      XCTAssertThrowsError(try request.timeouts.validate(), "\(interval)") {
        XCTAssertEqual(($0 as? APIError)?.reason, .misconfigured)
      }
    }
  }

  func testABracketEncodesNoPercentSignTwice() throws {
    for (url, expected) in [
      ("https://a/?b[]=%20c", "https://a/?b%5B%5D=%20c"), ("https://a/b%20c[1]", "https://a/b%20c%5B1%5D"),
      ("https://[::1]:8080/a%20b?c=[%20]", "https://[::1]:8080/a%20b?c=%5B%20%5D"),
    ] {
      let foundation = try URLRequest(HTTPRequest(url: HTTPURL(url)))
      XCTAssertEqual(foundation.url?.absoluteString, expected)
    }
  }

  func testLinesOfOneNameAreJoined() throws {
    let request = HTTPRequest(
      url: "https://a", headers: ["Accept": "a", "accept": "b", "Cookie": "x=1", "cookie": "y=2"])
    let foundation = try URLRequest(request)
    XCTAssertEqual(foundation.value(forHTTPHeaderField: "Accept"), "a, b")
    XCTAssertEqual(foundation.value(forHTTPHeaderField: "Cookie"), "x=1; y=2")
  }

  func testWhatFoundationCannotCarryIsRefused() {
    func bridge(_ change: (inout HTTPRequest) -> Void) throws -> URLRequest {
      var request = HTTPRequest(method: .post, url: "https://a")
      change(&request)
      return try URLRequest(request)
    }
    assertFails(.unsupportedCapability, "file") { try bridge { $0.body = .file(path: "/tmp/x") } }
    assertFails(.unsupportedCapability, "stream") {
      try bridge { $0.body = .stream(HTTPBodyStream { { nil } }) }
    }
    assertFails(.unsupportedCapability, "login") {
      try bridge { $0.options.login = HTTPLogin(user: "a", password: "b") }
    }
    assertFails(.unsupportedCapability, "address") { try bridge { $0.options.connectTo = "127.0.0.1" } }
    assertFails(.invalidHeader) { try bridge { $0.headers["X"] = "a\r\nb" } }
    assertFails(.invalidMethod) { try bridge { $0.method = "A B" } }
  }

  func testWhatOfFoundationsCannotBeCarriedIsRefused() throws {
    var stream = URLRequest(url: try XCTUnwrap(URL(string: "https://a/")))
    stream.httpMethod = "POST"
    stream.httpBodyStream = InputStream(data: Data([1]))
    assertFails(.unreadableBody) { try HTTPRequest(stream) }
    assertFails(.invalidURL) { try HTTPRequest(URLRequest(url: try XCTUnwrap(URL(string: "b/c")))) }
    var method = URLRequest(url: try XCTUnwrap(URL(string: "https://a/")))
    method.httpMethod = "A B"
    assertFails(.invalidMethod) { try HTTPRequest(method) }
  }
}

final class RequestCompressionTests: XCTestCase {
  private let plain = [UInt8](repeating: 65, count: 200_000)

  func testABodyIsPackedWhenAskedAndOnlyOnce() async throws {
    var request = HTTPRequest(
      method: .post, url: "https://a", headers: ["Content-Length": "200000"], body: .bytes(plain))
    guard case .bytes(let untouched) = request.compressingBody().body else { return XCTFail("no bytes") }
    XCTAssertEqual(untouched, plain)
    request.options.compressesBody = true
    let packed = request.compressingBody().compressingBody()
    XCTAssertEqual(packed.headers.fields, [.init("Content-Encoding", "gzip")])
    let unpacked = try await unpack(packed.body)
    XCTAssertEqual(unpacked, plain)
  }

  func testABodyThatIsCodedAlreadyAndAnEmptyOneAreLeftAlone() {
    var request = HTTPRequest(
      method: .post, url: "https://a", headers: ["content-encoding": "br"], body: .bytes([1]))
    request.options.compressesBody = true
    XCTAssertEqual(request.compressingBody().headers.fields, [.init("content-encoding", "br")])
    var empty = HTTPRequest(url: "https://a")
    empty.options.compressesBody = true
    XCTAssertTrue(empty.compressingBody().headers.isEmpty)
  }

  func testFilesAndStreamsArePackedWhileTheyAreSent() async throws {
    let path = try temporaryFile([9, 9, 9] + plain)
    var request = HTTPRequest(method: .post, url: "https://a", body: .file(path: path, offset: 3))
    request.options.compressesBody = true
    let file = request.compressingBody().body
    XCTAssertTrue(file.isReplayable)
    for _ in 0..<2 {
      let unpacked = try await unpack(file)
      XCTAssertEqual(unpacked, plain)
    }
    request.body = .stream(
      HTTPBodyStream(length: 6) {
        let chunks = Chunks([[1, 2], [], [3], [4, 5, 6]])
        return { await chunks.next() }
      })
    let stream = request.compressingBody().body
    XCTAssertFalse(stream.isReplayable)
    let unpacked = try await unpack(stream)
    XCTAssertEqual(unpacked, [1, 2, 3, 4, 5, 6])
  }

  func testAFileThatIsNotThereHasAReason() async {
    var request = HTTPRequest(method: .post, url: "https://a", body: .file(path: "/nowhere/at/all"))
    request.options.compressesBody = true
    let error = await failure { try await self.unpack(request.compressingBody().body) }
    XCTAssertEqual(error?.reason, .unreadableBody)
  }

  private actor Chunks {
    private var rest: ArraySlice<[UInt8]>
    init(_ chunks: [[UInt8]]) { rest = chunks[...] }
    func next() -> [UInt8]? { rest.popFirst() }
  }

  private func unpack(_ body: HTTPBody) async throws -> [UInt8] {
    var packed: [UInt8] = []
    switch body {
    case .bytes(let bytes): packed = bytes
    case .stream(let stream):
      XCTAssertNil(stream.length)
      let next = try stream.open()
      while let chunk = try await next() {
        XCTAssertFalse(chunk.isEmpty)
        packed += chunk
      }
    case .empty, .file: XCTFail("the body was not packed")
    }
    var decoder = ContentDecoder(.gzip)
    var output: [UInt8] = []
    try decoder.decode(packed, into: &output)
    try decoder.finish()
    return output
  }
}
