@testable import TestSupport
import XCTest

@testable import APIKit

final class ChunkPipeTests: XCTestCase {
  private let (drained, cancelled) = (Counter(), Counter())

  private func pipe(mark: Int) -> ChunkPipe {
    ChunkPipe(mark: mark) { [drained] in
      drained.increment()
    } onCancel: { [cancelled] in
      cancelled.increment()
    }
  }

  func testTheWriterPausesAtTheMarkAndGoesOnWhenAllIsRead() async throws {
    let pipe = pipe(mark: 4)
    XCTAssertFalse(pipe.write([1, 2, 3]))
    XCTAssertTrue(pipe.write([4]), "the mark is reached")
    XCTAssertFalse(pipe.write([5]), "it was told already")
    var reader = pipe.stream.makeAsyncIterator()
    for expected: [UInt8] in [[1, 2, 3], [4]] {
      let chunk = try await reader.next()
      XCTAssertEqual(chunk, expected)
      XCTAssertEqual(drained.value, 0)
    }
    let last = try await reader.next()
    XCTAssertEqual(last, [5])
    XCTAssertEqual(drained.value, 1)
  }

  func testChunksWrittenBeforeTheEndAreReadBeforeIt() async throws {
    let pipe = pipe(mark: 100)
    _ = pipe.write([1])
    pipe.finish(.failure(APIError(.transport, .truncatedBody)))
    XCTAssertFalse(pipe.write([2]), "nothing is taken behind the end")
    pipe.finish(.success(()))
    var reader = pipe.stream.makeAsyncIterator()
    let chunk = try await reader.next()
    XCTAssertEqual(chunk, [1])
    let error = await failure { try await reader.next() }
    XCTAssertEqual(error?.reason, .truncatedBody)
  }

  func testAWaitingReaderGetsTheNextChunkAndTheEnd() async throws {
    let pipe = pipe(mark: 1)
    let stream = pipe.stream
    let reading = Task { try await stream.collect(maximumBytes: 100) }
    for byte: UInt8 in 0..<50 {
      _ = pipe.write([byte])
      await Task.yield()
    }
    pipe.finish(.success(()))
    let all = try await reading.value
    XCTAssertEqual(all, Array(0..<50))
  }

  func testCancellingTheReaderOrDroppingTheStreamTellsTheWriter() async throws {
    let pipe = pipe(mark: 10)
    do {
      let stream = pipe.stream
      let reading = Task { await failure { try await stream.collect(maximumBytes: 100) } }
      reading.cancel()
      let error = await reading.value
      XCTAssertEqual(error?.reason, .cancelled)
    }
    XCTAssertGreaterThanOrEqual(cancelled.value, 1, "cancelled, then dropped")
    let dropped = self.pipe(mark: 10)
    let before = cancelled.value
    do { _ = dropped.stream }
    XCTAssertEqual(cancelled.value, before + 1)
  }

  // MARK: Writers

  func testAWriterGetsWhatCameBeforeItAndThenTheBytesAsTheyCome() async throws {
    let pipe = pipe(mark: 2)
    _ = pipe.write([1])
    XCTAssertTrue(pipe.write([2]), "the pipe is full")
    let writer = KeepingWriter()
    let stream = pipe.stream
    let pouring = Task { try await stream.pour(into: writer) }
    await waitUntil { [drained] in drained.value == 1 }
    XCTAssertEqual(writer.bytes, [1, 2])
    XCTAssertFalse(pipe.write([3]))
    XCTAssertEqual(writer.bytes, [1, 2, 3], "without a task in between")
    pipe.finish(.success(()))
    try await pouring.value
    XCTAssertFalse(pipe.write([4]))
    XCTAssertEqual(writer.bytes, [1, 2, 3])
    XCTAssertEqual(cancelled.value, 0)
  }

  func testAWriterStopsTheTransportUntilItIsReady() async throws {
    let pipe = pipe(mark: 100)
    let writer = KeepingWriter(room: 1_000)
    let stream = pipe.stream
    let pouring = Task { try await stream.pour(into: writer) }
    await waitUntil { pipe.write([1]) == false && !writer.bytes.isEmpty }
    var count = 0
    while count < 1_000, !pipe.write([2]) { count += 1 }
    XCTAssertLessThan(count, 1_000)
    XCTAssertEqual(drained.value, 0)
    writer.resume()
    XCTAssertEqual(drained.value, 1)
    pipe.finish(.failure(APIError(.transport, .truncatedBody)))
    let error = await failure { try await pouring.value }
    XCTAssertEqual(error?.reason, .truncatedBody)
  }

  func testAWriterThatFailsEndsTheBody() async throws {
    let pipe = pipe(mark: 100)
    _ = pipe.write([1])
    let writer = KeepingWriter(fault: APIError(.transport, .storageFull))
    let error = await failure { try await pipe.stream.pour(into: writer) }
    XCTAssertEqual(error?.reason, .storageFull)
    XCTAssertGreaterThan(cancelled.value, 0)
    XCTAssertFalse(pipe.write([2]))
  }

  func testAStreamThatIsOnlyReadIsPouredInChunks() async throws {
    let rest = Mutex<[[UInt8]]>([[1], [2, 3], [4]])
    let stream = ResponseStream { () async throws(APIError) in
      rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    let writer = KeepingWriter(room: 3)
    let pouring = Task { try await stream.pour(into: writer) }
    await waitUntil { writer.bytes == [1, 2, 3] }
    for _ in 0..<100 { await Task.yield() }
    XCTAssertEqual(writer.bytes, [1, 2, 3], "it waits for room")
    writer.resume()
    try await pouring.value
    XCTAssertEqual(writer.bytes, [1, 2, 3, 4])
  }
}

/// Keeps bytes; not ready when it has as many as it has room for.
private final class KeepingWriter: BodyWriter {
  private struct State {
    var bytes: [UInt8] = []
    var resume: @Sendable () -> Void = {}
  }

  private let room: Int
  private let fault: APIError?
  private let state = Mutex(State())

  init(room: Int = .max, fault: APIError? = nil) { (self.room, self.fault) = (room, fault) }

  var bytes: [UInt8] { state.withLock { $0.bytes } }

  func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
    if let fault { throw fault }
    return state.withLock { state in
      state.bytes += bytes
      return state.bytes.count == room
    }
  }

  func whenReady(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

  func resume() { state.withLock { $0.resume }() }
}
