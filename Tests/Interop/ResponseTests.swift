import APIKit
import Foundation
import TestServers
import XCTest

/// What servers respond with is understood: statuses, codings, redirects, cookies, and responses that never come.
class AnswerTests: InteropCase {
  func testEveryStatusIsAResponseWithItsBody() async throws {
    let nginx = try nginx()
    for status in [200, 201, 202, 400, 401, 403, 404, 405, 409, 410, 418, 422, 429, 500, 502, 503, 504] {
      let response = try await send(.get, nginx.url("/status/\(status)"))
      XCTAssertEqual(response.status, status)
      XCTAssertEqual(try response.json["status"].int, status)
    }
  }

  func testResponsesWithoutABodyAreWhole() async throws {
    let nginx = try nginx()
    for (path, status) in ["/status/204": 204, "/empty": 200] {
      let response = try await send(.get, nginx.url(path))
      XCTAssertEqual(response.status, status)
      XCTAssertEqual(response.bytes, [])
    }
  }

  func testARedirectIsAResponseOfTheTransport() async throws {
    let nginx = try nginx()
    for status in [301, 302, 303, 307, 308] {
      let response = try await send(.get, nginx.url("/redirect/\(status)"))
      XCTAssertEqual(response.status, status)
      XCTAssertEqual(response.headers["Location"], "/echo")
    }
  }

  func testCompressedBodiesAreDecoded() async throws {
    let (httpbin, nginx) = (try httpbin(), try nginx())
    if try transport.get().capabilities.contains(.gzip) {
      let gzip = try await send(.get, httpbin.url("/gzip"))
      XCTAssertEqual(try gzip.json["gzipped"].bool, true)
      let deflate = try await send(.get, httpbin.url("/deflate"))
      XCTAssertEqual(try deflate.json["deflated"].bool, true)
    } else {
      let error = try await failure(.get, httpbin.url("/gzip"))
      XCTAssertEqual(error.reason, .undecodableContent)
    }
    let listing = try await send(.get, nginx.url("/files/listing.json"))
    XCTAssertEqual(try listing.json["items"][19]["price"].int, 250_000)
    let plain = try Data(contentsOf: nginx.files.appendingPathComponent("listing.json"))
    XCTAssertEqual(listing.bytes.count, plain.count)
    let metrics = listing.metrics
    if try transport.get().capabilities.contains(.metrics) {
      XCTAssertLessThan(metrics.bytesReceived, Int64(plain.count), "nothing was compressed")
    }
  }

  func testChunkedAndLargeBodiesAreWhole() async throws {
    let chunked = try await send(.get, httpbin().url("/stream-bytes/100000?chunk_size=777&seed=1"))
    XCTAssertEqual(chunked.bytes.count, 100_000)
    let nginx = try nginx()
    let large = try await send(.get, nginx.url("/files/megabyte.bin"))
    XCTAssertEqual(large.bytes.count, 1_048_576)
    XCTAssertEqual(large.bytes[1_000_000], UInt8(1_000_000 % 251))
  }

  func testARangeIsAPartialResponse() async throws {
    let response = try await send(.get, nginx().url("/files/megabyte.bin")) {
      $0.headers["Range"] = "bytes=250-252"
    }
    XCTAssertEqual(response.status, 206)
    XCTAssertEqual(response.bytes, [250, 0, 1])
  }

  func testTwoCookiesStayTwoFields() async throws {
    let response = try await send(.get, nginx().url("/cookie"))
    XCTAssertEqual(response.headers.values("Set-Cookie"), ["gate=7", "crew=ours; HttpOnly"])
  }

  func testNoCookieIsKept() async throws {
    let nginx = try nginx()
    _ = try await send(.get, nginx.url("/cookie"))
    let echo = try await send(.get, nginx.url("/echo"))
    XCTAssertEqual(try echo.json["cookie"].string, "")
  }

  func testAConnectionIsUsedAgain() async throws {
    let nginx = try nginx()
    var connections: Set<String> = []
    for _ in 0..<3 {
      let response = try await send(.get, nginx.url("/echo"))
      connections.insert(try XCTUnwrap(response.headers["X-Connection"]))
    }
    XCTAssertEqual(connections.count, 1)
  }

  func testADelayWithinTheLimitIsAResponse() async throws {
    let response = try await send(.get, httpbin().url("/delay/1")) { $0.timeouts.idle = .seconds(20) }
    XCTAssertEqual(response.status, 200)
  }

  func testADelayBeyondTheIdleLimitFails() async throws {
    let url = try httpbin().url("/delay/10")
    let start = ContinuousClock.now
    let error = try await failure(.get, url) { $0.timeouts.idle = .seconds(1) }
    XCTAssertEqual(error.reason, .idleTimeout, error.description)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(6))
  }

  func testABodyBeyondTheTotalLimitFails() async throws {
    let url = try nginx().url("/slow/megabyte.bin")
    guard try transport.get().capabilities.contains(.totalTimeout) else {
      let error = try await failure(.get, url) { $0.timeouts.total = .seconds(1) }
      return XCTAssertEqual(error.reason, .unsupportedCapability)
    }
    let start = ContinuousClock.now
    let error = try await failure(.get, url) { $0.timeouts.total = .seconds(1) }
    XCTAssertEqual(error.reason, .totalTimeout, error.description)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(6))
  }

  func testACancelledTaskEndsItsAttemptAtOnce() async throws {
    let (transport, url) = (try transport.get(), try HTTPURL(httpbin().url("/delay/10")))
    let task = Task { try await transport.send(HTTPRequest(url: url)) }
    try await Task.sleep(for: .milliseconds(200))
    let start = ContinuousClock.now
    task.cancel()
    let result = await task.result
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
    guard case .failure(let error as APIError) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(error.reason, .cancelled)
  }

  func testAConnectionClosedWithoutAResponseIsLost() async throws {
    let error = try await failure(.get, nginx().url("/cut"))
    XCTAssertEqual(error.reason, .connectionLost, error.description)
  }

  func testAPortNobodyListensOnRefuses() async throws {
    let gone = try needing { try NginxServer() }
    gone.stop()
    let error = try await failure(.get, gone.url("/echo"))
    XCTAssertEqual(error.reason, .connectionRefused, error.description)
  }
}
