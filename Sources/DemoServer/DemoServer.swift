public import APIKit
import Foundation

/// A small HTTP/1.1 server on the loopback address, for the demo and for tests.
///
/// It serves three listing services with real data, each with its own names and nesting
/// (`/sacramento/v1/homes`, `/ames/v2/listings`, `/new/v1/projects`), the last also as XML (`/new/v1/feed`), a
/// picture of each home (`/sacramento/v1/pictures/sac-17`), the favourites of the user of a token
/// (`/sacramento/v1/favourites`), an OpenAPI document of the first service (`/sacramento/v1/openapi.json`), files both ways
/// under `/transfers` (downloads with ranges, an upload form, tus), and the handlers that a test adds
/// with ``on(_:_:response:)``. Made-up changes of the prices in Ames come live: `/events` as server-sent events, `/prices`
/// over a WebSocket, one every second or every `every=MS`, behind number `from=N`, in one `place=NAME` or in all; a
/// WebSocket may name another place later: `{"follow": "Sawyer"}`. `/echo` is a WebSocket that sends back each text, and
/// `POST /recipes/homes` checks the fields of a home. One thread serves all connections; handlers run on it one at a time
/// and must not block. The server stops when it is released.
///
/// A request can ask for faults with header fields, or with names in the query like `demo_delay=200`:
///
/// | field | the response |
/// |---|---|
/// | `X-Demo-Delay: 200` | is sent after this many milliseconds |
/// | `X-Demo-Stall: 200` | pauses in the middle of its body for this many milliseconds |
/// | `X-Demo-Fail: 503` | has this status; with `drop` the connection is closed without a byte |
/// | `X-Demo-Truncate: 100` | ends, and the connection with it, after this many bytes of the body |
/// | `X-Demo-Chunked: 512` | is sent in chunks of this many bytes |
/// | `X-Demo-Cache: no-store` | has this `Cache-Control` |
/// | `X-Demo-Times: 2` | has these faults only twice for each `X-Demo-Key`, or for each target |
public final class DemoServer: Sendable {
  /// The port it listens on.
  public let port: UInt16
  /// `http://127.0.0.1:` and the port, with the path `/`.
  public let baseURL: HTTPURL

  private let engine: DemoEngine
  private let routes = RouteTable()
  private let wake: Int32
  private let finished = DispatchSemaphore(value: 0)
  private let thread: ObjectIdentifier
  private let isStopped = Mutex(false)

  /// Reads the listings, opens the port and starts the thread.
  ///
  /// - Parameters:
  ///   - port: The port to listen on; 0, the default, lets the system choose.
  ///   - signatures: The signatures that the services require; none by default.
  ///   - options: Limits; see ``Options``.
  /// - Throws: ``DemoServerError`` when the port is taken or the listings cannot be read.
  public init(
    port: UInt16 = 0, signatures: DemoSignatures = .none, options: Options = Options()
  ) throws(DemoServerError) {
    let homes = try HomeStore.load()
    let sacramento = try SacramentoListings(homes: homes.sacramento, verify: signatures.sacramento)
    let listener: LoopbackSocket.Listener
    do throws(LoopbackSocket.Fault) { listener = try LoopbackSocket.open(port: port, backlog: 512) } catch {
      throw DemoServerError("the demo server cannot \(error)")
    }
    self.port = listener.port
    wake = listener.bell.write
    baseURL = HTTPURL(stringLiteral: "http://127.0.0.1:\(self.port)/")
    var limits = RequestParser.Limits()
    limits.head = options.maximumHeadBytes
    limits.line = min(limits.line, limits.head)
    limits.body = options.maximumBodyBytes
    engine = DemoEngine(limits: limits, options: options, routes: routes)
    sacramento.register(in: routes)
    AmesListings(homes: homes.ames, verify: signatures.ames).register(in: routes)
    NewListings(homes: homes.newAmes, verify: signatures.newHomes).register(in: routes)
    OtherForms(homes: homes).register(in: routes)
    let authorization = DemoAuthorization(issuer: baseURL.string)
    authorization.register(in: routes)
    SacramentoFavourites(homes: homes.sacramento, authorization: authorization).register(in: routes)
    DemoTransfers().register(in: routes)
    NewHomes().register(in: routes)
    PriceRoutes(feed: PriceFeed(homes: homes.ames)).register(in: routes)

    let (engine, finished) = (engine, finished)
    let thread = Thread {
      var loop = EventLoop(listener: listener.descriptor, wake: listener.bell.read, engine: engine)
      loop.run()
      finished.signal()
    }
    thread.name = "APIKit demo server"
    self.thread = ObjectIdentifier(thread)
    thread.start()
  }

