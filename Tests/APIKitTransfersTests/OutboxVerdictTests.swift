import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What becomes of an item whose attempt has failed.
@MainActor final class OutboxVerdictTests: OutboxCase {
  func testAnItemThatWentWithoutItsKeyIsParked() async throws {
    stub.when({ $0.url.host == "homes.test" }, .redirect(to: "https://other.test/orders", status: 307))
    stub.when({ $0.url.host == "other.test" }, .dropped)
    let outbox = outbox()
    let delegate = OutboxRecorder()
    let manager = manager(delegate)
    outbox.attach(manager)
    outbox.start()
    manager.load()
    try await turn {
      guard case .parked(let why)? = try await outbox.items().first?.state else { return false }
      XCTAssertTrue(why.hasSuffix("could not tell a repetition"), why)
      return true
    }
    for _ in 0..<30 { time.advance(by: .seconds(10)) }
    await outbox.flush()
    let there = stub.requests.filter { $0.url.host == "other.test" }
    XCTAssertEqual(there.count, 1)
    XCTAssertNil(there.first?.headers["Idempotency-Key"])
    XCTAssertEqual(delegate.story.last, "failed connection-lost 0")
  }

  func testAnItemThatWentWithoutItsKeyIsParkedWhereItsAttemptIsCancelled() async throws {
    for method in [HTTPMethod.post, .put] {
      stub.reset()
      stub.when({ $0.url.host == "homes.test" }, .redirect(to: "https://other.test/orders", status: 307))
      stub.when({ $0.url.host == "other.test" }, .silence)
      let outbox = outbox { $0.folder += method.rawValue }
      let delegate = OutboxRecorder()
      let manager = manager(delegate)
      manager.method = method
      outbox.attach(manager)
      outbox.start()
      manager.load()
      try await stub.waitForRequests(2)
      await outbox.stop()
      outbox.start()
      if method == .put { try await stub.waitForRequests(4) }
      await outbox.flush()
      let item = try await outbox.items().first
      if method == .put {
        XCTAssertEqual(item?.state, .sending)
      } else {
        guard case .parked(let why)? = item?.state else { return XCTFail("\(String(describing: item))") }
        XCTAssertTrue(why.hasSuffix("could not tell a repetition"), why)
        XCTAssertEqual(stub.requests.count, 2)
      }
      try await outbox.drop(XCTUnwrap(item?.id))
      await outbox.stop()
      XCTAssertEqual(delegate.story.filter { $0.hasPrefix("cancelled") }.count, 1, "\(delegate.story)")
    }
  }

  func testAnItemThatWentWithoutItsKeyIsParkedWhereItsProcessEnds() async throws {
    for method in [HTTPMethod.post, .put] {
      stub.reset()
      stub.when({ $0.url.host == "homes.test" }, .redirect(to: "https://other.test/orders", status: 307))
      stub.when({ $0.url.host == "other.test" }, .silence)
      let outbox = outbox { $0.folder += method.rawValue }
      let manager = manager()
      manager.method = method
      manager.load()
      outbox.start()
      try await stub.waitForRequests(2)
      // What the next process finds: the folder at this moment, of an owner who holds no lock on it.
      let folder = outbox.configuration.folder
      let files = FileManager.default
      try files.createDirectory(atPath: folder + "next", withIntermediateDirectories: false)
      // File by file, because `copyItem` does not end where one of them becomes shorter meanwhile.
      for name in try files.contentsOfDirectory(atPath: folder) {
        guard let content = files.contents(atPath: "\(folder)/\(name)") else { continue }
        XCTAssertTrue(files.createFile(atPath: "\(folder)next/\(name)", contents: content))
      }
      addTeardownBlock {
        for end in ["", "next"] { try? FileManager.default.removeItem(atPath: folder + end) }
      }
      await outbox.stop()
      let next = self.outbox { $0.folder = folder + "next" }
      next.start()
      if method == .put {
        try await stub.waitForRequests(4)
      } else {
        try await turn {
          guard case .parked(let why)? = try await next.items().first?.state else { return false }
          XCTAssertTrue(why.hasSuffix("could not tell a repetition"), why)
          return true
        }
        XCTAssertEqual(stub.requests.count, 2)
      }
      await next.stop()
    }
  }

