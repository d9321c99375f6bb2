import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Counts how often it is told to read on.
private final class StillChannel: SocketChannel {
  let readOns = Counter()
  var accepted: WebSocketHandshake.Accepted { .init() }
  var queuedBytes: Int { 0 }
  func open(_ completion: @escaping HTTPTransport.Completion) {}
  func begin(_ inbox: SocketInbox) {}
  func tellWhenDrained() {}
  func send(_ message: SocketMessage, packs: Bool) {}
  func ping(token: UInt64?) {}
  func close(_ code: SocketCloseCode?, _ reason: String) {}
  func cancel() {}
  func release() {}
  func settle() {}
  func readOn() { readOns.increment() }
}

/// What a connection brings on its way to the main actor, and what a socket may take.
@MainActor final class SocketInboxTests: XCTestCase {
  private let channel = StillChannel()

  private func inbox() -> SocketInbox { SocketInbox(channel) }

  func testWhatComesBeforeTheMainActorLooksComesInOneHop() async {
    let inbox = inbox()
    var hops: [[String]] = []
    inbox.onItems = { inbox in
      var texts: [String] = []
      while case .message(.text(let text))? = inbox.take() { texts.append(text) }
      hops.append(texts)
    }
    for number in 0..<10 { XCTAssertTrue(inbox.put([.message(.text("\(number)"))])) }
    for _ in 0..<100 where hops.isEmpty { await Task.yield() }
    XCTAssertEqual(hops, [(0..<10).map { "\($0)" }])
  }

  func testReadingStopsAt16MessagesAndGoesOnAtHalf() async {
    let inbox = inbox()
    for number in 1...15 { XCTAssertTrue(inbox.put([.message(.text("\(number)"))]), "\(number)") }
    XCTAssertFalse(inbox.put([.message(.text("16"))]))
    for _ in 1...7 { XCTAssertNotNil(inbox.take()) }
    XCTAssertEqual(channel.readOns.value, 0)
    XCTAssertNotNil(inbox.take())
    XCTAssertEqual(channel.readOns.value, 1)
  }

  func testReadingStopsAtAMebibyteAndGoesOnAtHalf() async {
    let inbox = inbox()
    let half = [UInt8](repeating: 0, count: 1 << 19)
    XCTAssertTrue(inbox.put([.message(.data(half))]))
    XCTAssertFalse(inbox.put([.message(.data(half))]))
    XCTAssertNotNil(inbox.take())
    XCTAssertEqual(channel.readOns.value, 1)
  }

  func testATaskThatWaitsForRoomEndsWithItsConsumer() async {
    struct Piece: InboxItem {
      let keptBytes: Int? = 1 << 20
      let isEnd = false
    }
    let inbox = ConnectionInbox<Piece>(limit: 1024)
    let task = Task { await inbox.putAndWait([Piece()]) }
    for _ in 0..<50 { await Task.yield() }
    inbox.release()
    await task.value
  }

  func testTheLimitsOfASocketAreThoseOfTheGuide() async throws {
    let options = SocketOptions()
    XCTAssertEqual(options.maximumMessageBytes, 16 << 20)
    XCTAssertEqual(options.maximumQueuedBytes, 16 << 20)
    XCTAssertEqual(options.openLimit, .seconds(10))
    XCTAssertEqual(options.closeLimit, .seconds(10))
    XCTAssertEqual(options.pingInterval, .seconds(20))
    XCTAssertEqual(options.pingLimit, .seconds(20))
    XCTAssertEqual(options.compressionBits, 12)
    XCTAssertEqual(options.compressesFrom, 1 << 10)
    var bad = options
    bad.compressionBits = 8
    XCTAssertThrowsError(try bad.validate(), "zlib has no such window")
    bad = options
    bad.pingLimit = .zero
    XCTAssertThrowsError(try bad.validate())
  }
}
