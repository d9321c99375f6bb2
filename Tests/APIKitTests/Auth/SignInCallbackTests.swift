import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Renewals and sign-ins that act on their own authenticator.
@MainActor final class SignInCallbackTests: XCTestCase {
  private enum Action: CaseIterable {
    case nothing, signOut, switchUser, sameUser, cancelSignIn, failSignIn, throwing, loads, loadsExempt,
      cancelLoad
    case release, stuck, cancelsItself
  }

  private struct Box: Sendable {
    let authenticator = Record<Authenticator>()
    let manager = Record<TestManager>()
    let acted = Counter()
  }

  func testEveryActionFromARenewalAndASignIn() async throws {
    for isSignIn in [false, true] {
      for action in Action.allCases {
        for loads in [1, 3] { try await run(action, isSignIn: isSignIn, loads) }
      }
    }
  }

  /// A rule that asks the authenticator, at each moment when it is called.
  func testTheRuleOfUsersMayAskItsAuthenticator() async throws {
    let asked = Record<String?>()
    let box = Record<Authenticator>()
    var rules = Authenticator.Rules()
    rules.user = { credential in
      asked.add(box.all.first?.credential?.accessToken)
      return credential.notes["user"]
    }
    let store = MemoryCredentialStore()
    let authenticator = Authenticator(store: store, rules: rules)
    box.add(authenticator)
    let ended = Record<Int>()
    // On a thread of its own: one that locks itself up never returns.
    Thread.detachNewThread {
      try? authenticator.signIn(with: Self.credential("1", "anna"))
      let epoch = authenticator.epoch
      try? authenticator.signIn(with: Self.credential("2", "anna"))
      ended.add(authenticator.epoch - epoch)
      try? authenticator.signIn(with: Self.credential("3", "bert"))
      ended.add(authenticator.epoch - epoch)
    }
    await waitUntil { ended.all.count == 2 }
    XCTAssertEqual(ended.all, [0, 1])
    XCTAssertFalse(asked.all.isEmpty)
  }

  private nonisolated static func credential(_ token: String, _ user: String) -> Credential {
    Credential(accessToken: token, refreshToken: "r", notes: ["user": user])
  }

  private static func act(_ action: Action, _ box: Box, _ stub: StubTransport) async throws -> Credential {
    box.acted.increment()
    let authenticator = box.authenticator.all[0]
    switch action {
    case .nothing, .release: break
    case .signOut: try authenticator.signOut()
    case .switchUser:
      try authenticator.signOut()
      try authenticator.signIn(with: credential("bert", "bert"))
    case .sameUser: try authenticator.signIn(with: credential("anna 3", "anna"))
    case .cancelSignIn: authenticator.cancelSignIn()
    case .failSignIn: authenticator.failSignIn(ValidationError("no"))
    case .throwing: throw ValidationError("thrown")
    case .loads, .loadsExempt:
      let inner = TestManager(stub)
      inner.service.authenticator = authenticator
      inner.apiName = "token"
      inner.signIn = action == .loads ? .required : .exempt
      _ = try await inner.response()
    case .cancelLoad: box.manager.all[0].cancel()
    case .stuck: await Task { try? await Task.sleep(for: .seconds(1)) }.value
    case .cancelsItself: withUnsafeCurrentTask { $0?.cancel() }
    }
    return credential("anna 2", "anna")
  }

  private func run(_ action: Action, isSignIn: Bool, _ loads: Int) async throws {
    let name = "\(action) in \(isSignIn ? "a sign-in" : "a renewal"), \(loads) loads"
    let stub = StubTransport()
    stub.when({ _ in true }, .json(someJSON))
    stub.when({ $0.headers["Authorization"] == "Bearer anna" }, .status(401))
    let box = Box()
    var rules = Authenticator.Rules()
    rules.renewalLimit = .milliseconds(300)
    rules.user = { $0.notes["user"] }
    let signIn: Authenticator.SignIn = { try await Self.act(action, box, stub) }
    let renewal: Authenticator.Renewal = { _ in try await Self.act(action, box, stub) }
    let authenticator = Authenticator(rules: rules, renewal: renewal, signIn: isSignIn ? signIn : nil)
    box.authenticator.add(authenticator)
    if !isSignIn { try authenticator.signIn(with: Self.credential("anna", "anna")) }
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = isSignIn ? .required : .asAvailable
    box.manager.add(manager)
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<loads { manager.load() }
    let end = ContinuousClock.now + .seconds(6)
    while manager.isLoading {
      if ContinuousClock.now > end {
        XCTFail("\(name): does not end; \(manager.flights.map { manager.record(of: $0)?.description ?? "" })")
        manager.cancel()
        return
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    XCTAssertEqual(recorder.landingCount, loads, name)
    let tokens = stub.requests.filter { $0.url.path == "/api/list" }.map { $0.headers["Authorization"] ?? "" }
    if !isSignIn, tokens.contains("Bearer bert") { XCTFail("\(name): \(tokens)") }
  }
}
