import APIKitTesting
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// HTTP message signatures: what is covered, in which form, and what cannot be signed.
final class MessageSignerTests: XCTestCase {
  private let now = 1_700_000_000

  private func subject() -> SigningSubject { .make(secondsSince1970: now, nonce: "n-1") }

  /// The value of a component as it is signed.
  private func value(_ component: SignatureComponent, _ request: HTTPRequest) throws -> String {
    try SignedMessage(request: request, ownHeaders: request.headers).value(of: component)
  }

  func testEveryAlgorithmSignsWhatItsPublicHalfVerifies() throws {
    for algorithm in SignatureKey.Algorithm.allCases {
      let (signing, verifying) = try SignatureTestKeys.pair(algorithm)
      var request = HTTPRequest(method: .put, url: "https://a.test/x?b=1", body: .bytes([1, 2, 3]))
      try MessageSigner(key: signing).sign(&request, subject())
      let verifier = MessageVerifier(keys: [verifying], required: [.method, .targetURI, .contentDigest])
      XCTAssertEqual(try verifier.verify(request, now: now), ["n-1"], algorithm.rawValue)
      if algorithm != .hmacSHA256 {
        XCTAssertThrowsError(
          try MessageSigner(key: verifying).sign(&request, subject()), "a public key signs nothing")
      }
    }
  }

  func testSigningAgainReplacesTheDigestOfABodyThatIsGone() throws {
    let (signing, verifying) = try SignatureTestKeys.pair(.hmacSHA256)
    let verifier = MessageVerifier(keys: [verifying], required: [.method, .targetURI])
    for digest in ContentDigest.allCases {
      var signer = MessageSigner(key: signing)
      signer.digest = digest
      for empty in [HTTPBody.empty, .bytes([])] {
        var request = HTTPRequest(method: .post, url: "https://a.test/x", body: .bytes([1]))
        try signer.sign(&request, subject())
        request.body = empty
        try signer.sign(&request, subject())
        XCTAssertEqual(request.headers["Content-Digest"], digest.field(of: []))
        XCTAssertEqual(try verifier.verify(request, now: now), ["n-1"])
      }
    }
  }

