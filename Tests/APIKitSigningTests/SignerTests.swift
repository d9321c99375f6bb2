@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Fails unless `body` throws that fault.
func assertFault<Result>(
  _ fault: SignatureFault, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) {
  XCTAssertThrowsError(try body(), file: file, line: line) { error in
    XCTAssertEqual(error as? SignatureFault, fault, file: file, line: line)
  }
}

extension SigningSubject {
  static func make(
    apiName: String = "rent/list", parameters: Parameters = ["city": "苏州", "beds": 3],
    secondsSince1970: Int = 1_793_613_480, nonce: String = "n-1", attempt: Int = 1
  ) -> SigningSubject {
    SigningSubject(
      apiName: apiName, parameters: parameters, secondsSince1970: secondsSince1970, nonce: nonce,
      attempt: attempt)
  }
}

final class SaltedDigestSignerTests: XCTestCase {
  private let key = SecretKey("k3y")

  func testTheTextThatIsDigestedIsTheDocumentedOne() throws {
    let parameters: Parameters = ["b": "x y", "a": [2, 1]]
    let text = "k3y\nrent/list\na%5B%5D=2&a%5B%5D=1&b=x%20y\nsalt\nk3y"
    let once = SaltedDigestSigner(key: key, salt: "salt", algorithm: .md5, rounds: 1)
    XCTAssertEqual(
      try once.signature(apiName: "rent/list", parameters: parameters),
      Crypto.md5(Array(text.utf8)).map { Hex.encode($0) })
    let thrice = SaltedDigestSigner(key: key, salt: "salt", algorithm: .sha1, rounds: 3)
    let end = Array("saltk3y".utf8)
    let first = try XCTUnwrap(Crypto.sha1(Array(text.utf8)))
    let second = try XCTUnwrap(Crypto.sha1(first + end))
    let digest = try XCTUnwrap(Crypto.sha1(second + end))
    XCTAssertEqual(try thrice.signature(apiName: "rent/list", parameters: parameters), Hex.encode(digest))
  }

  func testEverySettingChangesTheSignature() throws {
    let signatures = try [
      SaltedDigestSigner(key: key), SaltedDigestSigner(key: key, salt: "s"),
      SaltedDigestSigner(key: SecretKey("o")),
      SaltedDigestSigner(key: key, rounds: 3), SaltedDigestSigner(key: key, algorithm: .sha1),
      SaltedDigestSigner(key: key, algorithm: .md5),
    ].map { try $0.signature(apiName: "a", parameters: ["b": 1]) }
    XCTAssertEqual(Set(signatures).count, signatures.count)
    XCTAssertEqual(signatures.map(\.count), [64, 64, 64, 64, 40, 32])
  }

  func testSigningAgainReplacesAndDoesNotAdd() throws {
    let inHeader = SaltedDigestSigner(key: key)
    var request = HTTPRequest(url: "https://a/rent/list?x=1")
    try inHeader.sign(&request, .make())
    try inHeader.sign(&request, .make(parameters: ["beds": 4], attempt: 2))
    XCTAssertEqual(
      request.headers.values("X-Signature"),
      [try inHeader.signature(apiName: "rent/list", parameters: ["beds": 4])])
    XCTAssertEqual(inHeader.volatileParameters, [])

    let inQuery = SaltedDigestSigner(key: key, algorithm: .md5, placement: .query("sign"))
    request = HTTPRequest(url: "https://a/rent/list?x=1&signal=2")
    try inQuery.sign(&request, .make())
    let first = request.url
    try inQuery.sign(&request, .make())
    XCTAssertEqual(request.url, first)
    let signature = try inQuery.signature(apiName: "rent/list", parameters: SigningSubject.make().parameters)
    XCTAssertEqual(request.url.query, "x=1&signal=2&sign=\(signature)")
    XCTAssertEqual(inQuery.volatileParameters, ["sign"])
  }

  func testAServerAcceptsWhatWasSignedFromTheWireAlone() throws {
    let signer = SaltedDigestSigner(key: key, salt: "s", placement: .query("sign"))
    let parameters: Parameters = [
      "z": "a+b c&d=e", "aB": 1, "a": ["b": [3, 1, 2], "é": nil], "f": true, "empty": "", "d": 0.5, "": "x",
    ]
    for spaces in [QueryStyle.Spaces.percent, .plus] {
      var request = HTTPRequest(url: "https://a/rent/list")
      let encoding = ParameterEncoding.query.queryStyle(QueryStyle(spaces: spaces))
      try encoding.apply(parameters, to: &request)
      try signer.sign(&request, .make(parameters: parameters))
      let query = try XCTUnwrap(request.url.query)
      let signature = query.components(separatedBy: "sign=").last
      XCTAssertNoThrow(try signer.verify(signature, apiName: "rent/list", query: query))
      let lowerCase = query.replacing("%2B", with: "%2b")
      XCTAssertNoThrow(try signer.verify(signature, apiName: "rent/list", query: lowerCase))
      assertFault(.mismatched) {
        try signer.verify(signature, apiName: "rent/list", query: query + "&more=1")
      }
      assertFault(.mismatched) {
        try signer.verify(signature, apiName: "rent/list", query: query.replacing("3", with: "4"))
      }
      assertFault(.mismatched) { try signer.verify(signature, apiName: "rent/show", query: query) }
      assertFault(.mismatched) { try signer.verify(signature, apiName: "rent/list", query: "%zz") }
    }
  }