  deinit { stop() }

  /// The URL of a path on this server; the path must be percent-encoded and may have a query.
  public func url(_ path: String) throws(APIError) -> HTTPURL {
    try HTTPURL("http://127.0.0.1:\(port)" + (path.hasPrefix("/") ? path : "/" + path))
  }

  /// Adds a handler for a method and a path.
  ///
  /// A path that ends with `*` matches every path with that beginning. Of several handlers that match, the
  /// one added last is called. `HEAD` calls the handler of `GET`. The handler runs on the server's thread
  /// and must not block.
  public func on(
    _ method: HTTPMethod, _ path: String, response: @escaping @Sendable (DemoRequest) -> DemoResponse
  ) {
    routes.set(method, path, handler: response)
  }

  /// Closes the port and all connections, and waits until the thread has ended. Calling it again does
  /// nothing.
  public func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    _ = close(wake)
    // A handler may release the last reference; the server's thread cannot wait for itself.
    if ObjectIdentifier(Thread.current) != thread { finished.wait() }
  }

  /// The requests received, oldest first; the latest 20,000 at most.
  public var requests: [DemoRequest] { engine.requests }

  /// The counts so far.
  public var counters: Counters { engine.counters }

  /// Clears the log of requests, the counters and the counts of `X-Demo-Times`.
  public func forget() { engine.forget() }
}

extension DemoServer {
  /// What a server has counted since its start, or since ``DemoServer/forget()``.
  public struct Counters: Sendable, Hashable {
    /// Connections accepted.
    public internal(set) var connections = 0
    /// Connections open now.
    public internal(set) var openConnections = 0
    /// The most connections that were open at once.
    public internal(set) var mostConnections = 0
    /// Requests that were complete.
    public internal(set) var requests = 0
    /// Requests that were malformed or above a limit.
    public internal(set) var badRequests = 0
    /// Responses with status 304.
    public internal(set) var notModified = 0
    /// Responses whose client closed the connection before their end.
    public internal(set) var abandoned = 0
  }

  /// The limits of a server.
  public struct Options: Sendable {
    /// How many connections are served at once; further ones wait in the system's queue. The default is
    /// 1,024.
    public var maximumConnections = 1024
    /// The largest request line and header fields in bytes; larger ones get 414 or 431. The default is 32
    /// KiB.
    public var maximumHeadBytes = 32 << 10
    /// The largest body of a request in bytes; a larger one gets 413. The default is 1 MiB.
    public var maximumBodyBytes = 1 << 20
    /// The longest time without progress: within a request it gets 408; between two, or when the client does
    /// not read its response, the connection is closed. The default is 60 seconds.
    public var idleLimit: Duration = .seconds(60)
    /// The longest time from the first byte of a request to its last, however steadily they come; a request
    /// that takes longer gets 408. The default is 60 seconds.
    public var requestLimit: Duration = .seconds(60)

    /// Makes the default options.
    public init() {}
  }
}

/// Why a server could not start.
public struct DemoServerError: Error, CustomStringConvertible {
  /// What was tried and what happened.
  public let description: String

  init(_ description: String) { self.description = description }
}
