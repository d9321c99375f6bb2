import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// AWS Signature Version 4. The vectors are those of Amazon's documentation and of its public test suite.
final class AWSSignerTests: XCTestCase {
  private let secret = SecretKey("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

  private func signer(
    _ service: String = "service", token: String? = nil, payload: AWSSigner.Payload = .signed
  ) -> AWSSigner {
    AWSSigner(
      accessKeyID: "AKIDEXAMPLE", secretKey: secret, sessionToken: token, region: "us-east-1",
      service: service, payload: payload)
  }

  /// The signature of a request at 12:36 on 30 August 2015.
  private func signature(_ request: HTTPRequest, _ signer: AWSSigner? = nil) throws -> String {
    var request = request
    try (signer ?? self.signer()).sign(&request, .make(secondsSince1970: 1_440_938_160, nonce: "n"))
    let text = try XCTUnwrap(request.headers["Authorization"])
    return try XCTUnwrap(text.components(separatedBy: "Signature=").last)
  }

  // MARK: Vectors

  func testAPlainGetHasTheSignatureOfThePublicSuite() throws {
    var request = HTTPRequest(url: "https://example.amazonaws.com/")
    try signer().sign(&request, .make(secondsSince1970: 1_440_938_160, nonce: "n"))
    XCTAssertEqual(request.headers["X-Amz-Date"], "20150830T123600Z")
    XCTAssertEqual(
      request.headers["Authorization"],
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=host;x-amz-date, "
        + "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
  }

  func testTheExampleOfTheDocumentationHasItsSignature() throws {
    let request = HTTPRequest(
      url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
      headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"])
    XCTAssertEqual(
      try signature(request, signer("iam")),
      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
  }

  private var s3: AWSSigner {
    AWSSigner(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretKey: SecretKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1", service: "s3")
  }

  func testTheObjectsOfTheS3ExamplesHaveTheirSignatures() throws {
    let time = SigningSubject.make(secondsSince1970: 1_369_353_600, nonce: "n")
    var get = HTTPRequest(
      url: "https://examplebucket.s3.amazonaws.com/test.txt", headers: ["Range": "bytes=0-9"])
    try s3.sign(&get, time)
    XCTAssertEqual(
      get.headers["Authorization"]?.components(separatedBy: "Signature=").last,
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    var put = HTTPRequest(
      method: .put, url: HTTPURL("https://examplebucket.s3.amazonaws.com/test$file.text"),
      headers: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
      body: .bytes(Array("Welcome to Amazon S3.".utf8)))
    try s3.sign(&put, time)
    XCTAssertEqual(
      put.headers["Authorization"]?.components(separatedBy: "Signature=").last,
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  func testThePresignedURLOfTheS3ExampleHasItsSignature() throws {
    let url = try s3.presigned(
      HTTPRequest(url: "https://examplebucket.s3.amazonaws.com/test.txt"), secondsSince1970: 1_369_353_600,
      validFor: 86_400)
    XCTAssertEqual(
      url.string,
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }

  // MARK: What is covered

  func testEveryCoveredPartChangesTheSignature() throws {
    let base = HTTPRequest(
      method: .post, url: "https://a.test/x/y?b=2&a=1", headers: ["X-One": "1"], body: .bytes([1, 2, 3]))
    var seen = [try signature(base)]
    func differs(_ change: (inout HTTPRequest) -> Void) throws {
      var other = base
      change(&other)
      let signature = try signature(other)
      XCTAssertFalse(seen.contains(signature), "\(other)")
      seen.append(signature)
    }
    try differs { $0.method = .put }
    try differs { $0.url = "https://b.test/x/y?b=2&a=1" }
    try differs { $0.url = "https://a.test:8443/x/y?b=2&a=1" }
    try differs { $0.url = "https://a.test/x/z?b=2&a=1" }
    try differs { $0.url = "https://a.test/x/y?b=2&a=2" }
    try differs { $0.url = "https://a.test/x/y?b=2" }
    try differs { $0.headers["X-One"] = "2" }
    try differs { $0.headers.add("X-Two", "1") }
    try differs { $0.body = .bytes([1, 2, 4]) }
    try differs { $0.body = .empty }
    seen.append(try signature(base, signer("other")))
    seen.append(try signature(base, signer(token: "token")))
    XCTAssertEqual(Set(seen).count, seen.count)
  }

  func testWhatProxiesChangeAndTheOrderOfPairsAreNotCovered() throws {
    let base = HTTPRequest(url: "https://a.test/x?b=2&a=1", headers: ["X-One": "1  2"])
    let plain = try signature(base)
    for (name, value) in [
      ("User-Agent", "a"), ("traceparent", "00-1-2-01"), ("tracestate", "a=1"), ("Connection", "close"),
      ("TE", "trailers"), ("X-Amzn-Trace-Id", "1"), ("Authorization", "Bearer old"),
    ] {
      var other = base
      other.headers.add(name, value)
      XCTAssertEqual(try signature(other), plain, name)
    }
    var other = base
    other.url = "https://a.test/x?a=1&b=2"
    other.headers["X-One"] = " 1 2 "
    XCTAssertEqual(try signature(other), plain)
  }

  func testSpacesBeforeAMarkAreOneLikeAllOthers() {
    let request = HTTPRequest(url: "https://a.test/", headers: ["X-Amz-Meta-A": "a  \u{301}b"])
    let value = AWSSignedHeaders(request).fields.first { $0.name == "x-amz-meta-a" }?.value
    XCTAssertEqual(value.map { Array($0.utf8) }, Array("a \u{301}b".utf8))
  }

  func testAFurtherAttemptReplacesTheSignature() throws {
    var request = HTTPRequest(url: "https://a.test/")
    let signer = signer(token: "session")
    try signer.sign(&request, .make(secondsSince1970: 1_440_938_160, nonce: "n"))
    let first = request
    try signer.sign(&request, .make(secondsSince1970: 1_440_938_161, nonce: "m"))
    XCTAssertEqual(request.headers.count, first.headers.count)
    XCTAssertNotEqual(request.headers["Authorization"], first.headers["Authorization"])
    XCTAssertEqual(request.headers["X-Amz-Security-Token"], "session")
    var anew = HTTPRequest(url: "https://a.test/")
    try signer.sign(&anew, .make(secondsSince1970: 1_440_938_161, nonce: "k"))
    XCTAssertEqual(request.headers["Authorization"], anew.headers["Authorization"])
  }

  func testTheKeyOfTheDayIsMadeAnewOnTheNext() throws {
    let signer = signer()
    for day in [0, 1, 0, 40] {
      var request = HTTPRequest(url: "https://a.test/")
      var fresh = request
      let subject = SigningSubject.make(secondsSince1970: 1_440_938_160 + day * 86_400, nonce: "n")
      try signer.sign(&request, subject)
      try self.signer().sign(&fresh, subject)
      XCTAssertEqual(request.headers["Authorization"], fresh.headers["Authorization"])
    }
  }

  func testPathsAreEncodedTwiceAndForS3Once() throws {
    // Double encoding: a server that decodes once sees another path for each of these.
    XCTAssertNotEqual(
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a%20b"))),
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a%2520b"))))
    XCTAssertEqual(
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a//b"))),
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a/b"))), "empty segments are left out")
    XCTAssertNotEqual(
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a//b")), signer("s3")),
      try signature(HTTPRequest(url: HTTPURL("https://a.test/a/b")), signer("s3")), "keys of S3 keep them"
    )
  }

  // MARK: What is refused

  func testBodiesThatCannotBeSignedAreRefused() throws {
    let stream = HTTPRequest(
      method: .put, url: "https://a.test/", body: .stream(HTTPBodyStream { { nil } }))
    XCTAssertThrowsError(try signature(stream)) {
      XCTAssertEqual(($0 as? APIError)?.reason, .signingFailed)
    }
    var unsigned = stream
    try signer("s3", payload: .unsigned).sign(&unsigned, .make(secondsSince1970: 0, nonce: "n"))
    XCTAssertEqual(unsigned.headers["X-Amz-Content-SHA256"], "UNSIGNED-PAYLOAD")
    XCTAssertThrowsError(try signature(HTTPRequest(url: HTTPURL("https://a.test/?q=a+b")))) {
      XCTAssertTrue(String(describing: $0).contains("%20"), "\($0)")
    }
    XCTAssertThrowsError(
      try signature(
        HTTPRequest(url: "https://a.test/"),
        AWSSigner(accessKeyID: "a", secretKey: SecretKey(""), region: "r", service: "s")))
  }

  func testAPresignedURLIsValidForASecondToAWeek() throws {
    let request = HTTPRequest(url: "https://a.test/x")
    for seconds in [0, -1, 604_801] {
      XCTAssertThrowsError(try signer().presigned(request, validFor: seconds)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .signingFailed)
      }
    }
    XCTAssertNoThrow(try signer().presigned(request, validFor: 1))
    let url = try signer(token: "the/token").presigned(request, validFor: 604_800)
    XCTAssertTrue(url.string.contains("X-Amz-Security-Token=the%2Ftoken"), url.string)
  }

  // MARK: Secrets

  func testNothingPrintedHoldsASecret() throws {
    let signer = signer(token: "the-session-token")
    var request = HTTPRequest(url: try signer.presigned(HTTPRequest(url: "https://a.test/x"), validFor: 60))
    try signer.sign(&request, .make(secondsSince1970: 1_440_938_160, nonce: "n"))
    let signature = try XCTUnwrap(request.url.query?.components(separatedBy: "X-Amz-Signature=").last)
    for text in ["\(signer)", "\(request)", request.curlCommand()] {
      XCTAssertFalse(text.contains("the-session-token"), text)
      XCTAssertFalse(text.contains(signature), text)
      XCTAssertFalse(text.contains("wJalrXUtnFEMI"), text)
    }
  }

  @MainActor
  func testTheParametersOfAPresignedLinkAreNoPartOfCacheKeys() async throws {
    let stub = StubTransport(.json("{}"))
    var service = TestService(stub)
    service.signer = signer()
    service.store = ResponseCache()
    let manager = TestManager(service)
    manager.cachePolicy = .fresh()
    for signature in ["a", "b"] {
      _ = try await manager.response(
        ["page": 1, "X-Amz-Signature": signature, "X-Amz-Date": signature])
    }
    XCTAssertEqual(stub.requests.count, 1, "a link that was signed anew is the same link")
    _ = try await manager.response(["page": 2, "X-Amz-Signature": "a", "X-Amz-Date": "a"])
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testTwoKeysAreTwoCallers() {
    XCTAssertNotEqual(signer().caller, s3.caller)
    XCTAssertEqual(signer().caller, signer("other").caller)
  }
}
