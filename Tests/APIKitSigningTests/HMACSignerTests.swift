import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

final class HMACSignerTests: XCTestCase {
  private let now = 1_793_613_480
  private let signer = HMACSigner(key: SecretKey("Jefe"), keyID: "demo")

  private func signed(
    _ request: HTTPRequest = HTTPRequest(url: "https://api.test/v2/rents?b=2&a=1"),
    _ signer: HMACSigner? = nil
  ) throws -> HTTPRequest {
    var request = request
    try (signer ?? self.signer).sign(&request, .make(secondsSince1970: now, nonce: "n-1"))
    return request
  }

  func testTheLongestDifferenceOfTimesIsOutsideOfTheWindow() throws {
    var request = HTTPRequest(url: "https://api.test/v2/rents")
    try signer.sign(&request, .make(secondsSince1970: .max, nonce: "n-1"))
    assertFault(.outsideWindow(seconds: .min)) { try signer.verify(request, now: -1) }
  }

  func testTheCanonicalFormIsTheDocumentedOne() throws {
    let request = HTTPRequest(
      method: .post, url: "https://api.test:8443/v2/r%20s?b=2&ab=3&&a=9&a=1&a&",
      headers: ["Content-Type": " application/json ", "X-B": "1", "x-b": "2"])
    let canonical = try CanonicalRequest(
      request, signedHeaders: ["content-type", "host", "x-b", "x-none"], keyID: "k", secondsSince1970: 7,
      nonce: "n", bodyDigest: "d")
    XCTAssertEqual(
      String(decoding: canonical.bytes, as: UTF8.self),
      """
      APIKIT-HMAC-SHA256
      POST
      /v2/r%20s
      a=9&a=1&a&ab=3&b=2
      content-type:application/json
      host:api.test:8443
      x-b:1, 2
      x-none:

      k
      7
      n
      d
      """)
  }

  func testTheHostIsTheFieldsOrTheURLsWithoutTheSchemesOwnPort() throws {
    func host(_ request: HTTPRequest) throws -> String {
      let canonical = try CanonicalRequest(
        request, signedHeaders: ["host"], keyID: "", secondsSince1970: 0, nonce: "", bodyDigest: "")
      return String(String(decoding: canonical.bytes, as: UTF8.self).split(separator: "\n")[3])
    }
    XCTAssertEqual(try host(HTTPRequest(url: "https://a:443/")), "host:a")
    XCTAssertEqual(try host(HTTPRequest(url: "http://a:443/")), "host:a:443")
    XCTAssertEqual(try host(HTTPRequest(url: "http://[::1]:80/")), "host:[::1]")
    XCTAssertEqual(try host(HTTPRequest(url: "http://a/", headers: ["Host": "b"])), "host:b")
  }

