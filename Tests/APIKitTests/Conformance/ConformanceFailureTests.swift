import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension TransportConformanceTests {
  // MARK: Nobody there

  func testARefusedConnectionIsTold() async throws {
    let closed = try ScriptedServer(.close)
    closed.stop()
    XCTAssertTrue(closed.waitUntilIdle())
    let url = try closed.url()
    let transport = try transport()
    let error = await failure { try await transport.send(HTTPRequest(url: url)) }
    XCTAssertEqual(error?.reason, .connectionRefused)
    XCTAssertEqual(error?.stage, .transport)
  }

  func testAnUnknownHostIsTold() async throws {
    let transport = try transport()
    let error = await failure {
      try await transport.send(HTTPRequest(url: "https://no-such-host.invalid/"))
    }
    XCTAssertEqual(error?.reason, .unknownHost)
  }

  func testNothingIsSentWithoutTLSToAServerThatIsNotNamed() async throws {
    let reference = HTTPRequest(url: "http://no-such-host.invalid/secret?a=1")
    let refusing = try transport()
    let error = await failure { try await refusing.send(reference) }
    XCTAssertEqual(error?.reason, .cleartextRefused)
    XCTAssertEqual(error?.stage, .assembly)
    XCTAssertEqual(error?.detail.contains("http://no-such-host.invalid would be asked without TLS"), true)
    let naming = try transport { $0.cleartext = .loopback(and: ["no-such-host.invalid"]) }
    let sent = await failure { try await naming.send(reference) }
    XCTAssertEqual(sent?.reason, .unknownHost)
    var request = reference
    request.options.cleartext = .allowed
    let stated = await failure { [request] in try await refusing.send(request) }
    XCTAssertEqual(stated?.reason, .unknownHost, "the request's own word goes before the configuration's")
  }

  func testARedirectDoesNotLeadToAServerThatMayNotBeAskedWithoutTLS() async throws {
    let server = try serving { _ in
      ScriptedServer.response(302, ["Location": "http://no-such-host.invalid/"])
    }
    let client = HTTPClient(transport: try transport())
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()))
    let error = await failure { try await client.send(exchange) }
    XCTAssertEqual(error?.reason, .cleartextRefused)
  }

  /// A server that tells when `/slow` is asked for, and responds to it once it may.
  private func servingSlowly(
    _ isAsked: AsyncStream<Void>.Continuation, _ mayRespond: DispatchSemaphore
  ) throws -> ScriptedServer {
    try serving { request in
      if request.target == "/slow" {
        isAsked.yield()
        mayRespond.wait()
      }
      return ScriptedServer.response(text: request.target)
    }
  }

  func testAFinishedTransportLetsWhatFliesLandAndTakesNothingNew() async throws {
    let isAsked = AsyncStream.makeStream(of: Void.self)
    let mayRespond = DispatchSemaphore(value: 0)
    let server = try servingSlowly(isAsked.continuation, mayRespond)
    let transport = try transport()
    let slow = HTTPRequest(url: try server.url("/slow"))
    async let flying = transport.send(slow)
    for await _ in isAsked.stream { break }
    let hasFinished = Counter()
    let finishing = Task {
      await TransportConformanceTests.finish(transport)
      hasFinished.increment()
    }
    // Refused from the moment at which the transport has heard of it.
    let late = HTTPRequest(url: try server.url("/late"))
    var refused: APIError?
    for _ in 0..<2000 where refused == nil {
      do throws(APIError) { _ = try await transport.send(late) } catch { refused = error }
    }
    XCTAssertEqual(refused?.reason, .transportStopped)
    XCTAssertEqual(hasFinished.value, 0, "an attempt is still under way")
    mayRespond.signal()
    let landed = try await flying
    XCTAssertEqual(String(decoding: landed.bytes, as: UTF8.self), "/slow")
    await finishing.value
    await Self.finish(transport)
    let after = await failure { try await transport.send(late) }
    XCTAssertEqual(after?.reason, .transportStopped)
  }

  func testWhoeverWaitsForATransportToFinishMayLeave() async throws {
    let isAsked = AsyncStream.makeStream(of: Void.self)
    let mayRespond = DispatchSemaphore(value: 0)
    let server = try servingSlowly(isAsked.continuation, mayRespond)
    let transport = try transport()
    let slow = HTTPRequest(url: try server.url("/slow"))
    async let flying = transport.send(slow)
    for await _ in isAsked.stream { break }
    let hasLeft = Counter()
    let finishing = Task {
      await TransportConformanceTests.finish(transport)
      hasLeft.increment()
    }
    finishing.cancel()
    await waitUntil { hasLeft.value == 1 }
    // It finishes all the same.
    let late = HTTPRequest(url: try server.url("/late"))
    var refused: APIError?
    for _ in 0..<2000 where refused == nil {
      do throws(APIError) { _ = try await transport.send(late) } catch { refused = error }
    }
    XCTAssertEqual(refused?.reason, .transportStopped)
    mayRespond.signal()
    let landed = try await flying
    XCTAssertEqual(String(decoding: landed.bytes, as: UTF8.self), "/slow")
  }

  private static func finish(_ transport: any HTTPTransport) async {
    #if os(Linux)
      if let transport = transport as? CurlTransport { return await transport.finish() }
    #endif
    if let transport = transport as? URLSessionTransport { return await transport.finish() }
    XCTFail("\(type(of: transport)) cannot finish")
  }

  func testAPlainServerIsNoTLSServer() async throws {
    let server = try server(.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .waitForClose)
    let url = try server.url("/", scheme: "https")
    let transport = try transport()
    let error = await failure { try await transport.send(HTTPRequest(url: url)) }
    XCTAssertEqual(
      error?.reason, quirks.contains(.predatesItsLibcurl) ? .transportFailed : .tlsHandshakeFailed)
  }

  // MARK: Limits in time

  func testASilentServerRunsIntoTheIdleLimit() async throws {
    let heads = ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"]
    for head in heads {
      let start = Date()
      let error = try await error(.readRequest, .text(head), .waitForClose) {
        $0.request.timeouts = HTTPTimeouts(idle: .milliseconds(300))
      }
      XCTAssertEqual(error?.reason, .idleTimeout)
      XCTAssertGreaterThan(Date().timeIntervalSince(start), 0.25)
      XCTAssertLessThan(Date().timeIntervalSince(start), 3)
    }
  }

  func testAServerThatReadsNothingRunsIntoTheIdleLimit() async throws {
    let server = try server(.readHead, .waitForClose)
    let transport = try transport()
    let exchange = HTTPExchange.make(try server.url()) {
      $0.request.method = .put
      $0.request.body = .bytes([UInt8](repeating: 1, count: 30_000_000))
      $0.request.timeouts = HTTPTimeouts(idle: .milliseconds(500))
    }
    let error = await failure { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .idleTimeout)
  }

  func testASlowServerRunsIntoTheTotalLimitAlone() async throws {
    let start = Date()
    let error = try await error(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
      .drip(Self.pattern(1000), size: 1, every: .milliseconds(20))
    ) {
      $0.request.timeouts = HTTPTimeouts(idle: .seconds(10), total: .milliseconds(400))
    }
    XCTAssertEqual(error?.reason, .totalTimeout)
    XCTAssertGreaterThan(Date().timeIntervalSince(start), 0.35)
    XCTAssertLessThan(Date().timeIntervalSince(start), 3)
  }

  func testAHandshakeThatNeverEndsRunsIntoTheConnectLimit() async throws {
    let server = try server(.waitForClose)
    let transport = try transport()
    let exchange = HTTPExchange.make(try server.url("/", scheme: "https")) {
      $0.request.timeouts = HTTPTimeouts(connect: .milliseconds(400), idle: .seconds(10))
    }
    guard await can(.connectTimeout, "connectTimeout", transport, exchange) else { return }
    let error = await failure { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .connectTimeout)
  }

  func testAConnectionThatNobodyAcceptsRunsIntoTheConnectLimit() async throws {
    let hole = try BlackHole()
    let transport = try transport()
    let exchange = HTTPExchange.make(try HTTPURL("http://127.0.0.1:\(hole.port)/")) {
      $0.request.timeouts = HTTPTimeouts(connect: .milliseconds(300), idle: .seconds(10))
    }
    guard await can(.connectTimeout, "connectTimeout", transport, exchange) else { return }
    let start = ContinuousClock.now
    let error = await failure { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .connectTimeout)
    XCTAssertTrue((.milliseconds(290)..<(.seconds(5))).contains(ContinuousClock.now - start))
    // The total limit of a request counts in this phase too, and keeps its own reason.
    var hurried = exchange
    hurried.request.timeouts = HTTPTimeouts(connect: .seconds(10), total: .milliseconds(100))
    let total = await failure { [hurried] in try await transport.send(hurried) }
    XCTAssertEqual(total?.reason, .totalTimeout)
  }

  func testALimitOfZeroIsNone() async throws {
    let server = try server(
      .readRequest, .pause(.milliseconds(300)), .write(ScriptedServer.response(text: "late")), .waitForClose)
    let transport = try transport()
    let response = try await transport.send(
      HTTPExchange.make(try server.url()) {
        $0.request.timeouts = HTTPTimeouts(connect: .zero, idle: .zero, total: .zero)
      })
    XCTAssertEqual(response.bytes, Array("late".utf8))
  }

  // MARK: Broken responses

  func testABodyThatWasCutIsAnError() async throws {
    let cuts = [
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhello",
    ]
    for cut in cuts {
      let error = try await error(.readRequest, .text(cut), .close)
      XCTAssertEqual(error?.reason, .truncatedBody, cut)
    }
  }

  func testAResetWithinTheBodyIsAnError() async throws {
    let error = try await error(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .pause(.milliseconds(50)),
      .reset)
    XCTAssertTrue(
      error?.reason == .truncatedBody || error?.reason == .connectionLost, "\(error as Any)")
  }

  func testAConnectionThatEndsWithoutAResponseIsLost() async throws {
    let closed = try await error(.readRequest, .close)
    XCTAssertEqual(closed?.reason, .connectionLost)
    let reset = try await error(.readRequest, .reset)
    XCTAssertEqual(reset?.reason, .connectionLost)
  }

  func testAHeadThatWasCutIsAnError() async throws {
    try XCTSkipIf(
      quirks.contains(.trapsOnUnfinishedHead),
      "measured: FoundationNetworking traps (NativeProtocol.swift, 'there's no response'), which would end the tests"
    )
    let error = try await error(.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Ty"), .close)
    XCTAssertTrue(
      [.connectionLost, .malformedResponse, .truncatedBody].contains(error?.reason), "\(error as Any)")
  }

  func testWhatIsNoHTTPIsAnError() async throws {
    let responses = [
      "this is no HTTP at all\r\n\r\n", "<html>HTTP/0.9</html>",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello!!",
    ]
    for response in responses {
      let error = try await error(.readRequest, .text(response), .close)
      if quirks.contains(.predatesItsLibcurl) {
        XCTAssertTrue(
          [.malformedResponse, .truncatedBody, .transportFailed].contains(error?.reason), response)
      } else {
        XCTAssertEqual(error?.reason, .malformedResponse, response)
      }
    }
  }

  func testHeaderFieldsWithoutEndAreRefused() async throws {
    let error = try await error(
      .readRequest, .text("HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "a", count: 400_000)),
      .text("\r\nContent-Length: 2\r\n\r\nok"), .waitForClose)
    let reasons: [APIError.Reason] =
      [.malformedResponse, .responseTooLarge]
      + (quirks.contains(.predatesItsLibcurl) ? [.transportFailed] : [])
    XCTAssertTrue(reasons.contains { $0 == error?.reason }, "\(error as Any)")
  }

  func testAnEarlyResponseToAnUploadIsNotLost() async throws {
    let server = try server(
      .readHead, .write(ScriptedServer.response(413, ["Connection": "close"], text: "too large")),
      .waitForClose)
    let response = try await transport().send(
      HTTPRequest(method: .put, url: try server.url(), body: .bytes([UInt8](repeating: 1, count: 5_000_000))))
    XCTAssertEqual(response.status, 413)
    XCTAssertEqual(response.bytes, Array("too large".utf8))
  }

  func testAStaleConnectionIsReplacedInSilence() async throws {
    let server = try server(scripts: [
      [.readRequest, .write(ScriptedServer.response(text: "first")), .close],
      [.serve { _ in ScriptedServer.response(text: "second") }],
    ])
    let transport = try transport()
    let first = try await transport.send(HTTPRequest(url: try server.url()))
    XCTAssertEqual(first.bytes, Array("first".utf8))
    XCTAssertTrue(server.waitUntilIdle())
    let second = try await transport.send(HTTPRequest(url: try server.url()))
    XCTAssertEqual(second.bytes, Array("second".utf8))
  }

  // MARK: Cancellation

  func testCancellingEndsTheAttemptAtAnyPhase() async throws {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
    let phases: [(String, [ScriptedServer.Step], HTTPBody)] = [
      ("waiting for the head", [.readRequest], .empty),
      ("in the body", [.readRequest, .text(half)], .empty),
      ("sending", [.readHead], .bytes([UInt8](repeating: 1, count: 30_000_000))),
    ]
    for (phase, steps, body) in phases {
      let (arrived, cancelled) = (Latch(), Latch())
      // The server reads on only after the cancellation, so that a body cannot get through before it.
      let server = try server(scripts: [steps + [.open(arrived), .wait(cancelled), .waitForClose]])
      let transport = try transport()
      let request = HTTPRequest(method: .put, url: try server.url(), body: body)
      let task = Task { await failure { try await transport.send(request) } }
      XCTAssertTrue(arrived.wait(seconds: 10), phase)
      let start = Date()
      task.cancel()
      let error = await task.value
      cancelled.open()
      XCTAssertEqual(error?.reason, .cancelled, phase)
      XCTAssertLessThan(Date().timeIntervalSince(start), 5, phase)
      XCTAssertTrue(server.waitUntilIdle(), "the connection was closed \(phase)")
    }
  }

  func testCancellingEndsAnAttemptThatHasNoConnectionYet() async throws {
    let (hole, mute) = (try BlackHole(), try server(.waitForClose))
    for url in [try HTTPURL("http://127.0.0.1:\(hole.port)/"), try mute.url("/", scheme: "https")] {
      let transport = try transport()
      let task = Task { await failure { try await transport.send(HTTPRequest(url: url)) } }
      if url.scheme == "https" { XCTAssertTrue(mute.waitForConnections(1)) }
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      task.cancel()
      let error = await task.value
      XCTAssertEqual(error?.reason, .cancelled, "\(url)")
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(5), "\(url)")
    }
    XCTAssertTrue(mute.waitUntilIdle())
  }

  func testACancelledTaskSendsNothing() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let transport = try transport()
    let request = HTTPRequest(url: try server.url())
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure { try await transport.send(request) }
    }
    task.cancel()
    let error = await task.value
    XCTAssertEqual(error?.reason, .cancelled)
    let client = HTTPClient(transport: transport)
    let above = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure { try await client.send(HTTPExchange(request)) }
    }
    above.cancel()
    let second = await above.value
    XCTAssertEqual(second?.reason, .cancelled)
    XCTAssertEqual(server.requests.count, 0)
    let after = try await transport.send(request)
    XCTAssertEqual(after.status, 200, "the transport is as good as before")
  }
}
