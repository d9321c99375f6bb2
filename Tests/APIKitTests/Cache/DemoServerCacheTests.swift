import APIKit
import APIKitTesting
import DemoServer
import XCTest

/// The HTTP policy against the demo's own server: its pages are fresh for a minute and have validators.
@MainActor final class DemoServerCacheTests: XCTestCase {
  private struct Service: APIService {
    let name = "new homes"
    let environments: ServiceEnvironments
    let wire: WireOptions
    let cache: CacheOptions
  }

  private final class Manager: BaseAPIManager, APIManager {
    let service: Service
    let apiName = "v1/projects"
    let cachePolicy = CachePolicy.http
    var headers = HTTPHeaders()

    init(_ service: Service) { self.service = service }
  }

  private let time = ManualTime()

  private func manager(of server: DemoServer) throws -> Manager {
    Manager(
      Service(
        environments: ServiceEnvironments(try HTTPURL(server.baseURL.string + "new")),
        wire: WireOptions(client: HTTPClient(transport: try URLSessionTransport())),
        cache: CacheOptions(store: ResponseCache(time: time))))
  }

  func testAPageIsFreshForItsMinuteAndThenConfirmed() async throws {
    let server = try DemoServer()
    let manager = try manager(of: server)
    // The server's clock is the real one; the cache's stands where the page was made.
    let first = try await manager.response(["size": 2])
    XCTAssertEqual(first.provenance, .network)
    let requests = server.counters.requests
    time.advance(by: .seconds(59))
    let second = try await manager.response(["size": 2])
    XCTAssertEqual(second.provenance, .memory(age: .seconds(59)))
    XCTAssertEqual(server.counters.requests, requests)
    time.advance(by: .seconds(2))
    let third = try await manager.response(["size": 2])
    XCTAssertEqual(third.provenance, .revalidated)
    XCTAssertEqual(third.raw, first.raw)
    XCTAssertEqual(server.counters.requests, requests + 1)
  }

  func testAPageThatMayNotBeStoredIsAskedForAgain() async throws {
    let server = try DemoServer()
    let manager = try manager(of: server)
    manager.headers = ["X-Demo-Cache": "no-store"]
    for _ in 0..<2 {
      let response = try await manager.response(["size": 2])
      XCTAssertEqual(response.provenance, .network)
    }
  }
}
