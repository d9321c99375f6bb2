#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// A server dies with a request in hand: what reaches it, or another one, a second time.
  @MainActor final class CurlResendTests: XCTestCase {
    private nonisolated static let echo: @Sendable (ScriptedServer.Received) -> [UInt8] = { received in
      ScriptedServer.response(text: #"{"method": "\#(received.method)"}"#)
    }

    /// What the connections after the first one meet.
    private enum Next: CaseIterable {
      case refused, healthy, closed, reset
      // Over TLS only.
      case silentHandshake, cutHandshake, noTLS, expired

      var needsTLS: Bool { [.silentHandshake, .cutHandshake, .noTLS, .expired].contains(self) }

      var script: [ScriptedServer.Step] {
        switch self {
        case .refused, .healthy, .expired: [.serve(CurlResendTests.echo)]
        case .closed: [.readRequest, .close]
        case .reset: [.readRequest, .reset]
        case .silentHandshake: [.waitForClose]
        case .cutHandshake: [.close]
        case .noTLS: [.text("220 hello\r\n"), .waitForClose]
        }
      }

      /// What a request that may go again fails with.
      var reason: APIError.Reason? {
        switch self {
        case .refused: .connectionRefused
        case .healthy: nil
        case .closed, .reset: .connectionLost
        case .silentHandshake: .connectTimeout
        case .cutHandshake, .noTLS: .tlsHandshakeFailed
        case .expired: .certificateExpired
        }
      }
    }

    /// A server whose first connection responds once, and then ends with a request in hand.
    private func server(
      _ next: Next, _ tls: ScriptedTLS?, dies: ScriptedServer.Step, readsBody: Bool = true,
      isWarm: Bool = true
    ) throws -> ScriptedServer {
      var first: [ScriptedServer.Step] = isWarm ? [.readRequest, .response(Self.echo)] : []
      first.append(readsBody ? .readRequest : .readHead)
      if next == .refused { first.append(.stopListening) }
      return try ScriptedServer(
        scripts: [first + [dies], next.script], tls: tls,
        handshakes: next.needsTLS && next != .expired ? 1 : .max)
    }

    private func transport(_ tls: ScriptedTLS?) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.versions = .http1Only
      configuration.timeouts = HTTPTimeouts(connect: .milliseconds(300), idle: .seconds(10))
      if let tls { configuration.tls.trust = .bundle(path: tls.root) }
      return try CurlTransport(configuration)
    }

    private func makeManager(
      _ url: HTTPURL, _ transport: CurlTransport, _ policy: RetryPolicy
    ) -> TestManager {
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: transport)
      service.environments = ServiceEnvironments(url)
      service.retryPolicy = policy
      let manager = TestManager(service)
      manager.sharedState = SharedState()
      return manager
    }

    private var policies: [RetryPolicy] {
      var standard = RetryPolicy.standard
      standard.backoff = .constant(.zero)
      return [.never, standard]
    }

    /// Every kind of end × plain and TLS × what comes next.
    private func everyEnd(
      _ test: (Next, @Sendable () throws -> ScriptedTLS?, ScriptedServer.Step) async throws -> Void
    ) async throws {
      for next in Next.allCases {
        for isTLS in next.needsTLS ? [true] : [false, true] {
          for dies in [ScriptedServer.Step.close, .reset] {
            let folder = temporaryFolder()
            let last = next == .expired ? CertificateMatrix.Server.expired : .good
            try await test(next, { isTLS ? try ScriptedTLS(in: folder, .good, last) : nil }, dies)
          }
        }
      }
    }

    private func bodies() -> [(HTTPBody, readsBody: Bool)] {
      let large = [UInt8](repeating: 0x61, count: 400_000)
      let once = HTTPBody.stream(
        HTTPBodyStream(length: 3) {
          let chunks = Counter()
          return { chunks.next() == 0 ? [1, 2, 3] : nil }
        })
      return [
        (.bytes(Array("a=1".utf8)), true), (.bytes(large), true), (.bytes(large), false), (once, true),
      ]
    }

    func testAPostIsReadOnceWhateverTheNextConnectionMeets() async throws {
      try await everyEnd { next, makeTLS, dies in
        for (index, policy) in policies.enumerated() {
          for (body, readsBody) in bodies() {
            let tls = try makeTLS()
            let what = "\(next) \(tls == nil ? "plain" : "TLS") \(dies) policy \(index) read \(readsBody)"
            let server = try server(next, tls, dies: dies, readsBody: readsBody)
            defer { server.stop() }
            let transport = try transport(tls)
            try await transport.keepConnection(to: try server.url("/warm"), for: body)
            let manager = makeManager(try server.url(), transport, policy)
            (manager.method, manager.body) = (index == 0 ? .post : .patch, body)
            let error = try await errorThrown { () throws(APIError) in try await manager.response() }
            XCTAssertEqual(error.reason, .connectionLost, "\(what): \(error)")
            XCTAssertTrue(error.detail.contains("the server may have acted"), "\(what): \(error)")
            XCTAssertGreaterThan(try XCTUnwrap(error.requestProgress), .unsent, what)
            XCTAssertEqual(server.requests.filter { $0.method != "GET" }.count, 1, what)
            XCTAssertEqual(server.connectionCount, 1, "\(what): it opens no connection in vain")
            await transport.shutdown()
          }
        }
      }
    }

    func testAGetIsSentAtMostTwiceByTheTransportAndSaysSo() async throws {
      try await everyEnd { next, makeTLS, dies in
        let tls = try makeTLS()
        let what = "\(next) \(tls == nil ? "plain" : "TLS") \(dies)"
        let server = try server(next, tls, dies: dies)
        defer { server.stop() }
        let transport = try transport(tls)
        let manager = makeManager(try server.url(), transport, .never)
        _ = try await manager.response()
        do {
          let response = try await manager.response()
          XCTAssertNil(next.reason, what)
          XCTAssertEqual(response.http.metrics.resends, 1, what)
          let record = try XCTUnwrap(response.record?.description)
          XCTAssertTrue(record.contains(", sent 2 times"), record)
        } catch let error as APIError {
          XCTAssertEqual(error.reason, next.reason, "\(what): \(error)")
          XCTAssertEqual(error.requestProgress, .sent, what)
        }
        let reads = next == .healthy || next == .closed || next == .reset
        XCTAssertEqual(server.requests.count, reads ? 3 : 2, what)
        await transport.shutdown()
      }
    }

    func testAPutThatMeetsTwoDyingConnectionsIsNotSentAThirdTime() async throws {
      let arrived = Latch()
      let script: [ScriptedServer.Step] = [
        .readRequest, .wait(arrived), .response(Self.echo), .readRequest, .close,
      ]
      let server = try ScriptedServer(scripts: [script, script, script, script])
      defer { server.stop() }
      let transport = try transport(nil)
      // Four kept connections: each request waits until all have one.
      try await withThrowingTaskGroup(of: Void.self) { group in
        let url = try server.url("/warm")
        for _ in 0..<4 { group.addTask { _ = try await transport.send(HTTPRequest(url: url)) } }
        let haveArrived = await Task.detached { server.waitForRequests(4) }.value
        XCTAssertTrue(haveArrived)
        arrived.open()
        try await group.waitForAll()
      }
      let count = server.requests.count
      var request = HTTPRequest(method: .put, url: try server.url(), body: .bytes([1, 2, 3]))
      request.timeouts.total = .seconds(5)
      let error = await failure { [request] in try await transport.send(request) }
      XCTAssertEqual(error?.reason, .connectionLost)
      XCTAssertEqual(server.requests.count - count, 2)
      XCTAssertEqual(server.connectionCount, 4)
    }

    func testManyPostsUnderWayArriveOnceWhenTheirServerDiesAndIsBackAtOnce() async throws {
      for isPool in [false, true] {
        for policy in policies {
          let (arrived, died) = (Latch(), Latch())
          let dying: [ScriptedServer.Step] = [
            .readRequest, .wait(arrived), .response(Self.echo), .readRequest, .wait(died), .reset,
          ]
          let server = try ScriptedServer(
            scripts: [[ScriptedServer.Step]](repeating: dying, count: 8) + [[.serve(Self.echo)]])
          defer { server.stop() }
          let other = try ScriptedServer(scripts: [[.serve(Self.echo)]], at: "127.0.0.2")
          defer { other.stop() }
          let transport = try transport(nil)
          let manager = makeManager(
            try server.url(host: isPool ? "localhost" : "127.0.0.1"), transport, policy)
          manager.method = .post
          manager.body = .bytes(Array("a=1".utf8))
          if isPool {
            let pool = HostPool.still(
              [
                HostAddress(stringLiteral: "127.0.0.1:\(server.port)"),
                HostAddress(stringLiteral: "127.0.0.2:\(other.port)"),
              ], name: "localhost")
            manager.service.hosts = pool
          }
          func flights() -> [Task<APIError?, Never>] {
            (0..<8).map { _ in
              Task { () -> APIError? in
                do throws(APIError) {
                  _ = try await manager.response()
                  return nil
                } catch {
                  return error
                }
              }
            }
          }
          func ends(of flights: [Task<APIError?, Never>]) async -> [APIError?] {
            var ends: [APIError?] = []
            for flight in flights { ends.append(await flight.value) }
            return ends
          }
          let first = flights()
          let haveArrived = await Task.detached { server.waitForRequests(8) }.value
          XCTAssertTrue(haveArrived)
          arrived.open()
          let none = await ends(of: first)
          XCTAssertTrue(none.allSatisfy { $0 == nil }, "\(none)")
          let before = server.requests.count + other.requests.count
          let second = flights()
          let isUnderWay = await Task.detached { server.waitForRequests(before + 8) }.value
          XCTAssertTrue(isUnderWay)
          died.open()
          let errors = await ends(of: second)
          XCTAssertTrue(errors.allSatisfy { $0?.reason == .connectionLost }, "\(errors)")
          XCTAssertEqual(server.requests.count + other.requests.count - before, 8, "pool: \(isPool)")
          await transport.shutdown()
        }
      }
    }

    func testAPostOnAConnectionThatARaceHasOpenedGoesToOneServer() async throws {
      for isTLS in [false, true] {
        let tls = isTLS ? try ScriptedTLS(in: temporaryFolder()) : nil
        let script: [[ScriptedServer.Step]] = [[.readRequest, .reset]]
        let (one, two) = (
          try ScriptedServer(scripts: script, tls: tls),
          try ScriptedServer(scripts: script, tls: tls, at: "127.0.0.2")
        )
        defer { for server in [one, two] { server.stop() } }
        for policy in policies {
          let transport = try transport(tls)
          let before = one.requests.count + two.requests.count
          let manager = makeManager(try one.url(host: "localhost"), transport, policy)
          (manager.method, manager.body) = (.post, .bytes([1]))
          manager.service.hosts = .still(
            [
              HostAddress(stringLiteral: "127.0.0.1:\(one.port)"),
              HostAddress(stringLiteral: "127.0.0.2:\(two.port)"),
            ], name: "localhost")
          let error = try await errorThrown { () throws(APIError) in try await manager.response() }
          XCTAssertEqual(error.reason, .connectionLost, "\(error)")
          XCTAssertEqual(one.requests.count + two.requests.count - before, 1)
          await transport.shutdown()
        }
      }
    }

    func testAGetOverHTTP2IsSentAtMostTwiceWhenItsConnectionDies() async throws {
      let open = Latch()
      let held = try ScriptedServer(
        scripts: [
          [
            .serve { received in
              open.wait()
              return Self.echo(received)
            }
          ]
        ])
      defer { held.stop() }
      let nginx = try NginxServer(
        locations: "location /held/ { proxy_pass http://127.0.0.1:\(held.port); }")
      defer { nginx.stop() }
      let relay = try CuttingRelay(to: nginx.port(.http2))
      defer { relay.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      let transport = try CurlTransport(configuration)
      let manager = makeManager(try HTTPURL("https://localhost:\(relay.port)"), transport, .never)
      manager.apiName = "echo"
      let first = try await manager.response()
      XCTAssertEqual(first.http.version, .http2)
      let count = 16
      let landings = manager.landings()
      for index in 0..<count {
        manager.apiName = "held/\(index)"
        manager.load()
      }
      let areHeld = await Task.detached { held.waitForRequests(count) }.value
      XCTAssertTrue(areHeld)
      relay.cut()
      open.open()
      var resends: [Int] = []
      for await landing in landings {
        resends.append((try? landing.get().http.metrics.resends) ?? 0)
        if resends.count == count { break }
      }
      let targets = Dictionary(grouping: held.requests, by: \.target).mapValues(\.count)
      XCTAssertEqual(targets.count, count)
      XCTAssertTrue(targets.values.allSatisfy { $0 <= 2 }, "\(targets)")
      XCTAssertEqual(resends.reduce(0, +), held.requests.count - count, "\(resends), \(targets)")
      XCTAssertGreaterThan(held.requests.count, count, "libcurl sends GETs again")
      await transport.shutdown()
    }

    func testAnHTTP2ConnectionThatIsClosedBeforeAResponseIsLost() async throws {
      let noSettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      let server = try ScriptedServer(
        .write(noSettings), .readHead, .pause(.milliseconds(50)), .end, .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.versions = .http2PriorKnowledge
      let transport = try CurlTransport(configuration)
      let request = HTTPRequest(method: .post, url: try server.url(), body: .bytes([1]))
      let error = await failure { try await transport.send(request) }
      XCTAssertEqual(error?.reason, .connectionLost, "\(error as Any)")
      XCTAssertEqual(error?.detail.contains("the server may have acted"), true)
      XCTAssertEqual(error?.requestProgress, .sent)
      await transport.shutdown()
    }

    func testARequestThatAnHTTP2ServerRefusesEachTimeWasNotActedOn() async throws {
      let noSettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      let refused: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7]
      let server = try ScriptedServer(
        .write(noSettings), .readHead, .pause(.milliseconds(50)), .write(refused), .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.versions = .http2PriorKnowledge
      let transport = try CurlTransport(configuration)
      let request = HTTPRequest(method: .post, url: try server.url(), body: .bytes([1]))
      let error = await failure { try await transport.send(request) }
      XCTAssertEqual(error?.reason, .connectionLost, "\(error as Any)")
      XCTAssertEqual(server.connectionCount, 6)
      XCTAssertEqual(error?.detail.contains("may have acted"), false, error?.detail ?? "")
      XCTAssertEqual(error?.requestProgress, .unsent)
      await transport.shutdown()
    }

    func testARefusedExpectationIsTheResponseAndNothingIsSentAgain() async throws {
      for (body, _) in bodies() {
        let server = try ScriptedServer(
          .readHead, .write(ScriptedServer.response(417, text: "no")), .serve(Self.echo))
        defer { server.stop() }
        let transport = try transport(nil)
        var request = HTTPRequest(method: .post, url: try server.url(), body: body)
        request.options.expectsContinue = true
        let heads = Counter()
        var exchange = HTTPExchange(request)
        exchange.inspectHead = { _, _ in heads.increment() }
        let response = try await transport.send(exchange)
        XCTAssertEqual(response.status, 417)
        XCTAssertEqual(heads.value, 1)
        XCTAssertEqual(server.requests.count, 1)
        await transport.shutdown()
      }
    }

    func testARequestThatNeverLeftSaysSo() async throws {
      let silent = try ScriptedServer(.stopListening)
      silent.stop()
      let transport = try transport(nil)
      for method in [HTTPMethod.get, .post] {
        let request = HTTPRequest(method: method, url: try silent.url(), body: .bytes([1]))
        let error = await failure { try await transport.send(request) }
        XCTAssertEqual(error?.requestProgress, .unsent, "\(error?.description ?? "no error")")
      }
      let unsupported = await failure { try await transport.send(HTTPRequest(url: "gopher://127.0.0.1/")) }
      XCTAssertEqual(unsupported?.requestProgress, .unsent)
    }

    func testAResponseThatIsCutSaysThatItBegan() async throws {
      let server = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset)
      defer { server.stop() }
      let error = await failure { [url = try server.url()] in
        try await self.transport(nil).send(HTTPRequest(method: .post, url: url, body: .bytes([1])))
      }
      XCTAssertEqual(error?.requestProgress, .responseBegan)
    }
  }
#endif
