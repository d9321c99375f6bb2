import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Alamofire)
  import Alamofire
#endif
#if canImport(AsyncHTTPClient)
  import AsyncHTTPClient
  import NIOCore
#endif
#if canImport(Get)
  import Get
#endif

/// Loads one page of 20 homes again and again by a client of others, decodes it with JSONDecoder, and prints the seconds of a
/// load as JSON: `{"wall": 0.0001, "cpu": 0.00005}`.
///
/// usage: clients NAME URL COUNT TASKS; `clients --names` prints the clients that it was built with
@main
struct Clients {
  typealias Client = @Sendable () async throws -> HomePage

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--names" { return print(clients.keys.sorted().joined(separator: "\n")) }
    let words = Array(arguments)
    guard words.count == 4, let make = clients[words[0]], let url = URL(string: words[1]),
      let count = Int(words[2]),
      let tasks = Int(words[3]), count > 0, tasks > 0
    else {
      FileHandle.standardError.write(Data("usage: clients NAME URL COUNT TASKS | --names\n".utf8))
      exit(2)
    }
    let client = make(url)
    // The connections are there before the clock starts.
    try await run(tasks, among: tasks, client)
    let (start, cpu) = (ContinuousClock.now, cpuSeconds)
    try await run(count, among: tasks, client)
    let (wall, used) = (ContinuousClock.now - start, cpuSeconds - cpu)
    let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) * 1e-18
    print("{\"wall\": \(seconds / Double(count)), \"cpu\": \(used / Double(count))}")
    exit(0)
  }

  private static func run(_ count: Int, among tasks: Int, _ client: @escaping Client) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for _ in stride(from: task, to: count, by: tasks) {
            let rows = try await client().items
            guard rows.count == 20 else { throw WrongPage(rows: rows.count) }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The processor time of this process.
  private static var cpuSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// By name, what makes a client of 64 connections to the server of a URL.
  private static let clients: [String: @Sendable (URL) -> Client] = {
    var clients: [String: @Sendable (URL) -> Client] = [:]
    #if canImport(Alamofire)
      clients["Alamofire"] = { url in
        let session = Session(configuration: configuration())
        return { try await session.request(url).serializingDecodable(HomePage.self).value }
      }
    #endif
    #if canImport(AsyncHTTPClient)
      clients["AsyncHTTPClient"] = { url in
        var configuration = AsyncHTTPClient.HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        let client = AsyncHTTPClient.HTTPClient(
          eventLoopGroupProvider: .singleton, configuration: configuration)
        let text = url.absoluteString
        return {
          let response = try await client.execute(HTTPClientRequest(url: text), timeout: .seconds(30))
          let body = try await response.body.collect(upTo: 1 << 20)
          return try JSONDecoder().decode(HomePage.self, from: Data(body.readableBytesView))
        }
      }
    #endif
    #if canImport(Get)
      clients["Get"] = { url in
        let client = APIClient(baseURL: nil) { $0.sessionConfiguration = configuration() }
        return { try await client.send(Request<HomePage>(url: url)).value }
      }
    #endif
    return clients
  }()

  private static func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    return configuration
  }
}

struct WrongPage: Error {
  let rows: Int
}

/// The same four members of each home as the sides of `Scripts/bench` read.
struct HomePage: Decodable, Sendable {
  struct Home: Decodable, Sendable {
    let id: Int
    let title: String
    let price: Int
    let beds: Int
  }

  let items: [Home]
}
