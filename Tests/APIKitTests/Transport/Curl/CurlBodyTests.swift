#if os(Linux)
  import Foundation
  import Glibc
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// The bounds of what is sent and received, and the descriptors that bodies need.
  final class CurlBodyTests: XCTestCase {
    private let transport = CurlTransport.shared
    private lazy var folder = temporaryFolder()

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    // MARK: What is sent

    private static func stream(_ chunks: [String], length: Int64?) -> HTTPBodyStream {
      HTTPBodyStream(length: length) {
        let rest = Rest(chunks)
        return { rest.next() }
      }
    }

    func testAStreamThatGivesMoreThanItsLengthIsRefusedAndTheExcessNeverSent() async throws {
      for chunks in [
        ["12345", "GET /evil HTTP/1.1\r\n\r\n"], ["12345GET /evil HTTP/1.1\r\n\r\n"], ["123", "456"],
      ] {
        let received = Mutex<[UInt8]>([])
        let server = try ScriptedServer(
          .readHead, .readRest { bytes in received.withLock { $0 += bytes } })
        defer { server.stop() }
        let request = HTTPRequest(
          method: .post, url: try server.url(), body: .stream(Self.stream(chunks, length: 5)))
        let error = await failure { try await transport.send(request) }
        XCTAssertEqual(error?.reason, .unreadableBody)
        XCTAssertTrue(error?.detail.contains("more than its length of 5") == true, error?.detail ?? "")
        XCTAssertTrue(server.waitUntilIdle())
        XCTAssertLessThan(received.withLock { $0.count }, 5, "the request must not become complete")
      }
    }

    // MARK: Bounds of a response

    private func error(_ steps: ScriptedServer.Step...) async throws -> APIError? {
      let server = try ScriptedServer(scripts: [[.readRequest] + steps + [.waitForClose]])
      defer { server.stop() }
      let request = HTTPRequest(url: try server.url())
      return await failure { try await transport.send(request) }
    }

    func testHeadsBeforeTheFinalOneAndTrailersShareOneBound() async throws {
      let field = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
      let fields = String(repeating: field, count: 140)
      let endless = String(repeating: field, count: 1000)
      for text in [
        head + endless + "\r\n",
        head + "\r\n2\r\nok\r\n0\r\n" + endless + "\r\n",
        String(repeating: "HTTP/1.1 103 Early Hints\r\n" + field + "\r\n", count: 1000) + head + "\r\n",
        head + fields + "\r\n2\r\nok\r\n0\r\n" + fields + "\r\n",
        // Within this bound, and beyond libcurl's own of 300 KB for heads.
        head + String(repeating: field, count: 230) + "X-Large: " + String(repeating: "x", count: 90_000)
          + "\r\n\r\n",
        // Beyond libcurl's own of 4 KB for one line of a trailer.
        head + "\r\n2\r\nok\r\n0\r\nX-Large: " + String(repeating: "x", count: 9000) + "\r\n\r\n",
      ] {
        let error = try await error(.text(text))
        XCTAssertEqual(error?.reason, .responseTooLarge, "\(error as Any)")
        XCTAssertEqual(error.flatMap(RetryTable.standard.row)?.isOn, false)
      }
    }

    func testACompressedBodyThatIsCutToNothingIsTruncated() async throws {
      let codings = ["gzip", "deflate", "br", "zstd", "GZIP"]
      for coding in codings {
        for (framing, rest) in [("Connection: close", ""), ("Transfer-Encoding: chunked", "0\r\n\r\n")] {
          let response = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\(framing)\r\n\r\n\(rest)"
          let server = try ScriptedServer(
            scripts: (0..<3).map { _ in [.readRequest, .write(Array(response.utf8))] })
          defer { server.stop() }
          let request = HTTPRequest(url: try server.url())
          for destination: HTTPExchange.Destination in [.memory(), .file(path: path("file"))] {
            let error = await failure {
              try await transport.send(HTTPExchange(request, destination: destination))
            }
            XCTAssertEqual(error?.reason, .truncatedBody, "\(coding), \(framing), \(destination)")
          }
          let stream = try await transport.send(HTTPExchange(request, destination: .stream)).body
          guard case .stream(let chunks) = stream else { return XCTFail("no stream") }
          let error = await failure { for try await _ in chunks {} }
          XCTAssertEqual(error?.reason, .truncatedBody, "\(coding), \(framing), a stream")
        }
      }
      XCTAssertEqual(names, [])
    }

    func testAnEmptyResponseMayNameACoding() async throws {
      for head in [
        "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0", "200 OK\r\nContent-Encoding: identity",
        "205 Reset Content\r\nContent-Encoding: gzip", "302 Found\r\nContent-Encoding: gzip",
        "401 Unauthorized\r\nContent-Encoding: gzip", "503 Unavailable\r\nContent-Encoding: gzip",
      ] {
        let server = try ScriptedServer(
          .readRequest, .write(Array("HTTP/1.1 \(head)\r\nConnection: close\r\n\r\n".utf8)))
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(url: try server.url()))
        XCTAssertEqual(response.status, Int(head.prefix(3)))
        XCTAssertEqual(response.bytes, [])
      }
    }

    func testABodyWithManyCodingsIsRefused() async throws {
      let body = (0..<5).reduce(Array("hello".utf8)) { body, _ in TransportConformanceTests.gzip(body) }
      let server = try ScriptedServer.serving { request in
        let coding = Array(repeating: "gzip", count: Int(request.target.dropFirst()) ?? 0)
        return ScriptedServer.response(200, ["Content-Encoding": coding.joined(separator: ", ")], body)
      }
      defer { server.stop() }
      let five = try await transport.send(HTTPRequest(url: try server.url("/5")))
      XCTAssertEqual(String(decoding: five.bytes, as: UTF8.self), "hello")
      let many = HTTPRequest(url: try server.url("/300"))
      for destination: HTTPExchange.Destination in [.memory(), .file(path: path("file")), .stream] {
        let error = await failure { try await transport.send(HTTPExchange(many, destination: destination)) }
        XCTAssertEqual(error?.reason, .responseTooLarge)
        XCTAssertTrue(error?.detail.contains("300") == true, error?.detail ?? "")
      }
      XCTAssertEqual(names, [])
    }

    func testACodingInAFoldedLineOrBehindASpaceIsReadWhereverTheBodyGoes() async throws {
      let body = TransportConformanceTests.gzip(Array("hello".utf8))
      for field in [
        "Content-Encoding:\r\n gzip", "Content-Encoding: identity,\r\n\tgzip", "Content-Encoding : gzip",
      ] {
        let head = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: \(body.count)\r\n\r\n"
        let server = try ScriptedServer.serving { _ in Array(head.utf8) + body }
        defer { server.stop() }
        let request = HTTPRequest(url: try server.url())
        let inMemory = try await transport.send(request)
        XCTAssertEqual(String(decoding: inMemory.bytes, as: UTF8.self), "hello", field)
        let file = try await transport.send(HTTPExchange(request, destination: .file(path: path("file"))))
        XCTAssertEqual(file.status, 200)
        XCTAssertEqual(try String(contentsOfFile: path("file"), encoding: .utf8), "hello", field)
        try FileManager.default.removeItem(atPath: path("file"))
      }
      // Another field's fold names no coding, so an empty body is no cut one.
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nX-Folded: a\r\n gzip\r\nConnection: close\r\n\r\n"))
      defer { server.stop() }
      let empty = try await transport.send(HTTPRequest(url: try server.url()))
      XCTAssertEqual(empty.bytes, [])
    }

    // MARK: Descriptors

    private var descriptors: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    func testJobsThatWaitHoldNoDescriptorAndMakeNoFile() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.connections.perHost = 1
      let transport = try CurlTransport(configuration)
      try Data("upload".utf8).write(to: URL(fileURLWithPath: path("upload")))
      let before = descriptors
      var exchange = HTTPExchange(
        HTTPRequest(method: .put, url: try server.url(), body: .file(path: path("upload"))))
      let operations = (0..<300).map { index in
        exchange.destination = .file(path: path("\(index)"))
        return transport.start(exchange) { _ in }
      }
      XCTAssertTrue(server.waitForRequests(1))
      let waiting = await transport.counts(of: .transfers)?.waiting
      XCTAssertEqual(waiting, 299)
      XCTAssertLessThan(descriptors, before + 10)
      XCTAssertEqual(names.count, 2, "the upload, and the partial file of the one that runs")
      for operation in operations { operation.cancel() }
      await transport.shutdown()
      XCTAssertEqual(names, ["upload"])
    }

    func testNoDescriptorLeftIsSaidSo() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response() }
      defer { server.stop() }
      let other = try ScriptedServer.serving { _ in ScriptedServer.response() }
      defer { other.stop() }
      try Data("upload".utf8).write(to: URL(fileURLWithPath: path("upload")))
      let transport = try CurlTransport(.ephemeral)
      let url = try server.url()
      // Opens the connection while there are descriptors.
      try await transport.keepConnection(to: url, for: .file(path: path("upload")))
      let upload = HTTPExchange(HTTPRequest(method: .put, url: url, body: .file(path: path("upload"))))
      let download = HTTPExchange(HTTPRequest(url: url), destination: .file(path: path("download")))
      let elsewhere = HTTPExchange(HTTPRequest(url: try other.url()))
      for (exchange, reason) in [
        (upload, APIError.Reason.unreadableBody), (download, .fileFailed), (elsewhere, .transportFailed),
      ] {
        let limit = ProcessLimit.noDescriptors
        let error = await failure { try await transport.send(exchange) }
        limit.remove()
        XCTAssertEqual(error?.reason, reason)
        XCTAssertTrue(error?.detail.contains("Too many open files") == true, error?.detail ?? "")
      }
      await transport.shutdown()
    }

    func testTheQueueLetsGoOfJobsItHasGivenAway() throws {
      var queue = CurlQueue(ConnectionLimits(), multiplexedLimit: 64)
      let mailbox = try CurlMailbox()
      weak var body: Payload?
      do {
        let payload = Payload()
        body = payload
        for index in 0..<3 {
          var exchange = HTTPExchange(HTTPRequest(url: "http://a/"))
          if index == 0 { exchange.onProgress = { [payload] _ in _ = payload } }
          queue.append(
            CurlJob(exchange, mailbox, limits: CurlLimits(.standard), completion: .callback { _ in }))
        }
        let first = queue.next()
        first?.job.stop()
      }
      XCTAssertNil(body, "the queue still holds a job that is over")
      XCTAssertEqual(queue.waitingCount, 2)
      for job in queue.removeAll() { job.stop() }
    }

    func testADescriptorIsClosedOnce() throws {
      let sink = CurlFileSink(path: path("file"), maximumBytes: .max, maximumDecodedBytes: .max)
      try sink.open()
      let number = try XCTUnwrap(
        (3..<1024).first { index in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(index)"))?
            .hasPrefix(path("file")) == true
        })
      // Closing fails as on a disk that reports its fault then.
      close(Int32(number))
      XCTAssertThrowsError(try sink.finish(TransportMetrics()))
      let other = open("/dev/null", O_RDONLY)
      defer { close(other) }
      XCTAssertEqual(other, Int32(number), "another part of the process got the number")
      sink.fail(APIError(.transport, .fileFailed))
      XCTAssertGreaterThanOrEqual(fcntl(other, F_GETFD), 0, "and lost its descriptor")
      XCTAssertEqual(names, [])
    }

    func testExtensionsOfChunksHaveALimit() async throws {
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      let padding = String(repeating: "x", count: 1 << 24)
      let tls = try ScriptedTLS(in: temporaryFolder())
      for isTLS in [false, true] {
        let server = try ScriptedServer(
          scripts: [
            [.readRequest, .text(head + "2;a=b\r\nok\r\n0;" + padding + "\r\n\r\n"), .waitForClose],
            [.readRequest, .text(head + "2;" + padding + "\r\nok\r\n0\r\n\r\n"), .waitForClose],
            // Many of some length are no attack.
            [
              .readRequest,
              .text(
                head + String(repeating: "2;" + String(repeating: "y", count: 8000) + "\r\nok\r\n", count: 50)
                  + "0\r\n\r\n"), .waitForClose,
            ],
          ], tls: isTLS ? tls : nil)
        defer { server.stop() }
        var configuration = TransportConfiguration.ephemeral
        configuration.tls.trust = .bundle(path: tls.root)
        configuration.versions = .http1Only
        let transport = try CurlTransport(configuration)
        for _ in 0..<2 {
          let error = await failure { try await transport.send(HTTPRequest(url: try server.url())) }
          XCTAssertEqual(error?.reason, .malformedResponse, "\(error?.description ?? "")")
          XCTAssertTrue(error?.detail.contains("16 KiB between two chunks") == true, "\(error?.detail ?? "")")
        }
        let response = try await transport.send(HTTPRequest(url: try server.url()))
        XCTAssertEqual(response.bytes.count, 100)
      }
    }
  }

  private final class Payload: Sendable {}

  private final class Rest: Sendable {
    private let chunks: Mutex<[String]>
    init(_ chunks: [String]) { self.chunks = Mutex(chunks) }
    func next() -> [UInt8]? { chunks.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } }
  }
#endif
