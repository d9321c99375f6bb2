import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a load asks of the wire, stated above the transport.
extension TransportConformanceTests {
  /// A manager over the transport under test.
  @MainActor private func manager(
    _ server: ScriptedServer, cookies: CookieJar? = nil, at url: HTTPURL? = nil
  ) throws -> TestManager {
    let client = HTTPClient(transport: try transport(), cookies: cookies)
    return TestManager(TestService(client, ServiceEnvironments(try url ?? server.url())))
  }

  /// Loads with options; nil where the transport lacks the capability, and refuses by its name.
  @MainActor private func load(
    _ manager: TestManager, _ options: LoadOptions, needing capability: TransportCapabilities, _ name: String,
    line: UInt = #line
  ) async throws -> APIResponse? {
    if manager.service.client.transport.capabilities.isSuperset(of: capability) {
      return try await manager.response(options: options)
    }
    let error = await failure(line: line) { try await manager.response(options: options) }
    XCTAssertEqual(error?.reason, .unsupportedCapability, line: line)
    XCTAssertEqual(
      error?.detail.contains("(\(name))"), true, "\(error as Any) does not name \(name)", line: line)
    return nil
  }

  @MainActor func testALoadMayHaveItsBodyInAFile() async throws {
    let server = try serving { _ in
      ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}")
    }
    let path = temporaryPath()
    let options = LoadOptions(destination: .file(path: path))
    let response = try await load(try manager(server), options, needing: .fileDownload, "fileDownload")
    guard let response else { return }
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data("{}".utf8))
    XCTAssertFalse(response.raw.exists)
    guard case .file(path, 2) = response.http.body else { return XCTFail("\(response.http.body)") }
  }

  @MainActor func testALoadMayLogIn() async throws {
    let server = try serving {
      ScriptedServer.response(text: "{\"as\": \"\($0.headers["Authorization"] ?? "")\"}")
    }
    let manager = try manager(server)
    let options = LoadOptions(login: HTTPLogin(user: "u", password: "p", scheme: .basic))
    let response = try await load(manager, options, needing: .login, "login")
    guard let response else { return }
    XCTAssertEqual(response.raw["as"].string, "Basic dTpw")
    let record = try XCTUnwrap(response.record)
    XCTAssertTrue(record.description.contains("options: login u:••• (load)"), record.description)
  }

  @MainActor func testALoadMayConnectToAnotherAddress() async throws {
    let server = try serving { ScriptedServer.response(text: "{\"host\": \"\($0.headers["Host"] ?? "")\"}") }
    let manager = try manager(server, at: "http://named.test/")
    let options = LoadOptions(connectTo: "127.0.0.1:\(server.port)")
    let response = try await load(manager, options, needing: .connectTo, "connectTo")
    XCTAssertEqual(response?.raw["host"].string, response.map { _ in "named.test" })
  }

  @MainActor func testALoadMayCompressItsBody() async throws {
    let server = try serving {
      ScriptedServer.response(text: "{\"coding\": \"\($0.headers["Content-Encoding"] ?? "")\"}")
    }
    let manager = try manager(server)
    manager.method = .post
    let text = String(repeating: "a", count: 10_000)
    let response = try await manager.response(["text": text], options: LoadOptions(compressesBody: true))
    XCTAssertEqual(response.raw["coding"].string, "gzip")
    XCTAssertLessThan(server.requests.first?.body.count ?? .max, 1000)
    let plain = try await manager.response(["text": text])
    XCTAssertEqual(plain.raw["coding"].string, "", "the next load states nothing")
  }

  @MainActor func testALoadMayRefuseAResponseAtItsHead() async throws {
    let server = try serving { _ in ScriptedServer.response(200, ["X-Size": "huge"], text: "{}") }
    struct TooLarge: Error {}
    let manager = try manager(server)
    let options = LoadOptions(inspectHead: { _, headers in
      if headers["X-Size"] == "huge" { throw TooLarge() }
    })
    let error = await failure { try await manager.response(options: options) }
    XCTAssertEqual(error?.reason, .refusedAtHeaders)
    XCTAssertTrue(error?.underlying is TooLarge)
  }

  @MainActor func testALoadMayKeepOffInterfaces() async throws {
    let server = try serving { _ in ScriptedServer.response(text: "{}") }
    let manager = try manager(server)
    for options in [
      LoadOptions(allowsCellular: false), LoadOptions(allowsExpensive: false),
      LoadOptions(allowsConstrained: false), LoadOptions(serviceType: .background),
    ] {
      let response = try await load(manager, options, needing: .interfaceControl, "interfaceControl")
      if let response { XCTAssertEqual(response.http.status, 200) }
    }
    // What every transport does anyway needs no capability.
    _ = try await manager.response(options: LoadOptions(allowsCellular: true, serviceType: .standard))
  }

  @MainActor func testALoadMayHaveLimitsOfItsOwn() async throws {
    let server = try server(.readRequest, .waitForClose)
    let manager = try manager(server)
    manager.timeouts.total = .seconds(60)
    let options = LoadOptions(timeouts: HTTPTimeouts(total: .milliseconds(100)))
    let error = await failure { try await manager.response(options: options) }
    XCTAssertEqual(error?.reason, .totalTimeout)
  }

  @MainActor func testALoadMayDoWithoutCookies() async throws {
    let server = try serving { request in
      ScriptedServer.response(
        200, ["Set-Cookie": "seen=\(request.target.count)"],
        text: "{\"cookie\": \"\(request.headers["Cookie"] ?? "")\"}")
    }
    let jar = CookieJar()
    let manager = try manager(server, cookies: jar)
    let without = try await manager.response(options: LoadOptions(usesCookies: false))
    XCTAssertEqual(without.raw["cookie"].string, "")
    XCTAssertEqual(jar.cookies, [], "none is kept")
    _ = try await manager.response()
    XCTAssertEqual(jar.cookies.count, 1)
    let again = try await manager.response(options: LoadOptions(usesCookies: false))
    XCTAssertEqual(again.raw["cookie"].string, "", "none is sent")
    let with = try await manager.response()
    XCTAssertEqual(with.raw["cookie"].string?.hasPrefix("seen="), true)
  }

  @MainActor func testALoadMayKeepCookiesOfItsDocumentsSiteOnly() async throws {
    let stranger = try serving { _ in ScriptedServer.response(200, ["Set-Cookie": "there=1"], text: "{}") }
    let there = try stranger.url("/landing").string
    let own = try serving { request in
      request.target.hasSuffix("/plain")
        ? ScriptedServer.response(200, ["Set-Cookie": "plain=1"], text: "{}")
        : ScriptedServer.response(302, ["Location": there, "Set-Cookie": "here=1"])
    }
    let jar = CookieJar()
    let manager = try manager(own, cookies: jar, at: own.url("", host: "localhost"))
    let options = LoadOptions(cookieDocument: try own.url("/page?secret=1", host: "localhost"))
    let response = try await manager.response(options: options)
    XCTAssertEqual(stranger.requests.count, 1)
    XCTAssertEqual(jar.cookies.map(\.name), ["here"], "of the redirect's target none is kept")
    let record = try XCTUnwrap(response.record?.description)
    XCTAssertTrue(record.contains("cookieDocument http://localhost:\(own.port) (load)"), record)
    XCTAssertFalse(record.contains("secret"))
    _ = try await manager.response()
    XCTAssertEqual(jar.cookies.map(\.name), ["here", "there"], "without a document the jar decides")
    manager.apiName = "plain"
    let elsewhere = LoadOptions(cookieDocument: "https://www.example.com/")
    _ = try await manager.response(options: elsewhere)
    XCTAssertEqual(jar.cookies.map(\.name), ["here", "there"])
  }

  func testOptionsOfTheConfigurationThatTheTransportCannotDoAreRefusedWhenItIsMade() throws {
    let options: [(TransportCapabilities, LoadOptions)] = [
      (.login, LoadOptions(login: HTTPLogin(user: "u", password: "p"))),
      (.connectTo, LoadOptions(connectTo: "127.0.0.1")),
      (.interfaceControl, LoadOptions(serviceType: .voice)),
      (.streamDownload, LoadOptions(destination: .stream)),
      (.connectTimeout, LoadOptions(timeouts: HTTPTimeouts(connect: .seconds(1)))),
      (.idleTimeout, LoadOptions(timeouts: HTTPTimeouts(idle: .seconds(1)))),
    ]
    let can = try transport().capabilities
    for (capability, options) in options {
      do {
        _ = try transport { $0.loadOptions = options }
        XCTAssertTrue(can.contains(capability), "\(options)")
      } catch let error as APIError {
        XCTAssertFalse(can.contains(capability), "\(options)")
        XCTAssertEqual(error.reason, .unsupportedCapability)
      }
    }
  }
}
