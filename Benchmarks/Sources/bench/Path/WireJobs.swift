import APIKit
import BareCurl
import Foundation
import Reformers
import TestServers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One page of 20 homes on nginx, and three ways to get it: a manager, URLSession with
/// `JSONSerialization`, and libcurl alone, which neither parses nor maps.
struct WireJobs {
  private let nginx: NginxServer
  private let service: BenchService
  private let url: URL
  private let session: URLSession
  /// The bytes of the page.
  let byteCount: Int

  init() throws {
    nginx = try NginxServer(
      locations: "location /api/ { alias files/; gzip off; default_type application/json; }")
    let page = try RawFixtures.page()
    byteCount = page.count
    try Data(page).write(to: nginx.files.appendingPathComponent("list"))
    service = BenchService(
      baseURL: try HTTPURL(nginx.url("/api")), client: HTTPClient(transport: try CurlTransport()))
    url = URL(string: nginx.url("/api/list") + "?city=Suzhou&page=1&beds=3")!
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  /// Loads through managers: signed, fetched, parsed, 20 rows reformed, told to a delegate.
  func managers(_ count: Int, inFlight: Int) async -> (wall: Double, cpu: Double) {
    await LoadDriver.run(service: service, loads: count, inFlight: inFlight) { manager in
      guard let rows = try? manager.fetchData(with: HomeRows()), rows.count == 20 else {
        fatalError("the rows of the measurement are wrong")  // a wrong job would flatter the number
      }
    }
  }

  /// The same rows by URLSession and `JSONSerialization`; not signed.
  func urlSession(_ count: Int, inFlight: Int) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<inFlight {
        group.addTask {
          for _ in 0..<(count / inFlight) {
            let (data, _) = try await session.data(from: url)
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let items = object?["items"] as? [[String: Any]] ?? []
            let rows = items.map { item in
              HomeRow(
                id: item["id"] as? Int ?? 0, title: item["title"] as? String ?? "",
                price: item["price"] as? Int ?? 0, beds: item["beds"] as? Int ?? 0)
            }
            guard rows.count == 20 else { throw BenchFailure("\(rows.count) rows") }
          }
        }
      }
      try await group.waitForAll()
    }
    return Measurement.seconds(clock.now - start)
  }

  /// The bytes alone, by libcurl called from C.
  func bareCurl(_ count: Int, inFlight: Int) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    guard bare_curl_get(url.absoluteString, count, Int32(inFlight)) == count * byteCount else {
      throw BenchFailure("bare libcurl did not get every byte")
    }
    return Measurement.seconds(clock.now - start)
  }
}

/// A measurement that could not be taken.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What a view would show of one home.
struct HomeRow: Sendable {
  let id: Int
  let title: String
  let price: Int
  let beds: Int
}

/// Four fields of every home.
struct HomeRows: Reformer {
  func reform(_ raw: RawData, from source: ReformSource) throws -> [HomeRow] {
    var rows: [HomeRow] = []
    rows.reserveCapacity(raw.items.count)
    for item in raw.items.elements {
      rows.append(
        HomeRow(
          id: try item.id.require(Int.self), title: try item.title.require(String.self),
          price: try item.price.require(Int.self), beds: try item.beds.require(Int.self)))
    }
    return rows
  }
}
