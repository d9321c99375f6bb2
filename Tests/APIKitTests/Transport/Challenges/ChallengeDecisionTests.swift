import Foundation
import XCTest

@testable import APIKit

/// What a challenge is met with, and which login a response asks for.
final class ChallengeDecisionTests: XCTestCase {
  private let space = ProtectionSpace(scheme: "https", host: "API.test.", port: 443, realm: "Hangar")
  private let login = HTTPLogin(user: "flight", password: "landing")
  private let identity = ClientIdentity.pkcs12(.bytes([1]), password: "")

  private func decide(
    _ kind: AuthenticationChallenge.Kind, _ answer: ChallengeAnswer, proposed: HTTPLogin? = nil,
    identity: ClientIdentity? = nil, judge: TLSPolicy.Judge = .policy
  ) -> String {
    let challenge = AuthenticationChallenge(kind, space: space, proposed: proposed)
    return switch ChallengeDecision(challenge, answer, identity: identity, judge: judge) {
    case .trust: "trust"
    case .login(let login, let isStored): "\(login.scheme)\(isStored ? ", stored" : "")"
    case .identity(let identity): "\(identity)"
    case .nothing: "nothing"
    case .system: "system"
    case .fail(let error): error.reason.name
    }
  }

  func testEachAnswerToEachChallengeHasItsEffect() {
    let untrusted = APIError(.transport, .certificateUntrusted)
    let bad = AuthenticationChallenge.Kind.serverTrust(chain: [], fault: untrusted)
    let good = AuthenticationChallenge.Kind.serverTrust(chain: [], fault: nil)
    let certificate = AuthenticationChallenge.Kind.clientCertificate(authorities: [])
    let rows: [(AuthenticationChallenge.Kind, ChallengeAnswer, String)] = [
      (bad, .use(.trust), "trust"), (bad, .default, "certificate-untrusted"),
      (bad, .reject, "certificate-rejected"), (bad, .cancel, "challenge-cancelled"),
      (good, .default, "trust"), (good, .reject, "certificate-rejected"),
      (certificate, .use(.identity(identity)), "PKCS#12 client identity"), (certificate, .default, "nothing"),
      (certificate, .reject, "nothing"), (certificate, .cancel, "challenge-cancelled"),
      (.basic, .use(.login(login)), "basic"),
      (.digest, .use(.login(login, isStored: true)), "digest, stored"),
      (.basic, .default, "nothing"), (.digest, .reject, "nothing"), (.basic, .cancel, "challenge-cancelled"),
      (bad, .use(.login(login)), "misconfigured"), (certificate, .use(.trust), "misconfigured"),
      (.basic, .use(.identity(identity)), "misconfigured"), (.digest, .use(.trust), "misconfigured"),
    ]
    for (kind, answer, expected) in rows {
      XCTAssertEqual(decide(kind, answer), expected, "\(kind) \(answer)")
    }
    XCTAssertEqual(decide(certificate, .default, identity: identity), "PKCS#12 client identity")
    XCTAssertEqual(decide(.digest, .default, proposed: login), "digest")
  }

  func testTheSystemDecidesAboutAServerOfWhichNobodyHereSaysMore() {
    let bad = AuthenticationChallenge.Kind.serverTrust(
      chain: [], fault: APIError(.transport, .certificateUntrusted))
    let good = AuthenticationChallenge.Kind.serverTrust(chain: [], fault: nil)
    for server in [bad, good] {
      XCTAssertEqual(decide(server, .default, judge: .system), "system")
      for judge in [TLSPolicy.Judge.system, .both] {
        XCTAssertEqual(decide(server, .use(.trust), judge: judge), "trust")
        XCTAssertEqual(decide(server, .reject, judge: judge), "certificate-rejected")
        XCTAssertEqual(decide(server, .cancel, judge: judge), "challenge-cancelled")
      }
    }
    XCTAssertEqual(decide(good, .default, judge: .both), "system", "pins are only stricter")
    XCTAssertEqual(decide(bad, .default, judge: .both), "certificate-untrusted")
    XCTAssertEqual(
      decide(.clientCertificate(authorities: []), .default, identity: identity, judge: .system),
      "PKCS#12 client identity")
  }