  func testAServerAcceptsTypedParametersAndTheirTexts() throws {
    let signer = SaltedDigestSigner(key: key)
    let signature = try signer.signature(apiName: "a", parameters: ["n": 3, "t": true, "s": "x"])
    XCTAssertNoThrow(
      try signer.verify(signature, apiName: "a", parameters: ["s": "x", "t": "true", "n": "3"]))
    assertFault(.mismatched) { try signer.verify(signature, apiName: "a", parameters: ["s": "x", "n": 3]) }
    assertFault(.mismatched) { try signer.verify("", apiName: "a", parameters: ["n": 3]) }
    assertFault(.missing("X-Signature")) { try signer.verify(nil, apiName: "a", parameters: ["n": 3]) }
  }

  func testNoTwoCallsShareATextThatIsSigned() throws {
    let signer = SaltedDigestSigner(key: key)
    let calls: [(String, Parameters)] = [
      ("a", ["b": "1&c=2"]), ("a", ["b": 1, "c": 2]), ("a\nb=1", [:]), ("a", ["b": [1, 2]]),
      ("a", ["b": [2, 1]]),
      ("a", ["b": 1]), ("a", ["b=1": ""]), ("a", ["b": "1\n"]),
    ]
    let signatures = try calls.map { try signer.signature(apiName: $0.0, parameters: $0.1) }
    XCTAssertEqual(Set(signatures).count, calls.count)
  }

  func testAnEmptyKeyAndAValueWithoutWordsAreRefused() {
    var request = HTTPRequest(url: "https://a")
    assertFails(.signingFailed, "empty") {
      try SaltedDigestSigner(key: SecretKey("")).sign(&request, .make())
    }
    assertFails(.unencodableParameter, "\"x\"") {
      try SaltedDigestSigner(key: key).sign(&request, .make(parameters: ["x": Double.nan]))
    }
  }
}

final class RegisteredApplicationSignerTests: XCTestCase {
  private let applicationKey = SecretKey("application-7")
  private let sealingKey = SecretKey(bytes: Array(0..<32))

  private func signed(_ parameters: Parameters) throws -> HTTPHeaders {
    var request = HTTPRequest(url: "https://a/rent/list")
    let signer = RegisteredApplicationSigner(
      applicationKey: applicationKey, sealingKey: sealingKey, salt: "s")
    try signer.sign(&request, .make(parameters: parameters))
    try signer.sign(&request, .make(parameters: parameters, attempt: 2))
    XCTAssertEqual(request.headers.count, 2)
    return request.headers
  }

  private func verifier(salt: String = "s", sealingKey: SecretKey? = nil) -> RegisteredApplicationVerifier {
    let known = applicationKey
    return RegisteredApplicationVerifier(sealingKey: sealingKey ?? self.sealingKey, salt: salt) {
      $0 == known
    }
  }

  func testTheServerLearnsTheKeyAndChecksTheDigestWithIt() throws {
    let headers = try signed(["a": 1, "b": "x y"])
    XCTAssertEqual(
      try verifier().verify(headers, apiName: "rent/list", parameters: ["b": "x y", "a": "1"]), applicationKey
    )
    XCTAssertEqual(try verifier().verify(headers, apiName: "rent/list", query: "b=x+y&a=1"), applicationKey)
  }

  func testTheKeyIsSealedAnewEveryTimeAndNeverPlain() throws {
    let first = try signed(["a": 1])
    let second = try signed(["a": 1])
    XCTAssertEqual(first["X-Signature"], second["X-Signature"])
    XCTAssertNotEqual(first["X-Application-Key"], second["X-Application-Key"])
    let sealed = try XCTUnwrap(first["X-Application-Key"].flatMap { Base64.decode($0, .url) })
    XCTAssertFalse(String(decoding: sealed, as: UTF8.self).contains("application-7"))
  }

