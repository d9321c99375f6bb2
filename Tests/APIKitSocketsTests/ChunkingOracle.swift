@testable import APIKit
@testable import APIKitSockets

/// What must be true of the machines of the room Socket for any bytes: in whatever pieces they come, the same comes of
/// them. The fuzzer calls it, and the tests do.
enum ChunkingOracle {
  /// What is wrong; nil when all is well.
  static func complaint(about bytes: [UInt8]) -> String? {
    let ways = [[bytes], bytes.map { [$0] }, cut(bytes, seed: 1), cut(bytes, seed: 2)]
    for (name, trace) in machines {
      let whole = trace(ways[0])
      for way in ways.dropFirst() {
        let other = trace(way)
        if other != whole { return "\(name): \(whole)\nin pieces: \(other)" }
      }
    }
    return agreementComplaint(bytes) ?? reconnectComplaint(bytes)
  }

  /// Pieces of sizes that the bytes and a seed decide.
  private static func cut(_ bytes: [UInt8], seed: UInt64) -> [[UInt8]] {
    var (state, pieces, index) = (seed, [[UInt8]](), 0)
    for byte in bytes.prefix(64) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    while index < bytes.count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = min(1 + Int(state >> 33 % 23), bytes.count - index)
      pieces.append(Array(bytes[index..<(index + count)]))
      index += count
    }
    return pieces
  }

  private static let machines: [(String, @Sendable ([[UInt8]]) -> String)] = [
    ("frames", { frames($0, deflate: false) }), ("compressed frames", { frames($0, deflate: true) }),
    ("a connection", connection), ("the reply to a handshake", reply), ("events", events),
    ("lines", { lines($0, .lines) }), ("a sequence", { lines($0, .sequence) }), ("a stream of bytes", stream),
    ("gzip", { decoded($0, .gzip) }), ("deflate", { decoded($0, .deflate) }),
  ]

  // MARK: The machines

  private static func frames(_ pieces: [[UInt8]], deflate: Bool) -> String {
    var parser = WebSocketParser(
      maximumBytes: 2000,
      inflater: deflate ? { MessageInflater(windowBits: 15, keepsContext: true) } : nil)
    var events: [WebSocketParser.Event] = []
    for piece in pieces {
      do throws(WebSocketParser.Violation) {
        _ = try piece.withUnsafeBufferPointer { (piece) throws(WebSocketParser.Violation) in
          try parser.parse(UnsafeRawBufferPointer(piece)) {
            events.append($0)
            return true
          }
        }
      } catch {
        // A frame may hold more than one fault; which is seen first depends on the pieces.
        return "\(events), a violation"
      }
    }
    return "\(events)"
  }

  /// An open connection that answers pings and closes.
  private static func connection(_ pieces: [[UInt8]]) -> String {
    var client = EchoingClient(echoes: false)
    for piece in pieces { client.receive(piece, piece: max(1, piece.count)) }
    guard !client.hasEndedSending else { return "\(client.received), failed" }
    let closing = client.closing()
    return
      "\(client.received) \(client.sent) \(closing.code) \(closing.reason) \(closing.end) \(closing.sentCode?.rawValue ?? 0)"
  }

  private static func reply(_ pieces: [[UInt8]]) -> String {
    var reply = UpgradeResponseParser()
    var taken = 0
    for piece in pieces {
      do throws(APIError) {
        let outcome = try piece.withUnsafeBufferPointer { (piece) throws(APIError) in
          try reply.take(UnsafeRawBufferPointer(piece))
        }
        if case .complete(let response, let count) = outcome {
          let end = response.status == 101 ? "\(taken + count)" : ""
          return
            "\(response.status) \(response.headers.fields.map { "\($0.name): \($0.value)" }) \(response.bytes) \(end)"
        }
      } catch {
        return error.label
      }
      taken += piece.count
    }
    return reply.end().map { "cut: \($0.status) \($0.bytes)" } ?? "no head"
  }

  private static func items<Parser: StreamParser>(
    _ parser: Parser, _ pieces: [[UInt8]], _ shown: (Parser.Item) -> String
  ) -> String {
    var (parser, items) = (parser, [Parser.Item]())
    var end = ""
    do throws(APIError) {
      for piece in pieces {
        _ = try piece.withUnsafeBufferPointer { (piece) throws(APIError) in
          try parser.take(UnsafeRawBufferPointer(piece), into: &items)
        }
      }
      try parser.finish(into: &items)
      end = "\(parser.retry ?? .zero) \(parser.resumesAt ?? "")"
    } catch {
      end = error.label
    }
    return "\(items.map(shown)) \(end)"
  }

  private static func events(_ pieces: [[UInt8]]) -> String {
    items(EventStreamParser(maximumBytes: 500, lastEventID: "7"), pieces) {
      "\(Array($0.type.utf8)) \(Array($0.data.utf8)) \(Array($0.id.utf8))"
    }
  }

  private static func lines(_ pieces: [[UInt8]], _ format: LineFormat) -> String {
    items(LineParser(format, maximumBytes: 500, deliversBad: true), pieces) { line in
      switch line.value {
      case .success(let raw): "\(line.number) \(raw.jsonText())"
      case .failure(let error): "\(line.number) \(error.label)"
      }
    }
  }

  /// Reads up to a line end or a letter, of which some are asked for ahead.
  private static func stream(_ pieces: [[UInt8]]) -> String {
    var machine = ByteStreamMachine()
    var shown: [String] = []
    func note(_ outcomes: [(Int, ByteStreamMachine.Outcome)]) {
      for (id, outcome) in outcomes {
        switch outcome {
        case .read(let read): shown.append("\(id): \(read.bytes)")
        case .failed(let error): shown.append("\(id): \(error.label)")
        }
      }
    }
    for id in 0..<6 {
      note(machine.read(.until(id.isMultiple(of: 2) ? [0x0A] : [0x61, 0x62], maximum: 40), id: id))
    }
    for piece in pieces {
      piece.withUnsafeBytes { note(machine.receive($0)) }
    }
    note(machine.receiveEnd(.closed))
    note(machine.read(.count(minimum: 0, maximum: .max), id: 9))
    return shown.joined(separator: " ")
  }

  private static func decoded(_ pieces: [[UInt8]], _ coding: ContentDecoder.Coding) -> String {
    var decoder = ContentDecoder(coding, maximumBytes: 5000)
    var output: [UInt8] = []
    do throws(APIError) {
      for piece in pieces { try decoder.decode(piece, into: &output) }
      try decoder.finish()
    } catch {
      // How much came before depends on the pieces.
      return "failed"
    }
    return "\(output)"
  }

  // MARK: What is no stream

  /// The verdict on a response: what is accepted was offered.
  private static func agreementComplaint(_ bytes: [UInt8]) -> String? {
    let offer = WebSocketHandshake.Offer(subprotocols: ["chat", "v2"], deflateBits: 12)
    let handshake = WebSocketHandshake(offer: offer, nonce: Array("the sample nonce".utf8))
    let text = String(decoding: bytes, as: UTF8.self)
    var headers: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]
    for (index, line) in text.split(separator: "\n").enumerated() {
      headers.add(index == 0 ? "Sec-WebSocket-Extensions" : "Sec-WebSocket-Protocol", String(line))
    }
    guard let accepted = try? handshake.judge(headers) else { return nil }
    if let chosen = accepted.subprotocol, !offer.subprotocols.contains(chosen) {
      return "\(chosen) was not offered"
    }
    if let terms = accepted.deflate,
      !(8...12).contains(terms.clientBits) || !(8...15).contains(terms.serverBits)
    {
      return "the windows are \(terms)"
    }
    return nil
  }

  /// Losses one after the other: the waits keep to their bounds, and so does their number.
  private static func reconnectComplaint(_ bytes: [UInt8]) -> String? {
    var policy = ReconnectPolicy(attempts: 5)
    policy.backoff = Backoff(initial: .seconds(1), maximum: .seconds(8))
    var machine = ReconnectMachine(policy)
    var now = Duration.zero
    for byte in bytes.prefix(64) {
      let jitter = Double(byte & 0xF) / 15
      let loss: ReconnectMachine.Loss =
        switch byte >> 6 {
        case 0: .failed(APIError(.transport, .connectionRefused), retryAfter: nil)
        case 1: .failed(APIError(.transport, .connectionLost), retryAfter: .seconds(Int(byte & 0x3F) * 8))
        case 2: .lost(openSince: now - .seconds(Int(byte & 0x3F) * 2), codes: [])
        default: .lost(openSince: now, codes: [SocketCloseCode(rawValue: 1000 + UInt16(byte & 0x1F))])
        }
      guard let wait = machine.ended(loss, now: now, floor: .milliseconds(Int(byte)), jitter: jitter) else {
        return nil
      }
      if wait < .milliseconds(Int(byte)) { return "the wait is shorter than the server's" }
      if wait > policy.longestWait { return "the wait is \(wait)" }
      if machine.failures > policy.attempts { return "\(machine.failures) have failed" }
      now += wait
    }
    return nil
  }
}