  func testAPolicyThatSaysNothingOfAHostLeavesItToTheSystem() throws {
    let pin = try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
    func judge(_ host: String = "homes.test", _ change: (inout TLSPolicy) -> Void) -> TLSPolicy.Judge {
      var policy = TLSPolicy()
      change(&policy)
      return policy.judge(of: host, at: Date())
    }
    func pins(replacesChain: Bool = false, expires: Date? = nil) -> TLSPolicy.Pinning {
      let host = PinSet.Host("homes.test", pins: [pin], expires: expires, replacesChain: replacesChain)
      return .publicKey(PinSet([host]))
    }
    XCTAssertEqual(judge { _ in }, .system)
    XCTAssertEqual(judge { $0.minimumVersion = .tls1_3 }, .system)
    XCTAssertEqual(judge { $0.pinning = pins() }, .both)
    XCTAssertEqual(judge("other.test") { $0.pinning = pins(replacesChain: true) }, .system)
    XCTAssertEqual(judge { $0.pinning = pins(expires: Date(timeIntervalSinceNow: -1)) }, .system)
    XCTAssertEqual(judge { $0.pinning = pins(replacesChain: true) }, .policy)
    XCTAssertEqual(judge { $0.trust = .systemAnd(.bundle(path: "/etc/roots.pem")) }, .policy)
    XCTAssertEqual(judge { $0.allowsInvalidCertificates = true }, .policy)
    XCTAssertEqual(judge { $0.skipsHostValidation = true }, .policy)
  }

  func testALoginForOneSchemeIsNotGivenToAnother() {
    let digest = HTTPLogin(user: "flight", password: "landing", scheme: .digest)
    let basic = HTTPLogin(user: "flight", password: "landing", scheme: .basic)
    XCTAssertEqual(decide(.basic, .use(.login(digest))), "nothing")
    XCTAssertEqual(decide(.digest, .use(.login(basic))), "nothing")
    XCTAssertEqual(decide(.basic, .default, proposed: digest), "nothing")
    XCTAssertEqual(decide(.digest, .use(.login(digest))), "digest")
  }

  func testAChallengeSaysWhoAsksAndNoSecret() {
    let challenge = AuthenticationChallenge(.basic, space: space, proposed: login)
    XCTAssertEqual(challenge.description, "Basic login for https://api.test:443 (Hangar)")
  }

  func testTheStrongestLoginThatAResponseAsksForIsFound() {
    func found(_ values: String..., status: Int = 401, in name: String = "WWW-Authenticate") -> String {
      var headers = HTTPHeaders()
      for value in values { headers.add(name, value) }
      guard let challenge = LoginChallenge(HTTPResponse(status: status, headers: headers)) else {
        return "none"
      }
      return "\(challenge.scheme) \(challenge.realm)"
    }
    XCTAssertEqual(found(#"Basic realm="a""#), "basic a")
    XCTAssertEqual(found(#"basic  charset="UTF-8", realm = "a, \"b\" c""#), #"basic a, "b" c"#)
    XCTAssertEqual(found("Basic realm=bare"), "basic bare")
    XCTAssertEqual(found("Basic"), "basic ")
    XCTAssertEqual(
      found(#"Basic realm="a", Digest realm="b", qop="auth, auth-int", nonce="c", Basic realm="d""#),
      "digest b")
    XCTAssertEqual(found(#"Basic realm="a""#, #"Digest realm="b", nonce="c""#), "digest b")
    XCTAssertEqual(found(#"Bearer realm="a", error="invalid_token", Basic realm="b""#), "basic b")
    XCTAssertEqual(found(#"Bearer realm="a""#), "none")
    XCTAssertEqual(found("Negotiate", "NTLM"), "none")
    XCTAssertEqual(found(#"Newauth title="Basic realm=""#), "none")
    XCTAssertEqual(found(#"Basic realm="a""#, status: 403), "none")
    XCTAssertEqual(found(#"Basic realm="a""#, status: 407), "none")
    XCTAssertEqual(found(#"Basic realm="a""#, status: 407, in: "Proxy-Authenticate"), "basic a")
  }
}
