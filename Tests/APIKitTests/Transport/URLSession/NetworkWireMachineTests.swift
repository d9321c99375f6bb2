import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What is made of the states and callbacks of a connection of Apple's Network framework, played by the test.
final class NetworkWireMachineTests: XCTestCase {
  private var machine = NetworkWireMachine(NetworkFault.Circumstances(), forbidsProxies: false)

  private func word(_ action: NetworkWireMachine.Action) -> String {
    switch action {
    case .start: "start"
    case .receive: "receive"
    case .send(let data, let number): "send \(number): \(data.count)"
    case .endSending: "fin"
    case .cancel(let isForced): isForced ? "force" : "cancel"
    case .opened: "opened"
    case .received(let data): "[\(String(decoding: data, as: UTF8.self))]"
    case .flushedPart: "part"
    case .flushed: "flushed"
    case .stoodStill: "stood still"
    case .receivedEnd(let isOrderly): isOrderly ? "end" : "truncated"
    case .ended(let error): "ended \(error?.reason.name ?? "by itself")"
    }
  }

  /// What is done now.
  private func next() -> [String] {
    var said: [String] = []
    while let action = machine.next() { said.append(word(action)) }
    return said
  }

  /// What is done after each of these reports.
  private func after(_ events: NetworkEvent...) -> [String] {
    events.flatMap { event in
      machine.take(event)
      return next()
    }
  }

  private func bytes(_ text: String, isComplete: Bool = false, _ fault: NetworkFault? = nil) -> NetworkEvent {
    .received(Data(text.utf8), isComplete: isComplete, fault)
  }

  private func open(
    _ circumstances: NetworkFault.Circumstances = NetworkFault.Circumstances(), forbidsProxies: Bool = false
  ) {
    machine = NetworkWireMachine(circumstances, forbidsProxies: forbidsProxies)
    machine.open()
    XCTAssertEqual(next(), ["start"])
    XCTAssertEqual(after(.ready(usesProxy: false)), ["opened", "receive"])
  }

  private let refused = NetworkFault.posix(POSIXErrorCode.ECONNREFUSED.rawValue)
  private let reset = NetworkFault.posix(POSIXErrorCode.ECONNRESET.rawValue)

  // MARK: The ordinary course

  func testOnePortionIsRequestedAfterTheOtherUntilTheEnd() {
    open()
    XCTAssertEqual(after(bytes("one"), bytes("two")), ["[one]", "receive", "[two]", "receive"])
    XCTAssertEqual(after(bytes("last", isComplete: true)), ["[last]", "end"])
    machine.end(nil)
    XCTAssertEqual(next(), ["cancel", "ended by itself"])
  }

  func testTheOwnSideEndsBehindWhatWasWrittenAndReadingGoesOn() {
    open()
    machine.write(Array("hello".utf8))
    machine.endSending()
    machine.write(Array("too late".utf8))
    XCTAssertEqual(next(), ["send 1: 5", "fin"])
    XCTAssertEqual(machine.unsentBytes, 5)
    XCTAssertEqual(after(.sent(number: 1, nil)), ["flushed"])
    XCTAssertEqual(after(bytes("answer")), ["[answer]", "receive"])
  }

  func testTheSystemHasAFewPartsAtATime() {
    open()
    machine.write([UInt8](repeating: 7, count: 1 << 20))
    XCTAssertEqual(next(), (1...4).map { "send \($0): 65536" })
    XCTAssertEqual(machine.unsentBytes, 1 << 20)
    XCTAssertEqual(after(.sent(number: 2, nil)), ["send 5: 65536", "part"])
    XCTAssertEqual(machine.unsentBytes, (1 << 20) - 65536)
    // What is written meanwhile is joined.
    machine.write([1])
    machine.write([2])
    var said: [String] = []
    for number in [1, 3, 4] + Array(5...17) { said += after(.sent(number: number, nil)) }
    XCTAssertEqual(said.filter { $0.hasPrefix("send") }.last, "send 17: 2")
    XCTAssertEqual(said.last, "flushed")
    XCTAssertEqual(machine.unsentBytes, 0)
  }

  func testNothingIsRequestedOrGivenWhileReadingIsStopped() {
    open()
    machine.isReading = false
    XCTAssertEqual(after(bytes("held", isComplete: true)), [])
    machine.isReading = true
    XCTAssertEqual(next(), ["[held]", "end"])
    open()
    machine.isReading = false
    XCTAssertEqual(after(bytes("held")), [])
    XCTAssertEqual(
      after(.failed(reset)), ["[held]", "force", "ended connection-lost"], "bytes come before the fault")
  }

  // MARK: Opening

