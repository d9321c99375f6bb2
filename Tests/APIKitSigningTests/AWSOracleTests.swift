import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Signs the requests that `Scripts/oracles/sigv4` has had signed by an independent implementation, and compares.
final class AWSOracleTests: XCTestCase {
  func testEveryRequestHasTheSignatureOfTheOtherImplementation() throws {
    guard let path = ProcessInfo.processInfo.environment["APIKIT_SIGV4_CASES"] else {
      throw XCTSkip("run by Scripts/oracles/sigv4")
    }
    let cases = try RawData(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))).elements
    XCTAssertGreaterThan(cases.count, 0)
    var differences: [String] = []
    for one in cases {
      let signer = AWSSigner(
        accessKeyID: try one.access_key.require(),
        secretKey: SecretKey(try one.secret_key.require(String.self)),
        sessionToken: one.token.string, region: try one.region.require(), service: try one.service.require(),
        payload: one.payload == "unsigned" ? .unsigned : .signed)
      var request = HTTPRequest(
        method: HTTPMethod(rawValue: try one.method.require()),
        url: try HTTPURL(one["url"].require(String.self)))
      for field in one.headers.elements {
        request.headers.add(try field[0].require(), try field[1].require())
      }
      if let body = one.body.string, !body.isEmpty { request.body = .bytes(Array(body.utf8)) }
      let time: Int = try one.time.require()
      let (made, expected): (String?, String?)
      if let seconds = one.expires.int {
        made = try signer.presigned(request, secondsSince1970: time, validFor: seconds).string
          .components(separatedBy: "X-Amz-Signature=").last
        expected = one.signature.string
      } else {
        try signer.sign(&request, .make(secondsSince1970: time, nonce: "n"))
        made = request.headers["Authorization"]
        expected = one.authorization.string
      }
      if made != expected { differences.append("\(one)\n made \(made ?? "nothing")") }
    }
    XCTAssertTrue(
      differences.isEmpty,
      "\(differences.count) of \(cases.count): \(differences.prefix(3).joined(separator: "\n"))")
    print("\(cases.count) requests have the signatures of the other implementation")
  }
}
