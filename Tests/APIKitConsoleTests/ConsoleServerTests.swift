import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitConsole

/// What the console's server refuses, and that nothing keeps it from serving others.
final class ConsoleServerTests: XCTestCase {
  private let token = "0123456789abcdef"

  private func console(maximumConnections: Int = 16) throws -> (console: WebConsole, port: UInt16) {
    let console = try WebConsole(port: 0, maximumConnections: maximumConnections, token: token)
    let port = try XCTUnwrap(URL(string: console.url)?.port)
    return (console, UInt16(port))
  }

  private func ask(
    _ port: UInt16, _ method: String = "GET", _ path: String = "", host: String? = nil, _ fields: String = "",
    body: String = "", token: String? = nil
  ) -> String {
    let client = RawClient(port: port)
    client.send(
      "\(method) /\(token ?? self.token)/\(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(fields)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return client.readToEnd()
  }

  private func status(_ response: String) -> String { String(response.prefix(12).suffix(3)) }

  func testThePageIsServedWithAPolicyThatForbidsEverythingElse() throws {
    let (console, port) = try console()
    defer { console.stop() }
    let response = ask(port)
    XCTAssertEqual(status(response), "200")
    XCTAssertTrue(response.contains("default-src 'none'; script-src 'nonce-"), response)
    XCTAssertTrue(response.contains("Cache-Control: no-store"))
    XCTAssertTrue(response.contains("Referrer-Policy: no-referrer"))
    XCTAssertTrue(response.contains("<tbody id=\"loads\">"))
    XCTAssertTrue(console.url.hasPrefix("http://127.0.0.1:\(port)/\(token)/"))
    XCTAssertEqual(status(ask(port, host: "localhost:\(port)")), "200")
    XCTAssertEqual(status(ask(port, "GET", "report")), "200")
    XCTAssertEqual(status(ask(port, "GET", "else")), "404")
    XCTAssertEqual(status(ask(port, "DELETE", "rules")), "405")
  }

  func testAnotherTokenIsNotFoundWhateverIsAsked() throws {
    let (console, port) = try console()
    defer { console.stop() }
    for wrong in ["", "0", "0123456789abcdee", "0123456789abcdef0", "..", "%30123456789abcdef"] {
      for path in ["", "events", "rules", "replay", "report"] {
        let response = ask(port, "GET", path, token: wrong)
        XCTAssertEqual(status(response), "404", "\(wrong) \(path)")
        XCTAssertFalse(response.contains(token))
      }
    }
    let other = try WebConsole()
    defer { other.stop() }
    XCTAssertNotEqual(other.url.suffix(34), try WebConsole().url.suffix(34), "each has a token of its own")
  }

  func testOtherHostsAndOriginsAreRefused() throws {
    let (console, port) = try console()
    defer { console.stop() }
    for host in ["evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost", ""] {
      XCTAssertEqual(status(ask(port, host: host)), "421", host)
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1:\(port)", "http://127.0.0.1"] {
      for (method, path) in [("GET", "events"), ("POST", "rules"), ("POST", "replay")] {
        let response = ask(port, method, path, "Origin: \(origin)\r\n", body: "[]")
        XCTAssertEqual(status(response), "403", "\(origin) \(method)")
      }
    }
    XCTAssertEqual(status(ask(port, "POST", "rules", "Sec-Fetch-Site: cross-site\r\n", body: "[]")), "403")
    XCTAssertEqual(
      status(ask(port, "POST", "rules", "Origin: http://127.0.0.1:\(port)\r\n", body: "[]")), "200")
    let twice = RawClient(port: port)
    twice.send("GET /\(token)/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: evil.example\r\n\r\n")
    XCTAssertEqual(status(twice.readToEnd()), "400")
  }

  func testRequestsThatAreTooLongOrNoneAreRefused() throws {
    let (console, port) = try console()
    defer { console.stop() }
    let huge = RawClient(port: port)
    huge.send("GET /\(token)/ HTTP/1.1\r\nX: " + String(repeating: "x", count: 17 << 10))
    XCTAssertEqual(status(huge.readToEnd()), "431")
    let large = RawClient(port: port)
    large.send("POST /\(token)/rules HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 999999\r\n\r\n")
    XCTAssertEqual(status(large.readToEnd()), "413")
    for line in ["hello", "GET /", "GET http://evil.example/ HTTP/1.1", "GET / HTTP/2"] {
      let client = RawClient(port: port)
      client.send(line + "\r\n\r\n")
      XCTAssertEqual(status(client.readToEnd()), "400", line)
    }
    XCTAssertEqual(status(ask(port, "POST", "rules", "Transfer-Encoding: chunked\r\n", body: "[]")), "411")
    for field in [
      "Transfer-Encoding : chunked", "Host\t: evil.example", " folded: 1", ": 1", "Content-Length: 2",
    ] {
      XCTAssertEqual(status(ask(port, "POST", "rules", field + "\r\n", body: "[]")), "400", field)
    }
    XCTAssertEqual(status(ask(port)), "200", "it goes on serving")
  }

  func testASlowClientKeepsNobodyOutAndIsClosed() throws {
    let (console, port) = try console()
    defer { console.stop() }
    let slow = RawClient(port: port)
    slow.send("GET /\(token)/ HT")
    let start = ContinuousClock.now
    XCTAssertEqual(status(ask(port)), "200")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(4))
    XCTAssertEqual(slow.readToEnd(), "")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
  }

