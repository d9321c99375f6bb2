import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Tests of loads whose user changes meanwhile.
@MainActor class LoadUserCase: XCTestCase {
  let stub = StubTransport()
  let time = ManualTime()
  let sharedState = SharedState()

  func credential(_ token: String, user: String? = nil) -> Credential {
    Credential(accessToken: token, notes: user.map { ["user": $0] } ?? [:])
  }

  func signedIn(_ token: String = "anna", user: String? = nil) throws -> Authenticator {
    let authenticator = Authenticator()
    try authenticator.signIn(with: credential(token, user: user))
    return authenticator
  }

  func makeManager(_ authenticator: Authenticator?, _ rule: SignInRule = .asAvailable) -> TestManager {
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = rule
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  var tokens: [String?] { stub.requests.map { $0.headers["Authorization"] } }

  func become(_ token: String, _ authenticator: Authenticator, user: String? = nil) throws {
    try authenticator.signOut()
    try authenticator.signIn(with: credential(token, user: user))
  }

  /// Only Bert's token is good: a load of Anna that goes again goes as Bert.
  func acceptBert() {
    stub.on("*", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer bert" }, .json(someJSON))
  }
}
