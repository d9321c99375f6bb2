import APIKit
import BareCurl
import Foundation
import Reformers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The ways to get one page of 20 homes from a ``WireServer``: managers, URLSession with Foundation's JSON, and
/// libcurl alone, which neither parses nor maps. Each gives the seconds of one page.
struct WireJobs {
  private let service: BenchService
  let url: URL
  private let session: URLSession
  private let byteCount: Int

  /// - Parameters:
  ///   - baseURL: That of the server.
  ///   - signer: What the managers' service signs with.
  ///   - hosts: The pool of the managers' service.
  init(
    _ baseURL: String, signer: (any RequestSigner)? = BenchService.hmac, hosts: HostPool? = nil
  ) throws {
    service = BenchService(
      baseURL: try HTTPURL(baseURL), transport: try CurlTransport(), signer: signer, hosts: hosts)
    guard let url = URL(string: baseURL + "/list?city=Suzhou&page=1&beds=3") else {
      throw BenchFailure("\(baseURL) is no URL")
    }
    self.url = url
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
    byteCount = try RawFixtures.page().count
  }

  /// Loads through a manager: signed, fetched, parsed, 20 rows reformed, told to a delegate.
  func managers(_ count: Int, inFlight: Int) async -> Double {
    let seconds = await LoadDriver.run(service: service, loads: count, inFlight: inFlight) { manager in
      guard let rows = try? manager.fetchData(with: HomeRows()), rows.count == 20 else {
        fatalError("the rows of the measurement are wrong")  // a wrong job would flatter the number
      }
    }
    return seconds.wall / Double(count)
  }

  /// The same rows awaited by so many tasks off the main actor, each of which decodes its pages itself.
  func awaited(_ count: Int, inFlight: Int) async throws -> Double {
    let manager = await BenchManager(service)
    return try await share(count, among: inFlight) { number in
      let response = try await manager.response(BenchManager.parameters(page: number % 10))
      let rows = try response.raw.decode(as: HomePage.self).items
      guard rows.count == 20 else { throw BenchFailure("\(rows.count) rows") }
    }
  }

  /// The same rows awaited by so many tasks on the main actor, as a view's are.
  ///
  /// - Parameter rows: Loads a page, and gives the number of its rows.
  func awaitedOnMain(
    _ count: Int, inFlight: Int,
    rows: @escaping @MainActor @Sendable (BenchManager, Parameters) async throws -> Int
  ) async throws -> Double {
    let manager = await BenchManager(service)
    @MainActor @Sendable func load(from task: Int) async throws {
      for number in stride(from: task, to: count, by: inFlight) {
        let number = try await rows(manager, BenchManager.parameters(page: number % 10))
        guard number == 20 else { throw BenchFailure("\(number) rows") }
      }
    }
    // One piece of work a task, which stays on the main actor.
    return try await share(inFlight, among: inFlight) { try await load(from: $0) } * Double(inFlight)
      / Double(count)
  }

  /// The same rows awaited, each page read as a ``RawHomePage``.
  func awaitedRaw(_ count: Int, inFlight: Int) async throws -> Double {
    let manager = await BenchManager(service)
    return try await share(count, among: inFlight) { number in
      let response = try await manager.response(BenchManager.parameters(page: number % 10))
      let rows = try response.raw.decode(as: RawHomePage.self).items
      guard rows.count == 20 else { throw BenchFailure("\(rows.count) rows") }
    }
  }

  /// The same rows by URLSession; not signed.
  func urlSession(
    _ count: Int, inFlight: Int, _ rows: @escaping @Sendable (Data) throws -> [HomeRow]
  ) async throws -> Double {
    try await share(count, among: inFlight) { _ in
      let rows = try rows(try await session.data(from: url).0)
      guard rows.count == 20 else { throw BenchFailure("\(rows.count) rows") }
    }
  }

  /// The rows of a page by `JSONSerialization`.
  static let serialized: @Sendable (Data) throws -> [HomeRow] = { data in
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let items = object?["items"] as? [[String: Any]] ?? []
    return items.map { item in
      HomeRow(
        id: item["id"] as? Int ?? 0, title: item["title"] as? String ?? "",
        price: item["price"] as? Int ?? 0, beds: item["beds"] as? Int ?? 0)
    }
  }

  /// The rows of a page by `JSONDecoder`.
  static let decoded: @Sendable (Data) throws -> [HomeRow] = { data in
    try JSONDecoder().decode(HomePage.self, from: data).items
  }

  /// The bytes alone, by libcurl called from C.
  func bareCurl(_ count: Int, inFlight: Int) throws -> Double {
    let start = ContinuousClock.now
    guard bare_curl_get(url.absoluteString, count, Int32(inFlight)) == count * byteCount else {
      throw BenchFailure("bare libcurl did not get every byte")
    }
    return Measurement.seconds(ContinuousClock.now - start) / Double(count)
  }

  /// The bytes alone with two hops: each fetch is asked for on the main actor, made by libcurl on a thread of its
  /// own, and told on the main actor. Nothing that lands there from another thread can be faster.
  func bareCurlWithHops(_ count: Int) async throws -> Double {
    let loop = HoppingCurl(url.absoluteString, count: count, byteCount: byteCount)
    let start = ContinuousClock.now
    guard await loop.run() else { throw BenchFailure("bare libcurl did not get every byte") }
    return Measurement.seconds(ContinuousClock.now - start) / Double(count)
  }

  /// Which libcurl it was, and how it was used.
  static var bareCurlNote: String {
    let handles = bare_curl_reuses_handles() == 1 ? "handles are reused" : "a new handle for each transfer"
    return "libcurl \(String(cString: bare_curl_version())), \(handles)"
  }

  /// Has so many tasks do the work in turn, `count` times in all; gives the seconds of one.
  private func share(
    _ count: Int, among tasks: Int, _ work: @escaping @Sendable (_ number: Int) async throws -> Void
  ) async throws -> Double {
    let seconds = try await Measurement.seconds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask { for number in stride(from: task, to: count, by: tasks) { try await work(number) } }
        }
        try await group.waitForAll()
      }
    }
    return seconds / Double(count)
  }
}

/// What a view would show of one home.
struct HomeRow: Sendable, Decodable {
  let id: Int
  let title: String
  let price: Int
  let beds: Int
}

extension HomeRow: RawDecodable {
  init(_ raw: borrowing RawData) throws {
    id = try raw.id.require()
    title = try raw.title.require()
    price = try raw.price.require()
    beds = try raw.beds.require()
  }
}

/// The page as a type of the application's own that reads raw data.
struct RawHomePage: RawDecodable {
  let items: [HomeRow]

  init(_ raw: borrowing RawData) throws { items = try [HomeRow](raw.items) }
}

/// The page as a type of the application's own.
struct HomePage: Decodable {
  let items: [HomeRow]
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
