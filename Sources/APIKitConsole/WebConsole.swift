public import APIKit
import APIKitReports
import Foundation

/// A page in the browser that shows the loads of this process while they are under way, for development.
///
/// ```swift
/// let console = try WebConsole()
/// print(console.url)
/// ```
/// It listens on 127.0.0.1 only, and its URL has a random token. It refuses requests for other hosts and from other origins, so no
/// other page of the browser can ask it (DNS rebinding). A watched transport (``watching(_:)``) may be slowed down and
/// have requests fail by ``rules``, and its loads can be sent again from the page: as new loads, with the credential and cookies that
/// their user has then, which the page does not see.
///
/// A release build that does not link `APIKitConsole` contains nothing of it. It works until ``stop()`` or the release of its
/// last reference. May be used from any thread.
public final class WebConsole: Sendable {
  /// The URL of the page, for a browser on this machine. Anybody who knows it sees the loads, so keep it
  /// secret.
  public let url: String

  private let state: ConsoleState
  private let server: ConsoleServer
  private let feed: ConsoleFeed
  private let statistics: FlightStatistics

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - port: The port; 0, the default, has the system choose one.
  ///   - maximumConnections: The largest number of connections at once; the default is 16. Each open page takes one.
  /// - Throws: `APIError.Reason.misconfigured` when the port cannot be opened.
  public convenience init(port: UInt16 = 0, maximumConnections: Int = 16) throws(APIError) {
    try self.init(port: port, maximumConnections: maximumConnections, token: Nonce.make())
  }

  init(port: UInt16, maximumConnections: Int, token: String) throws(APIError) {
    let (feed, statistics) = (ConsoleFeed(), FlightStatistics())
    let state = ConsoleState(feed)
    let pages = ConsolePages(token: token, state: state, statistics: statistics)
    server = try ConsoleServer(
      port: port, maximumConnections: maximumConnections,
      ConsoleServer.Callbacks(
        respond: { pages.respond(to: $0) }, greeting: { ConsoleFeed.greeting },
        streams: { feed.isOn = $0 > 0 }))
    (self.state, self.feed, self.statistics) = (state, feed, statistics)
    url = "http://127.0.0.1:\(server.port)/\(token)/"
    pages.port.store(Int(server.port))
    feed.push = { [server] in server.push($0) }
    statistics.isOn = true
    server.begin()
  }

  deinit { stop() }

  /// The rules for requests of watched transports; none at first. The first rule that applies counts.
  ///
  /// At most 50 count. A rule that cannot be used, such as one with a loss of 2, is left out, with a line on the standard error
  /// stream.
  public var rules: [FaultRule] {
    get { state.rules }
    set { state.rules = newValue }
  }

  /// A transport that sends by another one, under ``rules``, and whose loads the page can send again.
  ///
  /// While a page is open, the loads of the last 200 requests are kept in memory for it, except connections, loads with a
  /// body from a file or a stream or of more than 64 KiB, and loads whose response does not go into memory. The page shows
  /// requests that belong to no load of a service, and cannot send them again.
  public func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
    WatchedTransport(base: transport, console: state)
  }

  /// Closes all connections and the port, and forgets rules and loads. Returns when that is done.
  public func stop() {
    feed.isOn = false
    statistics.isOn = false
    state.clear()
    server.stop()
    feed.push = { _ in }
  }
}

/// Tells the page of events, while one is open.
final class ConsoleFeed: FlightListener {
  private let pushing = Mutex<@Sendable (String) -> Void>({ _ in })
  private let isTelling = AtomicFlag()
  /// Held while it is turned on or off, which ``WebConsole/stop()`` and the server's thread may do at once.
  private let turning = Mutex(())

  var push: @Sendable (String) -> Void {
    get { pushing.withLock { $0 } }
    set { pushing.withLock { $0 = newValue } }
  }

  var isOn: Bool {
    get { isTelling.load() }
    set {
      turning.withLock { _ in
        guard isTelling.exchange(newValue) != newValue else { return }
        ExchangeKeepers.change(by: newValue ? 1 : -1)
        if newValue { FlightEvents.shared.add(self) } else { FlightEvents.shared.remove(self) }
      }
    }
  }

  /// What the page is told of an event.
  private struct Line: Encodable {
    var kind = "event"
    let flight: UInt64
    let api: String
    let attempt: Int
    /// Milliseconds since the call of `load`.
    let at: Double
    let since1970: Double
    let text: String
    /// How the load ended; nil before.
    var end: String?

    init(
      _ event: FlightEvent, of flight: FlightID, api: String, attempt: Int, at: Duration, since1970: Double
    ) {
      (self.flight, self.api, self.attempt) = (flight.rawValue, api, attempt)
      (self.at, self.since1970, text) = (at / .milliseconds(1), since1970, event.description)
      switch event {
      case .landed(let landing): end = landing.outcomeName
      case .refused: end = "refused"
      default: break
      }
    }
  }

  func receive(_ event: LiveEvent) throws {
    let api = event.api.description
    tell(
      Line(
        event.event, of: event.flight, api: api, attempt: event.attempt, at: event.at,
        since1970: event.secondsSince1970))
  }

  /// Tells the page a value, where one is open.
  func tell(_ value: any Encodable & Sendable) {
    if isOn, let text = Self.text(value) { push(text) }
  }

  /// How long the greeting may be: it must leave room for what comes next, or its connection would be closed as too slow.
  static let maximumGreeting = 256 << 10

  /// The latest records, for a page that was opened just now; older ones only as far as there is room.
  static var greeting: String {
    var (texts, length): ([String], Int) = ([], 0)
    for record in FlightLog.shared.records.suffix(50).reversed() {
      let text = lines(of: record, maximumLength: maximumGreeting - length)
      texts.append(text)
      length += text.utf8.count
    }
    return "retry: 1000\n\n" + texts.reversed().joined()
  }

  private static func lines(of record: FlightRecord, maximumLength: Int) -> String {
    var (text, attempt) = ("", 0)
    let api = "\(record.method) \(record.apiName) (\(record.service))"
    for entry in record.entries {
      if case .attempt(let number, _) = entry.event { attempt = number }
      let line = Line(
        entry.event, of: record.flight, api: api, attempt: attempt, at: entry.at,
        since1970: record.secondsSince1970 + entry.at / .seconds(1))
      let next = Self.text(line) ?? ""
      guard text.utf8.count + next.utf8.count <= maximumLength else { break }
      text += next
    }
    return text
  }

  private static func text(_ value: any Encodable) -> String? {
    // JSON of the encoder has no line breaks, which would end the event.
    (try? JSONEncoder().encode(value)).map { "data: \(String(decoding: $0, as: UTF8.self))\n\n" }
  }
}
