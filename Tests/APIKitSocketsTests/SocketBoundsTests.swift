import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// A wire that the test plays: it takes and brings bytes when the test says so. On the test's thread alone.
private final class PlayedWire: Wire, @unchecked Sendable {
  private(set) var written: [UInt8] = []
  private var taken = 0
  private var owner: (any WireOwner)?
  var isReading = true
  var due = Int64.max
  var now: Int64 = 0
  var unsentBytes: Int { written.count - taken }
  /// Work that the wire's thread has not come to; nil where it is run at once.
  var waiting: [@Sendable () -> Void]?

  func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    if waiting == nil { work() } else { waiting?.append(work) }
    return true
  }

  func runWaiting() {
    let works = waiting ?? []
    waiting = []
    for work in works { work() }
  }
  func open(for owner: any WireOwner) {
    self.owner = owner
    owner.opened()
  }
  func write(_ bytes: [UInt8]) { written += bytes }
  func endSending() {}
  func startTLS(host: String) throws(APIError) {}
  func cut() { owner.take()?.ended(nil) }

  /// The kernel takes so many bytes.
  func take(_ count: Int) {
    taken += count
    if unsentBytes == 0 { owner?.flushed() } else { owner?.flushedPart() }
  }

  func bring(_ bytes: [UInt8]) { bytes.withUnsafeBytes { owner?.received($0) } }

  /// Accepts the handshake that was written.
  func accept(_ fields: String = "") throws {
    let text = String(decoding: written, as: UTF8.self)
    let key = try XCTUnwrap(text.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") })
    let accept = try XCTUnwrap(WebSocketHandshake.accept(for: String(key.dropFirst(19))))
    take(unsentBytes)
    bring(
      Array(
        ("HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
          + fields + "\r\n").utf8))
  }
}

/// How much a connection keeps: what waits to be sent, and what was received.
@MainActor final class SocketBoundsTests: XCTestCase {
  private let wire = PlayedWire()

  private func open(bits: Int? = nil, _ fields: String = "") throws -> (WireSocketChannel, SocketInbox) {
    let exchange = HTTPExchange(HTTPRequest(url: HTTPURL("http://homes.test/echo")))
    var options = SocketOptions()
    options.compressionBits = bits
    let channel = WireSocketChannel(
      wire, StubTransport(), for: exchange, options: options, offer: .init(deflateBits: bits))
    let status = Record<Int>()
    channel.open { status.add((try? $0.get().status) ?? 0) }
    try wire.accept(fields)
    XCTAssertEqual(status.all, [101])
    let inbox = SocketInbox(channel)
    channel.begin(inbox)
    return (channel, inbox)
  }

  func testLimitsThatNeverComeAreNone() throws {
    wire.now = 1_000_000
    let exchange = HTTPExchange(HTTPRequest(url: HTTPURL("http://homes.test/echo")))
    var options = SocketOptions()
    (options.pingInterval, options.pingLimit) = (.seconds(Int64.max), .seconds(Int64.max))
    (options.openLimit, options.closeLimit) = (.seconds(Int64.max), .seconds(Int64.max))
    let channel = WireSocketChannel(
      wire, StubTransport(), for: exchange, options: options, offer: .init(deflateBits: nil))
    channel.open { _ in }
    try wire.accept()
    channel.begin(SocketInbox(channel))
    XCTAssertGreaterThan(wire.due, .max / 4)
  }

  func testRoomToSendComesBackAsABacklogDrains() async throws {
    let (channel, _) = try open()
    let message = SocketMessage.data([UInt8](repeating: 1, count: 1000))
    let size = WebSocketFrame.size(of: message)
    for _ in 0..<4 { channel.send(message, packs: false) }
    XCTAssertEqual(channel.queuedBytes, 4 * size)
    wire.take(size - 1)
    XCTAssertEqual(channel.queuedBytes, 4 * size, "not as a whole")
    // There is always something that waits.
    for _ in 0..<1000 {
      wire.take(size)
      XCTAssertEqual(channel.queuedBytes, 3 * size)
      channel.send(message, packs: false)
      XCTAssertEqual(channel.queuedBytes, 4 * size)
    }
    wire.take(wire.unsentBytes)
    XCTAssertEqual(channel.queuedBytes, 0)
  }

