#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import DemoServer
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  import APIKitOAuth

  /// A credential that two processes share, of which one is killed at each step of a renewal, against a server that
  /// rotates refresh tokens and revokes the grant when one is used again. The other processes are this test program run
  /// again with ``RenewalChildTests`` alone.
  final class RenewalProcessTests: XCTestCase {
    private let grants = Grants()

    private func makeServer() throws -> DemoServer {
      let server = try DemoServer()
      let grants = grants
      server.on(.post, "/token") { request in
        let form = PercentEncoding.pairs(of: Substring(String(decoding: request.body, as: UTF8.self))) ?? []
        return grants.renew(form.first { $0.0 == "refresh_token" }?.1 ?? "")
      }
      server.on(.get, "/me") { request in
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        let isGood = grants.accepts(token, from: request.headers["X-Process"] ?? "")
        return isGood ? .json("{}") : .json("{}", status: 401)
      }
      addTeardownBlock { server.stop() }
      return server
    }

    private func start(
      _ name: String, _ folder: String, _ server: DemoServer, stopsAt step: String = "", loads: Int = 1
    ) throws -> RenewalChild {
      let child = try RenewalChild(
        name, folder: folder,
        environment: [
          "APIKIT_RENEWAL_SERVER": server.url("/").string, "APIKIT_RENEWAL_STEP": step,
          "APIKIT_RENEWAL_LOADS": "\(loads)",
        ])
      addTeardownBlock { child.kill() }
      return child
    }

    /// Two processes hold a refused credential. The first is killed at the step, with the second behind it.
    private func killed(at step: String) async throws -> (result: String, stored: Credential?) {
      let (folder, server) = (temporaryFolder().path, try makeServer())
      let store = try RenewalChildTests.store(folder)
      try store.store(Credential(accessToken: "stale", refreshToken: grants.begin()), of: "default")
      let second = try start("second", folder, server)
      try await second.wait(for: "ready")
      let first = try start("first", folder, server, stopsAt: step == "sent" ? "" : step)
      try await first.wait(for: "ready")
      if step == "sent" { grants.setLate(true) }
      first.go()
      if step == "sent" {
        let isAsked = await waitUntil { self.grants.asked == 1 }
        XCTAssertTrue(isAsked)
        grants.setLate(false)
      } else {
        try await first.wait(for: step)
      }
      second.go()
      try await second.wait(for: "waits")
      first.kill()
      return (try await second.result(), try store.credential(of: "default"))
    }

    @discardableResult private func waitUntil(_ condition: () -> Bool) async -> Bool {
      for _ in 0..<4000 where !condition() { try? await Task.sleep(for: .milliseconds(5)) }
      return condition()
    }

    func testAProcessKilledBeforeItHasAskedLeavesTheRenewalToTheOther() async throws {
      for step in ["waits", "locked", "read", "asks"] {
        grants.reset()
        let (result, stored) = try await killed(at: step)
        XCTAssertEqual(result, "good", step)
        XCTAssertEqual(grants.asked, 1, step)
        XCTAssertFalse(grants.isRevoked, step)
        XCTAssertEqual(stored?.refreshToken, grants.refreshToken, step)
      }
    }

    func testAProcessKilledAfterItHasStoredLeavesTheNewCredentialToTheOther() async throws {
      for step in ["stored", "done"] {
        grants.reset()
        let (result, stored) = try await killed(at: step)
        XCTAssertEqual(result, "good", step)
        XCTAssertEqual(grants.asked, 1, "\(step): it is taken from the store and not renewed again")
        XCTAssertFalse(grants.isRevoked, step)
        XCTAssertEqual(stored?.refreshToken, grants.refreshToken, step)
      }
    }

    /// The new refresh token was lost with the process, so nobody has one any more; that ends once and cleanly.
    func testAProcessKilledBetweenTheResponseAndTheStoreEndsTheGrantAndANewSignInIsPossible() async throws {
      for step in ["sent", "answered"] {
        grants.reset()
        let (result, stored) = try await killed(at: step)
        XCTAssertEqual(result, "auth.refresh-failed oauth-invalid-grant", step)
        XCTAssertEqual(grants.asked, 2, step)
        XCTAssertTrue(grants.isRevoked, step)
        XCTAssertNil(stored, "\(step): a credential that is of no use is not kept")

        let (folder, server) = (temporaryFolder().path, try makeServer())
        let store = try RenewalChildTests.store(folder)
        try store.store(Credential(accessToken: "stale", refreshToken: grants.begin()), of: "default")
        let third = try start("third", folder, server)
        third.go()
        let again = try await third.result()
        XCTAssertEqual(again, "good", step)
      }
    }

    func testTwoProcessesThatRenewAgainAndAgainUseNoRefreshTokenTwice() async throws {
      let (folder, server) = (temporaryFolder().path, try makeServer())
      let store = try RenewalChildTests.store(folder)
      try store.store(Credential(accessToken: "stale", refreshToken: grants.begin()), of: "default")
      let children = try ["first", "second"].map { try start($0, folder, server, loads: 60) }
      for child in children { try await child.wait(for: "ready") }
      for child in children { child.go() }
      for child in children {
        let result = try await child.result()
        XCTAssertEqual(result, "good")
      }
      XCTAssertFalse(grants.isRevoked, "a refresh token was used twice")
      XCTAssertGreaterThan(grants.asked, 5)
      XCTAssertEqual(try store.credential(of: "default")?.refreshToken, grants.refreshToken)
    }
  }

  /// An authorization server's book: one grant, whose refresh token is valid once.
  private final class Grants: Sendable {
    private struct State {
      var number = 0
      var refreshToken: String?
      var isRevoked = false
      var asked = 0
      var isLate = false
      /// How often each process has used each access token; ten times are accepted.
      var uses: [String: Int] = [:]
      var accessTokens: Set<String> = []
    }
    private let state = Mutex(State())

    var asked: Int { state.withLock { $0.asked } }
    var isRevoked: Bool { state.withLock { $0.isRevoked } }
    var refreshToken: String? { state.withLock { $0.refreshToken } }
    func setLate(_ isLate: Bool) { state.withLock { $0.isLate = isLate } }
    func reset() { state.withLock { $0 = State(number: $0.number) } }

    /// A user signs in; the refresh token.
    func begin() -> String {
      state.withLock { state in
        state.number += 1
        state.isRevoked = false
        state.refreshToken = "refresh-\(state.number)"
        return "refresh-\(state.number)"
      }
    }

    func renew(_ token: String) -> DemoResponse {
      state.withLock { state in
        state.asked += 1
        guard token == state.refreshToken else {
          state.isRevoked = true
          (state.refreshToken, state.accessTokens) = (nil, [])
          return .json(#"{"error": "invalid_grant"}"#, status: 400)
        }
        state.number += 1
        let (access, refresh) = ("access-\(state.number)", "refresh-\(state.number)")
        state.accessTokens.insert(access)
        state.refreshToken = refresh
        var response = DemoResponse.json(
          #"{"access_token": "\#(access)", "token_type": "Bearer", "refresh_token": "\#(refresh)"}"#)
        if state.isLate { response.delay = .seconds(60) }
        return response
      }
    }

    func accepts(_ token: String, from process: String) -> Bool {
      state.withLock { state in
        guard state.accessTokens.contains(token) else { return false }
        state.uses["\(process) \(token)", default: 0] += 1
        return state.uses["\(process) \(token)", default: 0] <= 10
      }
    }
  }

  /// The other process: what it has done stands in a file, a line for each step.
  private final class RenewalChild: Sendable {
    private let process: Process
    private let book: String

    init(_ name: String, folder: String, environment: [String: String]) throws {
      book = folder + "/" + name
      process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
      #if os(Linux)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      #endif
      process.arguments = ["\(String(reflecting: RenewalChildTests.self))/testBeTheOtherProcess"]
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        .merging(["APIKIT_RENEWAL_FOLDER": folder, "APIKIT_RENEWAL_NAME": name]) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    /// Lets it load.
    func go() { _ = FileManager.default.createFile(atPath: book + ".go", contents: nil) }

    func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

    private var steps: [Substring] {
      ((try? String(contentsOfFile: book, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    func wait(for step: String) async throws {
      for _ in 0..<6000 where !steps.contains(Substring(step)) { try await Task.sleep(for: .milliseconds(5)) }
      XCTAssertTrue(steps.contains(Substring(step)), "\(step) was not reached: \(steps)")
    }

    /// What it says of its loads.
    func result() async throws -> String {
      try await wait(for: "end")
      return steps.first { $0.hasPrefix("result ") }.map { String($0.dropFirst("result ".count)) } ?? "none"
    }
  }

  /// Not a test of its own: what the other processes of ``RenewalProcessTests`` do.
  final class RenewalChildTests: XCTestCase {
    static func store(_ folder: String) throws -> FileCredentialStore {
      try FileCredentialStore(
        folder: folder + "/credentials", key: SecretKey(bytes: Array(repeating: 7, count: 32)))
    }

    @MainActor func testBeTheOtherProcess() async throws {
      let environment = ProcessInfo.processInfo.environment
      guard let folder = environment["APIKIT_RENEWAL_FOLDER"], let name = environment["APIKIT_RENEWAL_NAME"],
        let server = environment["APIKIT_RENEWAL_SERVER"]
      else { throw XCTSkip("runs as the child of RenewalProcessTests") }
      let diary = Diary(folder + "/" + name, stopsAt: environment["APIKIT_RENEWAL_STEP"] ?? "")
      let oauth = OAuthClient(
        OAuthConfiguration(clientID: "app", tokenEndpoint: try HTTPURL(server + "token")), client: .shared)
      let authenticator = Authenticator(store: WatchedStore(try Self.store(folder), diary)) { old in
        diary.reach("asks")
        let new = try await oauth.renew(old)
        diary.reach("answered")
        return new
      }
      let service = RenewalService(
        environments: ServiceEnvironments(try HTTPURL(server)),
        identity: ServiceIdentity(authenticator: authenticator),
        process: name)
      diary.reach("ready")
      while !FileManager.default.fileExists(atPath: folder + "/" + name + ".go") {
        try await Task.sleep(for: .milliseconds(2))
      }
      let count = Int(environment["APIKIT_RENEWAL_LOADS"] ?? "") ?? 1
      diary.reach("result " + (await load(service, count)))
      diary.reach("end")
    }

    @MainActor private func load(_ service: RenewalService, _ count: Int) async -> String {
      for _ in 0..<count {
        do throws(APIError) { _ = try await RenewalManager(service).response() } catch {
          return error.label + ((error.underlying as? APIError).map { " \($0.reason)" } ?? "")
        }
      }
      return "good"
    }
  }

  /// Where a process writes what it has done. At one step it stops, for its parent to kill it.
  private final class Diary: Sendable {
    private let file: Int32
    private let last: String

    init(_ path: String, stopsAt last: String) {
      file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      self.last = last
    }

    func reach(_ step: String) {
      _ = (step + "\n").withCString { write(file, $0, strlen($0)) }
      while step == last { pause() }
    }
  }

  private final class WatchedStore: CredentialStore {
    private let base: FileCredentialStore
    private let diary: Diary
    private let isLocked = Mutex(false)

    init(_ base: FileCredentialStore, _ diary: Diary) {
      self.base = base
      self.diary = diary
    }

    func credential(of account: String) throws(APIError) -> Credential? {
      let credential = try base.credential(of: account)
      if isLocked.withLock({ $0 }) { diary.reach("read") }
      return credential
    }

    func store(_ credential: Credential?, of account: String) throws(APIError) {
      try base.store(credential, of: account)
    }

    func replace(
      _ expected: Credential?, with new: Credential?, of account: String
    ) throws(APIError) -> Bool {
      let isReplaced = try base.replace(expected, with: new, of: account)
      diary.reach("stored")
      return isReplaced
    }

    func withRenewal<Value: Sendable>(
      of account: String, _ work: @Sendable () async -> Value
    ) async throws(APIError) -> Value {
      diary.reach("waits")
      return try await base.withRenewal(of: account) {
        isLocked.withLock { $0 = true }
        diary.reach("locked")
        let value = await work()
        diary.reach("done")
        isLocked.withLock { $0 = false }
        return value
      }
    }
  }

  private struct RenewalService: APIService {
    let name = "Renewal"
    let environments: ServiceEnvironments
    let identity: ServiceIdentity
    let process: String

    func headers(for call: APICall) -> HTTPHeaders { ["X-Process": process] }
  }

  private final class RenewalManager: BaseAPIManager, APIManager {
    let service: RenewalService
    let apiName = "me"

    init(_ service: RenewalService) { self.service = service }
  }
#endif