  func testAClientThatHasEndedItsSideGetsTheWholeResponse() throws {
    // More than the system keeps of a connection.
    let response = ConsoleResponse(200, String(repeating: "x", count: 16 << 20))
    let callbacks = ConsoleServer.Callbacks(respond: { _ in response }, greeting: { "" }, streams: { _ in })
    let server = try ConsoleServer(port: 0, maximumConnections: 1, callbacks)
    server.begin()
    defer { server.stop() }
    let client = RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    client.finishSending()
    // The end of the client's side has arrived when the response is still being sent.
    Thread.sleep(forTimeInterval: 0.2)
    XCTAssertEqual(client.readBytesToEnd().count, response.bytes.count)
  }

  func testManyClientsStayBounded() throws {
    let (console, port) = try console(maximumConnections: 10)
    defer { console.stop() }
    let streams = (0..<10).map { _ in RawClient(port: port) }
    for stream in streams {
      stream.send("GET /\(token)/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      XCTAssertTrue(stream.read(until: "retry: 1000").hasPrefix("HTTP/1.1 200"))
    }
    XCTAssertEqual(status(ask(port)), "503")
    XCTAssertTrue(FlightEvents.shared.wants(.events), "the pages are told")
  }

  func testStoppingEndsAllConnectionsAndFreesThePort() throws {
    let (console, port) = try console()
    let (idle, stream) = (RawClient(port: port), RawClient(port: port))
    stream.send("GET /\(token)/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    _ = stream.read(until: "retry: 1000")
    console.stop()
    console.stop()
    XCTAssertFalse(stream.readToEnd().contains("HTTP/1.1"))
    XCTAssertEqual(idle.readToEnd(), "")
    let again = try WebConsole(port: port, maximumConnections: 4, token: token)
    again.stop()
    XCTAssertThrowsError(
      try {
        let first = try WebConsole(port: port)
        defer { first.stop() }
        _ = try WebConsole(port: port)
      }())
  }

  func testThePortOfTheSchemeIsLeftOutByABrowser() {
    var request = ConsoleRequest(method: "POST", target: "/t/rules")
    for host in ["127.0.0.1", "localhost", "127.0.0.1:80"] {
      request.headers = ["host": host, "origin": "http://\(host)"]
      XCTAssertNil(request.refusal(port: 80), host)
    }
    request.headers = ["host": "evil.example"]
    XCTAssertEqual(request.refusal(port: 80), 421)
    request.headers = ["host": "127.0.0.1"]
    XCTAssertEqual(request.refusal(port: 8080), 421)
  }

  func testARequestIsReadFromAnyPieces() {
    let text = "POST /t/rules HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n[1]"
    for count in 0..<text.utf8.count {
      XCTAssertEqual(ConsoleRequest.read(Array(text.utf8.prefix(count))), .incomplete)
    }
    guard case .complete(let request) = ConsoleRequest.read(Array(text.utf8)) else { return XCTFail() }
    XCTAssertEqual(request.body, Array("[1]".utf8))
    XCTAssertEqual(request.path(behind: "t"), "rules")
    XCTAssertNil(request.path(behind: "tt"))
  }
}
