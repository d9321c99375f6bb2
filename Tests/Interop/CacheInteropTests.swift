import APIKit
import APIKitTesting
import Foundation
import TestServers
import XCTest

/// The HTTP policy against a server that others wrote: nginx with real `ETag` and `Last-Modified`.
@MainActor final class CacheInteropTests: XCTestCase {
  private struct Service: APIService {
    let name = "nginx"
    let environments: ServiceEnvironments
    let wire: WireOptions
    let cache: CacheOptions
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

  /// The cache's clock stands at the present and is moved by hand.
  private let time = ManualTime(wallClock: Date().timeIntervalSince1970)

  private func service(_ nginx: NginxServer) throws -> Service {
    Service(
      environments: ServiceEnvironments(try HTTPURL(nginx.url("/"))),
      wire: WireOptions(client: HTTPClient(transport: try DefaultTransport.make(.standard))),
      cache: CacheOptions(store: ResponseCache(time: time)))
  }

  func testAFreshResponseIsNotAskedForAgain() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "cache/fresh")
    let first = try await manager.response([:])
    XCTAssertEqual(first.provenance, .network)
    nginx.stop()
    let second = try await manager.response([:])
    guard case .memory = second.provenance else { return XCTFail("it landed with \(second.provenance)") }
    XCTAssertEqual(second.raw.cache.string, "fresh")
  }

  func testWhatMayNotBeStoredIsAskedForAgain() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "cache/none")
    for _ in 0..<2 {
      let response = try await manager.response([:])
      XCTAssertEqual(response.provenance, .network)
    }
    nginx.stop()
  }

  func testAnUnchangedFileIsConfirmedByItsETagAndAChangedOneIsNot() async throws {
    let nginx = try needing { try NginxServer() }
    let manager = Manager(try service(nginx), "files/listing.json")
    let first = try await manager.response([:])
    XCTAssertNotNil(first.headers["ETag"])
    XCTAssertNotNil(first.headers["Last-Modified"])
    let second = try await manager.response([:], cache: .revalidating)
    XCTAssertEqual(second.provenance, .revalidated)
    XCTAssertEqual(second.raw.total.int, 20)
    XCTAssertEqual(second.status, 200)

    let file = nginx.files.appendingPathComponent("listing.json")
    try Data(#"{"total": 21, "items": []}"#.utf8).write(to: file)
    let third = try await manager.response([:], cache: .revalidating)
    XCTAssertEqual(third.provenance, .network)
    XCTAssertEqual(third.raw.total.int, 21)
  }

  /// RFC 9111, 4.2.2, 4.3.1 and 4.3.4: nginx says when the file was changed, and nothing about freshness.
  func testTheHeuristicFollowsARealLastModified() async throws {
    let nginx = try needing { try NginxServer() }
    let file = nginx.files.appendingPathComponent("listing.json")
    // A tenth of 100,000 seconds.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: file.path)
    let manager = Manager(try service(nginx), "files/listing.json")
    _ = try await manager.response([:])
    time.advance(by: .seconds(9_900))
    let second = try await manager.response([:])
    XCTAssertEqual(second.provenance, .memory(age: .seconds(9_900)))
    time.advance(by: .seconds(200))
    let third = try await manager.response([:])
    XCTAssertEqual(third.provenance, .revalidated)
    XCTAssertEqual(third.raw.total.int, 20)
  }

  /// RFC 9111, 4.3.1: without an ETag a date is enough to ask by.
  func testLastModifiedAloneConfirmsAfterExpires() async throws {
    let nginx = try needing {
      try NginxServer(locations: "location /dated/ { alias files/; etag off; expires 60s; }")
    }
    let manager = Manager(try service(nginx), "dated/listing.json")
    let first = try await manager.response([:])
    XCTAssertNil(first.headers["ETag"])
    XCTAssertNotNil(first.headers["Expires"])
    time.advance(by: .seconds(50))
    let second = try await manager.response([:])
    XCTAssertEqual(second.provenance, .memory(age: .seconds(50)))
    time.advance(by: .seconds(11))
    let third = try await manager.response([:])
    XCTAssertEqual(third.provenance, .revalidated)
  }

  /// RFC 9111, 4.1.
  func testResponsesInTwoLanguagesAreKeptApart() async throws {
    let nginx = try needing {
      try NginxServer(
        locations: """
          location = /spoken { add_header Vary Accept-Language; expires 1h;
            return 200 '{"language": "$http_accept_language"}'; }
          """)
    }
    let service = try service(nginx)
    var seen: [String?] = []
    for language in ["de", "zh", "de", "zh"] {
      if seen.count == 2 { nginx.stop() }
      let response = try await Manager(service, "spoken", ["Accept-Language": language]).response([:])
      seen.append(response.raw.language.string)
    }
    XCTAssertEqual(seen, ["de", "zh", "de", "zh"])
  }

  /// RFC 5861, 4, and RFC 9111, 5.2.2.2: what lands when the server has gone.
  func testAServerThatHasGoneIsReplacedWhereItAllowedThat() async throws {
    let nginx = try needing {
      try NginxServer(
        locations: """
          location = /kind { add_header Cache-Control "max-age=60, stale-if-error=600"; return 200 '{}'; }
          location = /strict {
            add_header Cache-Control "max-age=60, stale-if-error=600, must-revalidate"; return 200 '{}'; }
          location = /silent { add_header Cache-Control "max-age=60"; return 200 '{}'; }
          """)
    }
    let service = try service(nginx)
    let managers = ["kind", "strict", "silent"].map { Manager(service, $0) }
    for manager in managers { _ = try await manager.response([:]) }
    nginx.stop()
    for manager in managers {
      let fresh = try await manager.response([:])
      XCTAssertEqual(fresh.provenance, .memory(age: .zero))
    }
    time.advance(by: .seconds(70))
    let stale = try await managers[0].response([:])
    XCTAssertEqual(stale.provenance, .stale(age: .seconds(70)))
    for manager in managers[1...] {
      do throws(APIError) {
        let response = try await manager.response([:])
        XCTFail("\(manager.apiName) landed with \(response.provenance)")
      } catch {
        XCTAssertEqual(error.stage, .transport)
      }
    }
  }

  /// RFC 5861, 3.
  func testAStaleResponseLandsAtOnceAndTheServerIsAskedBehindIt() async throws {
    let nginx = try needing {
      try NginxServer(
        locations: """
          location /behind/ { alias files/; add_header Cache-Control "max-age=60, stale-while-revalidate=60"; }
          """)
    }
    let manager = Manager(try service(nginx), "behind/listing.json")
    _ = try await manager.response([:])
    let file = nginx.files.appendingPathComponent("listing.json")
    try Data(#"{"total": 21, "items": []}"#.utf8).write(to: file)
    time.advance(by: .seconds(70))
    let stale = try await manager.response([:])
    XCTAssertEqual(stale.provenance, .stale(age: .seconds(70)))
    XCTAssertEqual(stale.raw.total.int, 20)
    for _ in 0..<400 where manager.service.cache.store?.statistics.memory.stores != 2 {
      try await Task.sleep(for: .milliseconds(5))
    }
    let next = try await manager.response([:])
    XCTAssertEqual(next.raw.total.int, 21)
  }

  func testALandingAfterAPutIsNew() async throws {
    let nginx = try needing {
      try NginxServer(locations: "location /kept/ { alias files/put/; dav_methods PUT; expires 1h; }")
    }
    let service = try service(nginx)
    let file = nginx.files.appendingPathComponent("put/home.json")
    try Data(#"{"price": 1}"#.utf8).write(to: file)
    let manager = Manager(service, "kept/home.json")
    _ = try await manager.response([:])
    let second = try await manager.response([:])
    guard case .memory = second.provenance else { return XCTFail("it landed with \(second.provenance)") }
    let editor = Putter(service)
    _ = try await editor.response(["price": 2])
    let third = try await manager.response([:])
    XCTAssertEqual(third.raw.price.int, 2)
  }

  private final class Putter: BaseAPIManager, APIManager {
    let service: Service
    let apiName = "kept/home.json"
    let method = HTTPMethod.put
    init(_ service: Service) { self.service = service }
  }
}
