import APIKit
import APIKitSigning
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

/// The server's side of the signing schemes.
final class SignatureTests: XCTestCase {
  private let digest = SaltedDigestSigner(
    key: SecretKey(DemoSignatures.Keys.sacramento), salt: DemoSignatures.Keys.sacramentoSalt)
  private let hmac = HMACSigner(key: SecretKey(DemoSignatures.Keys.ames), keyID: DemoSignatures.Keys.amesID)

  private func send(_ request: HTTPRequest, to server: DemoServer) -> (status: Int, text: String) {
    let client = RawClient(port: server.port)
    let target = request.url.path + (request.url.query.map { "?" + $0 } ?? "")
    var text =
      "\(request.method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n"
    for field in request.headers { text += "\(field.name): \(field.value)\r\n" }
    client.send(text + "\r\n")
    let response = client.readToEnd()
    return (Int(response.split(separator: " ").dropFirst().first ?? "") ?? 0, response)
  }

  private func subject(
    _ name: String, _ parameters: Parameters = Parameters(), nonce: String = UUID().uuidString
  ) -> SigningSubject {
    SigningSubject(
      apiName: name, parameters: parameters, secondsSince1970: Int(Date().timeIntervalSince1970), nonce: nonce
    )
  }

  func testTheSaltedDigestIsVerifiedOverNameAndParameters() throws {
    let server = try DemoServer(signatures: .standard())
    var request = HTTPRequest(url: try server.url("/sacramento/v1/homes?city=Elk%20Grove&page=2"))
    XCTAssertTrue(send(request, to: server).text.contains("\"code\":1001"))
    try digest.sign(&request, subject("homes", ["page": 2, "city": "Elk Grove"]))
    XCTAssertTrue(send(request, to: server).text.contains("\"code\":0"), send(request, to: server).text)
    request.url = try server.url("/sacramento/v1/homes?city=Elk%20Grove&page=3")
    let wrong = send(request, to: server)
    XCTAssertEqual(wrong.status, 200)
    XCTAssertTrue(wrong.text.contains("\"code\":1001"), wrong.text)
  }

  func testTheHMACIsVerifiedAndARequestIsTakenOnce() throws {
    let server = try DemoServer(signatures: .standard())
    var request = HTTPRequest(url: try server.url("/ames/v2/listings?limit=1"))
    XCTAssertEqual(send(request, to: server).status, 401)
    try hmac.sign(&request, subject("listings"))
    XCTAssertEqual(send(request, to: server).status, 200)
    let again = send(request, to: server)
    XCTAssertEqual(again.status, 401)
    XCTAssertTrue(again.text.contains("received before"), again.text)
    try hmac.sign(&request, subject("listings"))
    request.url = try server.url("/ames/v2/listings?limit=2")
    XCTAssertEqual(send(request, to: server).status, 401)
  }
}
