/// The servers of one name: chooses one for each load, and tracks their health.
///
/// A service states it in ``AdmissionOptions/hosts``; keep it in a `let`, because it has state. Loads of the service
/// whose URL has the pool's name then go to the server that connects fastest, to another one when that fails before
/// anything was sent, and not to one that has failed often. The load keeps the name in everything else: URL,
/// certificate, pins, cookies, stored responses, signature.
///
/// ```swift
/// let pool = HostPool("api.example.com", addresses: ["203.0.113.7", "203.0.113.8", "2001:db8::7"])
/// ```
///
/// Addresses need a transport with ``TransportCapabilities/connectTo``; others refuse the loads. Origins work over every
/// transport. May be used from any thread. A load with its own ``LoadOptions/connectTo`` does not use it.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8305>
public final class HostPool: Sendable {
  /// One server and its state.
  public struct Status: Sendable, Hashable {
    /// Whether it is used.
    public enum Health: Sendable, Hashable {
      /// The server is used.
      case good
      /// This number of attempts in a row has failed; the server is used only if no other is left.
      case doubtful(failures: Int)
      /// The server is not used for this time, or longer.
      case aside(Duration)
    }

    /// The server.
    public let host: PooledHost
    /// The time to connect, TLS included, as a moving average. Nil before the first measurement.
    public let connectTime: Duration?
    /// Whether it is used.
    public let health: Health
    /// Whether loads use the server now.
    public let isFavourite: Bool
  }

  struct HostPoolState {
    var selector: ServerSelector
    var listing: HostListing?
    /// When the last round of measuring began.
    var measured: Duration?
    var hedges = HedgeStore()
    var way = NetworkWay()
    /// The clock of the last load, by which the times above count.
    var time: any TimeSource = SystemTime()
  }

  /// The name of the servers, in its canonical form.
  public let name: String
  /// The time between two rounds of measuring while loads are made; nil measures on request only.
  public let measuringInterval: Duration?
  /// Whether servers without a measurement are used in a random order of this pool.
  public let shuffles: Bool
  private let isNamed: Bool
  let source: HostSource?
  let state: Mutex<HostPoolState>
  let races = SingleFlight<RaceKey, HostRace.Outcome>()
  let rounds = SingleFlight<Int, Void>()
  let questions = SingleFlight<Int, Void>()
  private let observation = Mutex<(any Sendable)?>(nil)

  /// The pools whose source is at work in the present task: the loads that it makes do not wait for it.
  @TaskLocal static var asking: Set<ObjectIdentifier> = []

  /// Makes a pool.
  ///
  /// - Parameters:
  ///   - name: The name in the base URL of the service, without scheme and port. Requests to other hosts are not
  ///     changed. With what is no host, such as `*.example.com`, loads fail with ``APIError/Reason/misconfigured``.
  ///   - addresses: The addresses of the name, the preferred ones first. With a `source` they are used until it has
  ///     given its list for the first time; they may be empty then.
  ///   - origins: Other names for the same backend. They receive credentials and signatures, so state them in the code
  ///     and never take them from a list.
  ///   - source: The source of further addresses; nil, the default, for none.
  ///   - measuringInterval: The time between two rounds of measuring while loads are made. The default is a minute; nil
  ///     measures on request only.
  ///   - shuffles: Whether servers without a measurement are used in a random order, which each pool draws once, so that
  ///     not all clients ask the first of the list; the default is false, the order of the list.
  public convenience init(
    _ name: String, addresses: [HostAddress] = [], origins: [HTTPURL] = [], source: HostSource? = nil,
    measuringInterval: Duration? = .seconds(60), shuffles: Bool = false
  ) {
    self.init(
      name, addresses: addresses, origins: origins, source: source, measuringInterval: measuringInterval,
      shuffles: shuffles, network: .shared)
  }

  /// - Parameter network: Who tells of another network.
  init(
    _ name: String, addresses: [HostAddress], origins: [HTTPURL], source: HostSource?,
    measuringInterval: Duration?, shuffles: Bool = false, network: NetworkHub
  ) {
    self.name = URLHost.name(name)
    isNamed = URLHost.isServer(self.name)
    self.measuringInterval = measuringInterval
    self.source = source
    self.shuffles = shuffles
    fixed = origins.map { .origin($0) }
    let seed: UInt64? = shuffles ? .random(in: 1 ... .max) : nil
    state = Mutex(
      HostPoolState(
        selector: ServerSelector(addresses.map { .address($0) } + fixed, seed: seed),
        listing: source.map { source in
          if case .daily = source.kind { HostListing(isDaily: true) } else { HostListing(isDaily: false) }
        }))
    let watch = network.observe { [weak self] report in
      self?.state.withLock { state in
        guard state.way.changes(to: report) else { return }
        state.selector.forget()
        state.measured = nil
      }
    }
    observation.withLock { $0 = watch }
  }

  /// The origins, which stay whatever the source says.
  private let fixed: [PooledHost]

  /// The servers and their states, in the order of the list.
  public var status: [Status] { status(time.now) }

  /// The clock of the loads; the system's before the first.
  var time: any TimeSource { state.withLock { $0.time } }

