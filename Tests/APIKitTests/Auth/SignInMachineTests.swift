import XCTest

@testable import APIKit

/// Who waits and when a credential is renewed, without tasks, time or sockets.
final class SignInMachineTests: XCTestCase {
  private func flight(_ number: UInt64) -> FlightID { FlightID(rawValue: number) }
  private let failure = APIError(.auth, .refreshFailed)

  private func signedIn(
    expiresAt: Double? = nil, refreshToken: String? = "r1", canRenew: Bool = true
  ) -> SignInMachine {
    SignInMachine(
      canRenew: canRenew, leeway: .seconds(60),
      credential: Credential(accessToken: "a1", refreshToken: refreshToken, expiresAt: expiresAt))
  }

  private func enter(
    _ machine: inout SignInMachine, _ number: UInt64 = 1, _ rule: SignInRule = .asAvailable,
    now: Duration = .zero, wallClock: Double = 1000
  ) -> (SignInMachine.Verdict, SignInMachine.Work?) {
    machine.enter(flight(number), rule, now: now, wallClock: wallClock)
  }

  private func refuse(
    _ machine: inout SignInMachine, _ number: UInt64 = 1, _ rule: SignInRule = .asAvailable,
    version: Int = 1, now: Duration = .zero
  ) -> (SignInMachine.Verdict, SignInMachine.Work?) {
    machine.refused(flight(number), rule, version: version, now: now)
  }

  private func renew(
    _ machine: inout SignInMachine, _ ticket: Int, _ outcome: SignInMachine.Outcome, now: Duration = .zero,
    wallClock: Double = 1000
  ) -> [SignInMachine.Verdict] {
    machine.renewed(ticket, outcome, now: now, wallClock: wallClock).map(\.1)
  }

  private let fresh = SignInMachine.Outcome.renewed(Credential(accessToken: "a2"))

  func testOfManyRefusedWithOneVersionTheFirstAsksForTheRenewalAndAllWait() {
    var machine = signedIn()
    let (verdict, work) = refuse(&machine, 1)
    XCTAssertTrue(verdict.waits)
    XCTAssertEqual(work?.renewal?.accessToken, "a1")
    for number in 2...1000 {
      let (verdict, work) = refuse(&machine, UInt64(number))
      XCTAssertTrue(verdict.waits)
      XCTAssertNil(work)
    }
    let late = enter(&machine, 1001)
    XCTAssertTrue(late.0.waits, "a new flight would be refused too")
    let released = renew(&machine, 1, fresh)
    XCTAssertEqual(released.count, 1001)
    XCTAssertTrue(released.allSatisfy { $0.token == "a2" })
    XCTAssertEqual(machine.credential?.refreshToken, "r1", "the old refresh token is kept")
    XCTAssertEqual(machine.waiterCount, 0)
  }

  func testAFlightRefusedWithAnOlderVersionGoesOnWithTheNewAtOnce() {
    var machine = signedIn()
    _ = refuse(&machine, 1)
    _ = renew(&machine, 1, fresh)
    let (verdict, work) = refuse(&machine, 2, version: 1)
    XCTAssertEqual(verdict.token, "a2")
    XCTAssertNil(work)
  }

  func testATokenNearItsEndIsRenewedBeforeItIsUsed() {
    var machine = signedIn(expiresAt: 1059)
    let (verdict, work) = enter(&machine)
    XCTAssertTrue(verdict.waits)
    XCTAssertNotNil(work)
    var young = signedIn(expiresAt: 1061)
    XCTAssertEqual(enter(&young).0.token, "a1")
  }

  func testATokenThatLivesNoLongerThanTheLeewayIsUsedForThreeQuartersOfItsLife() {
    for lifetime in [1.0, 20, 60, 200] {
      var machine = SignInMachine(
        canRenew: true, leeway: .seconds(60),
        credential: Credential(
          accessToken: "a1", refreshToken: "r", expiresAt: 1000 + lifetime, issuedAt: 1000))
      XCTAssertEqual(enter(&machine, wallClock: 1000).0.token, "a1", "\(lifetime)")
      XCTAssertEqual(enter(&machine, wallClock: 1000 + lifetime * 0.74).0.token, "a1", "\(lifetime)")
      XCTAssertNotNil(enter(&machine, wallClock: 1000 + lifetime * 0.76).1, "\(lifetime)")
    }
    var long = SignInMachine(
      canRenew: true, leeway: .seconds(60),
      credential: Credential(accessToken: "a1", refreshToken: "r", expiresAt: 4600, issuedAt: 1000))
    XCTAssertEqual(enter(&long, wallClock: 4539).0.token, "a1")
    XCTAssertNotNil(enter(&long, wallClock: 4541).1)
  }

