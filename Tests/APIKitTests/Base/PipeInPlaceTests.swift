import APIKitReports
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// A FIFO in the place of a file is not waited for.
final class PipeInPlaceTests: XCTestCase {
  private lazy var folder = temporaryFolder().path

  /// Does the work on a thread that may stay, and fails when it does.
  private func ends(_ what: String, _ work: @escaping @Sendable () throws -> Void) {
    let done = XCTestExpectation(description: what)
    Thread.detachNewThread {
      do { try work() } catch { XCTFail("\(what): \(error)") }
      done.fulfill()
    }
    wait(for: [done], timeout: 5)
  }

  func testAsTheJournalOfADatabase() throws {
    let path = folder + "/a.sqlite"
    do { try SQLiteDatabase(path: path, patience: 100).execute("CREATE TABLE a (b)") }
    XCTAssertEqual(mkfifo(path + "-journal", 0o600), 0)
    ends("the database") {
      XCTAssertThrowsError(
        try SQLiteDatabase(path: path, patience: 100).number("SELECT count(*) FROM a")
      ) { XCTAssertTrue("\($0)".contains("is not a file"), "\($0)") }
    }
  }

  func testAsAMark() throws {
    let mark = ErasureMark(path: folder + "/mark")
    XCTAssertEqual(mkfifo(mark.path, 0o600), 0)
    ends("the mark") { try mark.set() }
    XCTAssertTrue(mark.isSet)
  }

  func testAsAFileOfRecords() throws {
    let file = folder + "/loads.jsonl"
    XCTAssertEqual(mkfifo(file, 0o600), 0)
    let sink = RecordSink.jsonLines(to: file)
    let recorder = FlightRecorder(flight: .next(), manager: Self.self, time: SystemTime())
    recorder.describe(service: "Homes", method: .get, apiName: "list", parameters: [:])
    recorder.record(.landed(.succeeded(.network)))
    sink.landed(.make(), recorder)
    ends("the sink") {
      // The sink writes on a queue of its own, which tells nobody: four seconds at most.
      for _ in 0..<2_000 where sink.counts.failed == 0 { usleep(2_000) }
      XCTAssertEqual(sink.counts.failed, 1)
    }
  }
}
