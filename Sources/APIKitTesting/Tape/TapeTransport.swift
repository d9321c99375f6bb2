public import APIKit
import APIKitReports
import Foundation

/// A transport for tests that plays back recorded responses.
///
/// It replaces the network only, so cookies, redirects, retry and signing run as usual. A tape is recorded once,
/// against the real server, and is kept with the test:
///
/// ```swift
/// let tape = try TapeTransport(file: "Tapes/homes.har")  // never touches a network
/// let homes = HomeListManager(service: Homes(wire: WireOptions(client: HTTPClient(transport: tape))))
/// let response = try await homes.response(["city": "Suzhou"])
/// XCTAssertEqual(tape.unused, [])
/// ```
/// A request that is not on the tape fails with `APIError.Reason.misconfigured`; the error names the nearest entry and
/// what is different. If a request was recorded several times, the first request gets the first response, and so on;
/// the last response is repeated. May be used from any thread.
public final class TapeTransport: AsyncHTTPTransport {
  /// The rule for a request.
  public enum Mode: Sendable {
    /// It is looked up on the tape, and never sent.
    case replay
    /// It is sent, and the response is recorded when it is complete. Earlier entries of the tape
    /// are removed.
    case record(over: any HTTPTransport)
    /// It is looked up, and sent and recorded if the tape does not have it.
    case add(over: any HTTPTransport)

    fileprivate var transport: (any HTTPTransport)? {
      switch self {
      case .replay: nil
      case .record(let transport), .add(let transport): transport
      }
    }
    fileprivate var looksUp: Bool { if case .record = self { false } else { true } }
  }

  /// The delay of a recorded response.
  public enum Pace: Sendable {
    /// No time.
    case instant
    /// As long as when it was recorded.
    case recorded
    /// This factor times as long; no time where that is no duration.
    case scaled(Double)
  }

  private struct TapeState {
    var tape: Tape
    /// By the request, which entries there are.
    var index: [TapeMatch: [Int]] = [:]
    var matches: [TapeMatch] = []
    /// How often each request was asked.
    var asked: [TapeMatch: Int] = [:]
    var used: Set<Int> = []
    /// The pseudonyms that a response gave out.
    var given: Set<Int> = []
    var seen: Set<Int> = []
    var faults: [TapeFaultState] = []
    var misses: [String] = []
  }

  /// Its capabilities: all, or while recording those of the recorded transport.
  public let capabilities: TransportCapabilities
  private let state: Mutex<TapeState>
  private let file: String?
  private let mode: Mode
  private let pace: Pace
  private let rules: TapeRules
  private let time: any TimeSource
  private let begin: Duration
  private let pseudonyms: Pseudonyms
  private let logins = MemoryLoginStore()

  /// Plays back a tape from memory.
  public convenience init(
    _ tape: Tape, rules: TapeRules = TapeRules(), pace: Pace = .instant, time: any TimeSource = SystemTime()
  ) {
    self.init(tape, file: nil, mode: .replay, rules: rules, pace: pace, time: time)
  }

  /// Plays back the tape of a file, or records it.
  ///
  /// - Parameters:
  ///   - file: The path of the tape. ``save()`` writes a recorded tape.
  ///   - mode: The default is ``Mode/replay``.
  ///   - rules: The compared parts of a request, and the secrets.
  ///   - pace: The delay of a recorded response; none by default.
  ///   - time: The clock of that; the system's by default.
  /// - Throws: As ``Tape/init(contentsOf:)``; a missing file is no error with ``Mode/add(over:)``.
  ///   `APIError.Reason.misconfigured` when it should record while the environment variable `CI` is set, because
  ///   nobody would check the new tape.
  public convenience init(
    file: String, mode: Mode = .replay, rules: TapeRules = TapeRules(), pace: Pace = .instant,
    time: any TimeSource = SystemTime()
  ) throws(APIError) {
    try self.init(
      file: file, mode: mode, rules: rules, pace: pace, time: time,
      isCI: Self.isCI(ProcessInfo.processInfo.environment["CI"]))
  }

  convenience init(
    file: String, mode: Mode, rules: TapeRules, pace: Pace, time: any TimeSource, isCI: Bool
  ) throws(APIError) {
    var tape = Tape()
    if mode.transport != nil, isCI {
      throw APIError(
        .transport, .misconfigured, "no tape is recorded while CI is set; record \(file) on your machine")
    }
    if mode.looksUp, mode.transport == nil || FileManager.default.fileExists(atPath: file) {
      tape = try Tape(contentsOf: file)
    }
    self.init(tape, file: file, mode: mode, rules: rules, pace: pace, time: time)
  }

