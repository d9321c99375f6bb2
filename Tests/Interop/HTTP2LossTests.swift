#if os(Linux)
  import APIKit
  import Foundation
  import TestServers
  import XCTest

  /// HTTP/2 of a server that refuses uploads before it has read them, and that ends connections after so many requests
  /// (GOAWAY).
  final class HTTP2LossTests: XCTestCase {
    /// nginx that ends connections after 200 requests (its default is 1,000), and whose `/refused/N` responds without reading
    /// the body.
    private func nginx() throws -> NginxServer {
      let nginx = try needing {
        try NginxServer(
          locations: """
            keepalive_requests 200;
            location = /refused/401 { return 401 '{"status": 401}'; }
            location = /refused/429 { return 429 '{"status": 429}'; }
            """)
      }
      addTeardownBlock { nginx.stop() }
      return nginx
    }

    private func transport(
      _ nginx: NginxServer, _ versions: HTTPVersionPolicy = .upToHTTP2
    ) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      configuration.versions = versions
      return try CurlTransport(configuration)
    }

    private func url(_ path: String, of nginx: NginxServer) throws -> HTTPURL {
      try HTTPURL(nginx.url(path, site: .http2, host: "localhost"))
    }

    private func upload(_ size: Int, to url: HTTPURL) -> HTTPRequest {
      HTTPRequest(method: .post, url: url, body: .bytes([UInt8](repeating: 7, count: size)))
    }

    /// Sends requests, some at a time. Returns what was lost, how many responses came over HTTP/2, and the time.
    private func send(
      _ count: Int, together: Int, over transport: CurlTransport,
      _ request: @escaping @Sendable (Int) -> (HTTPRequest, status: Int)
    ) async throws -> (lost: [String], overHTTP2: Int, time: Duration) {
      let start = ContinuousClock.now
      return try await withThrowingTaskGroup(of: (loss: String?, isHTTP2: Bool).self) { group in
        var lost: [String] = []
        var overHTTP2 = 0
        for index in 0..<count + together {
          if index >= together, let outcome = try await group.next() {
            if let loss = outcome.loss { lost.append(loss) }
            if outcome.isHTTP2 { overHTTP2 += 1 }
          }
          guard index < count else { continue }
          group.addTask {
            let (request, status) = request(index)
            do {
              let response = try await transport.send(request)
              return (response.status == status ? nil : "\(response.status)", response.version == .http2)
            } catch {
              return ("\(error)", false)
            }
          }
        }
        return (lost, overHTTP2, ContinuousClock.now - start)
      }
    }

    func testNoGETIsLostWhenTheServerEndsConnections() async throws {
      let nginx = try nginx()
      let transport = try transport(nginx)
      for path in ["/echo", "/files/listing.json"] {
        let url = try url(path, of: nginx)
        for together in [64, 5] {
          let outcome = try await send(500, together: together, over: transport) { _ in
            (HTTPRequest(url: url), 200)
          }
          XCTAssertEqual(outcome.lost, [], "\(path), \(together) at a time")
          XCTAssertEqual(outcome.overHTTP2, 500)
        }
      }
      await transport.shutdown()
    }

    func testNothingIsLostWhenUploadsAndGETsMeetTheEndOfConnections() async throws {
      let nginx = try nginx()
      let transport = try transport(nginx)
      let url = try url("/echo", of: nginx)
      let upload = upload(5000, to: url)
      let outcome = try await send(1200, together: 64, over: transport) { index in
        (index % 2 == 0 ? upload : HTTPRequest(url: url), 200)
      }
      XCTAssertEqual(outcome.lost, [])
      XCTAssertEqual(outcome.overHTTP2, 600)
      await transport.shutdown()
    }

    func testNoUploadThatTheServerRefusesUnreadIsLost() async throws {
      let nginx = try nginx()
      let transport = try transport(nginx)
      for size in [1000, 100_000, 300_000] {
        let refused = try [401, 429].map { (upload(size, to: try url("/refused/\($0)", of: nginx)), $0) }
        for together in [16, 1] {
          let outcome = try await send(80, together: together, over: transport) { refused[$0 % 2] }
          XCTAssertEqual(outcome.lost, [], "\(size) bytes, \(together) at a time")
        }
      }
      await transport.shutdown()
    }

    func testUnreadStreamsTakeLittleMemory() async throws {
      let nginx = try nginx()
      let transport = try transport(nginx)
      let large = nginx.files.appendingPathComponent("large.bin")
      try Data(count: 16 << 20).write(to: large)
      let megabyte = HTTPRequest(url: try url("/files/megabyte.bin", of: nginx))
      _ = try await send(20, together: 4, over: transport) { _ in (megabyte, 200) }
      let before = try residentBytes()
      let exchange = HTTPExchange(
        HTTPRequest(url: try url("/files/large.bin", of: nginx)), destination: .stream)
      var streams: [HTTPResponse] = []
      for _ in 0..<20 { streams.append(try await transport.send(exchange)) }
      // Meanwhile the streams fill whatever they may.
      _ = try await send(60, together: 4, over: transport) { _ in (megabyte, 200) }
      let taken = try residentBytes() - before
      XCTAssertEqual(Set(streams.map(\.status)), [200])
      // A sanitizer keeps freed memory for a while.
      if ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] == nil {
        XCTAssertLessThan(taken, 40 << 20, "20 unread streams take \(taken >> 20) MiB")
      }
      await transport.shutdown()
    }

    /// The memory of this process that is in RAM.
    private func residentBytes() throws -> Int {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
      return (Int(pages) ?? 0) * Int(getpagesize())
    }
  }
#endif
