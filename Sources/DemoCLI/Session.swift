import APIKit
import APIKitConsole
import APIKitReports
import DemoServer
import Foundation

/// What the commands of one run share: the services and the console.
@MainActor
final class Session {
  let console: Console
  let writesJSON: Bool
  /// Whether a failure was reported although the command continued.
  private(set) var hasFailed = false

  private let arguments: ParsedArguments
  private let lastFlightBefore = FlightLog.shared.records.last?.flight ?? FlightID(rawValue: 0)
  private lazy var backends = Result {
    let page = try page.get()
    return try Backends(arguments, cache: cache, exchanges: exchanges, page: page, console: console)
  }
  /// The live page of `--web`; nil without.
  private(set) lazy var page = Result { try arguments.has("--web") ? WebConsole() : nil }
  private lazy var opened = Result {
    let cache = try StoredResponses.open(arguments, in: cacheFolder, console: console)
    inUse = cache
    return cache
  }
  private var inUse: ResponseCache?
  /// What the run sends and receives, with `--har`.
  let exchanges: ExchangeArchive?
  /// A folder that goes when the session is closed; nil where the cache is that of all runs.
  private let ownFolder: URL?
  private var origins = ResponseOrigins()
  private var loaded = (pages: 0, homes: 0)

  /// - Parameter hasOwnCache: Whether the cache is the session's own, unless the arguments name one.
  init(_ arguments: ParsedArguments, console: Console, hasOwnCache: Bool = false) {
    self.arguments = arguments
    self.console = console
    writesJSON = arguments.has("--json")
    exchanges = arguments.has("--har") ? ExchangeArchive(keepsBodies: true) : nil
    let isOwn = hasOwnCache && !arguments.has("--cache-folder") && !arguments.has("--no-cache")
    ownFolder =
      isOwn
      ? FileManager.default.temporaryDirectory.appendingPathComponent("apikit-demo-\(getpid())-\(UUID())")
      : nil
  }

  /// Removes what is the session's own.
  func close() {
    guard let ownFolder else { return }
    inUse = nil
    try? FileManager.default.removeItem(at: ownFolder)
  }

  /// Homes around Sacramento.
  var sacramento: SacramentoService { get throws { try backends.get().sacramento } }
  /// Homes in Ames.
  var ames: AmesService { get throws { try backends.get().ames } }
  /// New homes in Ames.
  var newHomes: NewHomesService { get throws { try backends.get().newHomes } }

  /// Price changes as they happen.
  var live: LiveService { get throws { try backends.get().live } }

  /// Where the services are.
  var baseURL: HTTPURL { get throws { try backends.get().baseURL } }
  /// The client of all services.
  var client: HTTPClient { get throws { try backends.get().client } }

  /// A client that belongs to no server of the run's own. It keeps no cookies.
  func makeClient() throws -> HTTPClient {
    let transport = try Backends.transport(arguments, console: console)
    return HTTPClient(transport: exchanges?.archiving(transport) ?? transport)
  }

  /// Whether what is sent and received is written at the end, so that bodies must be in memory.
  var keepsExchanges: Bool { exchanges != nil }

  /// How many requests reached the run's own server; nil with another server.
  var requestCount: Int? { try? backends.get().server?.counters.requests }

  /// The cache of the run; nil with `--no-cache`.
  var cache: ResponseCache? { get throws { try opened.get() } }
  /// The folder of that cache.
  var cacheFolder: String {
    arguments.text("--cache-folder") ?? ownFolder?.path ?? StoredResponses.usualFolder
  }

  /// Notes where a response came from, for the line below the result.
  func note(_ provenance: Provenance) { origins.note(provenance) }

  /// Shows that another page of homes has come.
  func showProgress(homes: Int) {
    loaded = (loaded.pages + 1, loaded.homes + homes)
    console.progress("\(Formatting.grouped(loaded.homes.magnitude)) homes from \(loaded.pages) pages …")
  }

  /// The origins of the responses that were noted since the last call.
  func takeOrigins() -> ResponseOrigins {
    defer { origins = ResponseOrigins() }
    return origins
  }

  /// Waits until the run's responses are on disk, because the process ends afterwards.
  func keepResponses() async { await inUse?.flush() }

  /// Writes what the run has sent and received to the file of `--har`.
  func writeArchive() {
    guard let exchanges, let file = arguments.text("--har") else { return }
    do {
      try OutputFile.write(Data(exchanges.archive.harBytes()), to: file)
    } catch {
      report(error)
    }
  }

