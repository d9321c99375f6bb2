import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The reading side, without a socket.
final class ByteStreamMachineTests: XCTestCase {
  private var machine = ByteStreamMachine()

  private func texts(_ outcomes: [(Int, ByteStreamMachine.Outcome)]) -> [String] {
    outcomes.map { id, outcome in
      switch outcome {
      case .read(let read):
        "\(id):\(String(decoding: read.bytes, as: UTF8.self))" + (read.end.map { ".\($0)" } ?? "")
      case .failed(let error): "\(id)!\(error.reason)"
      }
    }
  }

  private func receive(_ text: String) -> [String] {
    Array(text.utf8).withUnsafeBytes { texts(machine.receive($0)) }
  }

  private func read(_ minimum: Int, _ maximum: Int, id: Int = 0) -> [String] {
    texts(machine.read(.count(minimum: minimum, maximum: maximum), id: id))
  }

  func testReadsAreServedInOrderWithWhatTheyAskFor() {
    XCTAssertEqual(read(3, 5, id: 1), [])
    XCTAssertEqual(read(1, 100, id: 2), [])
    XCTAssertEqual(receive("ab"), [])
    XCTAssertEqual(receive("cdefgh"), ["1:abcde", "2:fgh"])
    XCTAssertEqual(read(0, 10, id: 3), ["3:"])
  }

  func testADelimiterMayBeSplit() {
    XCTAssertEqual(texts(machine.read(.until([13, 10], maximum: 10), id: 1)), [])
    XCTAssertEqual(receive("one\r"), [])
    XCTAssertEqual(receive("\ntwo\r\nthr"), ["1:one\r\n"])
    XCTAssertEqual(texts(machine.read(.until([13, 10], maximum: 10), id: 2)), ["2:two\r\n"])
    XCTAssertEqual(texts(machine.read(.until([13, 10], maximum: 6), id: 3)), [])
    XCTAssertEqual(receive("ee and more"), ["3!response-too-large"])
    XCTAssertEqual(read(1, 100, id: 4), ["4:three and more"], "the bytes stay")
  }

  func testAReadThatIsGivenUpLosesNoByte() {
    XCTAssertEqual(read(10, 10, id: 1), [])
    XCTAssertEqual(receive("abc"), [])
    XCTAssertNotNil(machine.giveUp(1))
    XCTAssertNil(machine.giveUp(1))
    XCTAssertEqual(read(1, 10, id: 2), ["2:abc"])
  }

  func testAReadThatIsGivenUpHoldsUpNoOther() {
    XCTAssertEqual(read(10, 10, id: 1), [])
    XCTAssertEqual(read(1, 10, id: 2), [])
    XCTAssertEqual(receive("abc"), [])
    XCTAssertEqual(machine.giveUp(1).map(texts), ["2:abc"])
  }

  func testTheEndsAreToldApart() {
    XCTAssertEqual(read(5, 5, id: 1), [])
    XCTAssertEqual(receive("abc"), [])
    XCTAssertEqual(texts(machine.receiveEnd(.closed)), ["1:abc.closed"])
    XCTAssertEqual(read(1, 5, id: 2), ["2:.closed"])
    machine = ByteStreamMachine()
    _ = receive("abcd")
    XCTAssertEqual(texts(machine.receiveEnd(.truncated)), [])
    XCTAssertEqual(read(1, 2, id: 1), ["1:ab"])
    XCTAssertEqual(read(1, 2, id: 2), ["2:cd.truncated"])
    machine = ByteStreamMachine()
    _ = receive("x")
    XCTAssertEqual(texts(machine.fail(APIError(.transport, .connectionLost))), [])
    XCTAssertEqual(read(1, 2, id: 1), ["1:x"], "what came before is read first")
    XCTAssertEqual(read(1, 2, id: 2), ["2!connection-lost"])
  }

  func testReadingStopsWhileMuchIsNotTaken() {
    XCTAssertTrue(machine.wantsMore)
    _ = [UInt8](repeating: 0, count: 1 << 20).withUnsafeBytes { machine.receive($0) }
    XCTAssertFalse(machine.wantsMore)
    XCTAssertEqual(read(2 << 20, 2 << 20).count, 0)
    XCTAssertTrue(machine.wantsMore, "a read asks for more than the room")
  }

