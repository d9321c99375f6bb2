import XCTest

@testable import APIKit

/// The one rule by which a request is sent again, over all occasions.
final class ResendOccasionTests: XCTestCase {
  private func objections(_ change: (inout TriedRequest) -> Void) -> [ResendOccasion: ResendObjection] {
    var request = TriedRequest(progress: .sent, isIdempotent: false, isBodyReplayable: true)
    change(&request)
    return Dictionary(
      uniqueKeysWithValues: ResendOccasion.allCases.compactMap { occasion in
        occasion.objection(to: request).map { (occasion, $0) }
      })
  }

  private func all(_ objection: ResendObjection) -> [ResendOccasion: ResendObjection] {
    Dictionary(uniqueKeysWithValues: ResendOccasion.allCases.map { ($0, objection) })
  }

  func testEachOccasionIsOfTheAttemptOrOfARemedy() {
    let remedies: [ResendOccasion] = [.clock, .signIn, .retry, .hook]
    XCTAssertEqual(
      Set(Flight.resendsWithinAttempt).symmetricDifference(remedies), Set(ResendOccasion.allCases))
  }

  func testAPOSTThatMayHaveBeenReadIsNeverSentAgain() {
    for progress in [RequestProgress.partlySent, .sent, .responseBegan] {
      XCTAssertEqual(objections { $0.progress = progress }, all(.mayHaveActed), "\(progress)")
    }
  }

  func testNothingKeepsARequestBackThatNoServerHasActedOn() {
    XCTAssertEqual(objections { $0.progress = .unsent }, [:])
    XCTAssertEqual(
      objections { ($0.progress, $0.isUnprocessed) = (.responseBegan, true) }, [:], "it said so itself")
  }

  func testARequestWithoutItsBodyNeverGoesAgain() {
    for progress in [RequestProgress.unsent, .sent] {
      XCTAssertEqual(
        objections { ($0.progress, $0.isIdempotent, $0.isBodyReplayable) = (progress, true, false) },
        all(.bodyIsUsedUp))
    }
  }

  func testOfWhatIsOnlyIdempotentThereIsNeverASecondBesideTheFirst() {
    XCTAssertEqual(
      objections { $0.isIdempotent = true },
      [.hedge: .mayHaveActed, .sharedCallEnded: .mayHaveActed, .storedRefused: .mayHaveActed])
    XCTAssertEqual(objections { ($0.isSafe, $0.isIdempotent) = (true, true) }, [:])
  }

  func testTwoConnectionsThatEndAlikeAreNoAccident() {
    XCTAssertEqual(
      objections { ($0.isSafe, $0.isIdempotent, $0.resends) = (true, true, 1) },
      [.connectionEnded: .sentTwice])
  }
}
