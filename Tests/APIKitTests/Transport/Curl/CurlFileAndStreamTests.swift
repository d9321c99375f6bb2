#if os(Linux)
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Bodies from and to files and streams.
  final class CurlFileAndStreamTests: XCTestCase {
    private lazy var folder = temporaryFolder()
    private let transport = CurlTransport.shared
    private static let megabyte = (0..<1 << 20).map { UInt8($0 % 251) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    func testABodyGoesStraightToAFileAndReplacesTheOneThere() async throws {
      let nginx = try NginxServer.shared()
      let path = path("megabyte.bin")
      try Data("old".utf8).write(to: URL(fileURLWithPath: path))
      let response = try await transport.send(
        HTTPExchange(
          HTTPRequest(url: try HTTPURL(nginx.url("/files/megabyte.bin"))), destination: .file(path: path)))
      guard case .file(path, 1 << 20) = response.body else { return XCTFail("\(response.body)") }
      XCTAssertEqual([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), Self.megabyte)
      XCTAssertEqual(names, ["megabyte.bin"])
    }

    func testAFailedDownloadLeavesNothingAndKeepsTheOldFile() async throws {
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nhalf"))
      defer { server.stop() }
      let path = path("file")
      try Data("old".utf8).write(to: URL(fileURLWithPath: path))
      let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .file(path: path))
      let error = await failure { try await transport.send(exchange) }
      XCTAssertEqual(error?.reason, .truncatedBody)
      XCTAssertEqual(names, ["file"])
      XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "old")

      var missing = exchange
      missing.destination = .file(path: self.path("no/such/folder"))
      let refused = await failure { [missing] in try await transport.send(missing) }
      XCTAssertEqual(refused?.reason, .fileFailed)
    }

    func testTheSizeLimitsOfEachDestinationHold() async throws {
      let nginx = try NginxServer.shared()
      let request = HTTPRequest(url: try HTTPURL(nginx.url("/files/megabyte.bin")))
      let small = path("small")
      for destination: HTTPExchange.Destination in [
        .memory(maximumBytes: 1 << 19), .file(path: small, maximumBytes: 1 << 19),
      ] {
        let error = await failure {
          try await transport.send(HTTPExchange(request, destination: destination))
        }
        XCTAssertEqual(error?.reason, .responseTooLarge)
      }
      // Without a length nothing is known at the head: the bytes are counted.
      let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk),
        .waitForClose)
      defer { server.stop() }
      let url = try server.url()
      let error = await failure {
        try await transport.send(
          HTTPExchange(HTTPRequest(url: url), destination: .memory(maximumBytes: 40_000)))
      }
      XCTAssertEqual(error?.reason, .responseTooLarge)
      XCTAssertEqual(names, [])
    }

    /// What `brotli` makes of 100 MiB of zeros.
    private static let bomb =
      "cfffff7ff82700e2b14020f7fe9ffffffff04f00c4610180eefd3fffffffe19f0088c32200ddfb7ffeffffc33f01108705"
      + "00baf7fffcffff877f02200e0b0074effff9ffff0fff04401c1600e8deffe7ffff0ffe0980382c00d0bdff01"

    func testASmallPieceThatUnpacksToAHugeOneIsRefusedForAFileAndReadInPiecesFromAStream() async throws {
      try XCTSkipIf(CurlCodingLibraries.brotli == nil, "this libcurl brings no brotli")
      let bytes = try XCTUnwrap(Hex.decode(Self.bomb))
      let server = try ScriptedServer.serving { _ in
        ScriptedServer.response(200, ["Content-Encoding": "br"], bytes)
      }
      defer { server.stop() }
      let url = try server.url()
      let file = HTTPExchange(HTTPRequest(url: url), destination: .file(path: path("bomb")))
      let toFile = await failure { try await transport.send(file) }
      XCTAssertEqual(toFile?.reason, .responseTooLarge)
      XCTAssertEqual(names, [])
      let response = try await transport.send(HTTPExchange(HTTPRequest(url: url), destination: .stream))
      guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
      var (total, most) = (0, 0)
      for try await piece in stream {
        total += piece.count
        most = max(most, piece.count)
      }
      XCTAssertEqual(total, 100 << 20)
      XCTAssertLessThanOrEqual(most, 2 << 20)
      // In memory the caller has said how much is expected.
      let whole = try await transport.send(
        HTTPExchange(HTTPRequest(url: url), destination: .memory(maximumBytes: 200 << 20)))
      XCTAssertEqual(whole.bytes.count, 100 << 20)
    }

    func testAStreamArrivesInChunksAndHoldsTheServerBack() async throws {
      let sent = Mutex(0)
      let piece = [UInt8](repeating: 7, count: 1 << 20)
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(32 << 20)\r\n\r\n"
      let steps = (0..<32).flatMap { _ -> [ScriptedServer.Step] in
        [
          .write(piece),
          .response { _ in
            sent.withLock { $0 += 1 }; return []
          },
        ]
      }
      let server = try ScriptedServer(scripts: [[.readRequest, .text(head)] + steps])
      defer { server.stop() }
      let url = try server.url()
      let response = try await transport.send(HTTPExchange(HTTPRequest(url: url), destination: .stream))
      guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
      var iterator = stream.makeAsyncIterator()
      var count = try await iterator.next()?.count ?? 0
      // Socket buffers take a few megabytes; without back-pressure all 32 would be gone by now.
      try await Task.sleep(for: .milliseconds(150))
      XCTAssertLessThan(sent.withLock { $0 }, 24)
      while let chunk = try await iterator.next() { count += chunk.count }
      XCTAssertEqual(count, 32 << 20)
      // The last piece may have arrived before its sender counts it.
      await waitUntil { sent.withLock { $0 } == 32 }
    }

    func testLeavingAStreamEarlyEndsTheTransfer() async throws {
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst"), .waitForClose)
      defer { server.stop() }
      do {
        let url = try server.url()
        let response = try await transport.send(HTTPExchange(HTTPRequest(url: url), destination: .stream))
        guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
        for try await chunk in stream {
          XCTAssertEqual(String(decoding: chunk, as: UTF8.self), "first")
          break
        }
      }
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testAStreamThatBreaksThrowsFromItsIteration() async throws {
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst"))
      defer { server.stop() }
      let url = try server.url()
      let response = try await transport.send(HTTPExchange(HTTPRequest(url: url), destination: .stream))
      guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
      let error = await failure { try await stream.collect(maximumBytes: 1000) }
      XCTAssertEqual(error?.reason, .truncatedBody)
    }

    func testFilesAndLargeArraysAreSentWhole() async throws {
      let server = try ScriptedServer.serving { received in
        ScriptedServer.response(
          text: "\(received.body.count) \(received.isChunked) \(received.body.last ?? 0)")
      }
      defer { server.stop() }
      let path = path("upload")
      try Data(Self.megabyte).write(to: URL(fileURLWithPath: path))
      for (body, text) in [
        (HTTPBody.bytes(Self.megabyte), "1048576 false 148"), (.file(path: path), "1048576 false 148"),
        (.file(path: path, offset: 1_048_000), "576 false 148"),
      ] {
        let request = HTTPRequest(method: .put, url: try server.url(), body: body)
        let response = try await transport.send(request)
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), text)
      }
      XCTAssertFalse(server.requests.contains { $0.headers.contains("Expect") })
      let missing = HTTPRequest(method: .put, url: try server.url(), body: .file(path: "/no/such"))
      let error = await failure { try await transport.send(missing) }
      XCTAssertEqual(error?.reason, .unreadableBody)
    }

    func testStreamsAreSentChunkedOrWithTheirLength() async throws {
      let server = try ScriptedServer.serving { received in
        ScriptedServer.response(text: "\(received.text) \(received.isChunked)")
      }
      defer { server.stop() }
      for (length, text) in [(nil, "0123456789 true"), (Int64(10), "0123456789 false")] as [(Int64?, String)]
      {
        let response = try await transport.send(
          HTTPRequest(method: .post, url: try server.url(), body: .stream(Self.digits(10, length: length))))
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), text)
      }
      let short = HTTPRequest(
        method: .post, url: try server.url(), body: .stream(Self.digits(5, length: 10)))
      let error = await failure { try await transport.send(short) }
      XCTAssertEqual(error?.reason, .unreadableBody)
      struct Broken: Error {}
      let broken = HTTPRequest(
        method: .post, url: try server.url(), body: .stream(HTTPBodyStream { { throw Broken() } }))
      let failed = await failure { try await transport.send(broken) }
      XCTAssertEqual(failed?.reason, .unreadableBody)
      XCTAssertTrue(failed?.underlying is Broken)
    }

    func testAResponseCanBeRefusedAtItsHead() async throws {
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 418 No\r\nX-A: b\r\nContent-Length: 100\r\n\r\n"), .waitForClose)
      defer { server.stop() }
      struct Refused: Error {}
      var exchange = HTTPExchange(HTTPRequest(url: try server.url()))
      exchange.inspectHead = { status, headers in
        XCTAssertEqual(status, 418)
        XCTAssertEqual(headers["x-a"], "b")
        throw Refused()
      }
      let error = await failure { [exchange] in try await transport.send(exchange) }
      XCTAssertEqual(error?.reason, .refusedAtHeaders)
      XCTAssertTrue(error?.underlying is Refused)
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testProgressGrowsAndEndsWithTheWhole() async throws {
      let nginx = try NginxServer.shared()
      let seen = Mutex<[TransferProgress]>([])
      var exchange = HTTPExchange(HTTPRequest(url: try HTTPURL(nginx.url("/files/megabyte.bin"))))
      exchange.onProgress = { progress in seen.withLock { $0.append(progress) } }
      _ = try await transport.send(exchange)
      let all = seen.withLock { $0 }
      XCTAssertEqual(all.last?.received, 1 << 20)
      XCTAssertEqual(all.map(\.received), all.map(\.received).sorted())
    }

    private static func digits(_ count: Int, length: Int64?) -> HTTPBodyStream {
      HTTPBodyStream(length: length) {
        let next = Mutex(0)
        let source = Box(next)
        return {
          await Task.yield()
          return source.value.withLock { index in
            guard index < count else { return nil }
            defer { index += 1 }
            return Array("\(index)".utf8)
          }
        }
      }
    }
  }

  private final class Box: Sendable {
    let value: Mutex<Int>
    init(_ value: consuming Mutex<Int>) { self.value = value }
  }
#endif
