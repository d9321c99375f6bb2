import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class LocalSchemesTests: XCTestCase {
  private func response(
    _ url: String, _ destination: HTTPExchange.Destination = .memory(), method: HTTPMethod = .get
  ) async throws -> HTTPResponse {
    try await LocalSchemes.respond(
      to:

        HTTPExchange(HTTPRequest(method: method, url: try HTTPURL(url)), destination: destination))
  }

  func testADataURLIsItsOwnResponse() async throws {
    let rows = [
      ("data:,a%20b", "a b", "text/plain;charset=US-ASCII"), ("data:text/html,<b>", "<b>", "text/html"),
      ("data:;charset=utf-8;base64,aGk=", "hi", "text/plain;charset=utf-8"),
      ("data:application/json;BASE64,e30%3D", "{}", "application/json"),
      ("data:text/plain,\u{301}a,b", "\u{301}a,b", "text/plain"),
    ]
    for (url, text, type) in rows {
      let response = try await self.response(url)
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), text)
      XCTAssertEqual(response.headers["Content-Type"], type)
      XCTAssertEqual(response.version, .other)
    }
    for url in ["data:no comma", "data:,%2", "data:;base64,%%%"] {
      let error = await failure { try await self.response(url) }
      XCTAssertEqual(error?.reason, .invalidURL, url)
    }
  }

  func testAFileURLGoesToEveryDestination() async throws {
    let folder = temporaryFolder()
    let bytes = [UInt8](repeating: 5, count: 200_000)
    try Data(bytes).write(to: folder.appendingPathComponent("a b"))
    let url = "file://\(folder.path)/a%20b"
    let response = try await self.response(url)
    XCTAssertEqual(response.bytes, bytes)
    XCTAssertEqual(response.headers["Content-Length"], "200000")
    let head = try await self.response(url, method: .head)
    XCTAssertEqual(head.bytes, [])

    let copy = folder.appendingPathComponent("copy").path
    guard case .file(copy, 200_000) = try await self.response(url, .file(path: copy)).body else {
      return XCTFail("no file")
    }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: copy)), Data(bytes))
    guard case .stream(let stream) = try await self.response(url, .stream).body else {
      return XCTFail("no stream")
    }
    let collected = try await stream.collect(maximumBytes: 1 << 20)
    XCTAssertEqual(collected, bytes)

    let large = await failure { try await self.response(url, .memory(maximumBytes: 1000)) }
    XCTAssertEqual(large?.reason, .responseTooLarge)
    let capped = folder.appendingPathComponent("capped").path
    let cut = await failure { try await self.response(url, .file(path: capped, maximumBytes: 1000)) }
    XCTAssertEqual(cut?.reason, .responseTooLarge)
    XCTAssertFalse(FileManager.default.fileExists(atPath: capped))
  }

  func testWhatIsNoFileOrCannotBeAskedIsRefused() async throws {
    for (url, reason) in [
      ("file:///no/such/file", APIError.Reason.fileFailed), ("file:///", .fileFailed),
      ("file://elsewhere/etc/hosts", .invalidURL), ("file:///a%00b", .invalidURL),
    ] {
      let error = await failure { try await self.response(url) }
      XCTAssertEqual(error?.reason, reason, url)
    }
    let error = await failure { try await self.response("data:,a", method: .put) }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
  }
}
