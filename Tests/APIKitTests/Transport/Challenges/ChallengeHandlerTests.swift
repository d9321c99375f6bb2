import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a handler asks, and what it remembers.
final class ChallengeHandlerTests: XCTestCase {
  private let space = ProtectionSpace(scheme: "https", host: "a.test", port: 443)
  private var challenge: AuthenticationChallenge {
    AuthenticationChallenge(.serverTrust(chain: [[1]], fault: nil), space: space)
  }
  private var question: ChallengeHandler.Question { .server(space, digest: [1]) }

  func testLoadsThatMeetTheSameChallengeShareOneWord() async throws {
    let (asked, gate) = (Counter(), Latch())
    let handler = ChallengeHandler { _ in
      _ = asked.next()
      await Self.opened(gate)
      return .use(.trust)
    }
    let (challenge, question) = (challenge, question)
    let words = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          if case .use(.trust) = try await handler.word(on: question, challenge) { return true }
          return false
        }
      }
      gate.open()
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    XCTAssertEqual(words, 50)
    XCTAssertEqual(asked.next(), 1, "it was asked once")
    _ = try await handler.word(on: question, challenge)
    XCTAssertEqual(asked.next(), 2, "its word is remembered")
    _ = try await handler.word(on: .server(space, digest: [2]), challenge)
    XCTAssertEqual(asked.next(), 4, "another chain is another question")
  }

  func testACancellationIsNotRemembered() async throws {
    let asked = Counter()
    let handler = ChallengeHandler { _ in asked.next() == 0 ? .cancel : .default }
    guard case .cancel = try await handler.word(on: question, challenge),
      case .default = try await handler.word(on: question, challenge)
    else { return XCTFail("the second load was not asked about") }
    XCTAssertNotNil(handler.word(on: question))
  }

  func testForgettingTakesBackWordsLoginsAndConnections() async throws {
    let handler = ChallengeHandler { _ in .default }
    _ = try await handler.word(on: question, challenge)
    let login = HTTPLogin(user: "a", password: "b")
    handler.accepted(login, in: space, for: "https://a.test/x/")
    XCTAssertNotNil(handler.login(for: "https://a.test/x/y"))
    let mark = handler.mark
    handler.forget()
    XCTAssertNil(handler.word(on: question))
    XCTAssertNil(handler.login(for: "https://a.test/x/y"))
    XCTAssertNotEqual(handler.mark, mark)
    XCTAssertNotEqual(ChallengeHandler { _ in .default }.mark, handler.mark)
    XCTAssertGreaterThan(handler.mark, 1)
  }

  func testAWordThatWasUnderWayWhenAllWasForgottenIsNotRemembered() async throws {
    let (began, gate) = (Latch(), Latch())
    let handler = ChallengeHandler { _ in
      began.open()
      await Self.opened(gate)
      return .use(.trust)
    }
    let (challenge, question) = (challenge, question)
    let load = Task { try await handler.word(on: question, challenge) }
    await Self.opened(began)
    handler.forget()
    gate.open()
    _ = try await load.value
    XCTAssertNil(handler.word(on: question))
  }

  func testACancelledLoadWaitsNoLongerAndTheLastOneEndsTheQuestion() async throws {
    let (began, ended) = (Latch(), Latch())
    let handler = ChallengeHandler { _ in
      began.open()
      do { try await Task.sleep(for: .seconds(60)) } catch { ended.open() }
      return .use(.trust)
    }
    let (challenge, question) = (challenge, question)
    let loads = (0..<2).map { _ in Task { try await handler.word(on: question, challenge) } }
    await Self.opened(began)
    await waitUntil { handler.waiterCount == 2 }
    loads[0].cancel()
    let first = await failure { try await loads[0].value }
    XCTAssertEqual(first?.reason, .cancelled)
    XCTAssertFalse(ended.isOpened, "another load waits for the word")
    loads[1].cancel()
    let second = await failure { try await loads[1].value }
    XCTAssertEqual(second?.reason, .cancelled)
    await Self.opened(ended)
    XCTAssertTrue(ended.isOpened)
    XCTAssertNil(handler.word(on: question))
  }

  func testALoadThatHasNoTimeLeftWaitsNoLonger() async throws {
    let handler = ChallengeHandler { _ in
      try? await Task.sleep(for: .seconds(60))
      return .default
    }
    let error = await failure {
      try await handler.word(on: question, challenge, within: .milliseconds(5))
    }
    XCTAssertEqual(error?.reason, .totalTimeout)
  }

  func testALoginHoldsForItsFolderAndWhatLiesBelow() {
    let handler = ChallengeHandler { _ in .default }
    let realm = ProtectionSpace(scheme: "https", host: "a.test", port: 443, realm: "r")
    let (one, two) = (HTTPLogin(user: "1", password: "a"), HTTPLogin(user: "2", password: "b"))
    handler.accepted(one, in: realm, for: "https://a.test/one/x")
    var other = realm
    other.realm = "s"
    handler.accepted(two, in: other, for: "https://a.test/one/two/x")
    XCTAssertEqual(handler.login(for: "https://a.test/one/y?z=1")?.user, "1")
    XCTAssertEqual(handler.login(for: "https://a.test/one/two/y")?.user, "2")
    for url: HTTPURL in [
      "https://a.test/", "https://a.test/other", "http://a.test/one/y", "https://b.test/one/y",
    ] {
      XCTAssertNil(handler.login(for: url), "\(url)")
    }
    XCTAssertEqual(handler.login(in: realm), one)
    handler.refused(one, in: realm)
    XCTAssertNil(handler.login(for: "https://a.test/one/y"))
    XCTAssertNil(handler.login(in: realm))
  }

  func testALoginOfARealmIsNotGivenToOneOfOtherBytes() {
    let handler = ChallengeHandler { _ in .default }
    var realm = ProtectionSpace(scheme: "https", host: "a.test", port: 443, realm: "Caf\u{E9}")
    handler.accepted(HTTPLogin(user: "1", password: "a"), in: realm, for: "https://a.test/one/x")
    realm.realm = "Cafe\u{301}"
    XCTAssertNil(handler.login(in: realm))
  }

  func testALoginWhosePasswordIsOneTextOfOtherBytesIsAnother() {
    let handler = ChallengeHandler { _ in .default }
    let realm = ProtectionSpace(scheme: "https", host: "a.test", port: 443, realm: "r")
    let right = HTTPLogin(user: "zoe", password: "Caf\u{E9}")
    handler.accepted(right, in: realm, for: "https://a.test/one/x")
    handler.refused(HTTPLogin(user: "zoe", password: "Cafe\u{301}"), in: realm)
    XCTAssertEqual(handler.login(in: realm), right)
  }

  private static func opened(_ latch: Latch) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        latch.wait()
        continuation.resume()
      }
    }
  }
}
