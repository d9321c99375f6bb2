@testable import TestSupport
import XCTest

@testable import APIKit

/// How a body from a stream goes to the system's session, over a pipe that the test reads.
final class BodyPumpTests: XCTestCase {
  /// A pipe with room for a few bytes, which fails the test where a write would block.
  private final class Pipe: BodyPipe {
    struct State {
      var taken: [UInt8] = []
      var room: Int
      var isClosed = false
    }
    let state: Mutex<State>
    private let (rooms, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(room: Int) { state = Mutex(State(room: room)) }

    func write(_ bytes: ArraySlice<UInt8>) async -> Int? {
      state.withLock { state in
        guard !state.isClosed else { return nil }
        let taken = bytes.prefix(state.room)
        state.taken += taken
        state.room -= taken.count
        return taken.count
      }
    }

    func room() async { for await _ in rooms { return } }

    func close() async { end() }

    func end() {
      state.withLock { $0.isClosed = true }
      signal.finish()
    }

    /// The far end reads some bytes.
    func drain(_ count: Int) {
      state.withLock { $0.room += count }
      signal.yield()
    }

    var taken: [UInt8] { state.withLock { $0.taken } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
  }

  private func body(
    _ chunks: [[UInt8]], length: Int64? = nil, then error: APIError? = nil
  ) -> HTTPBodyStream {
    HTTPBodyStream(length: length) {
      let chunks = Chunks(chunks)
      return {
        if let chunk = chunks.next() { return chunk }
        if let error { throw error }
        return nil
      }
    }
  }

  private final class Chunks: Sendable {
    private let rest: Mutex<ArraySlice<[UInt8]>>
    init(_ chunks: [[UInt8]]) { rest = Mutex(chunks[...]) }
    func next() -> [UInt8]? { rest.withLock { $0.popFirst() } }
  }

  func testABodyArrivesAsFastAsItIsRead() async throws {
    let pipe = Pipe(room: 3)
    let running = Task { [body = body([[1, 2], [3, 4, 5, 6], [], [7]], length: 7)] in
      try await BodyPump(pipe: pipe).run(body)
    }
    await waitUntil { pipe.taken == [1, 2, 3] }
    pipe.drain(2)
    await waitUntil { pipe.taken == [1, 2, 3, 4, 5] }
    XCTAssertFalse(pipe.isClosed)
    pipe.drain(100)
    try await running.value
    XCTAssertEqual(pipe.taken, [1, 2, 3, 4, 5, 6, 7])
    XCTAssertTrue(pipe.isClosed)
  }

  func testABodyThatNobodyReadsEndsWithItsPipe() async throws {
    let pipe = Pipe(room: 0)
    let running = Task { [body = body([[1, 2]])] in try await BodyPump(pipe: pipe).run(body) }
    try await Task.sleep(for: .milliseconds(20))
    pipe.end()
    try await running.value
    XCTAssertEqual(pipe.taken, [])
  }

  func testABodyOfAnotherLengthOrThatCannotBeReadClosesThePipe() async {
    for wrong in [
      body([[1, 2, 3]], length: 2), body([[1]], length: 2),
      body([[1]], then: APIError(.transport, .fileFailed)),
    ] {
      let pipe = Pipe(room: 100)
      let error = await failure { try await BodyPump(pipe: pipe).run(wrong) }
      XCTAssertTrue([.unreadableBody, .fileFailed].contains(error?.reason), "\(error as Any)")
      XCTAssertTrue(pipe.isClosed)
    }
  }
}