  func testALoadThatIsRefusedAfterTheRenewalHasFailedForGoodEndsLikeThoseBefore() {
    for rule in [SignInRule.asAvailable, .required] {
      var machine = signedIn()
      _ = refuse(&machine, 1, rule)
      XCTAssertEqual(
        renew(&machine, 1, .failed(failure, isFinal: true)).first?.error?.reason, .refreshFailed)
      XCTAssertEqual(refuse(&machine, 2, rule, version: 1).0.error?.reason, .refreshFailed)
      _ = machine.signedIn(Credential(accessToken: "b"))
      XCTAssertEqual(refuse(&machine, 3, rule, version: 1).0.token, "b", "after a sign-in it is sent again")
    }
  }

  func testAServerThatSaysWhenToComeAgainIsLeftAloneThatLong() {
    var machine = signedIn()
    _ = refuse(&machine, 1)
    _ = renew(&machine, 1, .failed(failure, rest: .seconds(40)))
    XCTAssertNil(refuse(&machine, 2, now: .seconds(39)).1)
    XCTAssertNotNil(refuse(&machine, 3, now: .seconds(41)).1)
  }

  func testWhatAnotherHasStoredIsTakenAndMayBeAnotherUsers() {
    var machine = signedIn()
    _ = refuse(&machine)
    let epoch = machine.epoch
    let other = Credential(accessToken: "b")
    XCTAssertEqual(renew(&machine, 1, .replaced(by: other)).map(\.token), ["b"])
    XCTAssertGreaterThan(machine.epoch, epoch)
    XCTAssertNil(machine.credential?.refreshToken, "nothing of the one before is kept")
    XCTAssertTrue(machine.isUnproven, "it may be refused as well")
  }

  func testAClockThatJumpsCostsARenewalAtMost() {
    var ahead = signedIn(expiresAt: 5000)
    XCTAssertNotNil(enter(&ahead, wallClock: 90_000).1, "it looks ended, so it is renewed")
    var behind = signedIn(expiresAt: 5000)
    XCTAssertEqual(enter(&behind, wallClock: -90_000).0.token, "a1", "it looks young, so it is used")
    XCTAssertNotNil(refuse(&behind).1, "and renewed once a server refuses it")
  }

  func testWhenAnEarlyRenewalFailsTheTokenIsUsedToItsEnd() {
    var machine = signedIn(expiresAt: 1030)
    _ = enter(&machine, 1)
    XCTAssertEqual(renew(&machine, 1, .failed(failure)).first?.token, "a1")
    XCTAssertEqual(enter(&machine, 2).0.token, "a1", "and no renewal is tried again so soon")
    XCTAssertEqual(enter(&machine, 3, wallClock: 1031).0.error?.reason, .refreshFailed)
    let later = enter(&machine, 4, now: .seconds(6))
    XCTAssertNotNil(later.1)
  }

  func testAFailedRenewalFailsAllOnceAndIsNotRepeatedForAWhile() {
    var machine = signedIn()
    for number in 1...10 { _ = refuse(&machine, UInt64(number)) }
    let released = renew(&machine, 1, .failed(failure))
    XCTAssertEqual(released.count, 10)
    XCTAssertTrue(released.allSatisfy { $0.error?.reason == .refreshFailed })
    let (verdict, work) = refuse(&machine, 11, now: .seconds(4))
    XCTAssertEqual(verdict.error?.reason, .refreshFailed)
    XCTAssertNil(work)
    XCTAssertNotNil(refuse(&machine, 12, now: .seconds(6)).1)
  }

  func testAFinalFailureForgetsTheCredential() {
    var machine = signedIn()
    _ = refuse(&machine)
    let epoch = machine.epoch
    XCTAssertEqual(renew(&machine, 1, .failed(failure, isFinal: true)).first?.error?.reason, .refreshFailed)
    XCTAssertNil(machine.credential)
    XCTAssertEqual(machine.epoch, epoch, "its user may come back")
    XCTAssertEqual(enter(&machine, 2).0.token, "none")
  }

  func testRenewedTokensThatAreAllRefusedAreLetRest() {
    var machine = signedIn()
    for round in 1...3 {
      let (_, work) = refuse(&machine, UInt64(round), version: round)
      XCTAssertNotNil(work)
      _ = renew(&machine, round, fresh)
    }
    let (verdict, work) = refuse(&machine, 4, version: 4)
    XCTAssertEqual(verdict.error?.reason, .credentialRefused)
    XCTAssertNil(work)
    machine.accepted(version: 4)
    XCTAssertNotNil(refuse(&machine, 5, version: 4).1, "it was accepted meanwhile, so a renewal may help")
  }

