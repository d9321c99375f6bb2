import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Streams of bytes as on Apple platforms: over connections of the system, which the test plays.
final class NetworkStreamTests: XCTestCase {
  private let link = ScriptedLink()

  private func opening(
    _ network: ScriptedNetwork, within limit: Duration = .seconds(10)
  ) -> Task<ByteStream, any Error> {
    Task { try await ByteStream.open("localhost", port: 8025, within: limit, over: network) }
  }

  private func open(_ network: ScriptedNetwork) async throws -> ByteStream {
    let opening = opening(network)
    await link.wait("start") { $0.said == ["start"] }
    link.report(.viable(true), .ready(usesProxy: false))
    return try await opening.value
  }

  private func bytes(_ text: String, isComplete: Bool = false, _ fault: NetworkFault? = nil) -> NetworkEvent {
    .received(Data(text.utf8), isComplete: isComplete, fault)
  }

  private func text(_ read: ByteStream.Read) -> String { String(decoding: read.bytes, as: UTF8.self) }

  private let reset = NetworkFault.posix(POSIXErrorCode.ECONNRESET.rawValue)

  // MARK: Both ways

  func testBytesGoBothWaysAndEachSideEndsByItself() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    link.report(bytes("hello\nwor"))
    let line = try await stream.read(until: [10])
    XCTAssertEqual(text(line), "hello\n")
    try await stream.write(Array("one ".utf8))
    try await stream.write(Array("two".utf8))
    try await stream.closeWrite()
    XCTAssertEqual(String(decoding: link.sent, as: UTF8.self), "one two")
    XCTAssertEqual(link.said.last, "fin")
    link.report(bytes("ld"), bytes("!", isComplete: true))
    let rest = try await stream.read(minimum: 100, maximum: 100)
    XCTAssertEqual(text(rest), "world!", "reading goes on")
    XCTAssertEqual(rest.end, .closed)
    let error = await failure { try await stream.write([1]) }
    XCTAssertEqual(error?.reason, .connectionLost, "the own side has ended")
    stream.close()
    await link.wait("end") { $0.said.last == "cancel" }
  }

  func testAnEndWithoutACloseNotifyIsTruncatedAndAResetAFailure() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    link.report(bytes("half", .tls(-9816)))
    let read = try await stream.read(minimum: 10, maximum: 10)
    XCTAssertEqual(text(read), "half")
    XCTAssertEqual(read.end, .truncated)
    let second = ScriptedLink()
    let opening = opening(try ScriptedNetwork(second))
    await second.wait("start") { $0.said == ["start"] }
    second.report(.ready(usesProxy: false))
    let other = try await opening.value
    second.report(bytes("all"), .failed(reset))
    let before = try await other.read(minimum: 3, maximum: 3)
    XCTAssertEqual(text(before), "all", "what came before is read first")
    let error = await failure { try await other.read() }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(second.said.last, "force")
  }

  func testAWriteReturnsWhenTheSystemHasEverythingAndLittleOfItWaitsThere() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    link.setConfirming(false)
    let writing = Task { try await stream.write([UInt8](repeating: 3, count: 8 << 20)) }
    await link.wait("parts") { $0.said.filter { $0 == "send" }.count == NetworkWireMachine.mostParts }
    let late = await failure { try await stream.write([4], within: .milliseconds(30)) }
    XCTAssertEqual(late?.reason, .idleTimeout, "nobody takes anything")
    XCTAssertEqual(link.sent.count, NetworkWireMachine.mostParts * NetworkWireMachine.portion)
    link.setConfirming(true)
    try await writing.value
    XCTAssertEqual(link.sent.count, (8 << 20) + 1, "what was given up leaves all the same")
    XCTAssertLessThanOrEqual(link.mostUnconfirmed, 256 << 10)
  }

  func testNothingIsRequestedWhileMuchIsNotRead() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    let portion = Data(repeating: 5, count: NetworkWireMachine.portion)
    var count = 0
    while link.said.last == "receive", count < 100 {
      link.report(.received(portion, isComplete: false, nil))
      count += 1
      if link.said.filter({ $0 == "receive" }).count <= count { break }
    }
    XCTAssertEqual(count * portion.count, 1 << 20)
    _ = try await stream.read(minimum: 1 << 20, maximum: 1 << 20)
    await link.wait("another request") { $0.said.filter { $0 == "receive" }.count == count + 1 }
  }

  // MARK: Opening

  func testAConnectionThatWaitsIsAFailureOfThatMoment() async throws {
    let opening = opening(try ScriptedNetwork(link))
    await link.wait("start") { $0.said == ["start"] }
    link.report(.waiting(.posix(POSIXErrorCode.ECONNREFUSED.rawValue)))
    let error = await failure { try await opening.value }
    XCTAssertEqual(error?.reason, .connectionRefused)
    XCTAssertEqual(link.said, ["start", "force"])
  }

  func testAConnectionOfWhichNothingIsHeardEndsAtTheLimit() async throws {
    let opening = opening(try ScriptedNetwork(link), within: .milliseconds(50))
    let error = await failure { try await opening.value }
    XCTAssertEqual(error?.reason, .connectTimeout)
    await link.wait("end") { $0.said == ["start", "cancel"] }
    link.report(.ready(usesProxy: false), bytes("late"))
    XCTAssertEqual(link.said, ["start", "cancel"], "what comes late counts for nothing")
  }

  func testACancelledOpeningEndsTheConnection() async throws {
    let network = try ScriptedNetwork(link)
    let opening = opening(network)
    await link.wait("start") { $0.said == ["start"] }
    opening.cancel()
    let error = await failure { try await opening.value }
    XCTAssertEqual(error?.reason, .cancelled)
    XCTAssertEqual(link.said, ["start", "cancel"])
    await network.finish()
  }

  func testAProcessThatStoodStillHasTheTimeForOpeningAnew() async throws {
    let opening = opening(try ScriptedNetwork(link, tolerance: 100_000), within: .milliseconds(400))
    await link.wait("start") { $0.said == ["start"] }
    let queue = try XCTUnwrap(link.queue)
    queue.suspend()
    try await Task.sleep(for: .milliseconds(700))
    queue.resume()
    link.report(.viable(true))
    link.report(.ready(usesProxy: false))
    let stream = try await opening.value
    stream.close()
  }

  func testARefusedServerIsToldWithItsFault() async throws {
    let opening = opening(try ScriptedNetwork(link))
    await link.wait("start") { $0.said == ["start"] }
    link.report(.refused(APIError(.transport, .pinMismatch)), .failed(.tls(-9808)))
    let error = await failure { try await opening.value }
    XCTAssertEqual(error?.reason, .pinMismatch)
  }

  // MARK: Waits that end

  func testWaitsEndWhenTheirTaskIsCancelled() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    link.setConfirming(false)
    let read = Task { _ = try await stream.read(minimum: 9) }
    let write = Task { try await stream.write([1]) }
    await link.wait("part") { $0.said.last == "send" }
    for task in [read, write] {
      task.cancel()
      let error = await failure { try await task.value }
      XCTAssertEqual(error?.reason, .cancelled)
    }
    link.report(bytes("kept"))
    let kept = try await stream.read(minimum: 4)
    XCTAssertEqual(text(kept), "kept", "a read that was given up loses no byte")
  }

  func testAReleasedStreamEndsItsConnection() async throws {
    let network = try ScriptedNetwork(link)
    var stream: ByteStream? = try await open(network)
    XCTAssertNotNil(stream)
    stream = nil
    await link.wait("end") { $0.said.last == "cancel" }
    await network.finish()
  }

  func testAStoppedTransportEndsItsConnectionsAndOpensNoOthers() async throws {
    let other = ScriptedLink()
    let network = try ScriptedNetwork(link, other)
    let stream = try await open(network)
    let reading = Task { try await stream.read() }
    try await Task.sleep(for: .milliseconds(20))
    network.shutdown()
    let error = await failure { try await reading.value }
    XCTAssertEqual(error?.reason, .transportStopped)
    let late = await failure { try await self.opening(network).value }
    XCTAssertEqual(late?.reason, .transportStopped)
    XCTAssertEqual(other.said, [])
  }

  // MARK: TLS in the middle

  func testStartTLSIsRefusedByNameAndTheConnectionGoesOn() async throws {
    let stream = try await open(try ScriptedNetwork(link))
    let error = await failure { try await stream.startTLS(host: "localhost") }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.description.contains("startTLS") == true, "\(error as Any)")
    XCTAssertEqual(link.said, ["start", "receive"], "nothing was sent")
    link.report(bytes("still here"))
    let read = try await stream.read(minimum: 10)
    XCTAssertEqual(text(read), "still here")
    try await stream.write([1])
  }
}