  func testWaitingIsAFailure() {
    for (fault, reason) in [
      (refused, "connection-refused"), (.posix(POSIXErrorCode.ENETDOWN.rawValue), "no-network"),
      (.dns(-65554), "unknown-host"), (.tls(-9808), "certificate-untrusted"),
    ] {
      machine = NetworkWireMachine(NetworkFault.Circumstances(), forbidsProxies: false)
      machine.open()
      _ = next()
      XCTAssertEqual(after(.waiting(fault)), ["force", "ended \(reason)"])
      XCTAssertEqual(after(.ready(usesProxy: false), .failed(reset)), [], "it would have gone on by itself")
    }
  }

  func testAConnectionOfWhichNothingIsHeardEndsWhenItsOwnerWants() {
    machine.open()
    XCTAssertEqual(next(), ["start"])
    XCTAssertEqual(next(), [])
    machine.end(nil)
    XCTAssertEqual(next(), ["cancel", "ended by itself"])
    XCTAssertEqual(after(.ready(usesProxy: false), .cancelled), [])
  }

  func testARefusedServerEndsWithWhatWasFound() {
    machine.open()
    _ = next()
    XCTAssertEqual(
      after(.refused(APIError(.transport, .pinMismatch)), .failed(.tls(-9808))),
      ["force", "ended pin-mismatch"])
    open()
    XCTAssertEqual(after(.refused(APIError(.transport, .pinMismatch))), ["force", "ended pin-mismatch"])
  }

  func testAProxyOfTheSystemIsRefusedWhereTheConfigurationWantsNone() {
    for forbidsProxies in [true, false] {
      machine = NetworkWireMachine(NetworkFault.Circumstances(), forbidsProxies: forbidsProxies)
      machine.open()
      _ = next()
      let said = after(.ready(usesProxy: true))
      XCTAssertEqual(said, forbidsProxies ? ["force", "ended proxy-failed"] : ["opened", "receive"])
    }
  }

  func testATransportThatHasStoppedOpensNothing() {
    machine.end(APIError(.transport, .transportStopped))
    XCTAssertEqual(next(), ["ended transport-stopped"], "there is nothing to cancel")
    machine.open()
    XCTAssertEqual(next(), [])
  }

  // MARK: Ends and faults

  func testAnEndOfTLSWithoutACloseNotifyIsTruncated() {
    open()
    XCTAssertEqual(after(bytes("half", .tls(-9816))), ["[half]", "truncated"])
    // The system may say it by the state alone; the bytes before were given, and the sending side is gone.
    open()
    XCTAssertEqual(after(bytes("half"), .failed(.tls(-9816))), ["[half]", "receive", "truncated"])
    XCTAssertEqual(after(.failed(.tls(-9816))), ["force", "ended connection-lost"])
    open()
    XCTAssertEqual(after(.failed(.tls(-9816))), ["truncated"])
    machine.write([1])
    XCTAssertEqual(next(), ["force", "ended connection-lost"])
  }

  func testAFaultOfEitherSideEndsTheConnection() {
    open()
    XCTAssertEqual(after(bytes("x", reset)), ["[x]", "force", "ended connection-lost"])
    open()
    machine.write([1])
    XCTAssertEqual(next(), ["send 1: 1"])
    XCTAssertEqual(
      after(.sent(number: 1, .posix(POSIXErrorCode.EPIPE.rawValue))), ["force", "ended connection-lost"])
    open()
    XCTAssertEqual(after(.waiting(reset)), ["force", "ended connection-lost"])
    open()
    XCTAssertEqual(after(.cancelled), ["force", "ended connection-lost"], "by nobody here")
  }

  func testACallbackWithoutBytesAndEndIsNoLoop() {
    open()
    XCTAssertEqual(
      after(.received(nil, isComplete: false, nil)), ["force", "ended connection-lost"])
  }

  func testAServerRefusesTheCertificateWhenTheConnectionIsOpen() {
    for (hasIdentity, reason) in [
      (true, "client-certificate-refused"), (false, "client-certificate-required"),
    ] {
      machine = NetworkWireMachine(
        NetworkFault.Circumstances(hasIdentity: hasIdentity), forbidsProxies: false)
      machine.open()
      _ = next()
      XCTAssertEqual(
        after(.askedForCertificate, .ready(usesProxy: false), .received(nil, isComplete: false, .tls(-9825))),
        ["opened", "receive", "force", "ended \(reason)"])
    }
  }

  func testAConnectionThatIsViableAgainTellsThatItStoodStill() {
    open()
    XCTAssertEqual(after(.viable(true)), [], "the first report")
    XCTAssertEqual(after(.viable(false), .viable(false), .viable(true), .viable(true)), ["stood still"])
  }

  func testWhatIsUnsentIsNotWaitedForAtTheEnd() {
    open()
    machine.write([1])
    _ = next()
    machine.end(nil)
    XCTAssertEqual(next(), ["force", "ended by itself"])
  }

  // MARK: Hostile orders

