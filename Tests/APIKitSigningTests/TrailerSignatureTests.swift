import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Fields behind the body of a response are covered by `tr` (RFC 9421, 2.1.4).
final class TrailerSignatureTests: XCTestCase {
  private let now = 1_700_000_000
  private let request = HTTPRequest(url: "https://a.test/list")

  private func signed(_ trailers: HTTPHeaders) throws -> HTTPResponse {
    var response = HTTPResponse(
      status: 200, headers: ["Trailer": "Expires"], body: .bytes(Array("body".utf8)))
    response.trailers = trailers
    try MessageSigner([
      .init(
        key: try SignatureTestKeys.shared(),
        components: [.status, SignatureComponent("x-sum").inTrailers, .contentDigest.inTrailers],
        whereStated: [])
    ]).sign(&response, to: request, .make(secondsSince1970: now, nonce: "n"))
    return response
  }

  private func verify(_ response: HTTPResponse, _ required: [SignatureComponent]) throws(SignatureFault) {
    let keys: [SignatureKey]
    do { keys = [try SignatureTestKeys.shared()] } catch { throw .unknownKey }
    try MessageVerifier(keys: keys, required: required).verify(response, to: request, secondsSince1970: now)
  }

  private func assertFault(_ fault: SignatureFault, line: UInt = #line, _ body: () throws -> Void) {
    XCTAssertThrowsError(try body(), line: line) { XCTAssertEqual($0 as? SignatureFault, fault, line: line) }
  }

  func testAFieldOfTheTrailersIsCoveredAndTheDigestThereIsThatOfTheBody() throws {
    let digest = ContentDigest.sha256.field(of: Array("body".utf8))
    var response = try signed(["X-Sum": "7", "Content-Digest": digest])
    XCTAssertTrue(response.headers["Signature-Input"]?.contains(#""x-sum";tr "content-digest";tr"#) == true)
    let required: [SignatureComponent] = [SignatureComponent("x-sum").inTrailers, .contentDigest.inTrailers]
    try verify(response, required)
    // A header field of the name is another component.
    assertFault(.notCovered(#""x-sum""#)) { try verify(response, ["x-sum"]) }
    response.trailers["X-Sum"] = "8"
    response.headers["X-Sum"] = "7"
    assertFault(.mismatched) { try verify(response, required) }
    response.trailers = ["Content-Digest": digest]
    assertFault(.missing(#""x-sum";tr"#)) { try verify(response, required) }
    let wrong = try signed(["X-Sum": "7", "Content-Digest": ContentDigest.sha256.field(of: [1])])
    assertFault(.otherBody) { try verify(wrong, required) }
  }

  func testARequestHasNoTrailers() throws {
    var request = request
    let signer = MessageSigner(
      key: try SignatureTestKeys.shared(), components: ["x-sum".component.inTrailers])
    XCTAssertThrowsError(try signer.sign(&request, .make(secondsSince1970: now, nonce: "n"))) { error in
      XCTAssertEqual((error as? APIError)?.reason, .signingFailed)
      XCTAssertTrue((error as? APIError)?.detail.contains("requests have no trailers") == true, "\(error)")
    }
  }
}

extension String {
  fileprivate var component: SignatureComponent { SignatureComponent(self) }
}