  func testAFewBytesDoNotUnpackToMoreThanIsTaken() async throws {
    let (channel, inbox) = try open(bits: 15, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
    let deflater = MessageDeflater(windowBits: 15, keepsContext: false)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var packed: [UInt8] = []
    zeros.withUnsafeBufferPointer { deflater.pack($0, into: &packed) }
    let frame = ServerFrames.frame(2, packed, reserved: 4)
    let piece = (0..<60).flatMap { _ in frame } + ServerFrames.text("last") + ServerFrames.close(1000)
    XCTAssertLessThan(piece.count, 256 << 10, "what is read at once")
    wire.bring(piece)
    XCTAssertFalse(wire.isReading)
    wire.waiting = []
    var (messages, most) = (0, 0)
    var last: SocketMessage?
    var isClosing = false
    while true {
      var items: [SocketMessage] = []
      while let item = inbox.take() {
        if case .message(let message) = item { items.append(message) }
        if case .closing = item { isClosing = true }
      }
      guard !items.isEmpty else { break }
      most = max(most, items.reduce(0) { $0 + $1.byteCount })
      messages += items.count
      last = items.last
      wire.runWaiting()
    }
    wire.waiting = nil
    XCTAssertEqual(messages, 61)
    XCTAssertEqual(last, .text("last"))
    XCTAssertTrue(isClosing)
    XCTAssertLessThanOrEqual(most, 2 << 20)
    channel.cancel()
  }

  func testAnEmptyMessageCountsAsItsFrame() async throws {
    let stage = SocketStage()
    let socket = stage.socket()
    socket.options.maximumQueuedBytes = 60
    _ = try await stage.open(socket)
    var sent = 0
    while sent < 100, (try? socket.send("")) != nil { sent += 1 }
    XCTAssertEqual(sent, 11)
    socket.cancel()
  }

  func testItemsOfAStreamWaitUpToAMebibyte() async throws {
    struct Piece: InboxItem {
      let keptBytes: Int? = 1 << 19
      let isEnd = false
    }
    let inbox = ConnectionInbox<Piece>(limit: 1024)
    let put = Counter()
    let task = Task {
      for _ in 0..<10 {
        await inbox.putAndWait([Piece()])
        put.increment()
      }
    }
    while put.value < 1 { await Task.yield() }
    for _ in 0..<50 { await Task.yield() }
    XCTAssertEqual(put.value, 1, "the second one waits until there is room")
    var taken = 0
    while taken < 10 {
      if inbox.take() != nil { taken += 1 } else { await Task.yield() }
    }
    _ = inbox.take()
    await task.value
    XCTAssertEqual(put.value, 10)
  }

  #if os(Linux)
    func testAPackedStreamIsUnpackedAsItIsRead() async throws {
      let deflater = MessageDeflater(windowBits: 15, keepsContext: true)
      var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      let zeros = [UInt8](repeating: 0, count: 16 << 20)
      zeros.withUnsafeBufferPointer { deflater.pack($0, into: &packed) }
      packed += [0, 0, 0xFF, 0xFF]
      // A frame of zstd with blocks of one byte that is repeated 128 Ki times: in 4 bytes each.
      let block: [UInt8] = [0x02, 0x00, 0x10, 0x00]
      let frame =
        [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58] + [[UInt8]](repeating: block, count: 127).joined()
        + [0x03, 0x00, 0x10, 0x00]
      for (name, packed) in [("gzip", packed), ("zstd", frame)] {
        let chunk = Mutex<[UInt8]?>(packed)
        let coded = ResponseStream { () throws(APIError) in
          chunk.withLock { $0.take() }
        }
        let decoder = try CurlDecoder(named: name, maximumBytes: 1 << 30, maximumPieceBytes: 4 << 20)
        var iterator = CurlDecodedStream(coded, decoder).stream.makeAsyncIterator()
        var (total, most) = (0, 0)
        while total < zeros.count, let part = try await iterator.next() {
          total += part.count
          most = max(most, part.count)
        }
        XCTAssertEqual(total, zeros.count, name)
        XCTAssertLessThanOrEqual(most, 2 << 20, name)
        guard name == "zstd" else { continue }
        let end = try await iterator.next()
        XCTAssertNil(end, name)
      }
    }
  #endif

  func testADelimiterIsLookedForOnceInEachByte() async {
    var machine = ByteStreamMachine()
    XCTAssertTrue(machine.read(.until(Array("\r\n".utf8), maximum: 8 << 20), id: 1).isEmpty)
    let piece = Array("0123456789abcde\r".utf8)
    let start = ContinuousClock.now
    for _ in 0..<(1 << 16) { XCTAssertTrue(piece.withUnsafeBytes { machine.receive($0) }.isEmpty) }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(10), "a MiB in pieces of 16 bytes")
    let last = Array("\nmore".utf8).withUnsafeBytes { machine.receive($0) }
    guard case .read(let read)? = last.first?.1 else { return XCTFail("\(last)") }
    XCTAssertEqual(read.bytes.count, (1 << 20) + 1)
  }
}
