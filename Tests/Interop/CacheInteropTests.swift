import APIKit
import Foundation
import TestServers
import XCTest

/// The HTTP policy against a server that others wrote: nginx with real `ETag` and `Last-Modified`.
@MainActor final class CacheInteropTests: XCTestCase {
  private struct Service: APIService {
    let name = "nginx"
    let environments: ServiceEnvironments
    let client: HTTPClient
    let cache: ResponseCache?
  }

  private final class Manager: BaseAPIManager, APIManager {
    let service: Service
    let apiName: String
    let cachePolicy = CachePolicy.http
    let headers: HTTPHeaders

    init(_ service: Service, _ apiName: String, _ headers: HTTPHeaders = [:]) {
      (self.service, self.apiName, self.headers) = (service, apiName, headers)
    }
  }

  private func service(_ nginx: NginxServer) throws -> Service {
    Service(
      environments: ServiceEnvironments(try HTTPURL(nginx.url("/"))),
      client: HTTPClient(transport: try CurlTransport()), cache: ResponseCache())
  }

  func testAFreshAnswerIsNotAskedForAgain() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "cache/fresh")
    let first = try await manager.response(for: [:])
    XCTAssertEqual(first.provenance, .network)
    nginx.stop()
    let second = try await manager.response(for: [:])
    guard case .memory = second.provenance else { return XCTFail("it landed with \(second.provenance)") }
    XCTAssertEqual(second.raw.cache.string, "fresh")
  }

  func testWhatMayNotBeStoredIsAskedForAgain() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "cache/none")
    for _ in 0..<2 {
      let response = try await manager.response(for: [:])
      XCTAssertEqual(response.provenance, .network)
    }
    nginx.stop()
  }

  func testAnUnchangedFileIsConfirmedByItsETagAndAChangedOneIsNot() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "files/listing.json")
    let first = try await manager.response(for: [:])
    XCTAssertNotNil(first.headers["ETag"])
    XCTAssertNotNil(first.headers["Last-Modified"])
    let second = try await manager.response(for: [:], cache: .revalidating)
    XCTAssertEqual(second.provenance, .revalidated)
    XCTAssertEqual(second.raw.total.int, 20)
    XCTAssertEqual(second.status, 200)

    let file = nginx.files.appendingPathComponent("listing.json")
    try Data(#"{"total": 21, "items": []}"#.utf8).write(to: file)
    let third = try await manager.response(for: [:], cache: .revalidating)
    XCTAssertEqual(third.provenance, .network)
    XCTAssertEqual(third.raw.total.int, 21)
  }

  func testALandingAfterAPutIsNew() async throws {
    let nginx = try needing {
      try NginxServer(locations: "location /kept/ { alias files/put/; dav_methods PUT; expires 1h; }")
    }
    let service = try service(nginx)
    let file = nginx.files.appendingPathComponent("put/home.json")
    try Data(#"{"price": 1}"#.utf8).write(to: file)
    let manager = Manager(service, "kept/home.json")
    _ = try await manager.response(for: [:])
    let second = try await manager.response(for: [:])
    guard case .memory = second.provenance else { return XCTFail("it landed with \(second.provenance)") }
    let editor = Putter(service)
    _ = try await editor.response(for: ["price": 2])
    let third = try await manager.response(for: [:])
    XCTAssertEqual(third.raw.price.int, 2)
  }

  private final class Putter: BaseAPIManager, APIManager {
    let service: Service
    let apiName = "kept/home.json"
    let method = HTTPMethod.put
    init(_ service: Service) { self.service = service }
  }
}
