@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// An open connection without a socket, a clock or randomness.
final class WebSocketMachineTests: XCTestCase {
  private var output = WebSocketMachine.Output()
  private var machine = WebSocketMachine(SocketOptions(), nil, now: .zero)

  private func make(_ terms: DeflateTerms? = nil, _ change: (inout SocketOptions) -> Void = { _ in }) {
    var options = SocketOptions()
    change(&options)
    machine = WebSocketMachine(options, terms, now: .zero)
    output = WebSocketMachine.Output()
  }

  private func receive(_ bytes: [UInt8], at now: Duration = .zero, isCongested: Bool = false) {
    _ = bytes.withUnsafeBytes {
      machine.receive($0, now: now, isCongested: isCongested, into: &output)
    }
  }

  private func send(_ message: SocketMessage, packs: Bool = true) -> Bool {
    machine.send(message, packs: packs, into: &output)
  }

  private func close(_ code: SocketCloseCode? = .normal, _ reason: String = "", at now: Duration = .zero) {
    machine.close(code, reason, now: now, into: &output)
  }

  private func tick(_ now: Duration) { machine.tick(now: now, into: &output) }

  private var written: [(first: UInt8, payload: [UInt8])] { ServerFrames.read(output.bytes) }

  func testMessagesAreMaskedAndComeBackWhole() {
    for count in [0, 1, 7, 8, 9, 125, 126, 1000, 65535, 65536, 100_001] {
      make()
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      XCTAssertTrue(send(.data(bytes)))
      XCTAssertEqual(written.map(\.first), [0x82], "\(count)")
      XCTAssertEqual(written.first?.payload, bytes, "\(count)")
      if count > 8 { XCTAssertNotEqual(Array(output.bytes.suffix(count)), bytes) }
    }
    make()
    XCTAssertTrue(send(.text("grüß")))
    XCTAssertEqual(written.first?.first, 0x81)
    XCTAssertEqual(written.first?.payload, Array("grüß".utf8))
  }

  func testPingsAreAnsweredAndWhileBytesWaitOnlyTheLatestIs() {
    receive(ServerFrames.frame(9, [1]) + ServerFrames.frame(9, [2]))
    XCTAssertEqual(written.map(\.payload), [[1], [2]])
    make()
    for number in 0..<100 { receive(ServerFrames.frame(9, [UInt8(number)]), isCongested: true) }
    XCTAssertTrue(output.bytes.isEmpty)
    machine.flushed(into: &output)
    machine.flushed(into: &output)
    XCTAssertEqual(written.map(\.first), [0x8A])
    XCTAssertEqual(written.first?.payload, [99])
  }

  func testAPingIsSentEachIntervalAndItsPongIsMeasured() {
    XCTAssertEqual(machine.due, .seconds(20))
    tick(.seconds(19))
    XCTAssertTrue(output.bytes.isEmpty)
    tick(.seconds(20))
    XCTAssertEqual(written.map(\.first), [0x89])
    XCTAssertEqual(machine.due, .seconds(40))
    receive(ServerFrames.frame(10, written[0].payload), at: .seconds(20) + .milliseconds(30))
    XCTAssertEqual(output.events, [.pong(token: nil, after: .milliseconds(30))])
    // A pong that nobody asked for is none.
    receive(ServerFrames.frame(10, written[0].payload), at: .seconds(21))
    receive(ServerFrames.frame(10, [1, 2]), at: .seconds(21))
    XCTAssertEqual(output.events.count, 1)
  }

  func testAConnectionWithoutAPongIsCut() {
    tick(.seconds(20))
    tick(.seconds(40))
    XCTAssertTrue(output.cuts)
    let closing = machine.closing(after: .here(after: .seconds(10)))
    XCTAssertEqual(closing.code, .abnormal)
    XCTAssertEqual(closing.end, .aborted)
    XCTAssertEqual(closing.error?.reason, .connectionLost)
  }

  func testNoDeadlineForAPongPassesWhileNothingIsRead() {
    tick(.seconds(20))
    machine.read(false, now: .seconds(21))
    tick(.seconds(200))
    XCTAssertFalse(output.cuts)
    machine.read(true, now: .seconds(201))
    tick(.seconds(220))
    XCTAssertFalse(output.cuts)
    tick(.seconds(221))
    XCTAssertTrue(output.cuts)
  }

  func testAfterAStandstillNoDeadlineHasPassedAndAPingLeavesAtOnce() {
    tick(.seconds(20))
    XCTAssertEqual(machine.due, .seconds(40))
    // The pong has come meanwhile, or not: nobody could read it.
    output.bytes = []
    machine.wake(now: .seconds(500), into: &output)
    XCTAssertEqual(written.map(\.first), [0x89])
    tick(.seconds(500))
    XCTAssertFalse(output.cuts)
    XCTAssertEqual(machine.due, .seconds(520))
    tick(.seconds(520))
    XCTAssertTrue(output.cuts, "the server has not responded since")
    // What is closing has no pings.
    make()
    close(.normal)
    output.bytes = []
    machine.wake(now: .seconds(500), into: &output)
    XCTAssertEqual(output.bytes, [])
  }

  func testPingsMayBeOffAndAnAwaitedOneIsStillTold() {
    make { $0.pingInterval = nil }
    XCTAssertNil(machine.due)
    machine.ping(token: 5, now: .seconds(1), into: &output)
    machine.ping(token: 6, now: .seconds(2), into: &output)
    // The second's pong counts for the first too.
    receive(ServerFrames.frame(10, written[1].payload), at: .seconds(3))
    XCTAssertEqual(output.events, [.pong(token: 5, after: .seconds(2)), .pong(token: 6, after: .seconds(1))])
    XCTAssertNil(machine.due)
  }