  func testARenewalThatTookTooLongFailsItsWaitersAndWhatItBringsIsTakenAllTheSame() {
    var machine = signedIn()
    _ = refuse(&machine)
    let late = machine.renewalTimedOut(1, failure, now: .seconds(30), wallClock: 1000)
    XCTAssertEqual(late.first?.1.error?.reason, .refreshFailed)
    XCTAssertEqual(renew(&machine, 1, fresh).count, 0)
    XCTAssertEqual(machine.credential?.accessToken, "a2", "the token before it may be worthless by now")
  }

  func testALateRenewalEndsTheOneBegunSinceWhoseFailureThenHarmsNothing() {
    var machine = signedIn()
    _ = refuse(&machine, 1)
    _ = machine.renewalTimedOut(1, failure, now: .seconds(30), wallClock: 1000)
    XCTAssertNotNil(refuse(&machine, 2, now: .seconds(36)).1, "it is tried again")
    let released = renew(&machine, 1, fresh, now: .seconds(37))
    XCTAssertEqual(released.map(\.token), ["a2"])
    XCTAssertEqual(enter(&machine, 3, now: .seconds(37)).0.token, "a2", "nobody waits for the second")
    XCTAssertEqual(renew(&machine, 2, .failed(failure, isFinal: true), now: .seconds(38)).count, 0)
    XCTAssertEqual(machine.credential?.accessToken, "a2", "its refresh token was spent by the first")
  }

  func testARenewalOvertakenByASignInIsForgotten() {
    var machine = signedIn()
    _ = refuse(&machine)
    let released = machine.signedIn(Credential(accessToken: "b"))
    XCTAssertEqual(released.first?.1.token, "b")
    XCTAssertEqual(renew(&machine, 1, fresh).count, 0)
    XCTAssertEqual(machine.credential?.accessToken, "b")
  }

  func testLoadsThatRequireASignInWaitForOneThatIsAskedForOnce() {
    var machine = SignInMachine(canRenew: true, leeway: .seconds(60))
    XCTAssertEqual(enter(&machine, 1).0.token, "none", "others go without")
    let (verdict, work) = enter(&machine, 2, .required)
    XCTAssertTrue(verdict.waits)
    guard case .signIn? = work else { return XCTFail("a sign-in is asked for") }
    XCTAssertNil(enter(&machine, 3, .required).1)
    machine.leave(flight(3))
    let released = machine.signedIn(Credential(accessToken: "b"))
    XCTAssertEqual(released.map(\.0), [flight(2)])
    XCTAssertEqual(released.first?.1.token, "b")
  }

  func testASignInThatFailsFailsItsWaitersAndTheNextAsksAgain() {
    var machine = SignInMachine(canRenew: true, leeway: .seconds(60))
    _ = enter(&machine, 1, .required)
    let released = machine.signInEnded(APIError(.auth, .signInCancelled))
    XCTAssertEqual(released.first?.1.error?.reason, .signInCancelled)
    XCTAssertNotNil(enter(&machine, 2, .required).1)
  }

  func testSigningOutFailsWhoWaitsForARenewal() {
    var machine = signedIn()
    _ = refuse(&machine)
    let released = machine.signedOut(APIError(.auth, .signedOut))
    XCTAssertEqual(released.first?.1.error?.reason, .signedOut)
    XCTAssertEqual(renew(&machine, 1, fresh).count, 0)
    XCTAssertNil(machine.credential)
  }

  func testACredentialWithoutARefreshTokenIsRenewedWhereNoneIsNeeded() {
    var machine = SignInMachine(
      canRenew: true, needsRefreshToken: false, leeway: .seconds(60),
      credential: Credential(accessToken: "a1", expiresAt: 1059))
    XCTAssertEqual(enter(&machine, 1).1?.renewal?.accessToken, "a1", "near its end")
    XCTAssertEqual(renew(&machine, 1, fresh).map(\.token), ["a2"])
    XCTAssertEqual(refuse(&machine, 2, version: 2).1?.renewal?.accessToken, "a2", "and when it is refused")
  }

  func testWhatCannotBeRenewedIsLetThroughOrNeedsASignIn() {
    var machine = signedIn(refreshToken: nil)
    guard case .letThrough = refuse(&machine).0 else { return XCTFail("the refusal stands") }
    guard case .signIn? = refuse(&machine, 2, .required).1 else { return XCTFail("only a sign-in helps") }
  }
}

extension SignInMachine.Verdict {
  fileprivate var waits: Bool { if case .wait = self { true } else { false } }
  fileprivate var error: APIError? { if case .fail(let error) = self { error } else { nil } }
  /// The token it goes with; `none` when it goes without.
  fileprivate var token: String? {
    if case .go(let pass) = self { pass.credential?.accessToken ?? "none" } else { nil }
  }
}

extension SignInMachine.Work {
  fileprivate var renewal: Credential? {
    if case .renew(let credential, _) = self { credential } else { nil }
  }
}
