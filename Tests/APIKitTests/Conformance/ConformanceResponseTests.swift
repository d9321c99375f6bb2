import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

extension TransportConformanceTests {
  func testEveryStatusIsAResponse() async throws {
    let server = try serving { request in
      let status = Int(request.target.dropFirst()) ?? 0
      return ScriptedServer.response(
        status, ["WWW-Authenticate": "Basic realm=\"x\""], text: "body of \(status)")
    }
    let transport = try transport()
    for status in [200, 201, 202, 206, 300, 301, 302, 400, 401, 403, 404, 407, 418, 429, 500, 503, 599] {
      let response = try await transport.send(HTTPRequest(url: try server.url("/\(status)")))
      XCTAssertEqual(response.status, status)
      if ![300, 301, 302].contains(status) || !quirks.contains(.reordersHeaders) {
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "body of \(status)")
      }
    }
  }

  func testARedirectComesBackAsItIs() async throws {
    let server = try serving { _ in ScriptedServer.response(302, ["Location": "/next"], text: "moved") }
    let transport = try transport()
    for method: HTTPMethod in [.get, .post] {
      let response = try await transport.send(HTTPRequest(method: method, url: try server.url()))
      XCTAssertEqual(response.status, 302)
      XCTAssertEqual(response.headers["Location"], "/next")
      XCTAssertEqual(response.bytes, Array("moved".utf8))
    }
    XCTAssertEqual(server.requests.map(\.target), ["/", "/"])
  }

  func testHeaderFieldsOfAResponseComeBack() async throws {
    let fields: HTTPHeaders = [
      "X-Zulu": "1", "x-lower": "two words", "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT",
      "X-Repeated": "a", "Set-Cookie": "b=2; Path=/", "X-Repeated": "b", "X-Blank": "",
    ]
    let server = try serving { _ in ScriptedServer.response(200, fields) }
    let response = try await transport().send(HTTPRequest(url: try server.url()))
    let names = Set(fields.map(\.name))
    if quirks.contains(.reordersHeaders) {
      XCTAssertEqual(response.headers["x-zulu"], "1")
      XCTAssertEqual(response.headers["X-LOWER"], "two words")
      XCTAssertEqual(response.headers.values("set-cookie"), fields.values("set-cookie"))
      XCTAssertEqual(response.headers.combined("x-repeated"), "a, b")
    } else {
      XCTAssertEqual(response.headers.fields.filter { names.contains($0.name) }, fields.fields)
    }
    XCTAssertEqual(response.url?.port, server.port)
  }

  func testResponsesWithoutABodyEndAtTheirHead() async throws {
    let server = try serving { request in
      if request.method == "HEAD" { return ScriptedServer.response(200, ["Content-Length": "1000"]) }
      return ScriptedServer.response(Int(request.target.dropFirst()) ?? 0, ["ETag": "\"1\""])
    }
    let transport = try transport()
    let head = try await transport.send(HTTPRequest(method: .head, url: try server.url()))
    XCTAssertEqual(head.headers["Content-Length"], "1000")
    XCTAssertEqual(head.bytes, [])
    for status in [204, 205, 304, 200] {
      let response = try await transport.send(HTTPRequest(url: try server.url("/\(status)")))
      XCTAssertEqual(response.status, status)
      XCTAssertEqual(response.bytes, [])
    }
    XCTAssertEqual(server.connectionCount, 1, "no response ruined the connection")
  }

  func testHeadsBeforeTheLastOneAreSkipped() async throws {
    let server = try server(
      .readRequest, .text("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
      .write(ScriptedServer.response(200, ["X-Last": "1"], text: "ok")), .waitForClose)
    let response = try await transport().send(HTTPRequest(url: try server.url()))
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.headers["X-Last"], "1")
    XCTAssertNil(response.headers["Link"])
    XCTAssertEqual(response.bytes, Array("ok".utf8))
  }

  func testABodyMayEndWithTheConnectionOrComeInChunks() async throws {
    let server = try server(scripts: [
      [.readRequest, .text("HTTP/1.1 200 OK\r\n\r\nuntil the end"), .close],
      [
        .readRequest, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n"),
        .text("1\r\n \r\n5\r\nworld\r\n0\r\n\r\n"), .waitForClose,
      ],
      [.readRequest, .text("HTTP/1.0 200 OK\r\n\r\nold"), .close],
    ])
    let transport = try transport()
    var bodies: [String] = []
    for _ in 0..<3 {
      let response = try await transport.send(HTTPRequest(url: try server.url()))
      bodies.append(String(decoding: response.bytes, as: UTF8.self))
      // The chunked connection is kept; a new one makes the script go on.
      if bodies.count == 2 { server.dropConnections() }
    }
    XCTAssertEqual(bodies, ["until the end", "hello world", "old"])
  }

  func testFieldsBehindAChunkedBodyDoNoHarm() async throws {
    try XCTSkipIf(
      quirks.contains(.trapsOnUnfinishedHead),
      "measured: FoundationNetworking traps on trailers (NativeProtocol.swift, 'there's no response')")
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
      .text("0\r\nX-Trailer: x\r\n\r\n"), .waitForClose)
    let response = try await transport().send(HTTPRequest(url: try server.url()))
    XCTAssertEqual(response.bytes, Array("hello".utf8))
  }

  func testASlowDripArrivesWhole() async throws {
    let body = Self.pattern(200)
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n"),
      .drip(body, size: 10, every: .milliseconds(5)), .waitForClose)
    let response = try await transport().send(
      HTTPExchange.make(try server.url()) { $0.request.timeouts.idle = .seconds(2) })
    XCTAssertEqual(response.bytes, body)
  }

  // MARK: Content codings

  /// Whether the transport decodes gzip; when it does not, asserts that the body is refused.
  private func decodes(_ transport: any HTTPTransport, _ request: HTTPRequest) async -> Bool {
    if transport.capabilities.contains(.gzip) { return true }
    let error = await failure { try await transport.send(request) }
    XCTAssertEqual(error?.reason, .undecodableContent)
    return false
  }

  func testCompressedBodiesAreUnpacked() async throws {
    let text = Array(String(repeating: "hello compressed world ", count: 500).utf8)
    let packed = Self.gzip(text)
    let server = try serving { request in
      ScriptedServer.response(200, ["Content-Encoding": String(request.target.dropFirst())], packed)
    }
    let transport = try transport()
    for coding in ["gzip", "x-gzip", "GZIP"] {
      let request = HTTPRequest(url: try server.url("/\(coding)"))
      guard await decodes(transport, request) else { continue }
      let response = try await transport.send(request)
      XCTAssertTrue(response.bytes == text, "\(coding): \(response.bytes.count) bytes")
    }
    XCTAssertEqual(
      server.requests[0].headers["Accept-Encoding"]?.contains("gzip"),
      transport.capabilities.contains(.gzip))
  }

  func testSeveralMembersAreReadWhole() async throws {
    let packed = Self.gzip(Array("first ".utf8)) + Self.gzip(Array("second".utf8))
    let server = try serving { _ in ScriptedServer.response(200, ["Content-Encoding": "gzip"], packed) }
    let transport = try transport()
    let request = HTTPRequest(url: try server.url())
    guard await decodes(transport, request) else { return }
    let response = try await transport.send(request)
    XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "first second")
  }

  func testACompressedBodyThatIsCutToNothingIsAnError() async throws {
    for (framing, rest) in [("Connection: close", ""), ("Transfer-Encoding: chunked", "0\r\n\r\n")] {
      let server = try server(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n\(rest)"), .close)
      let transport = try transport()
      let request = HTTPRequest(url: try server.url())
      let error = await failure { try await transport.send(request) }
      XCTAssertTrue(
        error?.reason == .truncatedBody || error?.reason == .undecodableContent, "\(framing): \(error as Any)"
      )
    }
    let empty = try serving { _ in ScriptedServer.response(200, ["Content-Encoding": "gzip"], []) }
    let transport = try transport()
    let request = HTTPRequest(url: try empty.url())
    guard await decodes(transport, request) else { return }
    let response = try await transport.send(request)
    XCTAssertEqual(response.bytes, [])
  }

  func testACutCompressedBodyIsAnError() async throws {
    let cut = Array(Self.gzip(Self.pattern(5000)).dropLast(20))
    let server = try serving { _ in ScriptedServer.response(200, ["Content-Encoding": "gzip"], cut) }
    let transport = try transport()
    let request = HTTPRequest(url: try server.url())
    guard await decodes(transport, request) else { return }
    let error = await failure { try await transport.send(request) }
    XCTAssertEqual(error?.reason, .truncatedBody)
  }

  func testAHeadWithoutABodyMayNameACoding() async throws {
    let server = try serving { request in
      Array("HTTP/1.1 \(request.target.dropFirst()) Whatever\r\nContent-Encoding: gzip\r\n\r\n".utf8)
    }
    let transport = try transport()
    for (status, method) in [(200, HTTPMethod.head), (204, .get), (304, .get)] {
      let response = try await transport.send(
        HTTPRequest(method: method, url: try server.url("/\(status)")))
      XCTAssertEqual(response.status, status)
    }
  }

  func testADamagedCompressedBodyIsAnError() async throws {
    for damaged in [Array("this is no gzip at all".utf8), Self.damaged(Self.gzip(Self.pattern(5000)))] {
      let error = try await error(
        .readRequest, .write(ScriptedServer.response(200, ["Content-Encoding": "gzip"], damaged)),
        .waitForClose)
      XCTAssertEqual(error?.reason, .undecodableContent)
    }
  }

  private static func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[bytes.count / 2] ^= 0xFF
    bytes[bytes.count - 6] ^= 0xFF
    return bytes
  }

  // MARK: Limits

  func testABodyBeyondItsLimitIsRefused() async throws {
    let chunked =
      Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n".utf8)
      + [UInt8](repeating: 65, count: 100) + Array("\r\n0\r\n\r\n".utf8)
    for response in [ScriptedServer.response(200, [:], Self.pattern(100)), chunked] {
      let error = try await error(.readRequest, .write(response), .waitForClose) {
        $0.destination = .memory(maximumBytes: 99)
      }
      XCTAssertEqual(error?.reason, .responseTooLarge)
    }
    let server = try serving { _ in ScriptedServer.response(200, [:], Self.pattern(100)) }
    let exact = try await transport().send(
      HTTPExchange(HTTPRequest(url: try server.url()), destination: .memory(maximumBytes: 100)))
    XCTAssertEqual(exact.bytes.count, 100)
  }

  func testASmallBodyThatUnpacksToAHugeOneIsRefused() async throws {
    let bomb = Self.gzip([UInt8](repeating: 0, count: 20 << 20))
    XCTAssertLessThan(bomb.count, 100_000)
    let server = try serving { _ in ScriptedServer.response(200, ["Content-Encoding": "gzip"], bomb) }
    let url = try server.url()
    let byRequest = try transport()
    guard await decodes(byRequest, HTTPRequest(url: url)) else { return }
    var error = await failure {
      try await byRequest.send(
        HTTPExchange(HTTPRequest(url: url), destination: .memory(maximumBytes: 1 << 20)))
    }
    XCTAssertEqual(error?.reason, .responseTooLarge)
    let byConfiguration = try transport { $0.maximumDecodedBytes = 1 << 20 }
    error = await failure { try await byConfiguration.send(HTTPRequest(url: url)) }
    XCTAssertEqual(error?.reason, .responseTooLarge)
  }

  func testAResponseIsRefusedAtItsHead() async throws {
    struct Unwanted: Error {}
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nX-Kind: film\r\nContent-Length: 50000000\r\n\r\n"),
      .drip([UInt8](repeating: 1, count: 1 << 20), size: 1 << 16, every: .milliseconds(1)), .waitForClose)
    let transport = try transport()
    let exchange = HTTPExchange.make(try server.url()) { exchange in
      exchange.inspectHead = { status, headers in
        if status == 200, headers["X-Kind"] == "film" { throw Unwanted() }
      }
    }
    guard await can(.headInspection, "headInspection", transport, exchange) else { return }
    let error = await failure { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .refusedAtHeaders)
    XCTAssertTrue(error?.underlying is Unwanted)
    XCTAssertTrue(server.waitUntilIdle(), "the transfer was ended")
  }

  // MARK: Files, streams, progress

  func testAResponseGoesToAFile() async throws {
    let body = Self.pattern(700_000)
    let server = try serving { _ in ScriptedServer.response(200, [:], body) }
    let transport = try transport()
    let path = try temporaryFile("what stood there before, longer or not".utf8)
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .file(path: path))
    guard await can(.fileDownload, "fileDownload", transport, exchange) else { return }
    let response = try await transport.send(exchange)
    guard case .file(let place, let count) = response.body else { return XCTFail("\(response.body)") }
    XCTAssertEqual(place, path)
    XCTAssertEqual(count, 700_000)
    XCTAssertTrue(FileManager.default.contents(atPath: path).map(Array.init) == body)
    XCTAssertEqual(try siblings(of: path), ["file"])
  }

  func testAFailedDownloadLeavesNothingBehind() async throws {
    let cut = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"), .close)
    let transport = try transport()
    let path = temporaryPath()
    let exchange = HTTPExchange(HTTPRequest(url: try cut.url()), destination: .file(path: path))
    guard await can(.fileDownload, "fileDownload", transport, exchange) else { return }
    let error = await failure { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertEqual(try siblings(of: path), [])

    let large = try serving { _ in ScriptedServer.response(200, [:], Self.pattern(1000)) }
    let url = try large.url()
    let tooLarge = await failure {
      try await transport.send(
        HTTPExchange(HTTPRequest(url: url), destination: .file(path: path, maximumBytes: 999)))
    }
    XCTAssertEqual(tooLarge?.reason, .responseTooLarge)
    let nowhere = await failure {
      try await transport.send(
        HTTPExchange(HTTPRequest(url: url), destination: .file(path: "/nowhere/at/all/file")))
    }
    XCTAssertEqual(nowhere?.reason, .fileFailed)
    XCTAssertEqual(try siblings(of: path), [])
  }

  private func siblings(of path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
  }

  func testAStreamWaitsForItsReader() async throws {
    let (allWritten, count) = (Latch(), 64 << 20)
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"),
      .write([UInt8](repeating: 7, count: count)), .open(allWritten), .waitForClose)
    let transport = try transport()
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .stream)
    guard await can(.streamDownload, "streamDownload", transport, exchange) else { return }
    let response = try await transport.send(exchange)
    guard case .stream(let stream) = response.body else { return XCTFail("\(response.body)") }
    XCTAssertFalse(allWritten.wait(seconds: 0.5), "64 MB were read without a reader")
    var received = 0
    var largest = 0
    for try await chunk in stream {
      received += chunk.count
      largest = max(largest, chunk.count)
    }
    XCTAssertEqual(received, count)
    XCTAssertLessThanOrEqual(largest, 4 << 20)
  }

  func testAStreamEndsWithItsErrorAndWithItsReader() async throws {
    let server = try server(scripts: [
      [.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .close],
      [.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .waitForClose],
    ])
    let transport = try transport()
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .stream)
    guard await can(.streamDownload, "streamDownload", transport, exchange) else { return }
    let cut = try await transport.send(exchange)
    guard case .stream(let stream) = cut.body else { return XCTFail("\(cut.body)") }
    let error = await failure { try await stream.collect(maximumBytes: 1000) }
    XCTAssertEqual(error?.reason, .truncatedBody)

    do {
      let left = try await transport.send(exchange)
      guard case .stream(let stream) = left.body else { return XCTFail("\(left.body)") }
      for try await chunk in stream {
        XCTAssertEqual(chunk, Array("half".utf8))
        break
      }
    }
    XCTAssertTrue(server.waitUntilIdle(), "leaving the loop ends the transfer")
  }

  func testProgressIsToldBothWays() async throws {
    let sent = [UInt8](repeating: 1, count: 2_000_000)
    let received = [UInt8](repeating: 2, count: 3_000_000)
    let server = try serving { _ in ScriptedServer.response(200, [:], received) }
    let transport = try transport()
    let told = Record<TransferProgress>()
    let exchange = HTTPExchange.make(try server.url()) { exchange in
      exchange.request.method = .put
      exchange.request.body = .bytes(sent)
      exchange.onProgress = { told.add($0) }
    }
    guard await can(.progress, "progress", transport, exchange) else { return }
    _ = try await transport.send(exchange)
    let steps = told.all
    XCTAssertEqual(steps.last?.sent, 2_000_000)
    XCTAssertEqual(steps.last?.received, 3_000_000)
    XCTAssertEqual(steps.last?.totalToReceive, 3_000_000)
    XCTAssertEqual(steps.last?.totalToSend, 2_000_000)
    for (before, after) in zip(steps, steps.dropFirst()) {
      XCTAssertLessThanOrEqual(before.sent, after.sent)
      XCTAssertLessThanOrEqual(before.received, after.received)
    }
  }
}