  static func isCI(_ value: String?) -> Bool {
    value.map { !$0.isEmpty && $0 != "false" && $0 != "0" } ?? false
  }

  private init(
    _ tape: Tape, file: String?, mode: Mode, rules: TapeRules, pace: Pace, time: any TimeSource
  ) {
    var state = TapeState(tape: Tape())
    for entry in tape.archive.entries { Self.append(entry, to: &state, rules) }
    self.state = Mutex(state)
    (self.file, self.mode, self.rules, self.pace, self.time) = (file, mode, rules, pace, time)
    capabilities = mode.transport?.capabilities ?? .all
    pseudonyms = Pseudonyms(tape)
    begin = time.now
  }

  /// The simulated failures; the first that applies is used. Empty at first. Setting them begins their
  /// counts anew.
  public var faults: [TapeFault] {
    get { state.withLock { $0.faults.map(\.fault) } }
    set { state.withLock { $0.faults = newValue.map(TapeFaultState.init) } }
  }

  /// The tape as it is now.
  public var tape: Tape {
    var tape = state.withLock { $0.tape }
    guard mode.transport != nil else { return tape }
    // What was recorded before a secret was known may have it under any name.
    tape.archive.entries = tape.archive.entries.map { $0.mappingTexts(pseudonyms.scrub) }
    return tape
  }

  /// The entries that no request has asked for, as method and path: a test may require that there are none.
  public var unused: [String] {
    state.withLock { state in
      state.matches.indices.filter { !state.used.contains($0) }.map {
        "\(state.matches[$0].method) \(state.matches[$0].path)"
      }
    }
  }

  /// The errors of requests that are not on the tape.
  public var misses: [String] { state.withLock { $0.misses } }

  /// Writes the recorded responses to the file. Does nothing with ``Mode/replay``.
  public func save() throws(APIError) {
    guard mode.transport != nil, let file else { return }
    try tape.write(to: file)
  }

  // MARK: HTTPTransport

  /// The header fields of the transport that it records.
  public var headers: HTTPHeaders { mode.transport?.headers ?? HTTPHeaders() }
  /// The options for all loads of the transport that it records.
  public var loadOptions: LoadOptions { mode.transport?.loadOptions ?? .none }
  /// The caller of the transport that it records.
  public var caller: String { mode.transport?.caller ?? "" }

