import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What is measured of each request.
extension TransportConformanceTests {
  func testEveryHopKeepsItsOwnTimes() async throws {
    let server = try server(
      .readRequest, .pause(.milliseconds(80)),
      .write(ScriptedServer.response(302, ["Location": "/second"])),
      .serve { _ in ScriptedServer.response(text: "there") })
    let client = HTTPClient(transport: try transport())
    let response = try await client.send(HTTPExchange(HTTPRequest(url: try server.url("/first"))))
    XCTAssertEqual(response.redirects.map(\.url.path), ["/first"])
    XCTAssertEqual(response.redirects.map(\.status), [302])
    let hop = try XCTUnwrap(response.redirects.first?.metrics)
    XCTAssertGreaterThan(hop.total, 75_000)
    XCTAssertLessThan(response.metrics.total, hop.total)
    guard client.transport.capabilities.contains(.metrics) else { return }
    XCTAssertGreaterThan(hop.firstByte, 75_000)
    XCTAssertFalse(hop.isReused)
    XCTAssertTrue(response.metrics.isReused)
    XCTAssertEqual(response.metrics.localPort, hop.localPort)
  }

  func testSizesAreThoseOnTheWireAndDecoded() async throws {
    let plain = Self.pattern(40_000)
    let packed = Self.gzip(plain)
    let isCoded = try transport().capabilities.contains(.gzip)
    let response = ScriptedServer.response(
      200, isCoded ? ["Content-Encoding": "gzip"] : [:], isCoded ? packed : plain)
    let head = response.count - (isCoded ? packed : plain).count
    let server = try serving { _ in response }
    let transport = try transport()
    for body in [Self.pattern(1000), Self.pattern(100_000), Self.pattern(400_000), []] {
      let metrics = try await transport.send(
        HTTPRequest(
          method: body.isEmpty ? .get : .post, url: try server.url("/sizes?a=1"),
          body: body.isEmpty ? .empty : .bytes(body))
      ).metrics
      XCTAssertEqual(metrics.bytesDecoded, 40_000)
      XCTAssertEqual(metrics.bytesReceived, Int64(isCoded ? packed.count : plain.count))
      XCTAssertEqual(metrics.bytesSent, Int64(body.count))
      guard transport.capabilities.contains(.metrics) else { continue }
      XCTAssertEqual(metrics.headBytesReceived, Int64(head))
      let sent = try XCTUnwrap(server.requests.last?.head.utf8.count)
      XCTAssertEqual(metrics.headBytesSent, Int64(sent + 4), "\(body.count) bytes of body")
    }
    guard transport.capabilities.contains(.fileDownload) else { return }
    let exchange = HTTPExchange(
      HTTPRequest(url: try server.url()), destination: .file(path: temporaryPath()))
    let toFile = try await transport.send(exchange).metrics
    XCTAssertEqual(toFile.bytesDecoded, 40_000)
  }

  func testAnAttemptThatFailsIsMeasured() async throws {
    let error = try await error(.readRequest, .pause(.milliseconds(60)), .reset)
    let metrics = try XCTUnwrap(error?.metrics)
    XCTAssertGreaterThan(metrics.total, 55_000)
    XCTAssertLessThan(metrics.total, 5_000_000)
    let late = try await self.error(.readRequest, .waitForClose) {
      $0.request.timeouts.total = .milliseconds(150)
    }
    XCTAssertEqual(late?.reason, .totalTimeout)
    let waited = try XCTUnwrap(late?.metrics)
    XCTAssertGreaterThanOrEqual(waited.total, 150_000)
    guard try transport().capabilities.contains(.metrics) else { return }
    XCTAssertEqual(waited.remoteAddress, "127.0.0.1")
    XCTAssertLessThan(waited.requestSent, 150_000)
    XCTAssertGreaterThan(waited.headBytesSent, 0)
    XCTAssertNil(waited.version, "nothing came")
  }

  func testAStreamIsMeasuredToItsEnd() async throws {
    let transport = try transport()
    guard transport.capabilities.contains(.streamDownload) else { return }
    for isBroken in [false, true] {
      let head = ScriptedServer.response(200, ["Content-Length": "20"])
      let half = Self.pattern(10)
      let server = try server(
        .readRequest, .write(head + half), .pause(.milliseconds(60)), isBroken ? .reset : .write(half))
      let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .stream)
      guard case .stream(let stream) = try await transport.send(exchange).body else {
        return XCTFail("no stream")
      }
      XCTAssertNil(stream.metrics, "the body has not ended")
      var error: APIError?
      do throws(APIError) {
        _ = try await stream.collect(maximumBytes: 100)
      } catch let failure {
        error = failure
      }
      let metrics = try XCTUnwrap(stream.metrics)
      XCTAssertGreaterThan(metrics.total, 55_000)
      XCTAssertEqual(metrics.bytesReceived, isBroken ? 10 : 20)
      XCTAssertEqual(error?.metrics, isBroken ? metrics : nil)
    }
  }

  func testWhatIsRefusedBeforeItIsSentIsNotMeasured() async throws {
    let transport = try transport()
    let error = await failure { try await transport.send(HTTPRequest(url: "gopher://127.0.0.1/")) }
    XCTAssertNotNil(error)
    XCTAssertNil(error?.metrics)
  }
}
