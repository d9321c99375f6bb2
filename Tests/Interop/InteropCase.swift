import APIKit
import TestServers
import XCTest

/// What the suites against real servers share: the transport under test, the servers, and short verbs.
///
/// The suites are written over URLSession; each has a subclass that runs the same tests over libcurl.
class InteropCase: XCTestCase {
  /// The transport under test.
  func makeTransport(_ configuration: TransportConfiguration = .ephemeral) throws -> any HTTPTransport {
    try URLSessionTransport(configuration)
  }

  /// The transport of one test, made when it is first used and gone with the test: XCTest keeps every case.
  private(set) lazy var transport: Result<any HTTPTransport, any Error> = Result { try makeTransport() }

  override func tearDown() async throws {
    transport = .failure(TestServerError("the test is over, and its transport with it"))
    try await super.tearDown()
  }

  /// nginx, or the reason to skip.
  func nginx() throws -> NginxServer { try needing { try NginxServer.shared() } }

  /// httpbin, or the reason to skip.
  func httpbin() throws -> HTTPBinServer { try needing { try HTTPBinServer.shared() } }

  /// Sends one request, changed as the caller likes before.
  func send(
    _ method: HTTPMethod = .get, _ url: String, over transport: (any HTTPTransport)? = nil,
    change: (inout HTTPRequest) throws -> Void = { _ in }
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(method: method, url: try HTTPURL(url))
    try change(&request)
    return try await (transport ?? self.transport.get()).send(request)
  }

  /// The error a request fails with; a success fails the test.
  func failure(
    _ method: HTTPMethod = .get, _ url: String, over transport: (any HTTPTransport)? = nil,
    change: (inout HTTPRequest) throws -> Void = { _ in }
  ) async throws -> APIError {
    do {
      let response = try await send(method, url, over: transport, change: change)
      throw TestServerError("\(url) responded \(response.status), and should have failed")
    } catch let error as APIError {
      return error
    }
  }
}

extension HTTPResponse {
  /// The body as JSON.
  var json: RawData {
    get throws { try RawData(parsing: bytes) }
  }
}