  func testWhatDoesNotBelongTogetherIsRefused() throws {
    let headers = try signed(["a": 1])
    let other = try signed(["a": 2])
    assertFault(.mismatched) { try verifier().verify(headers, apiName: "rent/list", parameters: ["a": 2]) }
    assertFault(.mismatched) {
      try verifier(salt: "t").verify(headers, apiName: "rent/list", parameters: ["a": 1])
    }
    assertFault(.mismatched) {
      try verifier(sealingKey: .random()).verify(headers, apiName: "rent/list", parameters: ["a": 1])
    }
    var swapped = headers
    swapped["X-Application-Key"] = other["X-Application-Key"]
    assertFault(.mismatched) { try verifier().verify(swapped, apiName: "rent/list", parameters: ["a": 1]) }
    for (name, value) in [("X-Application-Key", "!"), ("X-Application-Key", "AAAA")] {
      var damaged = headers
      damaged[name] = value
      assertFault(.missing(name)) {
        try verifier().verify(damaged, apiName: "rent/list", parameters: ["a": 1])
      }
    }
    for name in ["X-Application-Key", "X-Signature"] {
      var doubled = headers
      doubled.add(name, try XCTUnwrap(other[name]))
      assertFault(.unknown("\(name) twice")) {
        try verifier().verify(doubled, apiName: "rent/list", parameters: ["a": 1])
      }
    }
    assertFault(.missing("X-Signature")) { try verifier().verify([:], apiName: "a", parameters: [:]) }
    let strict = RegisteredApplicationVerifier(sealingKey: sealingKey, salt: "s") { _ in false }
    assertFault(.unknownKey) { try strict.verify(headers, apiName: "rent/list", parameters: ["a": 1]) }
  }

  func testASealingKeyOfTheWrongLengthIsRefused() {
    var request = HTTPRequest(url: "https://a")
    let signer = RegisteredApplicationSigner(applicationKey: applicationKey, sealingKey: SecretKey("short"))
    assertFails(.signingFailed, "5 bytes", "32") { try signer.sign(&request, .make()) }
    XCTAssertTrue(request.headers.isEmpty)
  }
}

final class SigningKeyTests: XCTestCase {
  private let secret = "s3cret-material"

  func testAKeyNeverShows() {
    let key = SecretKey(secret)
    var dumped = ""
    dump(key, to: &dumped)
    for text in [
      "\(key)", String(describing: key), String(reflecting: key), "\([key])", "\(Optional(key) as Any)",
      dumped,
    ] {
      assertHidden(text)
    }
    XCTAssertEqual("\(key)", "•••")
    XCTAssertEqual(Mirror(reflecting: key).children.count, 0)
  }

  func testSignersShowNeitherKeyNorSalt() throws {
    let key = SecretKey(secret)
    let values: [Any] = [
      HMACSigner(key: key, keyID: "id"), SaltedDigestSigner(key: key, salt: secret),
      RegisteredApplicationSigner(applicationKey: key, sealingKey: .random(), salt: secret),
      RegisteredApplicationVerifier(sealingKey: key, salt: secret) { _ in true },
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] { assertHidden(text) }
    }
  }

  func testErrorsOfSigningShowNoKey() {
    let signers: [any RequestSigner] = [
      RegisteredApplicationSigner(applicationKey: SecretKey(secret), sealingKey: SecretKey(secret)),
      HMACSigner(key: SecretKey(secret)),
    ]
    for signer in signers {
      var request = HTTPRequest(method: .post, url: "https://a", body: .stream(HTTPBodyStream { { nil } }))
      do {
        try signer.sign(&request, .make())
        XCTFail("\(signer) signed")
      } catch {
        assertHidden(error.description + error.expandedDescription + "\(error)")
      }
    }
  }

  func testKeysAreReadFromTheirWrittenForms() {
    XCTAssertEqual(SecretKey(hex: "00fF"), SecretKey(bytes: [0, 255]))
    XCTAssertEqual(SecretKey(base64: "AP8="), SecretKey(bytes: [0, 255]))
    XCTAssertNil(SecretKey(hex: "0"))
    XCTAssertNil(SecretKey(base64: "AP8"))
    XCTAssertNotEqual(SecretKey("a"), SecretKey("b"))
    XCTAssertNotEqual(SecretKey.random(), SecretKey.random())
    XCTAssertEqual(SecretKey.random(count: 8).withBytes(\.count), 8)
  }

  private func assertHidden(_ text: String, file: StaticString = #filePath, line: UInt = #line) {
    XCTAssertFalse(text.contains(secret), text, file: file, line: line)
    // The first three bytes as a reflection of an array would list them.
    XCTAssertFalse(text.contains("115, 51, 99"), text, file: file, line: line)
    XCTAssertFalse(text.contains("- 115\n"), text, file: file, line: line)
  }
}
