import Foundation
import Synchronization
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

  func testAWriterThatKeepsToItsPausesGetsEverythingToTheReader() async throws {
    // Each write fills the pipe, so that writer and reader meet between the write and the pause again and again.
    let (pause, turn) = (Shared(StreamPause()), DispatchSemaphore(value: 0))
    let pipe = ChunkPipe(mark: 1) {
      if pause.value.withLock({ $0.drained() }) { turn.signal() }
    } onCancel: {
    }
    let count = 20_000
    let writer = Thread {
      for index in 0..<count {
        guard pipe.write([UInt8(index & 255)]), pause.value.withLock({ $0.filled() }) else { continue }
        // Without its signal the pause would never end.
        guard turn.wait(timeout: .now() + 10) == .success else { return }
      }
      pipe.finish(.success(()))
    }
    writer.start()
    var received = 0
    for try await chunk in pipe.stream { received += chunk.count }
    XCTAssertEqual(received, count)
  }
}

private final class Shared: Sendable {
  let value: Mutex<StreamPause>
  init(_ value: StreamPause) { self.value = Mutex(value) }
}
