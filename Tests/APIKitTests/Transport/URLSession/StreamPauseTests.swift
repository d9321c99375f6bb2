@testable import TestSupport
import XCTest

@testable import APIKit

final class StreamPauseTests: XCTestCase {
  func testATaskIsSuspendedUntilThePipeIsDrained() {
    var pause = StreamPause()
    XCTAssertTrue(pause.filled())
    XCTAssertTrue(pause.isPaused)
    XCTAssertTrue(pause.drained())
    XCTAssertFalse(pause.isPaused)
    XCTAssertTrue(pause.filled(), "the next time as well")
  }

  func testAPipeDrainedBeforeTheWriterPausesSuspendsNothing() {
    var pause = StreamPause()
    XCTAssertFalse(pause.drained())
    XCTAssertFalse(pause.filled())
    XCTAssertFalse(pause.isPaused)
    XCTAssertTrue(pause.filled(), "only that one time")
  }

  func testAReaderThatComesBetweenTheWriteAndThePauseLeavesTheTaskRunning() async throws {
    let pause = Shared(StreamPause())
    let pipe = ChunkPipe(mark: 1) {
      pause.value.withLock { _ = $0.drained() }
    } onCancel: {
    }
    var reader = pipe.stream.makeAsyncIterator()
    for comesBetween in [true, false, true, true, false] {
      XCTAssertTrue(pipe.write([1]), "the pipe is full")
      if comesBetween { _ = try await reader.next() }
      XCTAssertEqual(pause.value.withLock { $0.filled() }, !comesBetween)
      if !comesBetween { _ = try await reader.next() }
      XCTAssertFalse(pause.value.withLock { $0.isPaused }, "nothing is unread, so nothing would resume it")
    }
  }
}

private final class Shared: Sendable {
  let value: Mutex<StreamPause>
  init(_ value: consuming StreamPause) { self.value = Mutex(value) }
}
