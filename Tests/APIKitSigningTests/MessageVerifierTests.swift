import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// What a verifier of HTTP message signatures refuses, and when the flight asks it.
final class MessageVerifierTests: XCTestCase {
  private let now = 1_700_000_000
  private let request = HTTPRequest(
    method: .get, url: "https://a.test/list?page=1", headers: ["Accept": "application/json"])
  private static let required: [SignatureComponent] = [
    .status, .contentDigest, .method.ofRequest, .targetURI.ofRequest,
  ]

  private func signed(
    _ signature: MessageSigner.Signature? = nil, body: String = #"{"total": 1}"#, status: Int = 200
  ) throws -> HTTPResponse {
    let signature = try signature ?? self.signature()
    var response = HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(body.utf8)))
    try MessageSigner([signature]).sign(
      &response, to: request, .make(secondsSince1970: now, nonce: "n-1"))
    return response
  }

  private func signature(_ algorithm: SignatureKey.Algorithm = .hmacSHA256) throws -> MessageSigner.Signature
  {
    MessageSigner.Signature(
      key: try SignatureTestKeys.pair(algorithm).signing,
      components: [.status, "content-type", .method.ofRequest, .targetURI.ofRequest],
      whereStated: [.contentDigest])
  }

  private func verifier(_ algorithm: SignatureKey.Algorithm = .hmacSHA256) throws -> MessageVerifier {
    MessageVerifier(keys: [try SignatureTestKeys.pair(algorithm).verifying], required: Self.required)
  }

  func testASignedResponseIsBoundToItsRequest() throws {
    let (verifier, response) = (try verifier(), try signed())
    try verifier.verify(response, to: request, secondsSince1970: now)
    let other = HTTPRequest(url: "https://a.test/list?page=2")
    assertFault(.mismatched) { try verifier.verify(response, to: other, secondsSince1970: now) }
    var post = request
    post.method = .post
    assertFault(.mismatched) { try verifier.verify(response, to: post, secondsSince1970: now) }
  }

  func testAServerWithThousandsOfSignaturesOrComponentsIsRefusedSoon() throws {
    let count = 10_000
    let (verifier, good) = (try verifier(), try signed())
    let start = Duration.ofProcessor
    var response = good
    let key = try SignatureTestKeys.pair(.hmacSHA256).verifying.id
    let covered = (0..<count).map { "\"x\($0)\"" }.joined(separator: " ")
    response.headers = HTTPHeaders((0..<count).map { .init("x\($0)", "1") })
    response.headers.add("Signature-Input", "a=(\(covered));created=\(now);keyid=\"\(key)\"")
    response.headers.add("Signature", "a=:AAAA:")
    assertFault(.unknown("\(count) components")) {
      try verifier.verify(response, to: request, secondsSince1970: now)
    }
    response.headers = ["Signature-Input": (0..<count).map { "a\($0)=()" }.joined(separator: ",")]
    response.headers.add("Signature", (0..<count).map { "a\($0)=:AAAA:" }.joined(separator: ","))
    assertFault(.unknownKey) { try verifier.verify(response, to: request, secondsSince1970: now) }
    XCTAssertLessThan(.ofProcessor - start, .seconds(5), "all were compared with each other")
  }

  func testEachFlippedBitOfACoveredPartIsRefused() throws {
    for algorithm in [SignatureKey.Algorithm.hmacSHA256, .ed25519, .ecdsaP256SHA256] {
      let (verifier, response) = (try verifier(algorithm), try signed(signature(algorithm)))
      try verifier.verify(response, to: request, secondsSince1970: now)
      var refused = 0
      func expectRefusal(_ changed: HTTPResponse, _ request: HTTPRequest, _ what: @autoclosure () -> String) {
        refused += 1
        XCTAssertThrowsError(try verifier.verify(changed, to: request, secondsSince1970: now), what())
      }
      for (index, field) in response.headers.fields.enumerated() {
        for bit in 0..<field.value.utf8.count * 8 {
          guard let value = Self.flipped(field.value, bit) else { continue }
          var changed = response
          changed.headers.fields[index].value = value
          // Another spelling of the same field is the same signature: a capital in a key, a space between members.
          guard Self.meaning(of: changed.headers) != Self.meaning(of: response.headers) else { continue }
          expectRefusal(changed, request, "\(field.name), bit \(bit): \(value)")
        }
      }
      for bit in 0..<response.bytes.count * 8 {
        var (changed, bytes) = (response, response.bytes)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        changed.body = .bytes(bytes)
        expectRefusal(changed, request, "body, bit \(bit)")
      }
      for bit in 0..<10 {
        var changed = response
        changed.status ^= 1 << bit
        expectRefusal(changed, request, "status, bit \(bit)")
      }
      for bit in 0..<request.url.string.utf8.count * 8 {
        guard let text = Self.flipped(request.url.string, bit), let url = try? HTTPURL(text),
          url != request.url
        else { continue }
        expectRefusal(response, HTTPRequest(url: url), "url, bit \(bit)")
      }
      XCTAssertGreaterThan(refused, 1500)
    }
  }

  private static func flipped(_ text: String, _ bit: Int) -> String? {
    var bytes = Array(text.utf8)
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return String(wellFormed: bytes, as: UTF8.self)
  }

  /// What the fields say, whatever their spelling.
  private static func meaning(of headers: HTTPHeaders) -> [String?] {
    ["Signature", "Signature-Input", "Content-Digest"].map { name in
      headers[name].flatMap { StructuredFields.canonical($0, as: .dictionary) }
    } + [headers["Content-Type"]?.trimmingSpaces()]
  }

  func testWhatIsMissingTwiceOrUnknownIsRefused() throws {
    let verifier = try verifier()
    func fault(_ change: (inout HTTPResponse) throws -> Void) throws -> SignatureFault? {
      var response = try signed()
      try change(&response)
      do {
        try verifier.verify(response, to: request, secondsSince1970: now)
        return nil
      } catch {
        return error
      }
    }
    func input(_ from: String, _ to: String) throws -> SignatureFault? {
      try fault { response in
        let text = try XCTUnwrap(response.headers["Signature-Input"])
        XCTAssertTrue(text.contains(from), text)
        response.headers["Signature-Input"] = text.replacing(from, with: to)
      }
    }
    XCTAssertNil(try fault { _ in })
    XCTAssertEqual(try fault { $0.headers["Signature"] = nil }, .missing("Signature"))
    XCTAssertEqual(try fault { $0.headers["Signature-Input"] = nil }, .missing("Signature-Input"))
    XCTAssertEqual(try fault { $0.headers["Signature"] = "sig1=AAAA" }, .missing("Signature of sig1"))
    XCTAssertEqual(try fault { $0.headers["Signature"] = "sig1=:AAAA" }, .unreadable("Signature"))
    XCTAssertEqual(try fault { $0.headers["Signature"] = "sig1=:AAAA:" }, .mismatched)
    XCTAssertEqual(try fault { $0.headers.add("Signature", "sig1=:AAAA:") }, .unreadable("Signature"))
    XCTAssertEqual(
      try fault { $0.headers.add("Signature-Input", "sig1=()") }, .unreadable("Signature-Input"),
      "a label twice")
    XCTAssertEqual(try input("keyid=\"test", "keyid=\"rest"), .unknownKey)
    XCTAssertEqual(try input(";created=1700000000", ""), .missing("created"))
    XCTAssertEqual(
      try input("created=1700000000", "created=\"1700000000\""), .unknown("the parameter created"))
    XCTAssertEqual(try input(";nonce", ";more=1;nonce"), .unknown("the parameter more"))
    XCTAssertEqual(try input(";nonce", ";created=1;nonce"), .unreadable("Signature-Input"))
    XCTAssertEqual(try input(";nonce", ";alg=\"none\";nonce"), .otherAlgorithm)
    XCTAssertEqual(try input("\"@status\"", "\"@status\" \"@status\""), .unknown("\"@status\" twice"))
    XCTAssertEqual(
      try input("\"@method\";req", "\"@method\";req \"@method\";req=?1"), .unknown("\"@method\";req twice"))
    XCTAssertEqual(try input("\"@status\"", "\"@state\""), .unknown("\"@state\""))
    XCTAssertEqual(try input("\"content-type\"", "\"content-type\";xx"), .unknown("\"content-type\";xx"))
    XCTAssertEqual(try input("\"content-type\"", "\"Content-Type\""), .unreadable("Signature-Input"))
    XCTAssertEqual(try input("\"content-type\"", "\"x-none\""), .missing("\"x-none\""))
    XCTAssertEqual(try fault { $0.headers["Content-Digest"] = nil }, .missing("\"content-digest\""))
    XCTAssertEqual(try fault { $0.body = .bytes([]) }, .otherBody)
    XCTAssertEqual(try fault { $0.body = .bytes([1]) }, .otherBody)
  }

  func testWhatIsNotCoveredIsRefused() throws {
    var few = try signature()
    few.components = ["content-type", .method.ofRequest, .targetURI.ofRequest]
    let response = try signed(few)
    assertFault(.notCovered("\"@status\"")) {
      try verifier().verify(response, to: request, secondsSince1970: now)
    }
    few = try signature()
    few.whereStated = []
    let undigested = try signed(few)
    assertFault(.notCovered("\"content-digest\"")) {
      try verifier().verify(undigested, to: request, secondsSince1970: now)
    }
    let empty = try signed(few, body: "", status: 204)
    try verifier().verify(empty, to: request, secondsSince1970: now)
  }

  func testASignatureFromAnotherTimeIsRefused() throws {
    let response = try signed()
    var verifier = try verifier()
    try verifier.verify(response, to: request, secondsSince1970: now + 300)
    try verifier.verify(response, to: request, secondsSince1970: now - 300)
    assertFault(.outsideWindow(seconds: 301)) {
      try verifier.verify(response, to: request, secondsSince1970: now + 301)
    }
    assertFault(.outsideWindow(seconds: .min)) {
      try verifier.verify(response, to: request, secondsSince1970: .min)
    }
    verifier.window = 10
    assertFault(.outsideWindow(seconds: -11)) {
      try verifier.verify(response, to: request, secondsSince1970: now - 11)
    }
  }

  func testTheAlgorithmIsThatOfTheKeyWhateverTheMessageSays() throws {
    // The text of a public key, known to all, as the secret of an HMAC.
    let publicText = SignatureTestKeys.rsaPublic
    var forged = try signature()
    forged.key = try SignatureKey(id: "rsa", secret: SecretKey(publicText))
    forged.statesAlgorithm = true
    let response = try signed(forged)
    assertFault(.otherAlgorithm) {
      try verifier(.rsaV15SHA256).verify(response, to: request, secondsSince1970: now)
    }
    forged.statesAlgorithm = false
    let silent = try signed(forged)
    assertFault(.mismatched) {
      try verifier(.rsaV15SHA256).verify(silent, to: request, secondsSince1970: now)
    }
  }

  func testTheDigestIsThatOfTheCodedBody() throws {
    var response = try signed()
    response.headers["Content-Encoding"] = "gzip"
    let coded = response.bytes
    response.body = .bytes(Array("decoded".utf8))
    XCTAssertThrowsError(try verifier().verify(response, to: request, secondsSince1970: now)) {
      XCTAssertTrue("\($0)".contains("before content decoding"), "\($0)")
    }
    response.codedBytes = coded
    try verifier().verify(response, to: request, secondsSince1970: now)
  }

  func testADigestThatNobodyCanCheckIsRefused() {
    assertFault(.unreadable("Content-Digest")) { try ContentDigest.check("md5=:AAAA:", of: []) }
    assertFault(.unreadable("Content-Digest")) { try ContentDigest.check("", of: []) }
    assertFault(.unreadable("Content-Digest")) { try ContentDigest.check("sha-256=AAAA", of: []) }
    let both = ContentDigest.sha256.field(of: [1]) + ", " + ContentDigest.sha512.field(of: [1])
    XCTAssertNoThrow(try ContentDigest.check(both + ", md5=:AAAA:", of: [1]))
    let mixed = ContentDigest.sha256.field(of: [1]) + ", " + ContentDigest.sha512.field(of: [2])
    assertFault(.otherBody) { try ContentDigest.check(mixed, of: [1]) }
  }
}

