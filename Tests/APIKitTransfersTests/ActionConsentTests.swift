import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A user who withdraws the consent and gives it again at once.
@MainActor final class ActionConsentTests: XCTestCase {
  func testWhatIsRecordedBehindAConsentGivenAgainIsSent() async throws {
    for isSending in [false, true] {
      let folder = temporaryPath()
      let (sent, gate) = (Record<String>(), StubGate(isOpen: !isSending))
      let log = ActionLog(
        folder: folder, batchSize: 5, maximumActions: 100, hasConsent: true, time: SystemTime()
      ) { batch in
        let passed = await gate.arrive()
        if !passed { throw CancellationError() }
        for action in batch.actions {
          if case .object(let object) = action, case .string(let name)? = object["name"] { sent.add(name) }
        }
      }
      log.start()
      await log.flush()
      for number in 0..<(isSending ? 5 : 3) { log.record("before \(number)") }
      if isSending { try await gate.waitForArrivals(1) }
      let withdrawal = Task { await log.setConsent(false) }
      await Task.yield()
      await waitUntil { !log.hasConsent }
      await log.setConsent(true)
      log.record("after")
      gate.open()
      await withdrawal.value
      await log.flush()
      XCTAssertEqual(sent.all, ["after"], "\(isSending)")
    }
  }

  func testNothingIsGivenToSendBehindTheWithdrawal() async throws {
    for round in 0..<200 {
      let folder = temporaryPath()
      let (withdrawals, late) = (Counter(), Counter())
      let log = ActionLog(
        folder: folder, batchSize: 1, maximumActions: 100, hasConsent: true, time: SystemTime()
      ) { _ in if withdrawals.value > 0 { late.increment() } }
      log.start()
      log.record("before")
      _ = await log.counts()
      // The log is at another step each time.
      for _ in 0..<(round % 40) { await Task.yield() }
      withdrawals.increment()
      await log.setConsent(false)
      XCTAssertEqual(late.value, 0, "round \(round)")
      if late.value > 0 { return }
    }
  }
}