  func testAnyChunkingGivesTheSameBytes() {
    var generator = SeededGenerator(seed: 1)
    let whole = (0..<5000).map { _ in UInt8.random(in: 97...100, using: &generator) }
    for _ in 0..<50 {
      machine = ByteStreamMachine()
      var read: [UInt8] = []
      func note(_ outcomes: [(Int, ByteStreamMachine.Outcome)]) {
        for case (_, .read(let part)) in outcomes { read += part.bytes }
      }
      var index = 0
      while index < whole.count {
        let count = min(Int.random(in: 1...300, using: &generator), whole.count - index)
        whole[index..<(index + count)].withUnsafeBytes { note(machine.receive($0)) }
        index += count
        if Bool.random(using: &generator) {
          note(machine.read(.until([97, 98], maximum: 5000), id: index))
        } else {
          note(
            machine.read(.count(minimum: Int.random(in: 1...50, using: &generator), maximum: 60), id: index))
        }
      }
      note(machine.receiveEnd(.closed))
      while machine.bufferedBytes > 0 { note(machine.read(.count(minimum: 1, maximum: 1000), id: -1)) }
      XCTAssertEqual(read, whole)
    }
  }
}

#if os(Linux)
  /// Streams of bytes over libcurl's wire, against servers that follow a script.
  final class ByteStreamTests: XCTestCase {
    private func open(_ steps: [ScriptedServer.Step], tls: ScriptedTLS? = nil) async throws -> (
      ByteStream, ScriptedServer
    ) {
      let server = try ScriptedServer(scripts: [steps], tls: tls)
      addTeardownBlock { server.stop() }
      var configuration = TransportConfiguration.debug
      configuration.tls.allowsInvalidCertificates = true
      configuration.tls.skipsHostValidation = true
      let transport = try CurlTransport(configuration)
      let stream = try await ByteStream.open(
        "127.0.0.1", port: server.port, isSecure: tls != nil, over: transport)
      return (stream, server)
    }

    private func text(_ read: ByteStream.Read) -> String { String(decoding: read.bytes, as: UTF8.self) }

    func testBytesGoBothWaysAndEachSideEndsByItself() async throws {
      let received = Mutex<[UInt8]>([])
      let (stream, server) = try await open([
        .text("hello\nworld"), .readRest { bytes in received.withLock { $0 = bytes } }, .text("!"),
      ])
      let line = try await stream.read(until: [10])
      XCTAssertEqual(text(line), "hello\n")
      XCTAssertNil(line.end)
      try await stream.write(Array("one ".utf8))
      try await stream.write(Array("two".utf8))
      try await stream.closeWrite()
      let rest = try await stream.read(minimum: 6, maximum: 100)
      XCTAssertEqual(text(rest), "world!", "reading goes on")
      let end = try await stream.read()
      XCTAssertEqual(end, ByteStream.Read(bytes: [], end: .closed))
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(String(decoding: received.withLock { $0 }, as: UTF8.self), "one two")
      let error = await failure { try await stream.write([1]) }
      XCTAssertEqual(error?.reason, .connectionLost)
    }

    func testATimeLimitLosesNoByte() async throws {
      let go = Latch()
      let (stream, _) = try await open([.text("ab"), .wait(go), .text("cd"), .waitForClose])
      let error = await failure { try await stream.read(minimum: 4, within: .milliseconds(30)) }
      XCTAssertEqual(error?.reason, .idleTimeout)
      go.open()
      let read = try await stream.read(minimum: 4)
      XCTAssertEqual(text(read), "abcd")
      // A cancelled read, too.
      let task = Task { try await stream.read() }
      try await Task.sleep(for: .milliseconds(10))
      task.cancel()
      let cancelled = await failure { try await task.value }
      XCTAssertEqual(cancelled?.reason, .cancelled)
    }

    func testATimeInWhichTheProcessIsSuspendedCountsTowardsNoLimit() async throws {
      let (time, go) = (PausedTime(), Latch())
      let server = try ScriptedServer(scripts: [[.wait(go), .text("ab"), .waitForClose]])
      addTeardownBlock { server.stop() }
      let stream = try await ByteStream.open(
        "127.0.0.1", port: server.port, isSecure: false, within: .seconds(10),
        over: CurlTransport(.debug), time: time)
      let read = Task { try await stream.read(minimum: 2, within: .seconds(10)) }
      await waitUntil { time.base.sleeperCount == 1 }
      time.pause(for: .seconds(300))
      await waitUntil { time.base.sleeperCount == 1 }
      go.open()
      let bytes = try await read.value
      XCTAssertEqual(text(bytes), "ab")
      let late = Task { try await stream.read(within: .seconds(10)) }
      await waitUntil { time.base.sleeperCount == 1 }
      time.base.advance(by: .seconds(10))
      let error = await failure { try await late.value }
      XCTAssertEqual(error?.reason, .idleTimeout)
    }

    func testTheEndsOfTLSAreToldApart() async throws {
      for isOrderly in [true, false] {
        let tls = try ScriptedTLS(in: temporaryFolder())
        let (stream, _) = try await open(
          [.text("last"), isOrderly ? .end : .cut, .waitForClose], tls: tls)
        let read = try await stream.read(minimum: 5, maximum: 100)
        XCTAssertEqual(text(read), "last")
        XCTAssertEqual(read.end, isOrderly ? .closed : .truncated)
      }
    }

    func testAReadFailsWhenTheConnectionIsReset() async throws {
      let (stream, _) = try await open([.pause(.milliseconds(20)), .reset])
      let error = await failure { try await stream.read() }
      XCTAssertEqual(error?.reason, .connectionLost)
    }

    func testTheServerWaitsWhileNothingIsRead() async throws {
      let (stream, _) = try await open((0..<32).map { _ in .write([UInt8](repeating: 5, count: 1 << 20)) })
      try await Task.sleep(for: .milliseconds(100))
      var count = 0
      while true {
        let read = try await stream.read(maximum: 1 << 20)
        count += read.bytes.count
        if read.end != nil { break }
      }
      XCTAssertEqual(count, 32 << 20)
    }

    func testAReleasedStreamClosesItsConnection() async throws {
      var (stream, server): (ByteStream?, ScriptedServer) = try await open([.waitForClose])
      XCTAssertNotNil(stream)
      stream = nil
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testTLSDoesNotBeginWhereBytesMayBeInjected() async throws {
      let (stream, _) = try await open([.text("220 hi\ninjected"), .waitForClose])
      _ = try await stream.read(until: [10])
      let buffered = await failure { try await stream.startTLS(host: "localhost") }
      XCTAssertEqual(buffered?.reason, .misconfigured)
      _ = try await stream.read(minimum: 8)
      let waiting = Task { try await stream.read() }
      try await Task.sleep(for: .milliseconds(20))
      let awaited = await failure { try await stream.startTLS(host: "localhost") }
      XCTAssertEqual(awaited?.reason, .misconfigured)
      stream.closeRead()
      let cancelled = await failure { try await waiting.value }
      XCTAssertEqual(cancelled?.reason, .cancelled)
    }

    /// What a call fails with, when its task is cancelled while it waits.
    private func cancelling(_ call: @escaping @Sendable () async throws -> Void) async throws -> APIError? {
      let task = Task { try await call() }
      try await Task.sleep(for: .milliseconds(30))
      task.cancel()
      let start = ContinuousClock.now
      let error = await failure { try await task.value }
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(3))
      return error
    }

    func testOpeningObeysCancellation() async throws {
      let hole = try BlackHole()
      let (transport, port) = (try CurlTransport(), hole.port)
      let error = try await cancelling {
        _ = try await ByteStream.open("127.0.0.1", port: port, over: transport)
      }
      XCTAssertEqual(error?.reason, .cancelled)
      // Cancelled before it begins.
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await ByteStream.open("127.0.0.1", port: port, over: transport)
      }
      let early = await failure { try await task.value }
      XCTAssertEqual(early?.reason, .cancelled)
      let active = await transport.counts(of: .wires)?.active
      XCTAssertEqual(active, 0)
    }

    func testStartTLSObeysCancellationAndItsLimit() async throws {
      let (first, _) = try await open([.readRest { _ in }])
      let cancelled = try await cancelling { try await first.startTLS(host: "localhost") }
      XCTAssertEqual(cancelled?.reason, .cancelled)
      let closed = await failure { try await first.write([1]) }
      XCTAssertNotNil(closed, "half a handshake is of no use")
      let (second, _) = try await open([.readRest { _ in }])
      let late = await failure { try await second.startTLS(host: "localhost", within: .milliseconds(50)) }
      XCTAssertEqual(late?.reason, .connectTimeout)
    }

    func testWritingObeysCancellationAndItsLimit() async throws {
      let go = Latch()
      let (stream, server) = try await open([.wait(go), .readRest { _ in }])
      let much = [UInt8](repeating: 1, count: 32 << 20)
      let cancelled = try await cancelling { try await stream.write(much) }
      XCTAssertEqual(cancelled?.reason, .cancelled)
      let late = await failure { try await stream.write([1], within: .milliseconds(30)) }
      XCTAssertEqual(late?.reason, .idleTimeout)
      let end = await failure { try await stream.closeWrite(within: .milliseconds(30)) }
      XCTAssertEqual(end?.reason, .idleTimeout)
      go.open()
      XCTAssertTrue(server.waitUntilIdle(), "what was given leaves all the same")
    }

    func testWhatCannotBeOpenedSaysWhy() async throws {
      let unsupported = await failure {
        try await ByteStream.open("127.0.0.1", port: 1, over: StubTransport())
      }
      XCTAssertEqual(unsupported?.reason, .unsupportedCapability)
      let transport = try CurlTransport()
      let refused = await failure { try await ByteStream.open("127.0.0.1", port: 1, over: transport) }
      XCTAssertEqual(refused?.reason, .connectionRefused)
      let cleartext = await failure { try await ByteStream.open("example.test", port: 25, over: transport) }
      XCTAssertEqual(cleartext?.reason, .cleartextRefused)
    }
  }
#endif
