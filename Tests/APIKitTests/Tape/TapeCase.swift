@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTesting

/// A folder for tapes, and requests to a tape.
class TapeCase: XCTestCase {
  private(set) lazy var folder = temporaryFolder().path

  override func setUpWithError() throws {
    folder = temporaryFolder().path
  }

  var file: String { folder + "/tape.har" }

  /// Records over a transport, whether or not `CI` is set here.
  func recorder(
    over transport: any HTTPTransport, adding: Bool = false, rules: TapeRules = TapeRules()
  ) throws -> TapeTransport {
    try TapeTransport(
      file: file, mode: adding ? .add(over: transport) : .record(over: transport), rules: rules,
      pace: .instant,
      time: SystemTime(), isCI: false)
  }

  func get(_ url: HTTPURL, _ headers: HTTPHeaders = [:]) -> HTTPRequest {
    HTTPRequest(url: url, headers: headers)
  }

  func post(_ url: HTTPURL, _ json: String, _ headers: HTTPHeaders = [:]) -> HTTPRequest {
    var request = HTTPRequest(method: .post, url: url, headers: headers, body: .bytes(Array(json.utf8)))
    request.headers["Content-Type"] = "application/json"
    return request
  }

  /// The error of a request that fails.
  func failure(
    of request: HTTPRequest, over transport: any HTTPTransport, file: StaticString = #filePath,
    line: UInt = #line
  ) async -> APIError {
    do throws(APIError) {
      let response = try await transport.send(request)
      XCTFail("it succeeded with \(response.status)", file: file, line: line)
      return APIError(.transport, .transportFailed)
    } catch {
      return error
    }
  }
}

extension HTTPResponse {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