  func testACloseOfOursIsCleanWhenTheServerAnswers() {
    XCTAssertTrue(send(.text("last")))
    close(.init(rawValue: 4001), "done")
    XCTAssertFalse(send(.text("late")))
    XCTAssertEqual(written.map(\.first), [0x81, 0x88])
    XCTAssertEqual(written[1].payload, [0x0F, 0xA1] + Array("done".utf8))
    // Messages on their way still come; pings are answered no more.
    receive(
      ServerFrames.text("on its way") + ServerFrames.frame(9) + ServerFrames.close(4001, Array("ok".utf8)))
    XCTAssertEqual(output.events, [.message(.text("on its way"))])
    XCTAssertEqual(written.count, 2)
    let closing = machine.closing(after: .byServer)
    XCTAssertEqual(closing.end, .clean)
    XCTAssertEqual(closing.code.rawValue, 4001)
    XCTAssertEqual(closing.reason, "ok")
    XCTAssertEqual(closing.sentCode?.rawValue, 4001)
    XCTAssertNil(closing.error)
  }

  func testACloseOfTheServersIsAnsweredWithItsCode() {
    receive(ServerFrames.close(1001, Array("restart".utf8)), at: .seconds(3))
    XCTAssertEqual(output.events, [.closing])
    XCTAssertEqual(written.map(\.first), [0x88])
    XCTAssertEqual(written[0].payload, [0x03, 0xE9])
    XCTAssertFalse(output.cuts, "the server ends the connection")
    XCTAssertEqual(machine.due, .seconds(13))
    XCTAssertFalse(send(.text("late")))
    tick(.seconds(13))
    XCTAssertTrue(output.cuts)
    XCTAssertEqual(machine.closing(after: .byServer).code, .goingAway)
    make()
    receive(ServerFrames.close())
    XCTAssertEqual(written[0].payload, [])
    XCTAssertEqual(machine.closing(after: .byServer).code, SocketCloseCode.none)
    XCTAssertEqual(machine.closing(after: .byServer).end, .clean)
  }

  func testAServerThatDoesNotAnswerACloseIsCutAtTheLimit() {
    close(at: .seconds(5))
    XCTAssertEqual(machine.due, .seconds(15))
    tick(.seconds(15))
    XCTAssertTrue(output.cuts)
    let closing = machine.closing(after: .here(after: .seconds(10)))
    XCTAssertEqual(closing.code, .abnormal)
    XCTAssertEqual(closing.sentCode, .normal)
    XCTAssertEqual(closing.end, .aborted)
    XCTAssertEqual(closing.error?.reason, .idleTimeout)
  }

  func testAnEndWithoutACloseFrameIs1006AndSaysWhetherItWasCut() {
    XCTAssertEqual(machine.closing(after: .byServer).end, .dropped)
    XCTAssertEqual(machine.closing(after: .byServer).code, .abnormal)
    let broken = machine.closing(after: .broken(APIError(.transport, .connectionLost, "reset")))
    XCTAssertEqual(broken.end, .cut)
    XCTAssertEqual(broken.error?.detail, "reset")
  }

  func testAViolationIsToldToTheServerAndWhatCameBeforeIsDelivered() {
    receive(ServerFrames.text("good") + ServerFrames.frame(3))
    XCTAssertEqual(output.events, [.message(.text("good")), .closing])
    XCTAssertEqual(written.map(\.first), [0x88])
    XCTAssertEqual(Array(written[0].payload.prefix(2)), [0x03, 0xEA])
    XCTAssertTrue(output.endsSending)
    receive(ServerFrames.text("more"))
    XCTAssertEqual(output.events.count, 2)
    let closing = machine.closing(after: .byServer)
    XCTAssertEqual(closing.error?.reason, .socketProtocolBroken)
    XCTAssertEqual(closing.sentCode, .protocolError)
    XCTAssertEqual(closing.end, .aborted)
  }

  func testLargeMessagesArePackedWhereThatWasAgreed() {
    let text = String(repeating: "price ", count: 1000)
    for keeps in [true, false] {
      make(DeflateTerms(clientBits: 12, clientKeepsContext: keeps))
      XCTAssertTrue(send(.text(text)))
      XCTAssertTrue(send(.text(text)))
      XCTAssertTrue(send(.text("small")))
      XCTAssertTrue(send(.text(text), packs: false))
      XCTAssertEqual(written.map(\.first), [0xC1, 0xC1, 0x81, 0x81])
      XCTAssertLessThan(written[0].payload.count, 200)
      let inflater = MessageInflater(windowBits: 12, keepsContext: keeps)
      for frame in written[..<2] {
        var out: [UInt8] = []
        XCTAssertTrue(
          frame.payload.withUnsafeBufferPointer { inflater.unpack($0, into: &out, atMost: 1 << 20) })
        XCTAssertTrue(inflater.finish(into: &out, atMost: 1 << 20))
        XCTAssertEqual(String(decoding: out, as: UTF8.self), text)
      }
    }
    // zlib has no raw window of 8 bits: what a server that wants one gets is uncompressed.
    make(DeflateTerms(clientBits: 8))
    XCTAssertTrue(send(.text(text)))
    XCTAssertEqual(written.map(\.first), [0x81])
  }
}
