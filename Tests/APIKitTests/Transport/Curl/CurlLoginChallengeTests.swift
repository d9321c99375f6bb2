#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// Logins by challenge over libcurl.
  final class CurlLoginChallengeTests: XCTestCase {
    private let right = HTTPLogin(user: "flight", password: "landing")

    private static func field(_ login: HTTPLogin) -> String {
      "Basic " + Data("\(login.user):\(login.password)".utf8).base64EncodedString()
    }

    private func server(realm: String = "Hangar") throws -> ScriptedServer {
      let field = Self.field(right)
      let server = try ScriptedServer.serving { request in
        request.headers["Authorization"] == field
          ? ScriptedServer.response(text: request.text + " in")
          : ScriptedServer.response(401, ["WWW-Authenticate": "Basic realm=\"\(realm)\""], text: "out")
      }
      addTeardownBlock { server.stop() }
      return server
    }

    private func transport(
      _ handler: ChallengeHandler?, logins: (any LoginStore)? = nil
    ) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.challenges = handler
      configuration.logins = logins
      return try CurlTransport(configuration)
    }

    /// A handler that says nothing until its task is cancelled.
    private func silent(_ asked: Record<String>) -> ChallengeHandler {
      ChallengeHandler { _ in
        asked.add("asked")
        try? await Task.sleep(for: .seconds(60))
        asked.add("cancelled")
        return .default
      }
    }

    func testWaitingForTheApplicationCountsAsTheLoadsTime() async throws {
      for isConfigured in [false, true] {
        let asked = Record<String>()
        var configuration = TransportConfiguration.ephemeral
        configuration.challenges = silent(asked)
        if isConfigured { configuration.timeouts.total = .milliseconds(300) }
        let transport = try CurlTransport(configuration)
        var request = HTTPRequest(url: try server().url("/"))
        if !isConfigured { request.timeouts.total = .milliseconds(300) }
        let start = ContinuousClock.now
        let error = await failure { [request] in try await transport.send(request) }
        XCTAssertEqual(error?.reason, .totalTimeout, "\(error?.description ?? "")")
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(5))
        await waitUntil { asked.all == ["asked", "cancelled"] }
      }
    }

    func testWaitingForTheApplicationBeforeARedirectCountsForTheRequestsBehindIt() async throws {
      let field = Self.field(right)
      let server = try ScriptedServer.serving { request in
        if request.target == "/slow" {
          // A server that needs time: more than the application has left.
          Thread.sleep(forTimeInterval: 0.7)
          return ScriptedServer.response(text: "late")
        }
        return request.headers["Authorization"] == field
          ? ScriptedServer.response(302, ["Location": "/slow"])
          : ScriptedServer.response(401, ["WWW-Authenticate": "Basic realm=\"Hangar\""], text: "out")
      }
      defer { server.stop() }
      let right = right
      let transport = try transport(
        ChallengeHandler { _ in
          try? await Task.sleep(for: .milliseconds(700))
          return .use(.login(right))
        })
      var request = HTTPRequest(url: try server.url("/"))
      request.timeouts.total = .milliseconds(1100)
      let client = HTTPClient(transport: transport)
      let error = await failure { [request] in try await client.send(HTTPExchange(request)) }
      XCTAssertEqual(error?.reason, .totalTimeout, "\(error as Any)")
    }

    func testShutdownEndsWhatWaitsForTheApplicationAndFinishWaitsForIt() async throws {
      let asked = Record<String>()
      let transport = try transport(silent(asked))
      let url = try server().url("/")
      let ends = Record<APIError.Reason?>()
      let sent = Task { ends.add(await failure { try await transport.send(HTTPRequest(url: url)) }?.reason) }
      _ = transport.start(HTTPExchange(HTTPRequest(url: url))) { result in
        if case .failure(let error) = result { ends.add(error.reason) }
      }
      await waitUntil { asked.all == ["asked"] }
      await transport.shutdown()
      await sent.value
      await waitUntil { ends.all.count == 2 }
      XCTAssertEqual(ends.all, [.transportStopped, .transportStopped])

      let gate = StubGate()
      let right = right
      let patient = try self.transport(
        ChallengeHandler { _ in
          asked.add("waits")
          _ = await gate.arrive()
          return .use(.login(right))
        })
      let landed = Task { try await patient.send(HTTPRequest(url: url)).status }
      await waitUntil { asked.all.contains("waits") }
      let open = try ScriptedServer.serving { _ in ScriptedServer.response(text: "open") }
      defer { open.stop() }
      let finishing = Task { await patient.finish() }
      // Nothing new is taken from here on.
      while let response = try? await patient.send(HTTPRequest(url: open.url())) {
        XCTAssertEqual(response.status, 200)
      }
      gate.open()
      let status = try await landed.value
      XCTAssertEqual(status, 200, "what was under way is brought to its end")
      await finishing.value
    }

    func testALoginIsAskedForAndThenSentAtOnceWhereItCounts() async throws {
      let (server, asked) = (try server(), Record<AuthenticationChallenge>())
      let right = right
      let transport = try transport(
        ChallengeHandler { challenge in
          asked.add(challenge)
          return .use(.login(right))
        })
      for path in ["/a/one", "/a/two", "/a/b/three", "/other"] {
        let response = try await transport.send(HTTPRequest(url: server.url(path)))
        XCTAssertEqual(response.status, 200, path)
        XCTAssertTrue(response.isPersonal)
      }
      XCTAssertEqual(asked.all.count, 1, "a realm's login is known")
      XCTAssertEqual(asked.all.first?.space.realm, "Hangar")
      XCTAssertEqual(asked.all.first?.previousFailures, 0)
      let sent = server.requests.map {
        "\($0.target) \($0.headers["Authorization"] == nil ? "without" : "with")"
      }
      XCTAssertEqual(
        sent,
        [
          "/a/one without", "/a/one with", "/a/two with", "/a/b/three with", "/other without", "/other with",
        ])
    }

    func testALoginThatIsRefusedIsAskedForAgainAndTheBodyIsSentAgain() async throws {
      let (server, failures) = (try server(), Record<Int>())
      let right = right
      let transport = try transport(
        ChallengeHandler { challenge in
          failures.add(challenge.previousFailures)
          return .use(
            .login(
              failures.all.count < 3
                ? HTTPLogin(user: "flight", password: "wrong\(failures.all.count)") : right))
        })
      let request = HTTPRequest(method: .post, url: try server.url(), body: .bytes(Array("body".utf8)))
      let response = try await transport.send(request)
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "body in")
      XCTAssertEqual(failures.all, [0, 1, 2])
      XCTAssertEqual(server.requests.map(\.text), ["body", "body", "body", "body"])
    }

    func testTheResponseLandsWhereTheApplicationHasNoLoginAndFailsWhereItCancels() async throws {
      let server = try server()
      for answer in [ChallengeAnswer.reject, .default] {
        let transport = try transport(ChallengeHandler { _ in answer })
        let response = try await transport.send(HTTPRequest(url: server.url()))
        XCTAssertEqual(response.status, 401)
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "out")
      }
      let cancelling = try transport(ChallengeHandler { _ in .cancel })
      let error = await failure { try await cancelling.send(HTTPRequest(url: server.url())) }
      XCTAssertEqual(error?.reason, .challengeCancelled)
    }

    func testAHandlerThatNeverKnowsTheLoginIsNotAskedForEver() async throws {
      let (server, asked) = (try server(), Counter())
      let transport = try transport(
        ChallengeHandler { _ in .use(.login(HTTPLogin(user: "flight", password: "wrong\(asked.next())"))) })
      let response = try await transport.send(HTTPRequest(url: server.url()))
      XCTAssertEqual(response.status, 401)
      XCTAssertEqual(server.requests.count, ChallengedExchange.mostAttempts)
    }

    func testABodyThatOpensOnceAndACredentialOfItsOwnAreNotAskedAbout() async throws {
      let (server, asked) = (try server(), Counter())
      let transport = try transport(
        ChallengeHandler { _ in
          _ = asked.next()
          return .default
        })
      let signed = HTTPRequest(url: try server.url(), headers: ["Authorization": "Bearer x"])
      let refused = try await transport.send(signed)
      XCTAssertEqual(refused.status, 401)
      let once = HTTPBodyStream(length: 4) {
        let isOver = Counter()
        return { isOver.next() == 0 ? Array("body".utf8) : nil }
      }
      let response = try await transport.send(
        HTTPRequest(method: .put, url: server.url(), body: .stream(once)))
      XCTAssertEqual(response.status, 401)
      XCTAssertEqual(asked.next(), 0)
    }

    func testAnAcceptedLoginIsStoredAndProposedAndARefusedOneRemoved() async throws {
      let (server, store) = (try server(), MemoryLoginStore())
      let space = ProtectionSpace(try server.url(), realm: "Hangar")
      let right = right
      let first = try transport(ChallengeHandler { _ in .use(.login(right, isStored: true)) }, logins: store)
      _ = try await first.send(HTTPRequest(url: server.url()))
      XCTAssertEqual(store.login(in: space)?.password, "landing")
      let proposed = Record<String?>()
      let handler = ChallengeHandler { challenge in
        proposed.add(challenge.proposed?.user)
        return .default
      }
      let second = try transport(handler, logins: store)
      let response = try await second.send(HTTPRequest(url: server.url()))
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(proposed.all, ["flight"])
      store.store(HTTPLogin(user: "flight", password: "old"), in: space)
      handler.forget()
      let refused = try await second.send(HTTPRequest(url: server.url()))
      XCTAssertEqual(refused.status, 401)
      XCTAssertNil(store.login(in: space), "a login that the server refuses is not proposed again")
    }

    func testALoginThatCannotBeStoredIsToldAndTheResponseLands() async throws {
      let (server, told) = (try server(), Record<APIError.Reason>())
      let right = right
      let handler = ChallengeHandler(loginNotStored: { told.add($0.reason) }) { _ in
        .use(.login(right, isStored: true))
      }
      let store = try FileLoginStore(folder: "/proc/none", key: SecretKey.random())
      let response = try await transport(handler, logins: store).send(HTTPRequest(url: server.url()))
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(told.all, [.credentialStoreFailed])
    }

    func testLoadsThatMeetTheSameLoginAtOnceAskOnce() async throws {
      let (server, asked) = (try server(), Counter())
      let right = right
      let transport = try transport(
        ChallengeHandler { _ in
          _ = asked.next()
          try? await Task.sleep(for: .milliseconds(50))
          return .use(.login(right))
        })
      let url = try server.url()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 { group.addTask { try await transport.send(HTTPRequest(url: url)).status } }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      XCTAssertEqual(statuses, [200])
      XCTAssertEqual(asked.next(), 1)
    }

    func testALoadThatMeetsTheChallengeWhileTheLoginIsTriedUsesIt() async throws {
      let (field, asked) = (Self.field(right), Counter())
      let (tried, late) = (Latch(), Latch())
      let server = try ScriptedServer.serving { request in
        guard request.headers["Authorization"] == field else {
          return ScriptedServer.response(401, ["WWW-Authenticate": "Basic realm=\"Hangar\""], text: "out")
        }
        if request.target == "/first" {
          tried.open()
          late.wait()
        }
        return ScriptedServer.response(text: "in")
      }
      addTeardownBlock { server.stop() }
      let right = right
      let transport = try transport(
        ChallengeHandler { _ in
          _ = asked.next()
          return .use(.login(right))
        })
      let url = try server.url("/first")
      async let first = transport.send(HTTPRequest(url: url)).status
      await waitUntil { tried.isOpened }
      let second = try await transport.send(HTTPRequest(url: server.url("/second"))).status
      late.open()
      let statuses = try await [first, second]
      XCTAssertEqual(statuses, [200, 200])
      XCTAssertEqual(asked.next(), 1)
    }

    func testALoginThatIsRefusedWhileTwoLoadsTryItIsAskedAboutOnceMore() async throws {
      let (right, wrong) = (right, HTTPLogin(user: "flight", password: "crash"))
      let (rightField, wrongField) = (Self.field(right), Self.field(wrong))
      let (tried, bothTried, asked) = (Latch(), Latch(), Counter())
      let server = try ScriptedServer.serving { request in
        if request.headers["Authorization"] == rightField { return ScriptedServer.response(text: "in") }
        if request.headers["Authorization"] == wrongField {
          if request.target == "/first" {
            tried.open()
            bothTried.wait()
          } else {
            bothTried.open()
          }
        }
        return ScriptedServer.response(401, ["WWW-Authenticate": "Basic realm=\"Hangar\""], text: "out")
      }
      addTeardownBlock { server.stop() }
      let transport = try transport(
        ChallengeHandler { _ in .use(.login(asked.next() == 0 ? wrong : right)) })
      let url = try server.url("/first")
      async let first = transport.send(HTTPRequest(url: url)).status
      await waitUntil { tried.isOpened }
      let second = try await transport.send(HTTPRequest(url: server.url("/second"))).status
      let statuses = try await [first, second]
      XCTAssertEqual(statuses, [200, 200])
      XCTAssertEqual(asked.next(), 2)
    }

    func testWhatALoginWasGivenIsInNoCacheUnlessTheApplicationSaysWhoseItIs() async throws {
      let (right, field) = (right, Self.field(right))
      let server = try ScriptedServer.serving { request in
        request.target.contains("open") || request.headers["Authorization"] == field
          ? ScriptedServer.response(200, ["Content-Type": "application/json"], text: "[1]")
          : ScriptedServer.response(401, ["WWW-Authenticate": "Basic realm=\"Hangar\""])
      }
      defer { server.stop() }
      let transport = try transport(ChallengeHandler { _ in .use(.login(right)) })
      let rows: [(String, CachePartition, Bool)] = [
        ("open", .credential, true), ("closed", .credential, false), ("closed", .user { "flight" }, true),
      ]
      for (path, partition, isStored) in rows {
        let count = server.requests.count
        let service = HangarService(
          environments: ServiceEnvironments([.release: try server.url()]),
          wire: WireOptions(client: HTTPClient(transport: transport)),
          cache: CacheOptions(store: ResponseCache(), partition: partition))
        let manager = await HangarManager(service, path)
        _ = try await manager.response([:])
        let asked = server.requests.count
        XCTAssertGreaterThan(asked, count)
        _ = try await manager.response([:])
        XCTAssertEqual(server.requests.count == asked, isStored, "\(path)")
      }
    }

    func testChallengesOfFTPAreRefusedByName() async throws {
      let transport = try transport(nil)
      var exchange = HTTPExchange(HTTPRequest(url: "ftp://127.0.0.1:1/x"))
      exchange.challenges = ChallengeHandler { _ in .default }
      let error = await failure { [exchange] in try await transport.send(exchange) }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
    }
  }

  private struct HangarService: APIService {
    let name = "Hangar"
    let environments: ServiceEnvironments
    let wire: WireOptions
    let cache: CacheOptions
  }

  private final class HangarManager: BaseAPIManager, APIManager {
    let service: HangarService
    let apiName: String
    let cachePolicy = CachePolicy.fresh()

    init(_ service: HangarService, _ apiName: String) {
      self.service = service
      self.apiName = apiName
    }
  }
#endif