  func testDerivedComponentsAreThoseOfTheURL() throws {
    let request = HTTPRequest(method: .post, url: "https://Example.test:443/a%20b?x=%C3%A9+1&y=&z")
    XCTAssertEqual(try value(.method, request), "POST")
    XCTAssertEqual(try value(.authority, request), "example.test")
    XCTAssertEqual(try value(.scheme, request), "https")
    XCTAssertEqual(try value(.path, request), "/a%20b")
    XCTAssertEqual(try value(.query, request), "?x=%C3%A9+1&y=&z")
    XCTAssertEqual(try value(.requestTarget, request), "/a%20b?x=%C3%A9+1&y=&z")
    XCTAssertEqual(try value(.targetURI, request), request.url.string)
    XCTAssertEqual(try value(.queryParameter("x"), request), "%C3%A9%201")
    XCTAssertEqual(try value(.queryParameter("y"), request), "")
    XCTAssertEqual(try value(.queryParameter("z"), request), "")
    XCTAssertEqual(
      SignatureComponent.queryParameter("a é~").description, #""@query-param";name="a%20%C3%A9%7E""#)
    let plain = HTTPRequest(url: "http://example.test:8080")
    XCTAssertEqual(try value(.query, plain), "?")
    XCTAssertEqual(try value(.path, plain), "/")
    XCTAssertEqual(try value(.authority, plain), "example.test:8080")
    XCTAssertThrowsError(try value(.queryParameter("x"), HTTPRequest(url: "https://a.test/?x=1&%78=2")))
    XCTAssertThrowsError(try value(.status, plain))
    XCTAssertThrowsError(try value("@unknown", plain))
    XCTAssertThrowsError(try value(SignatureComponent.method.ofRequest, plain))
  }

  func testFieldsAreSignedInTheFormsOfTheRFC() throws {
    let request = HTTPRequest(
      url: "https://a.test",
      headers: [
        "X-Lines": " one ", "X-Lines": "two, three", "Priority": "  u=1,   i",
        "X-Dict": "a=1, b=2;x=1;y=2, c=(a   b)",
        "X-Dict": "d", "Set-Cookie": "a=1", "Set-Cookie": "b=2",
      ], body: .bytes([1, 2]))
    XCTAssertEqual(try value("x-lines", request), "one, two, three")
    XCTAssertEqual(try value(.field("Priority", isStructured: true), request), "u=1, i")
    XCTAssertEqual(try value(.field("x-dict", key: "a"), request), "1")
    XCTAssertEqual(try value(.field("x-dict", key: "b"), request), "2;x=1;y=2")
    XCTAssertEqual(try value(.field("x-dict", key: "c"), request), "(a b)")
    XCTAssertEqual(try value(.field("x-dict", key: "d"), request), "?1")
    XCTAssertEqual(try value(.field("x-lines", isBinary: true), request), ":b25l:, :dHdvLCB0aHJlZQ==:")
    XCTAssertEqual(try value("content-length", request), "2")
    XCTAssertEqual(try value("host", request), "a.test")
    XCTAssertThrowsError(try value(.field("x-dict", key: "e"), request))
    XCTAssertThrowsError(
      try value(.field("x-lines", isStructured: true), request), "no structured field is known")
    XCTAssertThrowsError(try value(.field("x-dict", key: "a", isBinary: true), request))
    XCTAssertThrowsError(try value("set-cookie", request), "lines of cookies cannot be joined")
    XCTAssertThrowsError(try value("x-none", request))
  }

  func testEveryAttemptReplacesItsSignatureAndKeepsThoseOfOthers() throws {
    let key = try SignatureTestKeys.shared()
    let signer = MessageSigner(key: key)
    var request = HTTPRequest(
      url: "https://a.test",
      headers: ["Signature-Input": "proxy=(\"@method\");created=1;keyid=\"p\"", "Signature": "proxy=:AAAA:"])
    try signer.sign(&request, subject())
    try signer.sign(&request, .make(secondsSince1970: now + 60, nonce: "n-2", attempt: 2))
    XCTAssertEqual(
      request.headers.values("Signature-Input"),
      [
        "proxy=(\"@method\");created=1;keyid=\"p\", sig1=(\"@method\" \"@target-uri\");created=1700000060;"
          + "keyid=\"test-shared-secret\";nonce=\"n-2\""
      ])
    XCTAssertEqual(request.headers.values("Signature").count, 1)
    let verifier = MessageVerifier(keys: [key], required: [.method])
    XCTAssertEqual(try verifier.verify(request, now: now + 60), ["n-2"])
  }

  func testALaterSignatureMayCoverAnEarlierOne() throws {
    let (device, deviceKey) = try SignatureTestKeys.pair(.ed25519)
    let app = try SignatureTestKeys.shared()
    var request = HTTPRequest(url: "https://a.test")
    try MessageSigner([
      .init(label: "app", key: app, tag: "app"),
      .init(
        label: "device", key: device, components: [.field("signature", key: "app")], lifetime: 60,
        tag: "device"),
    ]).sign(&request, subject())
    var verifier = MessageVerifier(keys: [app, deviceKey], required: [])
    XCTAssertEqual(try verifier.verify(request, now: now).count, 2)
    verifier.tag = "device"
    XCTAssertEqual(try verifier.verify(request, now: now).count, 1)
    assertFault(.outsideWindow(seconds: 1)) { try verifier.verify(request, now: now + 61) }
    request.headers["Signature"] = request.headers["Signature"]?.replacing("app=:", with: "app=:AAAA")
    XCTAssertThrowsError(try verifier.verify(request, now: now))
  }

  func testABodyThatTheTransportWouldCompressIsCompressedBeforeItIsSigned() throws {
    var request = HTTPRequest(
      method: .post, url: "https://a.test", body: .bytes(Array(String(repeating: "a", count: 1000).utf8)),
      options: HTTPRequestOptions(compressesBody: true))
    try MessageSigner(key: SignatureTestKeys.shared()).sign(&request, subject())
    guard case .bytes(let bytes) = request.body else { return XCTFail("no body in memory") }
    XCTAssertLessThan(bytes.count, 100)
    XCTAssertEqual(request.headers["Content-Encoding"], "gzip")
    XCTAssertFalse(request.options.compressesBody)
    XCTAssertEqual(request.headers["Content-Digest"], ContentDigest.sha256.field(of: bytes))
  }

  func testWhatCannotBeSignedIsRefusedByName() throws {
    let key = try SignatureTestKeys.shared()
    func text(_ signature: MessageSigner.Signature, _ request: HTTPRequest) throws -> String {
      var request = request
      do {
        try MessageSigner([signature]).sign(&request, subject())
        return "signed"
      } catch {
        XCTAssertEqual(error.reason, .signingFailed)
        return error.detail
      }
    }
    let get = HTTPRequest(url: "https://a.test")
    XCTAssertTrue(try text(.init(key: key, components: ["x-missing"]), get).contains("x-missing"))
    XCTAssertTrue(try text(.init(label: "A b", key: key), get).contains("A b"))
    XCTAssertTrue(try text(.init(key: key, tag: "é"), get).contains("no text"))
    let stream = HTTPRequest(
      method: .post, url: "https://a.test", body: .stream(HTTPBodyStream { { nil } }))
    XCTAssertTrue(try text(.init(key: key), stream).contains("streamed body"))
    XCTAssertEqual(try text(.init(key: key, whereStated: []), stream), "signed")
    var broken = get
    broken.headers["X-Break"] = "a\n\"@method\": DELETE"
    XCTAssertTrue(try text(.init(key: key, components: ["x-break"]), broken).contains("visible ASCII"))
    broken.headers["X-Break"] = "é"
    XCTAssertTrue(try text(.init(key: key, components: ["x-break"]), broken).contains("visible ASCII"))
    XCTAssertEqual(
      try text(.init(key: key, components: [.field("x-break", isBinary: true)]), broken), "signed")
    XCTAssertThrowsError(try SignatureKey(id: "a", secret: SecretKey("")))
    XCTAssertThrowsError(try SignatureKey(id: "", secret: SecretKey("a")))
    XCTAssertThrowsError(try SignatureKey(id: "a", algorithm: .ed25519, privateKey: SecretKey("a")))
  }

  func testAKeyOfAnotherKindIsRefused() throws {
    let keys = [
      (SignatureTestKeys.ed25519, SignatureKey.Algorithm.ed25519), (SignatureTestKeys.p256, .ecdsaP256SHA256),
      (SignatureTestKeys.p384, .ecdsaP384SHA384), (SignatureTestKeys.rsa, .rsaPSSSHA512),
    ]
    for (pem, own) in keys {
      for algorithm in SignatureKey.Algorithm.allCases {
        let fits = algorithm == own || own == .rsaPSSSHA512 && algorithm == .rsaV15SHA256
        let key = try? SignatureKey(id: "k", algorithm: algorithm, privateKey: SecretKey(pem))
        XCTAssertEqual(key != nil, fits, "\(own) as \(algorithm)")
      }
    }
    XCTAssertNoThrow(
      try SignatureKey(
        id: "k", algorithm: .rsaPSSSHA512, publicKey: Array(SignatureTestKeys.rsaPKCS1Public.utf8)))
  }

  func testNoTextShowsAKey() throws {
    let key = try SignatureTestKeys.pair(.ed25519).signing
    XCTAssertEqual("\(key)", "test-key-ed25519 (ed25519)")
    var dumped = ""
    dump(key, to: &dumped)
    XCTAssertFalse(dumped.contains("BEGIN"))
    XCTAssertEqual(
      "\(MessageSigner(key: key))", "HTTP message signatures: sig1 with test-key-ed25519 (ed25519)")
    let other = try SignatureKey(id: key.id, secret: SecretKey("other"))
    XCTAssertNotEqual(MessageSigner(key: key).caller, MessageSigner(key: other).caller)
  }

  func testALifetimeBeyondAllTimesIsRefused() throws {
    let key = try SignatureKey(id: "a", secret: SecretKey("secret"))
    var request = HTTPRequest(url: "https://a.test/")
    XCTAssertThrowsError(try MessageSigner([.init(key: key, lifetime: .max)]).sign(&request, subject())) {
      XCTAssertEqual(($0 as? APIError)?.reason, .signingFailed)
    }
  }

  func testAComponentHasEachParameterOnce() {
    let method = SignatureComponent.method.ofRequest
    XCTAssertEqual(method.ofRequest, method)
    XCTAssertEqual(method.ofRequest.description, #""@method";req"#)
    let field = SignatureComponent.field("etag", isBinary: true).inTrailers
    XCTAssertEqual(field.inTrailers.description, #""etag";bs;tr"#)
  }
}