  func status(_ now: Duration) -> [Status] {
    state.withLock { state in
      state.selector.candidates.map { entry in
        let health: Status.Health =
          switch entry.health.state {
          case .open where entry.health.failures == 0: .good
          case .open: .doubtful(failures: entry.health.failures)
          case .aside(let until): .aside(max(.zero, until - now))
          case .probing: .aside(.zero)
          }
        return Status(
          host: entry.host, connectTime: entry.cost.value, health: health,
          isFavourite: entry.host == state.selector.favourite)
      }
    }
  }

  /// Whether a request goes to the pool's name and has not got an address already.
  func serves(_ request: HTTPRequest) throws(APIError) -> Bool {
    try checkName()
    return request.url.host == name && request.options.connectTo == nil
  }

  /// Throws ``APIError/Reason/misconfigured`` for a name to which no request goes.
  func checkName() throws(APIError) {
    guard !isNamed else { return }
    throw APIError(
      .assembly, .misconfigured,
      "the pool's name \(name.debugDescription) is not a host; it is the one of the base URL, without scheme and port"
    )
  }

  // MARK: The list

  /// The step that the list needs before a server is chosen.
  func need(_ time: any TimeSource) -> HostListing.Need {
    guard source != nil else { return .nothing }
    return state.withLock { state in
      state.listing?.need(
        now: time.now, day: Self.day(time), hasHosts: !state.selector.candidates.isEmpty) ?? .nothing
    }
  }

  /// Reads what is kept on disk. Quick, but not for a thread that must not wait.
  func readKept(_ time: any TimeSource) {
    guard case .daily(let kept)? = source?.kind else { return }
    let list = kept.list(of: name)
    let hosts = list.flatMap { list in
      try? HostSource.hosts(of: HostResolution(list.addresses, timeToLive: .zero))
    }
    state.withLock { state in
      state.listing?.read(day: hosts == nil ? nil : list?.day)
      if let hosts { state.selector.replace(hosts + fixed) }
    }
  }

  /// Asks the source behind the loads, unless a question is under way.
  func askBehind(_ time: any TimeSource) { questions.begin(0) { await self.question(time) } }

  /// Asks the source, once for all who ask, and returns when it has given its list or failed, or after the limit. A source
  /// that takes longer is not waited for again for a while; its list is taken when it comes.
  func wait(upTo limit: Duration, _ time: any TimeSource) async {
    askBehind(time)
    do throws(APIError) {
      try await TimeLimit.run(limit, by: time) { () throws(APIError) in
        guard await self.questions.value(0, { await self.question(time) }) != nil else {
          throw APIError(.transport, .cancelled)
        }
      }
    } catch {
      if error.reason == .deadlineExceeded { state.withLock { $0.listing?.failed(now: time.now) } }
    }
  }

  /// Removes the lists that are kept beside its own. What it knows in memory stays.
  package func forgetKept() throws(PrivateFile.Fault) {
    if case .daily(let kept) = source?.kind { try kept.removeAll() }
  }

  private func question(_ time: any TimeSource) async {
    // A question that has just ended may have brought a new list since the caller looked.
    guard let source, need(time) != .nothing else { return }
    let day = Self.day(time)
    do {
      let asking = Self.asking.union([ObjectIdentifier(self)])
      let resolution = try await Self.$asking.withValue(asking) { try await source.ask(name) }
      let hosts = try HostSource.hosts(of: resolution)
      if case .daily(let kept) = source.kind {
        kept.keep(KeptHosts.List(day: day, addresses: resolution.addresses), of: name)
      }
      state.withLock { state in
        state.selector.replace(hosts + fixed)
        state.listing?.listed(now: time.now, day: day, lifetime: resolution.timeToLive)
      }
    } catch {
      state.withLock { $0.listing?.failed(now: time.now) }
    }
  }

  private static func day(_ time: any TimeSource) -> Int { Int((time.wallClock / 86_400).rounded(.down)) }

  // MARK: Loads

  /// Chooses a server for a load that goes by this clock.
  func choose(
    by clock: any TimeSource, except tried: [PooledHost], probes: @autoclosure () -> Bool
  ) -> ServerSelector.Choice? {
    state.withLock { state in
      state.time = clock
      return state.selector.choose(except: tried, now: clock.now, probes: probes())
    }
  }

  /// Chooses among the servers, or takes what a load has seen of them.
  func withSelector<Value: Sendable>(_ body: (inout ServerSelector) -> Value) -> Value {
    state.withLock { body(&$0.selector) }
  }

  /// Whether a server is left that a load has not tried.
  func hasMore(than tried: [PooledHost]) -> Bool {
    withSelector { $0.candidates.contains { !tried.contains($0.host) } }
  }

  /// A load that may get a second attempt begins: when, and where; nil for none.
  func hedge(
    _ key: HedgeStore.HedgeKey, beside server: PooledHost, except tried: [PooledHost], _ now: Duration
  ) -> (delay: Duration, server: PooledHost)? {
    state.withLock { state in
      guard let delay = state.hedges.begin(key, now: now),
        let other = state.selector.alternative(to: server, except: tried, now: now)
      else { return nil }
      return (delay, other)
    }
  }

  /// Takes what loads have seen of second attempts.
  func withHedges<Value: Sendable>(_ body: (inout HedgeStore) -> Value) -> Value {
    state.withLock { body(&$0.hedges) }
  }
}
