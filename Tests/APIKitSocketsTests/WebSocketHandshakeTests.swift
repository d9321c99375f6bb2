import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The request of a handshake, and the verdict on the response (RFC 6455, 4; RFC 7692, 7.1).
final class WebSocketHandshakeTests: XCTestCase {
  private func handshake(_ subprotocols: [String] = [], bits: Int? = nil) -> WebSocketHandshake {
    // The nonce of RFC 6455, 1.3: "the sample nonce".
    WebSocketHandshake(
      offer: .init(subprotocols: subprotocols, deflateBits: bits), nonce: Array("the sample nonce".utf8))
  }

  private let good: HTTPHeaders = [
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  ]

  private func fault(
    _ change: (inout HTTPHeaders) -> Void, _ subprotocols: [String] = [], bits: Int? = nil
  ) -> String? {
    var headers = good
    change(&headers)
    do throws(HandshakeFault) {
      _ = try handshake(subprotocols, bits: bits).judge(headers)
      return nil
    } catch {
      return error.text
    }
  }

  func testTheRequestIsThatOfTheRFC() {
    let request = HTTPRequest(
      url: "https://server.example.com:8443/chat?room=1", headers: ["Origin": "http://example.com"])
    let bytes = handshake(["chat", "superchat"], bits: 12).bytes(
      of: request, adding: ["User-Agent": "APIKit", "Origin": "no"])
    XCTAssertEqual(
      String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n"),
      [
        "GET /chat?room=1 HTTP/1.1", "Host: server.example.com:8443", "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: chat, superchat",
        "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=12; client_max_window_bits=12",
        "Origin: http://example.com", "User-Agent: APIKit", "", "",
      ])
  }

  func testTheHostOfADefaultPortAndOfIPv6() throws {
    for (url, host) in [
      ("https://a.test/", "a.test"), ("http://[::1]:80/", "[::1]:80"), ("http://[::1]/", "[::1]"),
    ] {
      let text = String(decoding: handshake().bytes(of: HTTPRequest(url: try HTTPURL(url))), as: UTF8.self)
      XCTAssertTrue(text.contains("\r\nHost: \(host)\r\n"), text)
    }
  }

  func testAGoodResponseIsAccepted() throws {
    XCTAssertEqual(try handshake().judge(good), .init())
    var headers = good
    headers["Connection"] = "keep-alive, UPGRADE"
    headers["Upgrade"] = "WebSocket"
    headers["Sec-WebSocket-Protocol"] = "superchat"
    XCTAssertEqual(try handshake(["chat", "superchat"]).judge(headers).subprotocol, "superchat")
  }

  func testWhatIsMissingOrDoubledIsRefused() {
    XCTAssertNotNil(fault { $0.remove("Upgrade") })
    XCTAssertNotNil(fault { $0["Upgrade"] = "h2c" })
    XCTAssertNotNil(fault { $0.remove("Connection") })
    XCTAssertNotNil(fault { $0["Connection"] = "keep-alive" })
    XCTAssertNotNil(fault { $0.remove("Sec-WebSocket-Accept") })
    XCTAssertNotNil(fault { $0["Sec-WebSocket-Accept"] = "s3pplmbitxaq9kygzzhzrbk+xoo=" })
    XCTAssertNotNil(fault { $0.add("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") })
    XCTAssertNotNil(fault { $0["Sec-WebSocket-Protocol"] = "chat" }, "none was offered")
    XCTAssertNotNil(fault({ $0["Sec-WebSocket-Protocol"] = "Chat" }, ["chat"]), "case counts")
    XCTAssertNotNil(
      fault(
        {
          $0.add("Sec-WebSocket-Protocol", "chat"); $0.add("Sec-WebSocket-Protocol", "chat")
        }, ["chat"]))
  }

  func testTheTermsOfCompression() throws {
    func terms(_ text: String?, offered: Int? = 12) throws -> DeflateTerms? {
      try DeflateTerms.agreed(text.map { [$0] } ?? [], offeredBits: offered)
    }
    XCTAssertNil(try terms(nil))
    // Without a word about the windows, the server's is the largest.
    var expected = DeflateTerms(clientBits: 12, serverBits: 15)
    XCTAssertEqual(try terms("permessage-deflate"), expected)
    expected = DeflateTerms(
      clientBits: 10, serverBits: 9, clientKeepsContext: false, serverKeepsContext: false)
    XCTAssertEqual(
      try terms(
        "Permessage-Deflate; server_no_context_takeover; client_no_context_takeover ; "
          + "server_max_window_bits=\"9\"; client_max_window_bits = 10"), expected)
    XCTAssertEqual(try terms("permessage-deflate; client_max_window_bits=8")?.packs, false)
    XCTAssertEqual(try terms("permessage-deflate; client_max_window_bits=9")?.packs, true)
    XCTAssertEqual(
      try terms("permessage-deflate; client_max_window_bits=15")?.clientBits, 12, "less than may be used")
    XCTAssertEqual(try terms("permessage-deflate; client_max_window_bits=10")?.clientBits, 10)
    for bad in [
      "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
      "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
      "permessage-deflate; server_max_window_bits=13", "permessage-deflate; server_max_window_bits=012",
      "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=16",
      "permessage-deflate; server_no_context_takeover=1", "permessage-deflate;",
      "permessage-deflate; server_no_context_ta\u{212A}eover",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
    ] { XCTAssertThrowsError(try terms(bad), bad) }
    XCTAssertThrowsError(try terms("permessage-deflate", offered: nil), "none was offered")
  }