  func testReportsThatDoNotFitCountForNothing() {
    XCTAssertEqual(after(.ready(usesProxy: false), bytes("x"), .sent(number: 1, nil)), [], "not started")
    machine.open()
    _ = next()
    XCTAssertEqual(after(bytes("before it is ready"), .sent(number: 9, nil), .viable(false)), [])
    XCTAssertEqual(after(.ready(usesProxy: false), .ready(usesProxy: false)), ["opened", "receive"])
    XCTAssertEqual(after(bytes("a", isComplete: true), bytes("after the end")), ["[a]", "end"])
    machine.write([1])
    XCTAssertEqual(next(), ["send 1: 1"])
    XCTAssertEqual(after(.sent(number: 1, nil), .sent(number: 1, nil), .sent(number: 2, nil)), ["flushed"])
    machine.end(nil)
    XCTAssertEqual(next(), ["cancel", "ended by itself"])
    XCTAssertEqual(
      after(
        .ready(usesProxy: false), bytes("late"), .failed(reset), .waiting(reset), .cancelled, .viable(true),
        .refused(APIError(.transport, .pinMismatch)), .sent(number: 2, reset)), [])
    machine.write([1])
    machine.endSending()
    machine.isReading = false
    machine.end(APIError(.transport, .transportFailed))
    XCTAssertEqual(next(), [])
  }

  func testNoCallbackBeginsWithinAnotherButTheLast() {
    open()
    machine.isTelling = true
    XCTAssertEqual(after(bytes("x", isComplete: true), .viable(false), .viable(true)), [])
    machine.write([1])
    XCTAssertEqual(next(), ["send 1: 1"], "what is for the system is done at once")
    machine.end(nil)
    XCTAssertEqual(next(), ["force", "ended by itself"])
  }

  /// Any order of reports and calls: nothing comes twice, nothing after the end, one request and a few parts at a time.
  func testAnyOrderKeepsTheRules() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<3000 {
      machine = NetworkWireMachine(
        NetworkFault.Circumstances(), forbidsProxies: Bool.random(using: &generator))
      var said: [String] = []
      var (requests, parts, lastPart) = (0, 0, 0)
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        step(&generator, &requests, &parts, lastPart)
        for action in next() {
          if said.contains(where: { $0.hasPrefix("ended") }) { XCTFail("\(action) after the end: \(said)") }
          if action == "receive" { requests += 1 }
          if action.hasPrefix("send") {
            parts += 1
            lastPart += 1
          }
          said.append(action)
          XCTAssertLessThanOrEqual(requests, 1)
          XCTAssertLessThanOrEqual(parts, NetworkWireMachine.mostParts)
        }
      }
      for once in ["start", "opened", "fin", "end", "truncated"] {
        XCTAssertLessThanOrEqual(said.filter { $0 == once }.count, 1, "\(once) in \(said)")
      }
      XCTAssertLessThanOrEqual(said.filter { ["end", "truncated"].contains($0) }.count, 1)
      XCTAssertLessThanOrEqual(said.filter { ["cancel", "force"].contains($0) }.count, 1)
      if let opened = said.firstIndex(of: "opened") {
        XCTAssertFalse(said[..<opened].contains { $0.hasPrefix("[") || $0 == "receive" }, "\(said)")
      } else {
        XCTAssertFalse(said.contains { $0.hasPrefix("[") || $0 == "end" }, "\(said)")
      }
      if let end = said.firstIndex(where: { ["end", "truncated"].contains($0) }) {
        XCTAssertFalse(said[end...].contains { $0.hasPrefix("[") || $0 == "receive" }, "\(said)")
      }
      XCTAssertEqual(said.last?.hasPrefix("ended") ?? false, machine.phase == .over)
    }
  }

  private func step(
    _ generator: inout SeededGenerator, _ requests: inout Int, _ parts: inout Int, _ lastPart: Int
  ) {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0...2: machine.open()
    case 3...5: machine.take(.ready(usesProxy: Int.random(in: 0..<9, using: &generator) == 0))
    case 6: machine.take(.waiting(refused))
    case 7: machine.take(.failed(Bool.random(using: &generator) ? reset : .tls(-9816)))
    case 8: machine.take(.cancelled)
    case 9...11:
      requests = 0
      machine.take(bytes("x"))
    case 12:
      requests = 0
      machine.take(bytes("y", isComplete: true))
    case 13:
      requests = 0
      machine.take(.received(nil, isComplete: false, reset))
    case 14...15:
      let number = Int.random(in: 0...(lastPart + 1), using: &generator)
      let before = machine.unsentBytes
      machine.take(.sent(number: number, nil))
      if machine.unsentBytes < before { parts -= 1 }
    case 16: machine.isReading.toggle()
    case 17: machine.write([UInt8](repeating: 1, count: Int.random(in: 0...200_000, using: &generator)))
    case 18: machine.endSending()
    default: if Int.random(in: 0..<5, using: &generator) == 0 { machine.end(nil) }
    }
  }
}
