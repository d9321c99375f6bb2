#if os(Linux)
  @testable import TestSupport
  import TestServers
  import Foundation
  import XCTest

  @testable import APIKit

  /// Which requests use which version of HTTP, on connections of whose own.
  final class CurlLoopsTests: XCTestCase {
    private static func send(
      _ request: HTTPRequest, to destination: HTTPExchange.Destination = .memory(),
      over transport: CurlTransport
    ) async throws -> (version: HTTPVersion, connection: String?) {
      let response = try await transport.send(HTTPExchange(request, destination: destination))
      if case .stream(let stream) = response.body { _ = try await stream.collect(maximumBytes: .max) }
      return (response.version, response.headers["X-Connection"])
    }

    private func transport(
      _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> (CurlTransport, HTTPURL) {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      change(&configuration)
      let url = try HTTPURL(nginx.url("/echo", site: .http2, host: "localhost"))
      return (try CurlTransport(configuration), url)
    }

    func testRequestsWithABodyAndStreamsUseHTTP1AndOthersHTTP2() async throws {
      let (transport, url) = try transport()
      for _ in 0..<2 {
        for method: HTTPMethod in [.get, .head, .delete, .options] {
          let outcome = try await Self.send(HTTPRequest(method: method, url: url), over: transport)
          XCTAssertEqual(outcome.version, .http2, "\(method)")
        }
        for (method, body) in [(HTTPMethod.post, [1]), (.put, [1]), (.patch, []), (.delete, [1])]
          as [(_, [UInt8])]
        {
          let outcome = try await Self.send(
            HTTPRequest(method: method, url: url, body: .bytes(body)), over: transport)
          XCTAssertEqual(outcome.version, .http1_1, "\(method)")
        }
        let stream = try await Self.send(HTTPRequest(url: url), to: .stream, over: transport)
        XCTAssertEqual(stream.version, .http1_1)
      }
      await transport.shutdown()
    }

    func testUploadsDoNotKeepOtherRequestsFromSharingAConnection() async throws {
      let (transport, url) = try transport()
      let connections = try await withThrowingTaskGroup(of: (HTTPVersion, String?).self) { group in
        for index in 0..<120 {
          group.addTask {
            let request = HTTPRequest(
              method: index % 2 == 0 ? .get : .post, url: url, body: index % 2 == 0 ? .empty : .bytes([1]))
            let outcome = try await Self.send(request, over: transport)
            return (outcome.version, outcome.connection)
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0, default: Set<String?>()].insert($1.1) }
      }
      XCTAssertEqual(connections[.http2]?.count, 1)
      XCTAssertLessThanOrEqual(connections[.http1_1]?.count ?? 0, 64)
      await transport.shutdown()
    }

    func testFilesAndStreamsDoNotHoldUpWhatIsSmall() async throws {
      let server = try NginxServer.shared()
      let transport = try CurlTransport(.ephemeral)
      let url = try HTTPURL(server.url("/echo"))
      let folder = temporaryFolder()
      let file = folder.appendingPathComponent("file").path
      try Data("upload".utf8).write(to: URL(fileURLWithPath: file))
      for (request, destination) in [
        (HTTPRequest(url: url), HTTPExchange.Destination.file(path: file + "2")),
        (HTTPRequest(url: url), .stream),
        (HTTPRequest(method: .post, url: url, body: .file(path: file)), .memory()),
      ] {
        // The thread of the transfer is held at the head of its response until a small load has landed.
        let (held, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var exchange = HTTPExchange(request, destination: destination)
        exchange.inspectHead = { _, _ in
          held.signal()
          guard released.wait(timeout: .now() + 20) == .success else {
            throw ValidationError("nothing landed")
          }
        }
        let isDone = expectation(description: "the transfer has ended")
        let operation = transport.start(exchange) { result in
          if case .failure(let error) = result { XCTFail("\(destination): \(error)") }
          isDone.fulfill()
        }
        await withCheckedContinuation { reached in
          DispatchQueue.global().async {
            held.wait()
            reached.resume()
          }
        }
        _ = try await transport.send(HTTPRequest(url: url))
        released.signal()
        await fulfillment(of: [isDone], timeout: 20)
        withExtendedLifetime(operation) {}
      }
      await transport.shutdown()
    }

    func testALimitInAllLeavesOneKindOfConnection() async throws {
      let (transport, url) = try transport { $0.connections.total = 2 }
      for body: HTTPBody in [.empty, .bytes([1])] {
        let outcome = try await Self.send(HTTPRequest(method: .post, url: url, body: body), over: transport)
        XCTAssertEqual(outcome.version, .http1_1)
      }
      let sockets = await transport.counts()?.openSockets
      XCTAssertEqual(sockets, 1, "one connection served both")
      await transport.shutdown()
    }

    func testStoppingEndsUploadsToo() async throws {
      let (transport, url) = try transport()
      _ = try await Self.send(HTTPRequest(method: .post, url: url), over: transport)
      await transport.shutdown()
      let error = await failure { try await Self.send(HTTPRequest(method: .post, url: url), over: transport) }
      XCTAssertEqual(error?.reason, .transportStopped)
    }
  }
#endif
