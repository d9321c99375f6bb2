import APIKitPaging
import APIKit
import DemoServer
import Reformers

/// Measures three servers of one name, lists all new homes from the fastest, and stops that one on the way; or measures
/// the servers that it is given.
struct HostsCommand: Command {
  static let name = "hosts"
  static let summary =
    "three servers of one name: measured, chosen, and one stopped while all pages are loaded"
  static let example = "hosts --explain"

  private static let host = "homes.demo.test"

  /// Whether the servers are not the command's own: they are measured and not stopped.
  private let areGiven: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    areGiven = arguments.has("--addresses")
    guard areGiven || !arguments.has("--base-url") else {
      throw UsageError(
        "hosts stops servers, so it runs on three of its own: leave --base-url out, or name the --addresses to measure"
      )
    }
  }

  func run(in session: Session) async throws {
    guard areGiven else { return try await runOwnServers(session) }
    let status = try await session.newHomes.measureHosts()
    if session.writesJSON {
      try HomePrinter(session: session).json(["servers": status.map { Self.row($0) }])
    } else {
      table(status, [], in: session)
    }
  }

  private func runOwnServers(_ session: Session) async throws {
    let servers = try (0..<3).map { _ in try DemoServer() }
    let addresses = try servers.map { try HostAddress("127.0.0.1:\($0.port)") }
    let pool = HostPool(Self.host, addresses: addresses)
    // The service of the session in an environment of the command's own: one backend has one table of environments.
    var service = try session.newHomes
    let usual = service.environments.current
    service.environments["hosts"] = try HTTPURL("http://\(Self.host)/new")
    service.environments.current = "hosts"
    let environments = service.environments
    defer { environments.current = usual }
    service.cache = CacheOptions(store: nil)
    service.admission = AdmissionOptions(retryPolicy: .atAnotherServer, hosts: pool)

    try await service.measureHosts()
    if !session.writesJSON { table(pool.status, servers, in: session) }
    var (homes, pages, stopped) = (0, 0, "none")
    for try await page in NewHomesManager(service).pages() {
      homes += try page.response.data(with: PropertyListReformer()).count
      pages += 1
      guard pages == 2, let favourite = pool.status.firstIndex(where: \.isFavourite) else { continue }
      stopped = pool.status[favourite].host.description
      servers[favourite].stop()
      if !session.writesJSON { session.console.print("\npage 2 is here; \(stopped) is stopped\n") }
    }
    if session.writesJSON {
      let rows = zip(pool.status, servers).map { status, server in
        Self.row(status).merging(["requests": server.counters.requests]) { $1 }
      }
      try HomePrinter(session: session).json([
        "servers": rows, "homes": homes, "pages": pages, "stopped": stopped,
      ])
    } else {
      table(pool.status, servers, in: session)
      session.console.print("\(homes) homes from \(pages) pages, and no load has failed")
    }
  }

  private static func row(_ status: HostPool.Status) -> [String: Any?] {
    [
      "server": status.host.description, "connectMicroseconds": status.connectTime.map(microseconds),
      "isUsed": status.isFavourite,
    ]
  }

  /// - Parameter servers: Those whose requests are counted; none where they are not the command's own.
  private func table(_ status: [HostPool.Status], _ servers: [DemoServer], in session: Session) {
    let names = ["Server", "Connects in"] + (servers.isEmpty ? [] : ["Requests"]) + ["State"]
    let columns = names.map { TextTable.Column($0, minimumWidth: 10) }
    let requests = servers.isEmpty ? status.map { _ in [] } : servers.map { [String($0.counters.requests)] }
    let rows = zip(status, requests).map { status, requests in
      [status.host.description, status.connectTime.map { "\(Self.microseconds($0)) µs" } ?? "–"] + requests
        + [Self.text(status)]
    }
    session.console.print(TextTable(columns: columns, rows: rows))
  }

  private static func microseconds(_ time: Duration) -> Int { Int(time / .microseconds(1)) }

  private static func text(_ status: HostPool.Status) -> String {
    switch status.health {
    case .good: status.isFavourite ? "in use" : "ready"
    case .doubtful(let failures): "failed \(failures) times"
    case .aside(let time): "aside for \(time.components.seconds) s"
    }
  }
}
