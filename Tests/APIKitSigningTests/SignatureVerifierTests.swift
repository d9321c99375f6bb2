#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit
  @testable import APIKitSigning

  /// What the signers send is verified by a program that was written from Docs/Signing.md.
  final class SignatureVerifierTests: XCTestCase {
    // MARK: Vectors

    func testTheVectorsOfTheGuideAreSignaturesForBothSides() throws {
      let guide = try String(
        contentsOf: PackageFolder.url.appendingPathComponent("Docs/Signing.md"), encoding: .utf8)
      let blocks = guide.components(separatedBy: "```json\n").dropFirst()
      let vectors = try blocks.map { try RawData(parsing: $0.components(separatedBy: "```")[0]) }
      XCTAssertEqual(
        vectors.map(\.scheme.string),
        ["hmac", "hmac", "salted-digest", "salted-digest", "registered-application"])
      XCTAssertEqual(try verdicts(of: vectors), vectors.map { _ in "" })
      for vector in vectors { XCTAssertNoThrow(try verify(vector), vector.scheme.string ?? "") }
    }

    func testTheTextInTheGuideIsThatOfTheFirstVector() throws {
      let guide = try String(
        contentsOf: PackageFolder.url.appendingPathComponent("Docs/Signing.md"), encoding: .utf8)
      let text = try XCTUnwrap(guide.firstMatch(of: /```\n(APIKIT-HMAC-SHA256\n[^`]*)\n```/)).1
      let signature = Hex.encode(Crypto.HMACKey(Array("correct horse".utf8)).code(Array(text.utf8)))
      XCTAssertTrue(guide.contains(#"["X-Signature", "\#(signature)"]"#), "\(text)")
    }

    /// Verifies a vector as a server in Swift.
    private func verify(_ vector: RawData) throws {
      func key(_ raw: RawData) throws -> SecretKey { try XCTUnwrap(SecretKey(hex: try raw.require())) }
      var request = HTTPRequest(
        method: HTTPMethod(rawValue: try vector.request.method.require()),
        url: try HTTPURL("https://api.test:8443" + (try vector.request.target.require(String.self))))
      for field in vector.request.headers.elements {
        request.headers.add(try field[0].require(), try field[1].require())
      }
      if let body = vector.request.body.string { request.body = .bytes(Array(body.utf8)) }
      let base = (vector.base_path.string ?? "/").count
      let name = String(request.url.path.dropFirst(base == 1 ? 1 : base + 1))
      let algorithms: [String: SaltedDigestSigner.Algorithm] = ["md5": .md5, "sha256": .sha256]
      switch vector.scheme.string {
      case "hmac":
        let signer = HMACSigner(
          key: try key(vector.key), keyID: try vector.key_id.require(),
          signedHeaders: try vector.signed_headers.require(arrayOf: String.self))
        try signer.verify(request, now: 1_793_613_480)
        var again = request
        try signer.sign(
          &again,
          .make(secondsSince1970: 1_793_613_480, nonce: try XCTUnwrap(request.headers["X-Nonce"])))
        XCTAssertEqual(again.headers["X-Signature"], request.headers["X-Signature"])
      case "salted-digest":
        let inQuery = vector.query_name.string
        let signer = SaltedDigestSigner(
          key: try key(vector.key), salt: try vector.salt.require(),
          algorithm: try XCTUnwrap(algorithms[try vector.algorithm.require()]),
          rounds: try vector.rounds.require(),
          placement: inQuery.map { .query($0) } ?? .header("X-Signature"))
        guard let inQuery else {
          return try signer.verify(
            request.headers["X-Signature"], apiName: name, query: request.url.query ?? "")
        }
        // The body of JSON as the client states it.
        let parameters: Parameters = [
          "page": 2, "beds": 3, "area": 1e20, "new": true, "note": ParameterValue.null,
          "at": ["lat": 38.5, "tags": ["a", "b"]] as ParameterValue,
        ]
        let pairs = try XCTUnwrap(PercentEncoding.pairs(of: request.url.query ?? ""))
        try signer.verify(
          pairs.last { $0.name == inQuery }?.value, apiName: name, parameters: parameters)
      default:
        let registered = try key(vector.registered[0])
        let verifier = RegisteredApplicationVerifier(
          sealingKey: try key(vector.sealing_key), salt: try vector.salt.require()
        ) { $0 == registered }
        try verifier.verify(request.headers, apiName: name, query: request.url.query ?? "")
      }
    }

    // MARK: Random requests

    func testARandomRunOfHMACSignaturesIsVerifiedFromTheWireAlone() throws {
      var random = Lots(seed: 7)
      var cases: [RawData] = []
      for _ in 0..<300 {
        let keyID = random.pick(["", "demo", "k-\(random.text())"])
        let bytes = random.bytes(1...80)
        let names = ["Host", "Content-Type", "X-Tag", "X-None", "X-Nonce"].filter { _ in random.flips() }
        let signer = HMACSigner(key: SecretKey(bytes: bytes), keyID: keyID, signedHeaders: names)
        let query = (0..<random.below(6)).map { _ in random.pair() }.joined(separator: "&")
        let host = random.pick(["api.test", "api.test:8443", "[::1]:81", "api.test:443"])
        var request = HTTPRequest(
          method: random.pick([.get, .post, .delete]),
          url: try HTTPURL("https://\(host)/" + random.path() + (random.flips() ? "" : "?" + query)))
        for _ in 0..<random.below(3) {
          request.headers.add(
            random.pick(["X-Tag", "x-tag"]), random.pick([" a ", "b, c\t", "", "é  e", " , "]))
        }
        if random.flips() { request.headers.add("Content-Type", "application/json; charset=utf-8") }
        if random.flips() { request.body = .bytes(random.bytes(1...200)) }
        try signer.sign(&request, .make(nonce: random.text(of: "0123456789abcdef", 32)))
        cases.append(
          try RawData(plain: [
            "scheme": "hmac", "key": Hex.encode(bytes), "key_id": signer.keyID,
            "signed_headers": names.map { $0.lowercased() }.filter { $0 != "x-nonce" }, "now": 1_793_613_480,
            "request": wire(request),
          ]))
      }
      try assertVerified(cases)
    }

    @MainActor func testARandomRunOfSaltedDigestsIsVerifiedFromTheWireAlone() async throws {
      var random = Lots(seed: 15)
      var cases: [RawData] = []
      for _ in 0..<200 {
        let key = random.bytes(1...40)
        let (salt, rounds) = (random.text(), 1 + random.below(4))
        let (algorithm, name) = random.pick([
          (SaltedDigestSigner.Algorithm.sha256, "sha256"), (.sha1, "sha1"),
        ])
        let inQuery = random.pick([nil, "sign", "s [é]"])
        let style = random.style()
        let isJSON = random.flips()
        let signer = SaltedDigestSigner(
          key: SecretKey(bytes: key), salt: salt, algorithm: algorithm, rounds: rounds,
          placement: inQuery.map { .query($0) } ?? .header("X-Signature"),
          style: isJSON ? QueryStyle() : style)
        let (request, base) = try await load(&random, signer, isJSON ? nil : style)
        var one: [String: Any] = [
          "scheme": "salted-digest", "key": Hex.encode(key), "salt": salt, "algorithm": name,
          "rounds": rounds,
          "base_path": base, "request": wire(request),
        ]
        one["query_name"] = inQuery
        cases.append(try RawData(plain: one))
      }
      try assertVerified(cases)
    }

    @MainActor func testARandomRunOfRegisteredApplicationsIsVerifiedFromTheWireAlone() async throws {
      var random = Lots(seed: 32)
      var cases: [RawData] = []
      for _ in 0..<100 {
        let (key, seal) = (random.bytes(1...60), random.bytes(32...32))
        let (salt, rounds, style) = (random.text(), 1 + random.below(3), random.style())
        let isJSON = random.flips()
        let signer = RegisteredApplicationSigner(
          applicationKey: SecretKey(bytes: key), sealingKey: SecretKey(bytes: seal), salt: salt,
          rounds: rounds,
          style: isJSON ? QueryStyle() : style)
        let (request, base) = try await load(&random, signer, isJSON ? nil : style)
        let verifier = RegisteredApplicationVerifier(
          sealingKey: SecretKey(bytes: seal), salt: salt, rounds: rounds, style: style
        ) { $0 == SecretKey(bytes: key) }
        if request.body.isEmpty {
          let below = String(request.url.path.dropFirst(base == "/" ? 1 : base.count + 1))
          try verifier.verify(request.headers, apiName: below, query: request.url.query ?? "")
        }
        cases.append(
          try RawData(plain: [
            "scheme": "registered-application", "sealing_key": Hex.encode(seal),
            "registered": [Hex.encode(key)],
            "salt": salt, "algorithm": "sha256", "rounds": rounds, "base_path": base,
            "request": wire(request),
          ]))
      }
      try assertVerified(cases)
    }

    /// A load of random parameters to a random path, with places in it; as JSON where there is no style.
    @MainActor private func load(
      _ random: inout Lots, _ signer: any RequestSigner, _ style: QueryStyle?
    ) async throws -> (request: HTTPRequest, base: String) {
      let stub = StubTransport(.json("{}"))
      var service = TestService(stub)
      let base = random.pick(["", "/api", "/a%20b/c"])
      service.environments = ServiceEnvironments(try HTTPURL("https://homes.test" + base))
      service.apiVersion = random.pick(["", "v2"])
      service.common = random.flips() ? ["app": "demo é"] : [:]
      service.signer = signer
      let manager = TestManager(service)
      manager.apiName = random.pick(["rent/list", "/rent/苏 州/{id}", "{id}/a%2Fb", "x/{id}/é(1)", "list/"])
      manager.method = .post
      if let style {
        manager.ownEncoding = random.pick([.query.queryStyle(style), .form.queryStyle(style)])
      } else {
        manager.ownEncoding = random.pick([.json, .json.inURL("a", "app")])
      }
      var parameters = random.parameters(depth: 2, plainLists: style.map { $0.arrays == .commas } ?? false)
      // The order of a pair in the query and one of the same name in the body is nobody's.
      if style == nil { parameters["a[]"] = nil }
      parameters["id"] = .string(random.pick(["7", "a/b", "ü%", "{}", " "]))
      _ = try await manager.response(parameters)
      let whole = [base, service.apiVersion].filter { !$0.isEmpty }.joined(separator: "/")
      let path = whole.isEmpty || whole.hasPrefix("/") ? whole : "/" + whole
      return (try XCTUnwrap(stub.requests.first), path.isEmpty ? "/" : path)
    }

    // MARK: The other side

    /// Every case is verified, and none once its request is changed.
    private func assertVerified(_ cases: [RawData], line: UInt = #line) throws {
      let verdicts = try verdicts(of: cases)
      XCTAssertEqual(verdicts.count, cases.count, line: line)
      for (verdict, one) in zip(verdicts, cases) where verdict != "" {
        XCTFail("\(verdict): \(one.jsonText())", line: line)
      }
      let changed = try cases.map { one in
        var request = one.request.dictionary ?? [:]
        request["target"] = (one.request.target.string ?? "").replacing(/^\/[^?]*/) { $0.output + "x" }
        var copy = one.dictionary ?? [:]
        copy["request"] = request
        return try RawData(plain: copy)
      }
      XCTAssertFalse(try self.verdicts(of: changed).contains(""), "a changed path is accepted", line: line)
    }

    /// A request as a server receives it.
    private func wire(_ request: HTTPRequest) -> [String: Any] {
      var fields = request.headers.fields.map {
        [$0.name, $0.value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))]
      }
      if !request.headers.contains("Host") {
        let port = request.url.port.map { $0 == 443 ? "" : ":\($0)" } ?? ""
        fields.append(["Host", request.url.hostText + port])
      }
      var wire: [String: Any] = [
        "method": request.method.rawValue, "headers": fields,
        "target": request.url.path + (request.url.query.map { "?" + $0 } ?? ""),
      ]
      if case .bytes(let bytes) = request.body { wire["body_hex"] = Hex.encode(bytes) }
      return wire
    }

    /// What the program says of each case: empty for a signature that matches.
    private func verdicts(of cases: [RawData]) throws -> [String] {
      let folder = temporaryFolder()
      let (input, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
      let text = "[" + cases.map { $0.jsonText() }.joined(separator: ",") + "]"
      try Data(text.utf8).write(to: input)
      try Data().write(to: output)
      let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("verify_signatures.py")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", program.path]
      process.standardInput = try FileHandle(forReadingFrom: input)
      process.standardOutput = try FileHandle(forWritingTo: output)
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus == 127 {
        throw missingTool("python3 is not on PATH")
      }
      XCTAssertEqual(process.terminationStatus, 0)
      return try RawData(parsing: Array(try Data(contentsOf: output))).require(arrayOf: String.self)
    }
  }

  /// Random parts of requests, the same in every run.
  private struct Lots {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func below(_ limit: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((value ^ (value >> 31)) % UInt64(limit))
    }

    mutating func flips() -> Bool { below(2) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
      (0..<(count.lowerBound + below(count.count))).map { _ in UInt8(below(256)) }
    }

    mutating func text(of letters: String = "aB9-._~ %+&=[],;/?#é苏\u{301}🏠", _ count: Int? = nil) -> String {
      let scalars = Array(letters.unicodeScalars)
      var text = String.UnicodeScalarView()
      for _ in 0..<(count ?? below(7)) { text.append(pick(scalars)) }
      return String(text)
    }

    mutating func path() -> String { pick(["", "v2/rents", "r%20s/7", "a;b=1,c/(d)", "%E8%8B%8F//x"]) }

    /// A part of a query as some server's page might have it.
    mutating func pair() -> String {
      pick(["a=1", "b=2&a=9", "", "a", "=", "ab=%20", "A=1", "a%5B%5D=3", "z=a=b", "b=é".encoded])
    }

    mutating func style() -> QueryStyle {
      QueryStyle(
        arrays: pick([.brackets, .repeated, .indexed, .commas]), objects: pick([.brackets, .dotted]),
        booleans: pick([.literal, .numeric]), dates: pick([.iso8601, .seconds]),
        nulls: pick([.omitted, .empty, .literal]), spaces: pick([.percent, .plus]), sortsKeys: flips())
    }

    mutating func parameters(depth: Int, plainLists: Bool) -> Parameters {
      var parameters = Parameters()
      for _ in 0..<below(6) {
        let name = pick(["a", "b", "A", "a b", "é", "e\u{301}", "a[]", "", "~", text()])
        parameters[name] = value(depth: depth, plainLists: plainLists)
      }
      return parameters
    }

    private mutating func value(depth: Int, plainLists: Bool) -> ParameterValue {
      switch below(depth > 0 ? 9 : 7) {
      case 0: .string(text())
      case 1: .integer(below(1 << 40) - 1 << 39)
      case 2: .double(pick([0.1, -2, 1e20, 2.5e-7, 123_456.789, 0]))
      case 3: .bool(flips())
      case 4: .null
      case 5: .data(bytes(0...5))
      case 6: .date(Date(timeIntervalSince1970: Double(below(2_000_000_000))))
      case 7:
        // The elements of a joined array are plain and without its separator.
        .array(
          (0..<below(4)).map { index in
            plainLists ? .integer(index) : value(depth: depth - 1, plainLists: false)
          })
      default: .object(parameters(depth: depth - 1, plainLists: plainLists))
      }
    }
  }

  extension String {
    fileprivate var encoded: String { PercentEncoding.component.encode(self) }
  }
#endif
