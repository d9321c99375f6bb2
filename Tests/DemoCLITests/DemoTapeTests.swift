import APIKitTransfers
import APIKit
import APIKitOAuth
import APIKitReports
import APIKitXML
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKitTesting
@testable import DemoCLI

/// The demo's APIs on tapes and in archives.
@MainActor final class DemoTapeTests: XCTestCase {
  private lazy var file = temporaryPath("new.har")

  func testRecordingsOfAllDemoAPIsReplayEqualToTheLiveRun() async throws {
    let server = try DemoServer(signatures: .standard())
    var rules = TapeRules()
    // The Sacramento service says in it whether it has succeeded.
    rules.plainNames = ["code"]
    let recorder = try TapeTransport(
      file: file, mode: .record(over: DefaultTransport.shared), rules: rules, pace: .instant,
      time: SystemTime(),
      isCI: false)
    let live = try await loads(over: recorder, at: server.baseURL)
    try recorder.save()
    server.stop()

    let tape = try TapeTransport(file: file, rules: rules)
    let replayed = try await loads(over: tape, at: server.baseURL)
    XCTAssertEqual(live.count, 9 + 3 + 2 + 7 + 2)
    XCTAssertEqual(replayed, live)
    XCTAssertEqual(tape.unused, [])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for key in [DemoSignatures.Keys.sacramento, DemoSignatures.Keys.ames] {
      XCTAssertFalse(text.contains(key))
    }
  }

  func testASignInOfTheDemoReplaysAndItsTokensMatchTheirLaterUse() async throws {
    let server = try DemoServer(signatures: .standard())
    let recorder = try TapeTransport(
      file: file, mode: .record(over: DefaultTransport.shared), rules: TapeRules(), pace: .instant,
      time: SystemTime(), isCI: false)
    let live = try await signIn(over: recorder, at: server.baseURL)
    XCTAssertEqual(live.shown, [200, 302, 200, 200, 200, 200, 200, 401].map(String.init) + ["ann", "ann"])
    try recorder.save()
    server.stop()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    XCTAssertEqual(live.secrets.count, 5)
    for secret in live.secrets { XCTAssertFalse(text.contains(secret), secret) }

    let tape = try TapeTransport(file: file)
    let replayed = try await signIn(over: tape, at: server.baseURL)
    XCTAssertEqual(replayed.shown, live.shown)
    XCTAssertEqual(tape.unused, [])
  }

  /// Every request that a sign-in of the demo makes, its renewal and its end; what they say, and what was secret.
  private func signIn(
    over transport: any HTTPTransport, at base: HTTPURL
  ) async throws -> (shown: [String], secrets: Set<String>) {
    let verifier = String(repeating: "v", count: 43)
    let back = "http://127.0.0.1:9/back"
    var (statuses, users, secrets): ([Int], [String], Set<String>) = ([], [], [])
    func send(_ path: String, form: [(String, String)]? = nil, token: String? = nil) async throws
      -> HTTPResponse
    {
      var request = HTTPRequest(url: try HTTPURL(base.string + path))
      if let form {
        let text = form.map { "\($0.0)=\(PercentEncoding.component.encode($0.1))" }
        request = HTTPRequest(
          method: .post, url: request.url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
          body: .bytes(Array(text.joined(separator: "&").utf8)))
      }
      if let token { request.headers["Authorization"] = "Bearer \(token)" }
      let response = try await transport.send(request)
      statuses.append(response.status)
      return response
    }
    func tokens(_ response: HTTPResponse) throws -> (access: String, refresh: String) {
      let raw = try RawData(parsing: response.bytes)
      let (access, refresh) = (raw.access_token.string ?? "", raw.refresh_token.string ?? "")
      secrets.formUnion([access, refresh])
      return (access, refresh)
    }
    func me(_ token: String) async throws {
      let response = try await send("oauth/me", token: token)
      if let user = try RawData(parsing: response.bytes).user.string { users.append(user) }
    }
    _ = try await send(".well-known/oauth-authorization-server")
    let challenge = ProofKey.challenge(of: verifier)
    let asked = try await send(
      "oauth/authorize?response_type=code&client_id=demo&code_challenge_method=S256&code_challenge=\(challenge)"
        + "&redirect_uri=\(PercentEncoding.component.encode(back))")
    let location = try HTTPURL(asked.headers["Location"] ?? "")
    let pair = location.query?.split(separator: "&").first { $0.hasPrefix("code=") }
    let code = String(try XCTUnwrap(pair).dropFirst(5))
    secrets.insert(code)
    let first = try tokens(
      await send(
        "oauth/token",
        form: [
          ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", back), ("client_id", "demo"),
          ("code_verifier", verifier),
        ]))
    try await me(first.access)
    let second = try tokens(
      await send(
        "oauth/token",
        form: [("grant_type", "refresh_token"), ("refresh_token", first.refresh), ("client_id", "demo")]))
    try await me(second.access)
    _ = try await send("oauth/revoke", form: [("token", second.refresh)])
    try await me(second.access)
    return (statuses.map(String.init) + users, secrets)
  }

  /// `GET feed`: new homes as XML.
  private final class FeedManager: BaseAPIManager, APIManager {
    let service: NewHomesService
    let apiName = "feed"
    let expectation = ResponseExpectation(format: .decoder(XMLBodyDecoder()))
    init(_ service: NewHomesService) { self.service = service }
  }

