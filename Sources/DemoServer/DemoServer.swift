public import APIKit
import Foundation
import Synchronization

/// A small HTTP/1.1 server on the loopback address, for the demo and for tests.
///
/// It serves three listing services made of real data, each with a vocabulary and a nesting of its own
/// (`/sacramento/v1/homes`, `/ames/v2/listings`, `/new/v1/projects`), and whatever a test adds with
/// ``on(_:_:answer:)``. One thread serves all connections; handlers run on it one at a time and must not
/// block. The server stops when it is released.
///
/// A request can ask for misbehaviour with header fields, or with names in the query like `demo_delay=200`:
///
/// | field | the answer |
/// |---|---|
/// | `X-Demo-Delay: 200` | comes after so many milliseconds |
/// | `X-Demo-Stall: 200` | pauses in the middle of its body for so many milliseconds |
/// | `X-Demo-Fail: 503` | has this status; with `drop` the connection closes without a byte |
/// | `X-Demo-Truncate: 100` | ends with the connection after so many bytes of body |
/// | `X-Demo-Chunked: 512` | comes in chunks of so many bytes |
/// | `X-Demo-Cache: no-store` | has this `Cache-Control` |
/// | `X-Demo-Times: 2` | does all that only twice per `X-Demo-Key`, or per target |
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

  /// Reads the listings, opens the port and starts to serve.
  ///
  /// - Parameters:
  ///   - port: The port to listen on. 0, the default, lets the system choose.
  ///   - signatures: What the services demand of their callers; the default is nothing.
  ///   - options: Limits; see ``Options``.
  /// - Throws: ``DemoServerError`` when the port is taken or the listings cannot be read.
  public init(
    port: UInt16 = 0, signatures: DemoSignatures = .none, options: Options = Options()
  ) throws(DemoServerError) {
    let homes = try HomeStore.load()
    let (read, write) = try Sockets.makePipe()
    let listener: Int32
    do {
      (listener, self.port) = try Sockets.listen(port: port)
    } catch {
      _ = close(read)
      _ = close(write)
      throw error
    }
    wake = write
    baseURL = HTTPURL(stringLiteral: "http://127.0.0.1:\(self.port)/")
    var limits = RequestParser.Limits()
    limits.head = options.maximumHeadBytes
    limits.line = min(limits.line, limits.head)
    limits.body = options.maximumBodyBytes
    engine = DemoEngine(
      limits: limits, maximumConnections: options.maximumConnections, idleLimit: options.idleLimit,
      routes: routes)
    SacramentoListings(homes: homes.sacramento, verify: signatures.sacramento).register(in: routes)
    AmesListings(homes: homes.ames, verify: signatures.ames).register(in: routes)
    NewListings(homes: homes.newAmes, verify: signatures.newHomes).register(in: routes)
    DemoAuthorization(issuer: baseURL.string).register(in: routes)

    let (engine, finished) = (engine, finished)
    let thread = Thread {
      var loop = EventLoop(listener: listener, wake: read, engine: engine)
      loop.run()
      finished.signal()
    }
    thread.name = "APIKit demo server"
    self.thread = ObjectIdentifier(thread)
    thread.start()
  }

  deinit { stop() }

  /// The URL of a path on this server; the path may have a query and is taken as percent-encoded.
  public func url(_ path: String) throws(APIError) -> HTTPURL {
    try HTTPURL("http://127.0.0.1:\(port)" + (path.hasPrefix("/") ? path : "/" + path))
  }

  /// Answers a method and a path with a handler of the test's own.
  ///
  /// A path that ends with `*` stands for all that begin with it; of two that match, the one set later
  /// answers. `HEAD` is answered by the handler of `GET`. The handler runs on the server's thread.
  public func on(
    _ method: HTTPMethod, _ path: String, answer: @escaping @Sendable (DemoRequest) -> DemoResponse
  ) {
    routes.set(method, path, answer)
  }

  /// Closes the port and all connections, and waits until the thread has ended. Stopping twice is harmless.
  public func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    _ = close(wake)
    // A handler may hold the last reference: its own thread cannot wait for itself.
    if ObjectIdentifier(Thread.current) != thread { finished.wait() }
  }

  /// The requests received, oldest first; of very many only the latest.
  public var requests: [DemoRequest] { engine.requests }

  /// What happened so far.
  public var counters: Counters { engine.counters }

  /// Empties the log of requests, the counters and what `X-Demo-Times` remembers.
  public func forget() { engine.forget() }
}

extension DemoServer {
  /// What a server counted since it started.
  public struct Counters: Sendable, Hashable {
    /// Connections accepted.
    public internal(set) var connections = 0
    /// Connections open now.
    public internal(set) var openConnections = 0
    /// The most connections that were open at once.
    public internal(set) var mostConnections = 0
    /// Requests that were whole.
    public internal(set) var requests = 0
    /// Requests that were malformed or beyond a limit.
    public internal(set) var badRequests = 0
    /// Answers that said 304.
    public internal(set) var notModified = 0
    /// Answers that the client did not wait for.
    public internal(set) var abandoned = 0
  }

  /// The limits of a server.
  public struct Options: Sendable {
    /// Connections served at once; more wait in the system's queue. The default is 1,024.
    public var maximumConnections = 1024
    /// Bytes of request line and header fields, beyond which 414 or 431 is answered. The default is 32 KiB.
    public var maximumHeadBytes = 32 << 10
    /// Bytes of a request's body, beyond which 413 is answered. The default is 1 MiB.
    public var maximumBodyBytes = 1 << 20
    /// The longest silence inside a request (408) or between two (close). The default is 60 seconds.
    public var idleLimit: Duration = .seconds(60)

    /// The defaults.
    public init() {}
  }
}

/// Why a server could not start.
public struct DemoServerError: Error, CustomStringConvertible {
  /// What was tried and what happened.
  public let description: String

  init(_ description: String) { self.description = description }
}