  /// Returns the response of the tape, or records that of the server. A 401 that asks for a login is shown to the exchange's
  /// `challenges`, as by ``StubTransport``.
  public func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try capabilities.check(exchange)
    guard let handler = exchange.challenges else { return try await attempt(exchange) }
    return try await ChallengedExchange(handler: handler, logins: logins).respond(to: exchange) {
      (exchange) async throws(APIError) in try await self.attempt(exchange)
    }
  }

  private func attempt(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let start = ContinuousClock.now
    var request = exchange.request
    request.body = try await StubWire.read(request.body)
    var exchange = exchange
    exchange.request = request
    var wire = StubWire(exchange: exchange, request: request, clock: TapeClock(time: time), start: start)
    let fault = strike(request, exchange.flightID)
    if case .other(let other)? = fault { return try await wire.perform(other) }
    let found: HTTPArchive.Entry
    if let transport = mode.transport {
      let sent = SentExchange(exchange)
      if mode.looksUp, let entry = lookUp(sent) {
        found = entry
      } else {
        return try await record(exchange, sent, over: transport, by: wire)
      }
    } else {
      found = try miss(SentExchange(exchange))
    }
    return try await wire.perform(script(found, fault))
  }

  private func strike(_ request: HTTPRequest, _ flight: FlightID?) -> TapeFault.Effect? {
    let api = flight.flatMap { FlightLog.shared.record(of: $0)?.apiName }
    let now = time.now - begin
    return state.withLock { state in
      for index in state.faults.indices where state.faults[index].strikes(request, api: api, at: now) {
        return state.faults[index].fault.effect
      }
      return nil
    }
  }

  /// A number of milliseconds; none for one that no duration has.
  private static func wait(_ milliseconds: Double) -> Duration {
    (0...1e12).contains(milliseconds) ? .milliseconds(1) * milliseconds : .zero
  }

  /// What the wire does to give a recorded response.
  private func script(_ entry: HTTPArchive.Entry, _ fault: TapeFault.Effect?) -> StubResponse {
    var script = StubResponse(recorded: entry)
    if case .truncated(let count)? = fault, case .response(let response, _) = script.kind {
      script = .truncated(after: count, of: response)
    }
    let wait: Duration =
      switch pace {
      case .instant: .zero
      case .recorded: Self.wait(entry.timings.total)
      case .scaled(let factor): Self.wait(entry.timings.total * factor)
      }
    if wait > .zero { script = .after(wait, script) }
    if case .delayed(let delay)? = fault { script = .after(delay, script) }
    return script
  }

  // MARK: Looking up

  private func miss(_ sent: SentExchange) throws(APIError) -> HTTPArchive.Entry {
    if let entry = lookUp(sent) { return entry }
    let message = state.withLock { state in
      let match = self.match(sent, state)
      var message = "the tape has no \(match.method) \(match.path)"
      if let nearest = match.nearest(of: state.matches) {
        let entry = state.matches[nearest]
        message += "; the nearest is entry \(nearest), \(entry.method) \(entry.path): "
        message += match.differences(from: entry).joined(separator: "; ")
      } else {
        message += ": it is empty"
      }
      state.misses.append(message)
      return message
    }
    throw APIError(.transport, .misconfigured, message)
  }

  private func lookUp(_ sent: SentExchange) -> HTTPArchive.Entry? {
    state.withLock { state in
      let match = self.match(sent, state)
      guard let entries = state.index[match] else { return nil }
      let count = state.asked[match, default: 0]
      state.asked[match] = count + 1
      let index = entries[min(count, entries.count - 1)]
      state.used.insert(index)
      return state.tape.archive.entries[index]
    }
  }

  private func match(_ sent: SentExchange, _ state: TapeState) -> TapeMatch {
    // A secret that is none of the tape's is the application's own.
    let mask = SecretMask(plainNames: rules.plainNames) { secret, isNumber in
      Pseudonyms.isPseudonym(secret, isNumber) ? secret : isNumber ? "9000000000" : Pseudonyms.prefix + "0"
    }
    let entry = sent.entry(
      of: .failure(APIError(.transport, .cancelled)), size: nil, mask: mask, bodyLimit: nil)
    return Self.match(entry.request, rules, given: state.given)
  }

  private static func match(
    _ request: HTTPArchive.Request, _ rules: TapeRules, given: Set<Int>
  ) -> TapeMatch {
    TapeMatch(request, rules) { text in
      Pseudonyms.replacing(in: text) { digits in Int(digits).map(given.contains) == true ? digits : "0" }
    }
  }

  private static func append(_ entry: HTTPArchive.Entry, to state: inout TapeState, _ rules: TapeRules) {
    for number in entry.requestTexts.flatMap(Pseudonyms.numbers) { state.seen.insert(number) }
    for number in entry.responseTexts.flatMap(Pseudonyms.numbers) where state.seen.insert(number).inserted {
      state.given.insert(number)
    }
    let match = match(entry.request, rules, given: state.given)
    state.tape.archive.entries.append(entry)
    state.matches.append(match)
    state.index[match, default: []].append(state.matches.count - 1)
  }

  // MARK: Recording

  private func record(
    _ exchange: HTTPExchange, _ sent: SentExchange, over transport: any HTTPTransport, by wire: StubWire
  ) async throws(APIError) -> HTTPResponse {
    var plain = HTTPExchange(exchange.request)
    plain.crossesOrigin = exchange.crossesOrigin
    plain.flightID = exchange.flightID
    let result: Result<HTTPResponse, APIError>
    do throws(APIError) { result = .success(try await transport.send(plain)) } catch {
      result = .failure(error)
    }
    // A request that was given up says nothing about the server.
    if case .failure(let error) = result, error.reason == .cancelled { throw error }
    var sent = sent
    sent.took = ContinuousClock.now - wire.start
    let mask = pseudonyms.mask(rules)
    let entry = sent.entry(
      of: result, size: (try? result.get()).map { Int64($0.bytes.count) }, mask: mask, bodyLimit: nil
    ).mappingTexts(pseudonyms.scrub)
    state.withLock { state in
      Self.append(entry, to: &state, rules)
      state.used.insert(state.matches.count - 1)
    }
    var wire = wire
    return try await wire.perform(.response(try result.get()))
  }
}

extension HTTPArchive.Entry {
  /// Whether the attempt failed, even if the head of its response arrived. Browsers write their own names of failures beside
  /// whole responses.
  var isBroken: Bool {
    guard let failure else { return false }
    return response == nil || APIError.Stage.allCases.contains { failure.hasPrefix($0.rawValue + ".") }
  }
}

/// A ``TimeSource`` as a clock to sleep on.
private struct TapeClock: Clock {
  struct Instant: InstantProtocol {
    let offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  let time: any TimeSource

  var now: Instant { Instant(offset: time.now) }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await time.sleep(for: deadline.offset - time.now)
  }
}
