import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// What goes on the wire: credential, cookies and then the signature, which covers them.
@MainActor final class SigningStepTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let seen = Record<(request: HTTPRequest, subject: SigningSubject)>()

  private func makeManager(_ failure: APIError? = nil) -> TestManager {
    let manager = TestManager(stub)
    manager.service.signer = WitnessSigner(seen: seen, failure: failure)
    return manager
  }

  func testTheSignerSeesCredentialAndCookies() async throws {
    let jar = CookieJar()
    jar.store(["Set-Cookie": "session=7; Path=/"], from: "https://homes.test/api/list")
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    let manager = makeManager()
    manager.service.client = HTTPClient(transport: stub, cookies: jar)
    manager.service.authenticator = authenticator
    _ = try await manager.response()
    XCTAssertEqual(seen.all.map { $0.request.headers["Authorization"] }, ["Bearer ann"])
    XCTAssertEqual(seen.all.map { $0.request.headers["Cookie"] }, ["session=7"])
  }

  func testTheSignerIsToldNameParametersAndTheServersTime() async throws {
    let time = ManualTime()
    let clock = ServerClock { time.wallClock }
    clock.offset = 3600
    let manager = makeManager()
    manager.time = time
    manager.service.clock = clock
    manager.service.common = ["lang": "en"]
    manager.apiName = "homes/{id}"
    _ = try await manager.response(["id": 7, "city": "Suzhou"])
    let subject = try XCTUnwrap(seen.all.first?.subject)
    XCTAssertEqual(subject.apiName, "homes/7")
    XCTAssertEqual(subject.parameters, ["lang": "en", "city": "Suzhou"])
    XCTAssertEqual(Double(subject.secondsSince1970), time.wallClock + 3600, accuracy: 1)
    XCTAssertEqual(subject.attempt, 1)
  }

  func testWithoutAServerClockTheTimeIsThatOfTheManager() async throws {
    let time = ManualTime(wallClock: 1_000_000_000)
    let manager = makeManager()
    manager.time = time
    _ = try await manager.response()
    XCTAssertEqual(seen.all.map(\.subject.secondsSince1970), [1_000_000_000])
  }

  func testEveryHopWithinTheOriginIsSignedAnewAndWhatIsSignedIsSent() async throws {
    stub.on("/api/list", .redirect(to: "/api/moved"))
    _ = try await makeManager().response()
    XCTAssertEqual(seen.all.map(\.request.url.path), ["/api/list", "/api/moved"])
    XCTAssertEqual(Set(seen.all.map(\.subject.nonce)).count, 2)
    XCTAssertEqual(stub.requests.map { $0.headers["X-Nonce"] }, seen.all.map(\.subject.nonce))
  }

  func testTheFieldsOfASignerAndOfACredentialAreMaskedWhereverTheyArePrinted() async throws {
    var rules = Authenticator.Rules()
    rules.attach = { credential, request in request.headers["X-Admission"] = credential.accessToken }
    let authenticator = Authenticator(rules: rules)
    try authenticator.signIn(with: Credential(accessToken: "S3CRET"))
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.service.signer = SaltedDigestSigner(
      key: SecretKey("key"), placement: .header("X-Proof-Of-Salt"))
    _ = try await manager.response()
    let request = try XCTUnwrap(stub.requests.first)
    let proof = try XCTUnwrap(request.headers["X-Proof-Of-Salt"])
    XCTAssertEqual(request.headers["X-Admission"], "S3CRET")
    for text in ["\(request)", "\(request.headers)", request.curlCommand()] {
      XCTAssertFalse(text.contains("S3CRET") || text.contains(proof), text)
    }
  }

  func testTheFieldsOfASignerOfTheApplicationsAreMaskedToo() async throws {
    let manager = makeManager()
    _ = try await manager.response()
    let headers = try XCTUnwrap(stub.requests.first?.headers)
    XCTAssertFalse("\(stub.requests)".contains(try XCTUnwrap(headers["X-Witness"])))
    XCTAssertTrue("\(stub.requests)".contains(try XCTUnwrap(headers["X-Nonce"])), "a nonce opens nothing")
  }

  func testASecretInThePathStandsInNoTextOfARedirect() async throws {
    stub.on("/api/reset/S3CRET", .redirect(to: "/api/reset/S3CRET"))
    let manager = TestManager(stub)
    manager.apiName = "reset/{token}"
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response(["token": "S3CRET"])
    }
    XCTAssertEqual(error.reason, .redirectLoop)
    for text in ["\(error)", error.detail, "\(try XCTUnwrap(error.record))"] {
      XCTAssertFalse(text.contains("S3CRET"), text)
    }
    XCTAssertTrue(error.expandedDescription.contains("S3CRET"))
  }

  func testASignerThatThrowsFailsTheLoadAndNothingIsSent() async throws {
    let manager = makeManager(APIError(.signing, .misconfigured, "no key"))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "signing.misconfigured")
    XCTAssertEqual(error.detail, "no key")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testWhatSignersAndCredentialsPutInIsValidatedLast() async throws {
    let signed = makeManager()
    signed.service.signer = FixedSigner(value: "a\r\nX-Other: b")
    let withCredential = makeManager()
    withCredential.service.authenticator = Authenticator()
    try withCredential.service.authenticator?.signIn(with: Credential(accessToken: "ann\r\nX-Other: b"))
    for manager in [signed, withCredential] {
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.reason, .invalidHeader)
    }
    XCTAssertEqual(stub.requests.count, 0)
  }
}

/// Puts in one value, whatever it is.
private struct FixedSigner: RequestSigner {
  let value: String

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Signature"] = value
  }
}

/// Writes down what it is given to sign.
private struct WitnessSigner: RequestSigner {
  let seen: Record<(request: HTTPRequest, subject: SigningSubject)>
  let failure: APIError?

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    if let failure { throw failure }
    seen.add((request, subject))
    request.headers["X-Nonce"] = subject.nonce
    request.headers["X-Witness"] = String(subject.nonce.reversed())
  }
}