  /// Prints the records of the run's flights and the cache's statistics on stderr.
  func explain() {
    for record in FlightLog.shared.records where record.flight > lastFlightBefore {
      console.error(RecordText.text(of: record, console.errorPalette))
    }
    guard let numbers = inUse?.statistics else { return }
    for (name, level) in [("memory", numbers.memory), ("disk", numbers.disk)] {
      console.error(
        "cache, \(name): \(level.hits) hits, \(level.misses) misses, \(level.stores) stores, "
          + "\(level.evictions) evictions; \(level.count) responses, \(level.bytes) bytes")
    }
  }

  /// Prints a failure on stderr, and what a status means where the server has not said it; the exit status will be 1.
  func report(_ error: any Error) {
    console.error(console.errorPalette.paint("DemoCLI: \(error)", .bad))
    if let error = error as? APIError, error.reason == .unacceptableStatus,
      let status = error.context.status, error.detail == "status \(status)"
    {
      console.error(error.localizedDescription)
    }
    hasFailed = true
  }
}

/// The services, on a server of the run's own unless the arguments name another.
private struct Backends {
  let sacramento: SacramentoService
  let ames: AmesService
  let newHomes: NewHomesService
  let live: LiveService
  let baseURL: HTTPURL
  let client: HTTPClient
  let server: DemoServer?

  init(
    _ arguments: ParsedArguments, cache: ResponseCache?, exchanges: ExchangeArchive?, page: WebConsole?,
    console: Console
  ) throws {
    if let text = arguments.text("--base-url") {
      server = nil
      do throws(APIError) {
        baseURL = try HTTPURL(text.hasSuffix("/") ? text : text + "/")
      } catch {
        throw UsageError("--base-url: \(error.detail)")
      }
      // The paths of the services come behind it.
      guard baseURL.query == nil else { throw UsageError("--base-url has a query, and paths come behind it") }
    } else {
      let own = try DemoServer(signatures: .standard())
      server = own
      baseURL = own.baseURL
    }
    let baseURL = baseURL
    // The port of the run's own server changes from run to run, but its data do not.
    let stored = CacheOptions(store: cache, origin: server == nil ? nil : "demo")
    let transport = try Self.transport(arguments, console: console)
    let kept = exchanges?.archiving(transport) ?? transport
    let client = HTTPClient(transport: page?.watching(kept) ?? kept)
    self.client = client
    let wire = WireOptions(client: client)
    func environments(_ path: String) throws -> ServiceEnvironments {
      // Whoever runs the demo has named the server.
      ServiceEnvironments(
        try HTTPURL(baseURL.string + path), cleartext: .loopback(and: [baseURL.host]))
    }
    let admission = try Self.admission(arguments, to: baseURL.host)
    sacramento = SacramentoService(
      environments: try environments("sacramento"), wire: wire, cache: stored, admission: admission)
    ames = AmesService(
      environments: try environments("ames"), wire: wire, cache: stored, admission: admission)
    newHomes = NewHomesService(
      environments: try environments("new"), wire: wire, cache: stored, admission: admission)
    live = LiveService(environments: try environments(""), wire: wire, admission: admission)
  }

  /// The pool of `--addresses`. A read that a server did not finish is made again, at another one.
  private static func admission(_ arguments: ParsedArguments, to name: String) throws -> AdmissionOptions {
    guard let list = arguments.text("--addresses") else { return AdmissionOptions() }
    guard arguments.has("--base-url") else {
      throw UsageError("--addresses are servers of the name in --base-url, which is missing")
    }
    do throws(APIError) {
      let addresses = try list.split(separator: ",").map { text throws(APIError) in
        try HostAddress(String(text))
      }
      return AdmissionOptions(retryPolicy: .atAnotherServer, hosts: HostPool(name, addresses: addresses))
    } catch {
      throw UsageError("--addresses: \(error.detail)")
    }
  }

  static func transport(
    _ arguments: ParsedArguments, console: Console
  ) throws -> any HTTPTransport {
    let name = arguments.text("--transport") ?? TransportChoice.allCases[0].rawValue
    guard let choice = TransportChoice(rawValue: name) else {
      throw UsageError("--transport must be one of \(TransportChoice.names), not \(name)")
    }
    let transport = try choice.make()
    return arguments.has("--verbose") ? TalkingTransport(base: transport, console: console) : transport
  }
}

extension RetryPolicy {
  /// For a response that was under way when its server stopped; what was not sent yet needs no retry.
  static var atAnotherServer: RetryPolicy {
    var retry = RetryPolicy(attempts: 2)
    retry.backoff = .constant(.zero)
    return retry
  }
}
