#if os(Linux)
  import CAPIKit
  import Foundation
  import Glibc
  import Synchronization
  import XCTest

  @testable import APIKit

  /// Who serves what is posted: the loop's thread, or the poster's while that sleeps.
  final class CurlMailboxTests: XCTestCase {
    private let turns = Turns()

    private final class Turns: Sendable {
      private let served = Atomic(0)
      var count: Int { served.load(ordering: .relaxed) }

      /// Serves the messages as a loop does.
      func serve(_ mailbox: CurlMailbox, needsThread: Bool = false) -> @Sendable () -> Bool {
        {
          XCTAssertGreaterThan(CurlMailboxTests.take(mailbox), 0)
          self.served.add(1, ordering: .relaxed)
          return needsThread
        }
      }
    }

    /// Whether the thread was woken since this was asked last.
    private func wasWoken(_ mailbox: CurlMailbox) -> Bool {
      var count: eventfd_t = 0
      return eventfd_read(mailbox.wakeup, &count) == 0
    }

    private static func take(_ mailbox: CurlMailbox) -> Int {
      var messages: [CurlMailbox.Message] = []
      mailbox.take(&messages)
      return messages.count
    }

    func testABriefMessageIsServedByItsPosterWhileTheThreadSleeps() throws {
      let mailbox = try CurlMailbox()
      XCTAssertTrue(mailbox.fallAsleep())
      XCTAssertTrue(mailbox.post(.perform {}, servedBy: turns.serve(mailbox)))
      XCTAssertEqual(turns.count, 1)
      XCTAssertFalse(wasWoken(mailbox))
      mailbox.wakeUp()
      XCTAssertTrue(mailbox.fallAsleep(), "nothing is left to be read")
    }

    func testTheSecondInARowWakesTheThreadSoThatABurstIsServedTogether() throws {
      let mailbox = try CurlMailbox()
      for _ in 0..<2 {
        XCTAssertTrue(mailbox.fallAsleep())
        let before = turns.count
        for _ in 0..<4 { mailbox.post(.perform {}, servedBy: turns.serve(mailbox)) }
        XCTAssertEqual(turns.count, before + 1)
        XCTAssertTrue(wasWoken(mailbox))
        mailbox.wakeUp()
        XCTAssertEqual(Self.take(mailbox), 3)
      }
    }

    func testWhatIsNotBriefIsTheThreadsAndSoIsWhatComesBehindIt() throws {
      let mailbox = try CurlMailbox()
      XCTAssertTrue(mailbox.fallAsleep())
      mailbox.post(.perform {})
      XCTAssertTrue(wasWoken(mailbox))
      mailbox.post(.perform {}, servedBy: turns.serve(mailbox))
      XCTAssertEqual(turns.count, 0)
      mailbox.wakeUp()
      XCTAssertEqual(Self.take(mailbox), 2)
    }

    func testNobodyServesInThePlaceOfAThreadThatIsAwake() throws {
      let mailbox = try CurlMailbox()
      mailbox.post(.perform {}, servedBy: turns.serve(mailbox))
      XCTAssertEqual(turns.count, 0)
      XCTAssertFalse(wasWoken(mailbox))
      XCTAssertFalse(mailbox.fallAsleep(), "it reads the message first")
      XCTAssertEqual(Self.take(mailbox), 1)
      XCTAssertTrue(mailbox.fallAsleep())
    }

    func testTheThreadIsWokenWhereATurnNeedsIt() throws {
      let mailbox = try CurlMailbox()
      XCTAssertTrue(mailbox.fallAsleep())
      mailbox.post(.perform {}, servedBy: turns.serve(mailbox, needsThread: true))
      XCTAssertEqual(turns.count, 1)
      XCTAssertTrue(wasWoken(mailbox))
    }

    func testAThreadThatWakesWaitsForTheTurnInItsPlaceAndGetsWhatWasPostedMeanwhile() throws {
      let mailbox = try CurlMailbox()
      let woke = DispatchSemaphore(value: 0)
      XCTAssertTrue(mailbox.fallAsleep())
      mailbox.post(.perform {}) {
        XCTAssertEqual(Self.take(mailbox), 1)
        Thread.detachNewThread {
          mailbox.wakeUp()
          woke.signal()
        }
        mailbox.post(
          .perform {},
          servedBy: {
            XCTFail("two at once"); return false
          })
        XCTAssertEqual(woke.wait(timeout: .now() + 0.03), .timedOut)
        return false
      }
      XCTAssertEqual(woke.wait(timeout: .now() + 10), .success)
      XCTAssertTrue(wasWoken(mailbox))
      XCTAssertFalse(mailbox.fallAsleep())
      XCTAssertEqual(Self.take(mailbox), 1)
    }

    func testAMailboxThatIsClosedTakesNothing() throws {
      let mailbox = try CurlMailbox()
      XCTAssertTrue(mailbox.fallAsleep())
      XCTAssertTrue(mailbox.close().isEmpty)
      XCTAssertFalse(mailbox.post(.perform {}, servedBy: turns.serve(mailbox)))
      XCTAssertEqual(turns.count, 0)
    }
  }
#endif
