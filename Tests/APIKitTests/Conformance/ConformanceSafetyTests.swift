import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What must not reach the wire, and what must not be lost on the disk.
extension TransportConformanceTests {
  /// Sends nothing, and fails with this reason.
  private func assertRefused(
    _ reason: APIError.Reason, naming name: String = "", line: UInt = #line,
    _ change: (inout HTTPRequest) -> Void
  ) async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let exchange = HTTPExchange.make(try server.url()) { change(&$0.request) }
    let transport = try transport()
    let error = await failure(line: line) { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, reason, line: line)
    XCTAssertTrue(error?.detail.hasPrefix(name) == true, error?.detail ?? "no error", line: line)
    XCTAssertEqual(server.requests.count, 0, line: line)
  }

  func testNothingIsSentThatWouldBeginAnotherLine() async throws {
    for separator in ["\r\n", "\n", "\r", "\0"] {
      let text = "a\(separator)X-Other: b"
      try await assertRefused(.invalidHeader) { $0.headers.add("X-Text", text) }
      try await assertRefused(.invalidHeader) { $0.headers.add(text, "value") }
      try await assertRefused(.invalidMethod) { $0.method = HTTPMethod(rawValue: text) }
      try await assertRefused(.misconfigured, naming: "the login") {
        $0.options.login = HTTPLogin(user: text, password: "landing")
      }
      try await assertRefused(.misconfigured, naming: "connectTo") { $0.options.connectTo = text }
      XCTAssertThrowsError(try transport { $0.headers.add("X-Text", text) }) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      }
    }
  }

  func testTheFieldsThatEndABodyAreTheTransportsAlone() async throws {
    for (name, value) in [
      ("Content-Length", "900"), ("content-length", "0"), ("Transfer-Encoding", "chunked"),
    ] {
      try await assertRefused(.invalidHeader, naming: name) {
        $0.method = .post
        $0.headers.add(name, value)
        $0.body = .bytes([1, 2, 3])
      }
      try await assertRefused(.invalidHeader, naming: name) { $0.headers.add(name, value) }
      XCTAssertThrowsError(try transport { $0.headers.add(name, value) }) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
        XCTAssertTrue((error as? APIError)?.detail.contains(name) == true, "\(error)")
      }
    }
  }

  func testABareCRInAFieldNeverBeginsAnotherLine() async throws {
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nETag: \"a\rX-Other: b\"\r\nContent-Length: 2\r\n\r\nok"),
      .waitForClose)
    let (transport, request) = (try transport(), HTTPRequest(url: try server.url()))
    let response: HTTPResponse
    do throws(APIError) { response = try await transport.send(request) } catch {
      // libcurl 8 refuses such a response itself; URLSession has no words for it.
      return XCTAssertTrue([.malformedResponse, .transportFailed].contains(error.reason), error.description)
    }
    XCTAssertEqual(response.headers["ETag"], "\"a X-Other: b\"")
    XCTAssertNil(response.headers["X-Other"])
    XCTAssertNoThrow(try HTTPHeaders(response.headers.map { .init("If-None-Match", $0.value) }).validate())
  }

  func testOnlyASuccessfulResponseTakesThePlaceOfAFile() async throws {
    let transport = try transport()
    for status in [302, 401, 404, 503] {
      let server = try serving { _ in
        ScriptedServer.response(status, ["X-Kind": "fault"], Array("no such".utf8))
      }
      let path = try temporaryFile("what was there".utf8)
      let exchange = HTTPExchange(
        HTTPRequest(url: try server.url()), destination: .file(path: path, maximumBytes: 1000))
      guard await can(.fileDownload, "fileDownload", transport, exchange) else { return }
      let response = try await transport.send(exchange)
      XCTAssertEqual(response.status, status)
      // FoundationNetworking drops the body of a redirect.
      let text = status == 302 && quirks.contains(.dropsBodiesOfRedirects) ? "" : "no such"
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), text, "\(status)")
      XCTAssertEqual(FileManager.default.contents(atPath: path), Data("what was there".utf8), "\(status)")
      let folder = (path as NSString).deletingLastPathComponent
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["file"], "\(status)")
      var small = exchange
      small.destination = .file(path: path, maximumBytes: 3)
      guard !text.isEmpty else { continue }
      let tooLarge = await failure { [small] in try await transport.send(small) }
      XCTAssertEqual(tooLarge?.reason, .responseTooLarge, "the limit holds in memory too")
    }
  }

  func testADownloadThatFailsBehindARedirectLeavesTheFileThatWasThere() async throws {
    let transport = try transport()
    let moved = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 5\r\n\r\nmoved"
    let half = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nhalf")
    for (end, reason) in [
      ([half, .close], APIError.Reason.truncatedBody), ([half, .waitForClose], .cancelled),
      ([.text(moved), .waitForClose], .redirectLoop),
    ] {
      let server = try server(scripts: [[.readRequest, .text(moved), .readRequest] + end])
      let path = try temporaryFile("what was there".utf8)
      let exchange = HTTPExchange(
        HTTPRequest(url: try server.url("/\(reason == .redirectLoop ? "next" : "start")")),
        destination: .file(path: path))
      let client = HTTPClient(transport: transport)
      guard await can(.fileDownload, "fileDownload", transport, exchange) else { return }
      let task = Task { await failure { try await client.send(exchange) } }
      if reason == .cancelled {
        XCTAssertTrue(server.waitForRequests(2))
        task.cancel()
      }
      let error = await task.value
      XCTAssertEqual(error?.reason, reason)
      XCTAssertEqual(FileManager.default.contents(atPath: path), Data("what was there".utf8), "\(reason)")
    }
  }

  func testAFIFOAsABodyIsRefusedAtOnce() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let transport = try transport()
    let path = temporaryPath()
    XCTAssertEqual(mkfifo(path, 0o600), 0)
    for compresses in [false, true] {
      let exchange = HTTPExchange.make(try server.url()) {
        $0.request.method = .put
        $0.request.body = .file(path: path)
        $0.request.options.compressesBody = compresses && transport.capabilities.contains(.streamUpload)
      }
      guard await can(.fileUpload, "fileUpload", transport, exchange) else { return }
      let error = await failure { try await transport.send(exchange) }
      XCTAssertEqual(error?.reason, .unreadableBody)
    }
  }

  func testABodyInAHEADIsRefused() async throws {
    try await assertRefused(.unsupportedCapability) {
      $0.method = .head
      $0.body = .bytes([1, 2, 3])
    }
  }

  func testAHEADRespondedToWithABodyEndsWithItsHead() async throws {
    for length in ["Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n", ""] {
      let server = try server(
        .readRequest, .text("HTTP/1.1 200 OK\r\n\(length)\r\nbody"), .waitForClose)
      let response = try await transport().send(
        HTTPExchange.make(try server.url()) {
          $0.request.method = .head
          $0.request.timeouts.idle = .seconds(5)
        })
      XCTAssertEqual(response.status, 200, length)
      XCTAssertEqual(response.bytes, [], length)
    }
  }
}
