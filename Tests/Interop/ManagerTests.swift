import APIKit
import Foundation
import TestServers
import XCTest

/// The whole path, from a manager's parameters to its delegate, against a server that is not ours.
@MainActor final class ManagerTests: XCTestCase {
  func testAManagerLoadsFromHTTPBinAndLandsOnItsDelegate() async throws {
    let manager = try Anything(HTTPBin(needing { try HTTPBinServer.shared() }))
    let landing = Landing()
    manager.delegate = landing
    let response = try await manager.response(["city": "苏州", "page": 2])
    XCTAssertEqual(response.raw["args"]["city"].string, "苏州")
    XCTAssertEqual(response.raw["args"]["page"].string, "2")
    XCTAssertEqual(response.raw["args"]["app"].string, "interop", "the service's common parameter")
    XCTAssertEqual(response.raw["headers"]["X-Gate"].string, "B12")
    XCTAssertEqual(landing.statuses, [200])
  }

  func testAnErrorStatusKeepsTheResponsesBody() async throws {
    let manager = try Missing(Nginx(needing { try NginxServer.shared() }))
    do {
      _ = try await manager.response()
      XCTFail("a 404 was accepted")
    } catch {
      XCTAssertEqual(error.reason, .unacceptableStatus)
      XCTAssertEqual(error.response?.status, 404)
      XCTAssertEqual(try error.response?.json["status"].int, 404)
    }
  }

  func testABodyThatIsNotJSONIsAnError() async throws {
    let manager = try NotJSON(Nginx(needing { try NginxServer.shared() }))
    do {
      _ = try await manager.response()
      XCTFail("HTML was read as JSON")
    } catch {
      XCTAssertEqual(error.reason, .malformedBody)
      XCTAssertEqual(error.response?.bytes, Array("<html>no</html>".utf8))
    }
  }
}

private struct HTTPBin: APIService {
  let name = "httpbin"
  let environments: ServiceEnvironments
  let wire: WireOptions

  init(_ server: HTTPBinServer) throws {
    environments = ServiceEnvironments(try HTTPURL(server.url("")))
    wire = WireOptions(client: HTTPClient(transport: try URLSessionTransport(.ephemeral)))
  }

  func commonParameters(for call: APICall) -> Parameters { ["app": "interop"] }
  func headers(for call: APICall) -> HTTPHeaders { ["X-Gate": "B12"] }
}

private struct Nginx: APIService {
  let name = "nginx"
  let environments: ServiceEnvironments
  let wire: WireOptions

  init(_ server: NginxServer) throws {
    environments = ServiceEnvironments(try HTTPURL(server.url("")))
    wire = WireOptions(client: HTTPClient(transport: try URLSessionTransport(.ephemeral)))
  }
}

private final class Anything: BaseAPIManager, APIManager {
  let service: HTTPBin
  let apiName = "anything"

  init(_ service: HTTPBin) {
    self.service = service
    super.init()
  }
}

private final class Missing: BaseAPIManager, APIManager {
  let service: Nginx
  let apiName = "status/404"

  init(_ service: Nginx) {
    self.service = service
    super.init()
  }
}

private final class NotJSON: BaseAPIManager, APIManager {
  let service: Nginx
  let apiName = "not-json"

  init(_ service: Nginx) {
    self.service = service
    super.init()
  }
}

private final class Landing: APIManagerDelegate {
  var statuses: [Int] = []

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    statuses.append(response.http.status)
  }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}
}
