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
}
