import XCTest

@testable import APIKit
@testable import APIKitSigning

/// RFC 9421, appendix B: every example is verified, and those of deterministic algorithms are signed to the same bytes.
final class MessageSignatureVectorTests: XCTestCase {
  private let created = 1_618_884_473

  private let request = HTTPRequest(
    method: .post, url: "https://example.com/foo?param=Value&Pet=dog",
    headers: [
      "Host": "example.com", "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
      "Content-Digest":
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "Content-Length": "18",
    ], body: .bytes(Array(#"{"hello": "world"}"#.utf8)))

  private let response = HTTPResponse(
    status: 200,
    headers: [
      "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json",
      "Content-Digest":
        "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
      "Content-Length": "23",
    ], body: .bytes(Array(#"{"message": "good dog"}"#.utf8)))

  private func keys() throws -> [SignatureKey] {
    [
      try SignatureKey(
        id: "test-key-rsa-pss", algorithm: .rsaPSSSHA512,
        publicKey: Array(SignatureTestKeys.rsaPSSPublic.utf8)),
      try SignatureTestKeys.pair(.ecdsaP256SHA256).verifying, try SignatureTestKeys.pair(.ed25519).verifying,
      try SignatureTestKeys.shared(),
    ]
  }

  private func verify(_ label: String, _ input: String, _ signature: String, _ request: HTTPRequest) throws {
    var request = request
    request.headers["Signature-Input"] = "\(label)=\(input)"
    request.headers["Signature"] = "\(label)=:\(signature):"
    try MessageVerifier(keys: keys(), required: []).verify(request, now: created + 10)
  }

  // MARK: B.2

  func testTheMinimalSignatureVerifies() throws {
    try verify(
      "sig-b21", #"();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#,
      "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzX"
        + "aJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE5"
        + "6YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7"
        + "EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==", request)
  }

  func testTheSelectiveSignatureVerifies() throws {
    try verify(
      "sig-b22",
      #"("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example""#,
      "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowO"
        + "B4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoF"
        + "qWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUq"
        + "iYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==", request)
  }

  func testTheFullSignatureVerifies() throws {
    try verify(
      "sig-b23",
      #"("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss""#,
      "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768Zr"
        + "CUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW"
        + "91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJz"
        + "SRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==", request)
  }

  func testTheSignatureOfTheResponseVerifies() throws {
    var response = response
    response.headers["Signature-Input"] =
      #"sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256""#
    response.headers["Signature"] =
      "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"
    let verifier = MessageVerifier(keys: try keys(), required: [.status, .contentDigest])
    try verifier.verify(response, to: request, secondsSince1970: created)
    response.status = 201
    assertFault(.mismatched) { try verifier.verify(response, to: request, secondsSince1970: created) }
  }

  func testTheSharedSecretSignsToTheSameBytes() throws {
    var signature = MessageSigner.Signature(
      label: "sig-b25", key: try SignatureTestKeys.shared(),
      components: ["date", .authority, "content-type"],
      whereStated: [])
    signature.hasNonce = false
    var signed = request
    try MessageSigner([signature]).sign(&signed, .make(secondsSince1970: created))
    XCTAssertEqual(
      signed.headers["Signature-Input"],
      #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#)
    XCTAssertEqual(signed.headers["Signature"], "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    try MessageVerifier(keys: keys(), required: ["date"]).verify(signed, now: created)
  }

  func testEd25519SignsToTheSameBytes() throws {
    var signature = MessageSigner.Signature(
      label: "sig-b26", key: try SignatureTestKeys.pair(.ed25519).signing,
      components: ["date", .method, .path, .authority, "content-type", "content-length"], whereStated: [])
    signature.hasNonce = false
    var signed = request
    try MessageSigner([signature]).sign(&signed, .make(secondsSince1970: created))
    XCTAssertEqual(
      signed.headers["Signature"],
      "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    try MessageVerifier(keys: keys(), required: [.path]).verify(signed, now: created)
  }

  // MARK: B.3

  func testTheSignatureOfTheProxyVerifies() throws {
    let proxied = HTTPRequest(
      method: .post, url: "https://service.internal.example/foo?param=Value&Pet=dog",
      headers: [
        "Host": "service.internal.example", "Content-Type": "application/json", "Content-Length": "18",
        "Client-Cert":
          ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBA"
          + "MMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKo"
          + "ZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy"
          + "6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEw"
          + "YDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1va"
          + "L6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:",
      ], body: .bytes(Array(#"{"hello": "world"}"#.utf8)))
    try verify(
      "ttrp",
      #"("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256""#,
      "xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==", proxied)
  }

  // MARK: B.4

  func testTransformationsOnTheWayKeepOrBreakTheSignature() throws {
    func verify(_ method: HTTPMethod, _ url: HTTPURL, _ headers: HTTPHeaders) throws {
      try self.verify(
        "transform",
        #"("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#,
        "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==",
        HTTPRequest(method: method, url: url, headers: headers))
    }
    let accept: HTTPHeaders = ["Accept": "application/json", "Accept": "*/*"]
    let added: HTTPHeaders = [
      "Accept-Language": "en-US,en;q=0.5", "Accept": "application/json", "Accept": "*/*",
    ]
    try verify(.get, "https://example.org/demo?name1=Value1&Name2=value2", accept)
    try verify(.get, "https://example.org/demo?name1=Value1&Name2=value2&param=added", added)
    try verify(
      .get, "https://example.org/demo", ["Host": "EXAMPLE.org:443", "Accept": "application/json, */*"])
    assertFault(.mismatched) {
      try verify(.post, "https://example.com/demo?name1=Value1&Name2=value2", accept)
    }
    assertFault(.mismatched) {
      try verify(.get, "https://example.org/demo", ["Accept": "*/*", "Accept": "application/json"])
    }
  }
}
