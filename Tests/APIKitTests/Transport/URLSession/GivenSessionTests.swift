import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Transports over a session that the application has.
final class GivenSessionTests: XCTestCase {
  /// Responds to every request in place of the network.
  private final class MockProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      guard let url = request.url,
        let head = HTTPURLResponse(
          url: url, statusCode: 203, httpVersion: "HTTP/1.1",
          headerFields: ["X-Method": request.httpMethod ?? "", "Cache-Control": "max-age=60"])
      else { return }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .allowed)
      client?.urlProtocol(self, didLoad: Data(#"{"mocked": true}"#.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  private func serving(
    _ respond: @escaping @Sendable (ScriptedServer.Received) -> [UInt8]
  ) throws -> ScriptedServer {
    let server = try ScriptedServer(.serve(respond))
    addTeardownBlock { server.stop() }
    return server
  }

  private func session(
    delegate: (any URLSessionDelegate)? = nil, queue: OperationQueue? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    change(configuration)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    addTeardownBlock { session.invalidateAndCancel() }
    return session
  }

  /// Transports over one session that they do not own. On Linux, where tasks have no delegates, what would be theirs is the
  /// session's.
  private func given(
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) throws -> (session: URLSession, make: () throws -> URLSessionTransport) {
    #if canImport(FoundationNetworking)
      let bridge = URLSessionBridge()
      let session = session(delegate: bridge, change)
      return (session, { URLSessionTransport(session, bridge, .ephemeral, GivenSession().capabilities) })
    #else
      let session = session(change)
      return (session, { try URLSessionTransport(session: session, configuration: .ephemeral) })
    #endif
  }

  // MARK: What it does

  func testAMockedProtocolOfTheSessionServesTheLoadsOfAManager() async throws {
    let transport = try given { $0.protocolClasses = [MockProtocol.self] }.make()
    let response = try await transport.send(HTTPRequest(url: "https://homes.test/list"))
    XCTAssertEqual(response.status, 203)
    XCTAssertEqual(response.headers["X-Method"], "GET")
    XCTAssertEqual(try RawData(parsing: response.bytes).mocked.bool, true)
    let posted = try await transport.send(
      HTTPRequest(method: .post, url: "https://homes.test/list", body: .bytes([1, 2])))
    XCTAssertEqual(posted.headers["X-Method"], "POST")
  }

  func testRedirectsAreReturnedToTheLayersAbove() async throws {
    let server = try serving { _ in ScriptedServer.response(302, ["Location": "/elsewhere"]) }
    let transport = try given().make()
    let response = try await transport.send(HTTPRequest(url: try server.url()))
    XCTAssertEqual(response.status, 302)
    XCTAssertEqual(server.requests.count, 1)
  }

  func testNothingIsKeptInTheCacheOfTheSession() async throws {
    let server = try serving { _ in
      ScriptedServer.response(
        200, ["Cache-Control": "max-age=600", "Date": HTTPDate.text(secondsSince1970: WallClock.now)],
        Array("fine".utf8))
    }
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let transport = try given { $0.urlCache = cache }.make()
    let url = try server.url()
    for _ in 0..<2 { _ = try await transport.send(HTTPRequest(url: url)) }
    XCTAssertEqual(server.requests.count, 2, "nothing comes from it")
    let system = URLRequest(url: try XCTUnwrap(URL(string: url.string)))
    XCTAssertNil(cache.cachedResponse(for: system))
  }

  func testStoppingTheTransportLeavesTheSessionAndItsOtherTasks() async throws {
    let server = try ScriptedServer(scripts: [
      [.readRequest, .waitForClose], [.serve { _ in ScriptedServer.response() }],
    ])
    addTeardownBlock { server.stop() }
    let (session, make) = try given()
    let transport = try make()
    let url = try server.url()
    let held = Task { await failure { try await transport.send(HTTPRequest(url: url)) } }
    XCTAssertTrue(server.waitForRequests(1))
    transport.shutdown()
    let stopped = await held.value
    XCTAssertEqual(stopped?.reason, .transportStopped)
    let later = await failure { try await transport.send(HTTPRequest(url: url)) }
    XCTAssertEqual(later?.reason, .transportStopped)
    let (_, response) = try await session.data(from: try XCTUnwrap(URL(string: url.string)))
    XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
  }

  func testATransportThatIsReleasedOrFinishesLeavesTheSession() async throws {
    let server = try serving { _ in ScriptedServer.response(text: "fine") }
    for finishes in [true, false] {
      let (session, make) = try given()
      let url = try server.url()
      do {
        let transport = try make()
        _ = try await transport.send(HTTPRequest(url: url))
        if finishes { await transport.finish() }
      }
      let (_, response) = try await session.data(from: try XCTUnwrap(URL(string: url.string)))
      XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
    }
  }

  func testTasksThatTheApplicationCancelsAreAFailureThatNamesTheSession() async throws {
    let server = try ScriptedServer(.readRequest, .waitForClose)
    addTeardownBlock { server.stop() }
    let (session, make) = try given()
    let transport = try make()
    let url = try server.url()
    let held = Task { await failure { try await transport.send(HTTPRequest(url: url)) } }
    XCTAssertTrue(server.waitForRequests(1))
    session.getAllTasks { for task in $0 { task.cancel() } }
    let error = await held.value
    XCTAssertEqual(error?.reason, .transportFailed)
    XCTAssertEqual(error?.detail.contains("the application has cancelled"), true, "\(error as Any)")
  }

  // MARK: What it refuses

  private func refusal(_ change: (inout GivenSession) -> Void) -> APIError? {
    var session = GivenSession()
    change(&session)
    do throws(APIError) {
      try session.check()
      return nil
    } catch { return error }
  }

  func testASessionThatATransportCannotUseIsRefusedByName() {
    XCTAssertNil(refusal { _ in })
    XCTAssertEqual(refusal { $0.isForBackground = true }?.reason, .unsupportedCapability)
    XCTAssertEqual(refusal { $0.hasSerialQueue = false }?.reason, .misconfigured)
    XCTAssertEqual(refusal { $0.hasMainQueue = true }?.reason, .misconfigured)
    XCTAssertNil(refusal { $0.fields = ["User-Agent", "accept-language", "Accept"] })
    let fields = refusal { $0.fields = ["X-Key", "Authorization", "Accept"] }
    XCTAssertEqual(fields?.reason, .misconfigured)
    XCTAssertEqual(fields?.detail.contains("adds Authorization, X-Key to"), true, "\(fields as Any)")
  }

  func testTheFactsAreReadFromTheSession() {
    XCTAssertEqual(GivenSession(session()), GivenSession())
    let fields = session { $0.httpAdditionalHeaders = ["X-Key": "1"] }
    XCTAssertEqual(GivenSession(fields).fields, ["X-Key"])
    XCTAssertTrue(GivenSession(session(queue: .main)).hasMainQueue)
    XCTAssertFalse(GivenSession(session(queue: OperationQueue())).hasSerialQueue)
  }

  func testSettingsThatAreTheSessionsAreRefusedByName() throws {
    func refused(_ name: String, line: UInt = #line, _ change: (inout TransportConfiguration) -> Void) {
      var configuration = TransportConfiguration.debug
      configuration.timeouts.connect = HTTPTimeouts.standard.connect
      configuration.connections = ConnectionLimits()
      change(&configuration)
      do throws(APIError) {
        try configuration.validate(for: GivenSession().capabilities)
        XCTFail("\(name) is not refused", line: line)
      } catch {
        XCTAssertEqual(error.reason, .unsupportedCapability, line: line)
        XCTAssertTrue(error.detail.contains(name), error.detail, line: line)
      }
    }
    refused("connection limits") { $0.connections.perHost = 2 }
    refused("prox") { $0.proxy = .through(HTTPProxy(.http, host: "proxy.test", port: 8080)) }
    refused("minimum TLS") { $0.tls.minimumVersion = .tls1_3 }
    refused("trust of its own") { $0.tls.trust = .bundle(path: "/etc/ssl/certs/ca-certificates.crt") }
    refused("certificate checks") { $0.tls.skipsHostValidation = true }
    refused("client certificates") { $0.tls.identity = .keychain(label: "me") }
    refused("challenges") { $0.challenges = ChallengeHandler { _ in .default } }
  }

  func testCapabilitiesLackWhatTheSessionDecides() {
    let capabilities = GivenSession().capabilities
    XCTAssertTrue(capabilities.isDisjoint(with: GivenSession.ofSession))
    XCTAssertEqual(
      capabilities.union(GivenSession.ofSession.intersection(URLSessionTransport.capabilities)),
      URLSessionTransport.capabilities)
    XCTAssertFalse(GivenSession(permitsAllInterfaces: false).capabilities.contains(.interfaceControl))
  }

  func testAQueueOfTransfersDoesNotTakeTheConfigurationForTheWhole() throws {
    XCTAssertNil(try given().make().madeWith)
    XCTAssertNotNil(try URLSessionTransport(.ephemeral).madeWith)
  }

  #if canImport(FoundationNetworking)
    func testOnLinuxASessionIsRefusedByName() {
      XCTAssertThrowsError(try URLSessionTransport(session: session())) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unsupportedCapability)
        XCTAssertEqual((error as? APIError)?.detail.contains("delegates of their own"), true)
      }
    }
  #endif
}