  func testTheSignatureIsTheCodeOfTheCanonicalForm() throws {
    let request = try signed()
    let canonical = try CanonicalRequest(
      request, signedHeaders: ["content-type", "host"], keyID: "demo", secondsSince1970: now, nonce: "n-1",
      bodyDigest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let code = Crypto.HMACKey(Array("Jefe".utf8)).code(canonical.bytes)
    XCTAssertEqual(request.headers["X-Signature"], Hex.encode(code))
    XCTAssertEqual(request.headers["X-Timestamp"], "1793613480")
    XCTAssertEqual(request.headers["X-Nonce"], "n-1")
    XCTAssertEqual(request.headers["X-Key-ID"], "demo")
    XCTAssertNil(request.headers["X-Content-SHA256"])
  }

  func testALineFeedInsideALineIsRefused() {
    assertFails(.signingFailed, "line feed") {
      try self.signed(HTTPRequest(url: "https://a", headers: ["Content-Type": "a\nb"]))
    }
    assertFails(.signingFailed) { try self.signed(HTTPRequest(method: "GET\n/evil", url: "https://a")) }
    var request = HTTPRequest(url: "https://a")
    assertFails(.signingFailed) { try signer.sign(&request, .make(nonce: "a\nb")) }
    XCTAssertTrue(request.headers.isEmpty)
    assertFails(.signingFailed, "empty") { try HMACSigner(key: SecretKey("")).sign(&request, .make()) }
  }

  func testAFieldOfTheSignatureThatStandsTwiceIsRefused() throws {
    let request = try signed(HTTPRequest(method: .post, url: "https://a", body: .bytes([1])))
    XCTAssertEqual(try signer.verify(request, now: now), "n-1")
    for name in ["X-Signature", "X-Timestamp", "X-Nonce", "X-Key-ID", "X-Content-SHA256"] {
      for value in ["other", try XCTUnwrap(request.headers[name])] {
        var doubled = request
        doubled.headers.add(name.lowercased(), value)
        assertFault(.unknown("\(name) twice")) { try signer.verify(doubled, now: now) }
      }
    }
  }

  func testSigningAgainReplacesAndDropsTheDigestOfABodyThatIsGone() throws {
    var request = HTTPRequest(method: .post, url: "https://a", body: .bytes([1]))
    try signer.sign(&request, .make(secondsSince1970: 1, nonce: "a"))
    XCTAssertNotNil(request.headers["X-Content-SHA256"])
    let first = request.headers["X-Signature"]
    request.method = .get
    request.body = .empty
    try signer.sign(&request, .make(secondsSince1970: 2, nonce: "b", attempt: 2))
    XCTAssertEqual(request.headers.count, 4)
    XCTAssertNotEqual(request.headers["X-Signature"], first)
    XCTAssertEqual(try signer.verify(request, now: 2), "b")
  }

  func testAServerAcceptsWhatWasSigned() throws {
    for request in [
      HTTPRequest(url: "https://api.test/v2/rents?b=2&a=1"),
      HTTPRequest(method: .delete, url: "http://[::1]:81/"),
      HTTPRequest(
        method: .post, url: "https://api.test/苏".encoded, headers: ["Content-Type": "text/plain"],
        body: .bytes(Array("body".utf8))),
    ] {
      XCTAssertEqual(try signer.verify(try signed(request), now: now), "n-1")
    }
    var reordered = try signed()
    reordered.url = "https://api.test/v2/rents?a=1&b=2"
    XCTAssertEqual(try signer.verify(reordered, now: now), "n-1", "the order of names is not signed")
    var array = try signed(HTTPRequest(url: "https://a/?a=1&a=2"))
    array.url = "https://a/?a=2&a=1"
    assertFault(.mismatched) { try signer.verify(array, now: now) }
  }

  func testAnyChangeToTheRequestIsSeen() throws {
    let request = try signed(
      HTTPRequest(
        method: .post, url: "https://api.test/v2/rents?b=2&a=1", headers: ["Content-Type": "text/plain"],
        body: .bytes([1, 2, 3])))
    let changes: [(inout HTTPRequest) -> Void] = [
      { $0.method = .put }, { $0.url = "https://api.test/v2/rent?b=2&a=1" },
      { $0.url = "https://api.test/v2/rents?b=2&a=11" }, { $0.url = "https://api.test/v2/rents?b=2" },
      { $0.url = "https://other.test/v2/rents?b=2&a=1" }, { $0.headers["Content-Type"] = "text/html" },
      { $0.headers["Host"] = "other.test" }, { $0.body = .bytes([1, 2, 4]) }, { $0.body = .empty },
      { $0.headers["X-Timestamp"] = "1793613481" }, { $0.headers["X-Nonce"] = "n-2" },
      { $0.headers["X-Signature"] = String(repeating: "0", count: 64) }, { $0.headers["X-Signature"] = "" },
      {
        $0.headers["X-Content-SHA256"] = "UNSIGNED"; $0.body = .bytes([9])
      },
    ]
    for (index, change) in changes.enumerated() {
      var changed = request
      change(&changed)
      assertFault(.mismatched) { try signer.verify(changed, now: now) }
      XCTAssertThrowsError(try signer.verify(changed, now: now), "change \(index)")
    }
    let other = HMACSigner(key: SecretKey("Jeff"), keyID: "demo")
    assertFault(.mismatched) { try other.verify(request, now: now) }
    assertFault(.unknownKey) { try HMACSigner(key: SecretKey("Jefe")).verify(request, now: now) }
  }

  func testMissingFieldsAreNamed() throws {
    for name in ["X-Signature", "X-Timestamp", "X-Nonce"] {
      var request = try signed()
      request.headers[name] = nil
      assertFault(.missing(name)) { try signer.verify(request, now: now) }
    }
    var request = try signed()
    request.headers["X-Timestamp"] = "soon"
    assertFault(.missing("X-Timestamp")) { try signer.verify(request, now: now) }
  }

  func testTheWindowHoldsToTheSecondOnBothSides() throws {
    let request = try signed()
    XCTAssertNoThrow(try signer.verify(request, now: now + 300))
    XCTAssertNoThrow(try signer.verify(request, now: now - 300))
    assertFault(.outsideWindow(seconds: 301)) { try signer.verify(request, now: now + 301) }
    assertFault(.outsideWindow(seconds: -301)) { try signer.verify(request, now: now - 301) }
    assertFault(.outsideWindow(seconds: 6)) { try signer.verify(request, now: now + 6, window: 5) }
    var extreme = HTTPRequest(url: "https://a")
    try signer.sign(&extreme, .make(secondsSince1970: .min))
    XCTAssertThrowsError(try signer.verify(extreme, now: now))
  }

  func testABodyInAFileIsDigestedFromItsOffset() throws {
    let path = temporaryPath()
    let content = [UInt8](repeating: 7, count: 200_000)
    try Data([1, 2, 3] + content).write(to: URL(fileURLWithPath: path))
    let file = try signed(HTTPRequest(method: .put, url: "https://a", body: .file(path: path, offset: 3)))
    let bytes = try signed(HTTPRequest(method: .put, url: "https://a", body: .bytes(content)))
    XCTAssertEqual(file.headers, bytes.headers)
    assertFails(.unreadableBody) {
      try self.signed(HTTPRequest(method: .put, url: "https://a", body: .file(path: path + ".none")))
    }
  }

  func testAStreamIsSignedOnlyWhenThatIsAllowed() throws {
    let request = HTTPRequest(method: .put, url: "https://a", body: .stream(HTTPBodyStream { { nil } }))
    assertFails(.signingFailed, "allowsUnsignedStreams") { try self.signed(request) }
    var lenient = signer
    lenient.allowsUnsignedStreams = true
    var sent = try signed(request, lenient)
    XCTAssertEqual(sent.headers["X-Content-SHA256"], "UNSIGNED")
    sent.body = .bytes([1, 2, 3])
    XCTAssertNoThrow(try lenient.verify(sent, now: now))
    assertFault(.mismatched) { try signer.verify(sent, now: now) }
  }

  func testFieldsMayHaveOtherNames() throws {
    var names = HMACSigner.Names()
    names.signature = "Sig"
    names.nonce = "Once"
    let signer = HMACSigner(key: SecretKey("k"), signedHeaders: ["Accept", "accept", "X-A"], names: names)
    XCTAssertEqual(signer.signedHeaders, ["accept", "x-a"])
    let request = try signed(HTTPRequest(url: "https://a", headers: ["Accept": "x"]), signer)
    XCTAssertEqual(request.headers["Once"], "n-1")
    XCTAssertNil(request.headers["X-Signature"])
    XCTAssertNoThrow(try signer.verify(request, now: now))
  }
}

extension String {
  fileprivate var encoded: HTTPURL {
    HTTPURL(stringLiteral: addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? self)
  }
}

final class ServerClockOffsetTests: XCTestCase {
  func testTheServersTimeIsLearnedAndKept() {
    let device = DeviceTime(1000.9)
    let clock = ServerClock { device.now }
    XCTAssertEqual(clock.secondsSince1970, 1000)
    clock.learn(serverSecondsSince1970: 1300.5)
    XCTAssertEqual(clock.offset, 299.6, accuracy: 0.001)
    XCTAssertEqual(clock.secondsSince1970, 1300)
    device.now = 1010.9
    XCTAssertEqual(clock.secondsSince1970, 1310)
    clock.learn(serverSecondsSince1970: 10)
    XCTAssertEqual(clock.secondsSince1970, 10)
  }

  func testAFreshClockIsTheSystems() {
    XCTAssertEqual(Double(ServerClock().secondsSince1970), Date().timeIntervalSince1970, accuracy: 2)
    for seconds in [Double.infinity, -1e300, .nan, 1e19] {
      let clock = ServerClock()
      clock.learn(serverSecondsSince1970: seconds)
      XCTAssertGreaterThanOrEqual(abs(clock.secondsSince1970), 1_000_000_000_000_000, "\(seconds)")
    }
  }
}

private final class DeviceTime: @unchecked Sendable {
  // Unchecked: the test reads and writes it on one thread.
  var now: Double
  init(_ now: Double) { self.now = now }
}