  /// What every API of the demo says: lists with two pages, a home and a picture each, the new homes as XML, files both
  /// ways, and a list by a pool of addresses. Its events and its WebSocket have no end, so no tape has them.
  private func loads(over transport: any HTTPTransport, at base: HTTPURL) async throws -> [[UInt8]] {
    let wire = WireOptions(client: HTTPClient(transport: transport))
    let cache = CacheOptions(store: nil)
    func environments(_ path: String) throws -> ServiceEnvironments {
      ServiceEnvironments(try HTTPURL(base.string + path))
    }
    let sacramento = SacramentoService(
      environments: try environments("sacramento"), wire: wire, cache: cache)
    let ames = AmesService(environments: try environments("ames"), wire: wire, cache: cache)
    let new = NewHomesService(environments: try environments("new"), wire: wire, cache: cache)
    var bodies: [[UInt8]] = []
    let newHomes = NewHomesManager(new)
    let lists: [any HomesManager] = [SacramentoHomesManager(sacramento), AmesHomesManager(ames), newHomes]
    for list in lists {
      for page in 1...2 { bodies.append(try await list.response(["page": page, "size": 5]).bytes) }
    }
    bodies.append(try await AmesHomeManager(ames).response(["id": "ames-17"]).bytes)
    bodies.append(try await NewHomeManager(new).response(["id": "xf-39"]).bytes)
    let first = try RawData(parsing: bodies[0])["data"].items[0].home_id.lenientString
    bodies.append(
      try await SacramentoHomeManager(sacramento).response(["id": try XCTUnwrap(first)]).bytes)
    bodies.append(try await HomePictureManager(sacramento).response(["id": "sac-17"]).bytes)
    bodies.append(try await HomePictureManager(ames).response(["id": 17]).bytes)
    bodies.append(try await HomePictureManager(new).response(["id": "xf-39"]).bytes)
    let feed = try await FeedManager(new).response()
    bodies.append(feed.bytes)
    bodies.append(Array(feed.raw.homes.home[334].place.string?.utf8 ?? "none".utf8))
    bodies += try await transfers(over: wire.client, at: base)
    if transport.capabilities.contains(.connectTo) {
      let pool = HostPool("homes.demo.test", addresses: [try HostAddress("127.0.0.1:\(base.port ?? 80)")])
      let pooled = NewHomesManager(
        NewHomesService(
          environments: ServiceEnvironments("http://homes.demo.test/new"), wire: wire, cache: cache,
          admission: AdmissionOptions(hosts: pool)))
      for size in [3, 4] { bodies.append(try await pooled.response(["size": size]).bytes) }
    }
    return bodies
  }

  /// Files both ways: a whole one and the rest of one, an upload, a form, and the three requests of tus.
  private func transfers(over client: HTTPClient, at base: HTTPURL) async throws -> [[UInt8]] {
    func send(_ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders = [:], _ body: HTTPBody = .empty)
      async throws -> (shown: [UInt8], location: String)
    {
      let url = path.hasPrefix("http") ? path : base.string + "transfers/" + path
      let request = HTTPRequest(
        method: method, url: try HTTPURL(url), headers: headers, body: body)
      let response = try await client.send(HTTPExchange(request))
      let offset = response.headers["Upload-Offset"] ?? ""
      return (
        Array("\(response.status) \(offset) ".utf8) + response.bytes, response.headers["Location"] ?? ""
      )
    }
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var form = MultipartForm()
    form.append("file", bytes: bytes, fileName: "a.bin")
    let tus: HTTPHeaders = ["Tus-Resumable": "1.0.0"]
    let created = try await send(
      .post, "tus", ["Tus-Resumable": "1.0.0", "Upload-Length": String(bytes.count)])
    let place = created.location.hasPrefix("/") ? "\(base.origin)\(created.location)" : created.location
    return [
      try await send(.get, "files/5000").shown,
      try await send(.get, "files/5000", ["Range": "bytes=4000-"]).shown,
      try await send(.put, "uploads", ["Content-Type": "application/octet-stream"], .bytes(bytes)).shown,
      try await send(.post, "uploads", ["Content-Type": form.contentType], form.body()).shown, created.shown,
      try await send(
        .patch, place,
        ["Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"],
        .bytes(bytes)
      ).shown, try await send(.head, place, tus).shown,
    ]
  }

  func testTheArchiveOfARunHasItsRequestsAndNoSecret() async throws {
    let run = await CommandLineRun("list --size 3 --no-cache --har \(file)")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
    let entries = try HTTPArchive(parsing: bytes).entries
    XCTAssertEqual(Set(entries.compactMap(\.apiName)), ["homes", "listings", "projects"])
    XCTAssertTrue(
      entries.allSatisfy { $0.response?.status == 200 && $0.response?.body.bytes?.isEmpty == false })
    let ames = try XCTUnwrap(entries.first { $0.apiName == "listings" })
    XCTAssertTrue(ames.request.headers.contains { $0.value == "•••" }, "the signature is shown")
    let lost = await CommandLineRun("list --size 3 --no-cache --har /nowhere/at/all.har")
    XCTAssertEqual(lost.status, .wrongUsage)
    XCTAssertEqual(lost.errors.first, "DemoCLI: --har: there is no folder /nowhere/at")
  }
}
