import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Sequences of the items of a stream: what they keep, and what they hold up.
@MainActor final class ItemReaderTests: XCTestCase {
  private final class Item: Sendable {}

  func testAnItemThatWasTakenIsNotKept() async throws {
    let reader = ItemReader<Item> { true }
    weak var first: Item?
    do {
      let item = Item()
      first = item
      reader.put(item, bytes: 1)
    }
    // It is never read to its end: one item always waits.
    for _ in 0..<100 {
      reader.put(Item(), bytes: 1)
      _ = try await reader.take()
    }
    XCTAssertNil(first)
  }

  func testALoopEndsWhenItsSocketIsReleased() async throws {
    let stage = SocketStage()
    var socket: EchoSocket? = stage.socket()
    let messages = try XCTUnwrap(socket?.messages())
    var isOver = false
    let loop = Task {
      for try await _ in messages {}
      isOver = true
    }
    _ = try await stage.open(try XCTUnwrap(socket))
    socket = nil
    await waitUntil { isOver }
    loop.cancel()
  }
}

#if os(Linux)
  @MainActor final class GivenUpSequenceTests: StreamCase {
    func testASequenceThatIsGivenUpHoldsUpNothing() async throws {
      let (service, _) = try service([
        [.readRequest, .text(Self.head() + (0..<100).map { "data: \($0)\n\n" }.joined()), .waitForClose]
      ])
      let events = Events(service)
      events.delegate = log
      var slow: StreamItems<ServerEvent>? = events.events()
      events.open()
      await log.wait { log.lines.count == 17 }
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(log.lines.count, 17)
      _ = slow
      slow = nil
      await log.wait { log.lines.count == 101 }
      events.cancel()
    }

    func testALoopEndsWhenItsStreamIsReleased() async throws {
      let (service, _) = try service([[.readRequest, .text(Self.head() + "data: a\n\n"), .waitForClose]])
      var events: Events? = Events(service)
      let sequence = try XCTUnwrap(events?.events())
      var (read, isOver) = (0, false)
      let loop = Task {
        for try await _ in sequence { read += 1 }
        isOver = true
      }
      events?.open()
      await waitUntil { read == 1 }
      events = nil
      await waitUntil { isOver }
      loop.cancel()
    }

    func testAnIdThatNoFieldCanHaveDoesNotEndTheStream() async throws {
      for id in ["a\u{7}b", "a\u{7F}"] {
        let log = StreamLog()
        let (service, server) = try service([
          [.readRequest, .text(Self.head() + "retry: 0\nid: 1\ndata: a\n\nid: \(id)\ndata: b\n\n")],
          [.readRequest, .text(Self.head() + "data: c\n\n"), .waitForClose],
        ])
        let events = Events(service)
        events.delegate = log
        events.jitter = { 0 }
        events.open()
        await log.wait { log.lines.last == "message c" || log.closing != nil }
        XCTAssertNil(log.closing)
        XCTAssertEqual(server.requests.last?.headers["Last-Event-ID"], "1")
        events.cancel()
      }
    }
  }
#endif