  func testARefusalOfAnotherOriginThatGotNoCredentialWaitsForNoSignIn() async throws {
    for canRenew in [false, true] {
      stub.reset()
      stub.when({ $0.url.host == "homes.test" }, .redirect(to: "https://other.test/orders", status: 307))
      stub.when({ $0.url.host == "other.test" }, .status(401))
      let authenticator =
        canRenew
        ? Authenticator(renewal: { _ in throw APIError(.auth, .credentialRefused) }) : Authenticator()
      service.authenticator = authenticator
      try authenticator.signIn(
        with: Credential(accessToken: "token", refreshToken: "again", notes: ["user": "ann"]))
      let outbox = outbox { $0.folder += canRenew ? "r" : "" }
      let manager = manager()
      manager.method = .put
      manager.load()
      outbox.start()
      try await turn {
        guard case .parked(let why)? = try await outbox.items().first?.state else { return false }
        XCTAssertTrue(why.contains("401"), why)
        return true
      }
      XCTAssertEqual(stub.requests.filter { $0.url.host == "other.test" }.count, 1)
      await outbox.stop()
    }
  }

  func testAVerdictIsByStatusAndReason() {
    var known = OutboxVerdict.Circumstances()
    known.hasSignIn = true
    known.backoff = .constant(.seconds(10))
    func verdict(_ status: Int, _ headers: [(String, String)] = []) -> OutboxVerdict {
      var error = APIError(
        .response, .unacceptableStatus,
        evidence: APIError.Evidence(status: status, headers: headers.map { ($0.0, $0.1) }, body: []))
      error.context.status = status
      return OutboxVerdict(error, known)
    }
    for status in [408, 425, 429, 500, 503, 599] { XCTAssertEqual(verdict(status), .later(.seconds(10))) }
    for status in [400, 403, 404, 409, 413, 422, 451] { XCTAssertEqual(verdict(status), .park) }
    XCTAssertEqual(verdict(401), .awaitSignIn)
    XCTAssertEqual(verdict(503, [("Retry-After", "3600")]), .later(.seconds(3600)))
    XCTAssertEqual(verdict(503, [("Retry-After", "999999999")]), .later(.seconds(86_400)))
    known.attempts = 20
    XCTAssertEqual(verdict(503), .park)
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .connectionRefused), known), .park)
    known.attempts = 19
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .connectionRefused), known), .later(.seconds(10)))
    XCTAssertEqual(OutboxVerdict(APIError(.response, .businessError), known), .park)
    XCTAssertEqual(OutboxVerdict(APIError(.auth, .signedOut), known), .awaitSignIn)
    known.isSignedIn = true
    XCTAssertEqual(
      OutboxVerdict(APIError(.auth, .signedOut), known), .again(after: .zero), "the user is back")
    XCTAssertEqual(verdict(401), .awaitSignIn)
    known.canRenew = true
    XCTAssertEqual(
      OutboxVerdict(APIError(.auth, .credentialRefused), known), .later(.seconds(10)), "nobody will sign in")
    XCTAssertEqual(verdict(401), .later(.seconds(10)))
    known.isSignedIn = false
    XCTAssertEqual(OutboxVerdict(APIError(cancelled: .byCaller), known), .again(after: .zero))
    XCTAssertEqual(OutboxVerdict(APIError(cancelled: .handledByService), known), .later(.seconds(10)))
    known.isOffline = true
    XCTAssertEqual(OutboxVerdict(APIError(.transport, .unknownHost), known), .again(after: .zero))
    known.hasSignIn = false
    XCTAssertEqual(verdict(401), .park)
  }
}