  func testFieldsOfTheHandshakeCannotBeSet() {
    for name in ["connection", "Upgrade", "Sec-WebSocket-Key", "sec-websocket-extensions", "Host"] {
      XCTAssertThrowsError(try WebSocketHandshake.refuseOwnFields([name: "x"]), name)
    }
    XCTAssertNoThrow(
      try WebSocketHandshake.refuseOwnFields(["Origin": "https://a.test", "Authorization": "b"]))
    XCTAssertThrowsError(try WebSocketHandshake.validate(.init(subprotocols: ["a b"])))
    XCTAssertThrowsError(try WebSocketHandshake.validate(.init(subprotocols: ["a", "a"])))
  }

  // MARK: The reply

  func testAStatusLineHasThreeDigitsAndNoFieldHasANUL() throws {
    XCTAssertEqual(try reply("HTTP/1.1 101\r\n\r\n").0?.status, 101)
    XCTAssertEqual(try reply("HTTP/1.1 101 OK\r\nA: b\r\n\r\n").0?.status, 101)
    for bad in [
      "HTTP/1.1 1010\r\n\r\n", "HTTP/1.1 1010 OK\r\n\r\n", "HTTP/1.1 101OK\r\n\r\n",
      "HTTP/1.1 +10 OK\r\n\r\n",
      "HTTP/1.1 101 OK\r\nA: b\0c\r\n\r\n", "HTTP/1.1 101 OK\r\nA: b\rc\r\n\r\n",
    ] {
      XCTAssertThrowsError(try reply(bad), bad) { error in
        XCTAssertEqual((error as? APIError)?.reason, .malformedResponse, bad)
      }
    }
  }

  func testALetterThatIsAnotherInLowerCaseMakesNoUpgrade() {
    let handshake = WebSocketHandshake(offer: .init(), nonce: [UInt8](repeating: 7, count: 16))
    let accept = WebSocketHandshake.accept(for: handshake.key) ?? ""
    let headers: HTTPHeaders = [
      "Upgrade": "WebSoc\u{212A}et", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
    ]
    XCTAssertThrowsError(try handshake.judge(headers))
  }

  private func reply(_ text: String, piece: Int = .max) throws(APIError) -> (HTTPResponse?, rest: String) {
    var reply = UpgradeResponseParser()
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let part = Array(bytes[index..<min(bytes.count, index + min(piece, bytes.count))])
      let outcome = try part.withUnsafeBufferPointer { (part) throws(APIError) in
        try reply.take(UnsafeRawBufferPointer(part))
      }
      if case .complete(let response, let taken) = outcome {
        return (response, String(decoding: bytes[(index + taken)...], as: UTF8.self))
      }
      index += part.count
    }
    return (reply.end(), "")
  }

  func testAnyChunkingGivesTheSameReply() throws {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nA: 1\r\nA:  2 \r\n\r\n"
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    for piece in [1, 2, 3, 7, 1000] {
      let (response, rest) = try reply(interim + head + "frames", piece: piece)
      XCTAssertEqual(response?.status, 101)
      XCTAssertEqual(response?.headers.values("A"), ["1", "2"])
      XCTAssertEqual(rest, String("frames".prefix(piece == 1000 ? 6 : rest.count)))
      if piece == 1000 { XCTAssertEqual(rest, "frames") }
    }
  }

  func testTheBodyOfARefusalIsReadByItsFraming() throws {
    let chunked =
      "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nno \r\nA\r\nway, never\r\n0\r\nT: 1\r\n\r\n"
    for piece in [1, 2, 5, 1000] {
      XCTAssertEqual(
        try reply(chunked, piece: piece).0.map { String(decoding: $0.bytes, as: UTF8.self) }, "no way, never")
      let sized = try reply(
        "HTTP/1.1 503 No\r\nContent-Length: 4\r\nRetry-After: 7\r\n\r\nbusy!", piece: piece
      ).0
      XCTAssertEqual(sized.map { String(decoding: $0.bytes, as: UTF8.self) }, "busy")
      XCTAssertEqual(sized?.headers["Retry-After"], "7")
      let open = try reply("HTTP/1.1 200 OK\n\nall of it", piece: piece).0
      XCTAssertEqual(open.map { String(decoding: $0.bytes, as: UTF8.self) }, "all of it")
    }
    let long = "HTTP/1.1 500 No\r\n\r\n" + String(repeating: "x", count: 100_000)
    XCTAssertEqual(try reply(long).0?.bytes.count, 64 << 10)
  }

  func testWhatIsNoHTTPOrTooLongFails() {
    func reason(_ text: String) -> APIError.Reason? {
      do throws(APIError) {
        _ = try reply(text)
        return nil
      } catch {
        return error.reason
      }
    }
    XCTAssertEqual(reason("SSH-2.0-OpenSSH\r\n\r\n"), .malformedResponse)
    XCTAssertEqual(reason("HTTP/1.0 101 Switching\r\n\r\n"), .malformedResponse)
    XCTAssertEqual(reason("HTTP/1.1 101 Switching\r\nno colon\r\n\r\n"), .malformedResponse)
    XCTAssertEqual(
      reason("HTTP/1.1 101 S\r\nX: " + String(repeating: "x", count: 300_000)), .responseTooLarge)
    let interim = String(
      repeating: "HTTP/1.1 100 Continue\r\nX: " + String(repeating: "y", count: 60_000) + "\r\n\r\n", count: 5
    )
    XCTAssertEqual(reason(interim), .responseTooLarge)
  }
}