/// Where the flight asks the verifier.
final class ResponseVerifierFlightTests: XCTestCase {
  /// A server that signs each response, with the digest of what is on the wire.
  private func server(coded: Bool, tampering: Bool) throws -> ScriptedServer {
    let signer = MessageSigner([
      .init(
        key: try SignatureTestKeys.shared(), components: [.status, .method.ofRequest, .path.ofRequest],
        whereStated: [.contentDigest])
    ])
    return try ScriptedServer.serving { received in
      var body = Array(#"{"items": []}"#.utf8)
      var response = HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60"])
      if coded {
        var encoder = GzipEncoder()
        var packed: [UInt8] = []
        encoder.encode(body, into: &packed)
        encoder.finish(into: &packed)
        body = packed
        response.headers["Content-Encoding"] = "gzip"
      }
      response.body = .bytes(body)
      let request = HTTPRequest(
        method: HTTPMethod(rawValue: received.method),
        url: HTTPURL(stringLiteral: "http://127.0.0.1\(received.target)"))
      try? signer.sign(
        &response, to: request, .make(secondsSince1970: Int(WallClock.now), nonce: "n"))
      if tampering {
        response.headers["Signature"] = response.headers["Signature"]?.replacing("sig1=:", with: "sig1=:AAAA")
      }
      return ScriptedServer.response(200, response.headers, body)
    }
  }

  @MainActor
  private func manager(
    _ server: ScriptedServer, _ cache: ResponseCache? = nil, decoders: BodyDecoders = .standard
  ) throws -> TestManager {
    var service = TestService(
      HTTPClient(transport: try DefaultTransport.make(.ephemeral)),
      ServiceEnvironments(HTTPURL(stringLiteral: "http://127.0.0.1:\(server.port)")))
    service.verifier = MessageVerifier(
      keys: [try SignatureTestKeys.shared()],
      required: [.status, .contentDigest, .method.ofRequest, .path.ofRequest])
    service.store = cache
    service.decoders = decoders
    return TestManager(service)
  }

  @MainActor
  func testASignedResponseLandsAlsoWhenItIsCoded() async throws {
    for coded in [false, true] {
      let server = try server(coded: coded, tampering: false)
      defer { server.stop() }
      let response = try await manager(server).response([:])
      XCTAssertEqual(response.raw.items.kind, .array)
      XCTAssertNil(response.http.codedBytes, "the coded body is not kept longer than the check takes")
    }
  }

  @MainActor
  func testATamperedResponseReachesNeitherDecoderNorCache() async throws {
    let server = try server(coded: false, tampering: true)
    defer { server.stop() }
    let cache = ResponseCache()
    var decoders = BodyDecoders()
    let decoder = CountingDecoder()
    decoders.register(decoder, for: "application/json")
    let manager = try manager(server, cache, decoders: decoders)
    manager.cachePolicy = .fresh()
    for _ in 0..<2 {
      do {
        _ = try await manager.response([:])
        XCTFail("a tampered response landed")
      } catch {
        XCTAssertEqual(error.reason, .unverifiedResponse)
        XCTAssertEqual(error.underlying as? SignatureFault, .mismatched)
      }
    }
    XCTAssertEqual(server.requests.count, 2, "nothing was stored")
    XCTAssertEqual(decoder.count.value, 0)
  }
}

private struct CountingDecoder: BodyDecoder {
  let count = Counter()

  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
    count.increment()
    return try RawData(parsing: bytes, limits: limits)
  }
}
