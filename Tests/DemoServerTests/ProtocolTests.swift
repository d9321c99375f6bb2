import APIKit
import DemoServer
@testable import TestSupport
import XCTest

/// What the server makes of well-formed and malformed HTTP/1.1.
final class ProtocolTests: XCTestCase {
  private var server: DemoServer!

  override func setUp() async throws {
    server = try DemoServer()
    server.on(.get, "/hello") { _ in .text("hello") }
    server.on(.post, "/echo") { request in DemoResponse(200, body: request.body) }
  }

  override func tearDown() async throws { server = nil }

  /// Sends bytes on a connection of their own and reads to the end.
  private func exchange(_ text: String) -> String {
    let client = RawClient(port: server.port)
    client.send(text)
    client.finishSending()
    return client.readToEnd()
  }

  private func status(_ text: String) -> Int? {
    exchange(text).split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  func testAConnectionServesOneRequestAfterTheOther() {
    let client = RawClient(port: server.port)
    for _ in 1...3 {
      client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
      XCTAssertTrue(client.read(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    XCTAssertEqual(server.counters.connections, 1)
    XCTAssertEqual(server.counters.requests, 3)
  }

  func testPipelinedRequestsAreAnsweredInOrder() {
    server.on(.get, "/n/*") { request in .text("<\(request.path.dropFirst(3))>") }
    let many = (1...500).map { "GET /n/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    let response = exchange(many)
    let numbers = response.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } }
    XCTAssertEqual(numbers.map(String.init), (1...500).map(String.init))
  }

  func testARequestMayArriveByteByByte() {
    let client = RawClient(port: server.port)
    for byte in "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 { client.send([byte]) }
    XCTAssertTrue(client.read(until: "abc").contains("Content-Length: 3\r\n"))
  }

  func testAChunkedBodyIsJoined() {
    let response = exchange(
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n")
    XCTAssertTrue(response.hasSuffix("\r\n\r\nabc0123456789"), response)
  }

  func testAClientThatAsksMayContinue() {
    let client = RawClient(port: server.port)
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    XCTAssertEqual(client.read(until: "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("ok")
    XCTAssertTrue(client.read(until: "ok").hasPrefix("HTTP/1.1 200"))
  }

  func testHeadHasTheLengthAndNoBody() {
    let response = exchange("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    XCTAssertTrue(response.contains("Content-Length: 5\r\n"))
    XCTAssertTrue(response.hasSuffix("\r\n\r\n"))
  }

  func testHTTP10ClosesUnlessAskedToKeep() {
    XCTAssertTrue(exchange("GET /hello HTTP/1.0\r\n\r\n").contains("Connection: close\r\n"))
    XCTAssertFalse(
      exchange("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").contains("Connection: close\r\n"))
  }

  func testUnknownPathsAndMethodsAreToldApart() {
    XCTAssertEqual(status("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"), 404)
    XCTAssertEqual(status("BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n"), 501)
    let refused = exchange("DELETE /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    XCTAssertTrue(refused.hasPrefix("HTTP/1.1 405 "))
    XCTAssertTrue(refused.contains("Allow: GET, HEAD, OPTIONS\r\n"))
    let options = exchange("OPTIONS /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    XCTAssertTrue(options.hasPrefix("HTTP/1.1 204 "))
    XCTAssertFalse(options.contains("Content-Length"))
  }

  func testMalformedRequestsGetA400AndTheServerLivesOn() {
    let host = "Host: a\r\n"
    let malformed = [
      "GET\r\n\r\n", "GET /hello\r\n\r\n", "GET  /hello HTTP/1.1\r\n\(host)\r\n",
      " / HTTP/1.1\r\n\(host)\r\n",
      "GET /hello HTTX/1.1\r\n\(host)\r\n", "GET hello HTTP/1.1\r\n\(host)\r\n",
      "GET /hello HTTP/1.1\n\(host)\n",
      "GET /hello HTTP/1.1\r\n\r\n", "GET /hello HTTP/1.1\r\n\(host)\(host)\r\n",
      "GET /hello HTTP/1.1\r\n\(host)bad name: x\r\n\r\n", "GET /hello HTTP/1.1\r\n\(host)name : x\r\n\r\n",
      "GET /hello HTTP/1.1\r\n\(host)a: b\r\n folded\r\n\r\n", "GET /hello HTTP/1.1\r\n\(host): x\r\n\r\n",
      "GET /hello HTTP/1.1\r\n\(host)a: b\rc\r\n\r\n", "GET /hello HTTP/1.1\r\n\(host)a: \u{0}\r\n\r\n",
      "GET /h\u{e9}llo HTTP/1.1\r\n\(host)\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}",
      "POST /echo HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
      "POST /echo HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "POST /echo HTTP/1.1\r\n\(host)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    ]
    for text in malformed { XCTAssertEqual(status(text), 400, text.debugDescription) }
    XCTAssertEqual(server.counters.badRequests, malformed.count)
    XCTAssertEqual(status("GET /hello HTTP/1.1\r\n\(host)\r\n"), 200)
  }

  func testLimitsAreAnsweredWithTheirOwnStatus() {
    let host = "Host: a\r\n"
    let long = String(repeating: "x", count: 40_000)
    XCTAssertEqual(status("GET /\(long) HTTP/1.1\r\n\(host)\r\n"), 414)
    XCTAssertEqual(status("GET /hello HTTP/1.1\r\n\(host)a: \(long)\r\n\r\n"), 431)
    let fields = (1...200).map { "f\($0): x\r\n" }.joined()
    XCTAssertEqual(status("GET /hello HTTP/1.1\r\n\(host)\(fields)\r\n"), 431)
    XCTAssertEqual(status("POST /echo HTTP/1.1\r\n\(host)Content-Length: 2000000\r\n\r\n"), 413)
    XCTAssertEqual(
      status("POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n"), 413)
    XCTAssertEqual(status("POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n"), 501)
    XCTAssertEqual(status("GET /hello HTTP/2.0\r\n\(host)\r\n"), 505)
    XCTAssertEqual(status("GET /hello HTTP/1.1\r\n\(host)Expect: tea\r\n\r\n"), 417)
  }

  func testAHandlerThatCutsItsResponseAtANegativeLengthGetsA500ThatSaysSo() {
    server.on(.get, "/cut/*") { request in
      var response = DemoResponse.text("hello")
      response.cutAfter = Int(request.path.dropFirst("/cut/".count))
      return response
    }
    let refused = exchange("GET /cut/-1 HTTP/1.1\r\nHost: a\r\n\r\n")
    XCTAssertTrue(refused.hasPrefix("HTTP/1.1 500 "), refused)
    XCTAssertTrue(refused.contains("cutAfter of the response is -1, and must be 0 or more"), refused)
    for (count, rest) in [(0, ""), (2, "he"), (9, "hello")] {
      let cut = exchange("GET /cut/\(count) HTTP/1.1\r\nHost: a\r\n\r\n")
      XCTAssertTrue(cut.hasPrefix("HTTP/1.1 200 ") && cut.hasSuffix("\r\n\r\n" + rest), cut)
    }
  }

  func testASilentRequestIsEndedWithA408() throws {
    var options = DemoServer.Options()
    options.idleLimit = .milliseconds(50)
    let server = try DemoServer(options: options)
    let client = RawClient(port: server.port)
    client.send("GET /hello HT")
    XCTAssertTrue(client.readToEnd().hasPrefix("HTTP/1.1 408 "))
  }

  /// Lets a client go on until the condition holds; false when it does not hold within five seconds.
  private func goOn(until holds: () -> Bool, _ step: () -> Void = {}) -> Bool {
    for _ in 1...1000 where !holds() {
      step()
      usleep(5000)
    }
    return holds()
  }

  func testAClientThatDoesNotReadIsLetGo() throws {
    var options = DemoServer.Options()
    options.idleLimit = .milliseconds(50)
    let server = try DemoServer(options: options)
    server.on(.get, "/large") { _ in DemoResponse(body: [UInt8](repeating: 0x78, count: 32 << 20)) }
    let client = RawClient(port: server.port)
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    XCTAssertTrue(goOn(until: { server.counters.requests == 1 }))
    XCTAssertTrue(goOn(until: { server.counters.openConnections == 0 }) { client.send("GET /") })
    XCTAssertEqual(server.counters.abandoned, 1)
  }

  func testADelayedResponseIsNotTakenForAClientThatDoesNotRead() throws {
    var options = DemoServer.Options()
    options.idleLimit = .milliseconds(50)
    let server = try DemoServer(options: options)
    let client = RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Demo-Delay: 200\r\nConnection: close\r\n\r\n")
    XCTAssertTrue(client.readToEnd().hasPrefix("HTTP/1.1 404 "))
  }

  func testARequestThatDripsIsEndedWithA408() throws {
    var options = DemoServer.Options()
    options.requestLimit = .milliseconds(50)
    let server = try DemoServer(options: options)
    for beginning in ["GET /", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"] {
      let client = RawClient(port: server.port)
      server.forget()
      client.send(beginning)
      XCTAssertTrue(goOn(until: { server.counters.badRequests == 1 }) { client.send("x") }, beginning)
      client.finishSending()
      XCTAssertTrue(client.readToEnd().hasPrefix("HTTP/1.1 408 "), beginning)
    }
  }

  func testTheTimeOfARequestBeginsWithItsFirstByte() throws {
    var options = DemoServer.Options()
    options.requestLimit = .seconds(1)
    let server = try DemoServer(options: options)
    let client = RawClient(port: server.port)
    for _ in 1...3 {
      client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Demo-Delay: 400\r\n\r\nGET / HT")
      client.send("TP/1.1\r\nHost: a\r\n\r\n")
      let responses = client.read(until: "nothing here", times: 2)
      XCTAssertEqual(responses.components(separatedBy: "HTTP/1.1 404 ").count, 3, responses)
    }
    XCTAssertEqual(server.counters.badRequests, 0)
  }

  func testAClientThatGoesOnAfterA400IsClosed() throws {
    var options = DemoServer.Options()
    options.idleLimit = .milliseconds(50)
    let server = try DemoServer(options: options)
    let client = RawClient(port: server.port)
    client.send("no request\r\n\r\n")
    XCTAssertTrue(goOn(until: { server.counters.badRequests == 1 }))
    XCTAssertTrue(goOn(until: { server.counters.openConnections == 0 }) { client.send("more") })
  }

  func testRandomBytesNeverBringItDown() {
    var random = SystemRandomNumberGenerator()
    for _ in 1...200 {
      let client = RawClient(port: server.port)
      client.send(
        (0..<Int.random(in: 1...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      client.finishSending()
      _ = client.readToEnd()
    }
    XCTAssertEqual(status("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"), 200)
  }

  func testSixtyFourConnectionsAreServedAtOnce() {
    let clients = (0..<64).map { _ in RawClient(port: server.port) }
    for round in 1...5 {
      for client in clients { client.send("GET /hello?\(round) HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { XCTAssertTrue(client.read(until: "hello").hasPrefix("HTTP/1.1 200")) }
    }
    XCTAssertEqual(server.counters.mostConnections, 64)
    XCTAssertEqual(server.counters.requests, 320)
  }

  func testStoppingClosesEveryConnectionAndThePort() throws {
    let client = RawClient(port: server.port)
    client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = client.read(until: "hello")
    server.stop()
    server.stop()
    XCTAssertEqual(client.readToEnd(), "")
    XCTAssertEqual(server.counters.openConnections, 0)
    let again = try DemoServer(port: server.port)
    XCTAssertEqual(again.port, server.port)
  }

  func testManyServersStartAndStopWithoutLeavingDescriptorsBehind() throws {
    func openDescriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
    let before = openDescriptors()
    for _ in 1...50 {
      let server = try DemoServer()
      _ = RawClient(port: server.port)
    }
    XCTAssertLessThanOrEqual(openDescriptors(), before + 2)
  }

  func testATakenPortIsSaidSo() {
    XCTAssertThrowsError(try DemoServer(port: server.port)) { error in
      XCTAssertTrue("\(error)".contains("cannot listen on port \(self.server.port)"), "\(error)")
    }
  }
}
