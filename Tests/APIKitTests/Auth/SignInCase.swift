import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Tests of sign-in over a stub.
@MainActor class SignInCase: XCTestCase {
  let stub = StubTransport()
  let renewals = Counter()

  /// A server that takes the token `good` alone.
  func acceptOnly(_ good: String) {
    stub.on("/api/list", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer \(good)" }, .json(someJSON))
  }

  func authenticator(
    _ token: String? = "old", rules: Authenticator.Rules = .init(), time: any TimeSource = SystemTime(),
    renewal: Authenticator.Renewal? = nil, signIn: Authenticator.SignIn? = nil
  ) throws -> Authenticator {
    let authenticator = Authenticator(
      store: MemoryCredentialStore(), rules: rules, renewal: renewal, signIn: signIn, time: time)
    if let token { try authenticator.signIn(with: Credential(accessToken: token, refreshToken: "r")) }
    return authenticator
  }

  func makeManager(_ authenticator: Authenticator, _ rule: SignInRule = .asAvailable) -> TestManager {
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = rule
    manager.sharedState = SharedState()
    return manager
  }

  func renewing(to token: String) -> Authenticator.Renewal {
    let renewals = renewals
    return { _ in
      renewals.increment()
      return Credential(accessToken: token, refreshToken: "r2")
    }
  }
}
