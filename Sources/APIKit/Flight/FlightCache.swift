/// The use of the cache by one flight, from the look-up before assembly to the store at its landing.
///
/// Made at takeoff where the manager has a policy, or where its method changes something on the server. The
/// look-up in memory is made on the main actor, for it takes less than a change of threads.
final class FlightCache: Sendable {
  /// The result of a look-up in memory.
  enum Finding {
    /// The flight lands with this; see ``FlightCache/wantsRefresh``.
    case land(APIResponse)
    /// This is shown, and the flight continues.
    case preview(APIResponse)
    /// The flight continues.
    case ask
  }

  private struct FlightCacheState {
    /// The stored response, where there is one that a 304 may confirm or an outage bring back.
    var found: (entry: CacheEntry, level: CacheLevels)?
    var wantsRefresh = false
    var isDiscarded = false
    /// When it was asked for; a wall clock that is set meanwhile does not age the response.
    var requested = CacheMoment(wall: 0)
    var epoch: UInt64 = 0
    /// The request, where its response may be stored.
    var request: HTTPRequest?
    /// The jar's cookies for it.
    var cookies: String?
    /// The response to store once it has validated, and what was asked.
    var deposit: (entry: CacheEntry, url: HTTPURL)?
  }

  let cache: ResponseCache
  /// The service's common parameters, as they are in the key; nil where there is none.
  let common: Parameters?
  /// The key of the stored response; nil for a load that stores and finds none. It is a digest of the whole body, so
  /// what a load makes stale does not depend on it.
  let key: CacheKey?
  private let call: APICall
  /// The partition of responses that the load may use.
  private let partition: String
  private let rules: CacheRules
  private let state = Mutex(FlightCacheState())

  /// Nil when the load has nothing to do with a cache, which costs no object.
  static func make(for call: APICall) -> FlightCache? {
    let terms = call.terms.caching
    guard !call.method.isSafe || terms.policy.rule != .none || !terms.traits.expires.isEmpty else {
      return nil
    }
    return call.cache.store.map { FlightCache(call, $0) }
  }

  private init(_ call: APICall, _ cache: ResponseCache) {
    let terms = call.terms.caching
    // Requests that may change something are written through (RFC 9111, 4): neither taken from the cache nor stored.
    var policy = call.method.isSafe ? terms.policy : .none
    if policy.rule != .none, !call.options.isInMemory {
      call.recorder.record(.cache("nothing is stored or found: the body does not stay in memory"))
      policy = .none
    }
    let body = policy.rule == .none ? nil : call.keptBody
    if policy.rule != .none, body == nil {
      call.recorder.record(.cache("nothing is stored or found: the request's body is not in memory"))
      policy = .none
    }
    // Nothing is stored or found without a policy.
    let known = policy.rule == .none ? "" : LoadIdentity.partition(of: call)
    if known == nil {
      call.recorder.record(.cache("nothing is stored or found: the signer does not state its caller"))
    }
    partition = known ?? "flight \(call.flightID)"
    let common = body.map { _ in call.service.commonParameters(for: call) }
    self.common = common
    key =
      if let body, let common { CacheKey(call, partition: partition, common: common, body: body) } else {
        nil
      }
    self.cache = cache
    self.call = call
    var rules = CacheRules(policy: policy, use: terms.use)
    if policy.rule != .none {
      rules.preference = terms.use.preference(under: cache.preference)
      var headers = call.wire.client.transport.headers
      headers.merge(call.ownHeaders)
      if !headers.isEmpty { rules.request = CacheControl(request: headers) }
    }
    self.rules = rules
  }

  // MARK: Looking up

  /// Looks in memory; microseconds, on any thread.
  func lookInMemory() -> Finding {
    guard !rules.use.ignoresStored, rules.policy.levels.contains(.memory), let query,
      let entry = cache.memory.find(query)
    else { return .ask }
    return finding(from: rules.verdict(on: entry, from: .memory, at: cache.now), entry, .memory)
  }

  /// Whether memory had nothing and the disk may have something: reading it takes too long for the main actor.
  var mustReadDisk: Bool {
    rules.policy.rule != .none && !rules.use.ignoresStored && rules.policy.levels.contains(.disk)
      && cache.disk != nil && state.withLock { $0.found == nil }
  }

  /// Looks where memory had nothing, and decides whether the server is asked.
  ///
  /// - Returns: What the flight lands with; nil when the server is to be asked.
  /// - Throws: ``APIError/Reason/notCached`` when nothing fits and nothing may be asked.
  func lookUp(preview: (APIResponse) -> Void) throws(APIError) -> APIResponse? {
    guard rules.policy.rule != .none else {
      try Self.refuseStoredOnly(call)
      return nil
    }
    var (found, isDiscarded) = state.withLock { ($0.found, $0.isDiscarded) }
    if isDiscarded { found = nil }
    if found == nil, !isDiscarded, let entry = findOnDisk() { found = (entry, .disk) }
    if found == nil { note("has no response") }
    let verdict = rules.verdict(on: found?.entry, from: found?.level ?? .memory, at: cache.now)
    if verdict == .fail {
      throw APIError(
        .cache, .notCached, "no stored response fits, and \(reasonNotToAsk)", context: call.context())
    }
    guard let found, found.level == .disk else { return nil }
    switch finding(from: verdict, found.entry, found.level) {
    case .land(let response): return response
    case .preview(let response): preview(response)
    case .ask: break
    }
    return nil
  }

  /// Whether the server is to be asked behind a landing; true once, and for one of the loads that land with the response
  /// meanwhile. ``endRefresh()`` is due then.
  var wantsRefresh: Bool {
    let isWanted = state.withLock { state in
      defer { state.wantsRefresh = false }
      return state.wantsRefresh
    }
    guard isWanted, let key else { return false }
    return cache.beginRefresh(of: key)
  }

  /// Whether the server may be asked when a stored response turns out not to be valid any more.
  var mayAsk: Bool { rules.policy.rule != .cacheOnly && rules.preference != .storedOnly }

  /// Reads, parses and keeps in memory what the disk has. A response that cannot be parsed any more is
  /// dropped.
  private func findOnDisk() -> CacheEntry? {
    let epoch = cache.epoch
    guard !rules.use.ignoresStored, rules.policy.levels.contains(.disk), let query,
      let found = cache.disk?.find(query)
    else { return nil }
    do throws(APIError) {
      let raw = try call.decode(found.http)
      let secrets = (try? Endpoint(of: call))?.url.pathSecrets
      let entry = found.with {
        $0.raw = raw
        // Secrets of the path are not stored with the URL.
        if let secrets, !secrets.values.isEmpty { $0.http.url?.pathSecrets = secrets }
      }
      if rules.policy.levels.contains(.memory) { cache.promote(entry, foundAt: epoch) }
      return entry
    } catch {
      cache.drop(query.key, because: "\(call.apiName) as it is stored cannot be read: \(error.detail)")
      return nil
    }
  }

  private func finding(from verdict: CacheVerdict, _ entry: CacheEntry, _ level: CacheLevels) -> Finding {
    state.withLock { $0.found = (entry, level) }
    switch verdict {
    case .use(let provenance):
      note("lands with the stored response")
      return .land(response(of: entry, provenance))
    case .useAndRefresh(let provenance):
      note("lands with the stored response and asks the server behind it")
      state.withLock { $0.wantsRefresh = true }
      return .land(response(of: entry, provenance))
    case .preview(let provenance):
      note("shows the stored response and asks the server")
      return .preview(response(of: entry, provenance))
    case .ask, .fail:
      note("has a response that is no longer fresh")
      return .ask
    }
  }

  private func note(_ decision: String) { call.recorder.record(.cache(decision)) }

  private func response(of entry: CacheEntry, _ provenance: Provenance) -> APIResponse {
    if case .stale = provenance { cache.count(stale: true) }
    return entry.response(provenance, at: cache.now)
  }

  // MARK: Asking

  /// Makes the request one that a 304 can confirm, where something is stored to be confirmed.
  func prepare(_ request: inout HTTPRequest) {
    asks()
    // Caches on the way must ask as well (RFC 9111, 5.2.1.1).
    if rules.use == .revalidating, rules.policy.rule != .none, !request.headers.contains("Cache-Control") {
      request.headers.add("Cache-Control", "max-age=0")
    }
    state.withLock { state in
      guard key != nil else { return }
      state.request = request
      state.cookies = call.wire.client.cookies?.header(for: request.url)
      guard !state.isDiscarded else { return state.found = nil }
      guard !rules.use.ignoresStored, let found = state.found else { return }
      guard !HTTPValidation.isConditional(request.headers) else { return state.found = nil }
      // A variant of other header fields is no response to this request, and not to be asked about.
      request.headers.merge(HTTPValidation.conditions(for: found.entry.http.headers))
    }
  }

  /// A request is about to be sent: the age of its response, and changes on the server, count from now.
  func asks() { state.withLock { ($0.requested, $0.epoch) = (cache.now, cache.epoch) } }

  /// The conditions that do not belong to a URL where a redirect leads (RFC 9110, 15.4).
  func conditions(notFor url: HTTPURL) -> HTTPHeaders {
    guard let found = state.withLock({ $0.found?.entry.http }), !rules.use.ignoresStored, found.url != url
    else { return HTTPHeaders() }
    return HTTPValidation.conditions(for: found.headers)
  }

  /// The stored response, when the server has just said that it is still good; ``received(_:)`` says whether it is stored anew.
  func confirmed(by response: HTTPResponse) -> APIResponse? {
    guard response.status == 304 else { return nil }
    return state.withLock { state in
      guard let found = state.found?.entry, let request = state.request, !rules.use.ignoresStored,
        !HTTPValidation.isConditional(request.headers),
        response.redirects.isEmpty || response.url == found.http.url,
        HTTPValidation.confirms(response.headers, stored: found.http.headers)
      else { return nil }
      var http = found.http
      http.headers = HTTPValidation.merged(found.http.headers, with: response.headers)
      http.metrics = response.metrics
      http.url?.pathSecrets = request.url.pathSecrets
      cache.count(revalidation: true)
      return APIResponse(raw: found.raw ?? .missing, http: http, provenance: .revalidated)
    }
  }

  /// Notes a good response, to be stored once it has landed.
  func received(_ response: APIResponse) {
    let (request, requested, cookies) = state.withLock { ($0.request, $0.requested, $0.cookies) }
    guard let request,
      rules.stores(method: call.method, requestHeaders: request.headers, response: response.http)
    else { return }
    guard !response.http.isPersonal || call.cache.partition.stated != nil else {
      return note(
        "does not store what was given to a challenge's login or to another host's cookies: the partition does not say whose it is"
      )
    }
    var http = response.http
    http.headers = HTTPStorage.storedFields(http.headers)
    var vary = VaryMatcher()
    if http.headers.contains("Vary") {
      vary = VaryMatcher(response: http.headers, request: fields(cookies, request.url))
    }
    let entry = entry(http, raw: response.raw, request: request, requested: requested, vary: vary)
    state.withLock { $0.deposit = entry.map { ($0, request.url) } }
  }

  /// The stored response that may land in the place of a failure.
  func replacement(for error: APIError) -> APIResponse? {
    guard let found = state.withLock({ $0.isDiscarded ? nil : $0.found }) else { return nil }
    let now = cache.now
    guard rules.mayReplace(error, with: found.entry, at: now) else { return nil }
    note("lands with a stale response in place of \(error.label)")
    return response(of: found.entry, .stale(age: .seconds(found.entry.arrival.seconds(until: now) ?? 0)))
  }

  // MARK: Landing

  /// Stores what has validated, and makes stale what the load has changed on the server. On the main actor,
  /// before the delegate is told, so that a load it starts sees the change.
  ///
  /// - Parameters:
  ///   - changes: What the load has changed on the server.
  ///   - manager: Is asked, after the service, what is stored in the response's place.
  ///   - isSameUser: Whether the load's user is still the present one; asked after the application's code.
  @MainActor func settle(
    _ response: APIResponse, changing changes: (tags: Set<String>, urls: [HTTPURL]),
    on manager: (any FlightOwner)?, isSameUser: () -> Bool
  ) {
    // A landing from the cache has nothing to store; what is asked behind it may have a deposit already,
    // which is to be judged first.
    guard response.provenance == .network || response.provenance == .revalidated else { return }
    let (arrived, epoch, requested) = state.withLock { state in
      defer { state.deposit = nil }
      return (state.deposit, state.epoch, state.requested)
    }
    var entry: CacheEntry?
    if let arrived {
      if let stored = call.service.willStore(StorableResponse(arrived.entry), of: call),
        let stored = manager?.offer(stored)
      {
        entry = changed(arrived.entry, to: stored, requested)
      }
      if entry == nil { note("the response is not stored: its service or manager refused it") }
      // Asked before the load's own changes are told, which must not count against its own response.
      if let stored = entry, cache.isOutdated(stored, asked: epoch, url: arrived.url) { entry = nil }
    }
    expire(changes)
    // Another user may have come while the load was in the air: the response is theirs, the key is not.
    guard let entry, isSameUser(), LoadIdentity.partition(of: call) == partition else { return }
    cache.store(entry, in: rules.policy.levels)
  }

  /// Makes stale what a load has changed on the server.
  func expire(_ changes: (tags: Set<String>, urls: [HTTPURL])) {
    cache.expire(tags: changes.tags)
    for url in changes.urls { cache.expire(url: url) }
  }

  /// Drops what is stored: it did not validate at its landing. A request on its way may ask whether it is still good, so
  /// it is kept for the 304 to that, until another request is made.
  func discard() {
    if let key { cache.remove(key) }
    state.withLock { ($0.isDiscarded, $0.wantsRefresh) = (true, false) }
  }

  // MARK: Insides

  /// The entry of a response that its service or manager has changed.
  private func changed(_ entry: CacheEntry, to stored: StorableResponse, _ requested: CacheMoment)
    -> CacheEntry?
  {
    guard stored.isChanged else { return entry }
    let http = stored.http
    let hasOldBody = http.bytes == entry.http.bytes
    guard case .bytes = http.body, let raw = hasOldBody ? entry.raw : try? call.decode(http) else {
      return nil
    }
    return entry.with {
      ($0.http, $0.raw, $0.tags, $0.isSensitive) = (http, raw, stored.tags, stored.isSensitive)
      $0.freshness = freshness(of: http, requested, $0.arrival)
    }
  }

  private func freshness(of http: HTTPResponse, _ requested: CacheMoment, _ now: CacheMoment) -> HTTPFreshness
  {
    HTTPFreshness(
      status: http.status, headers: http.headers, requested: now.wall - (requested.seconds(until: now) ?? 0),
      received: now.wall, otherwise: rules.policy.defaultLifetime?.inSeconds)
  }

  private var query: CacheQuery? {
    guard let key else { return nil }
    return CacheQuery(key: key, type: call.managerName, version: call.terms.caching.traits.version) {
      let url = (try? Endpoint(of: self.call))?.url ?? self.call.baseURL
      return self.fields(url.flatMap { self.call.wire.client.cookies?.header(for: $0) }, url)
    }
  }

  /// The header fields that a response may depend on: those of the request, of its credential, the jar's cookies and
  /// what the transport adds.
  private func fields(_ cookies: String?, _ url: HTTPURL?) -> HTTPHeaders {
    var headers = call.wire.client.transport.headers
    headers.merge(call.ownHeaders)
    if let url, call.terms.signInRule != .exempt, let authenticator = call.identity.authenticator,
      let credential = authenticator.credential
    {
      var request = HTTPRequest(method: call.method, url: url, headers: headers)
      authenticator.rules.attach(credential, &request)
      headers = request.headers
    }
    if let cookies { headers.add(cookies: cookies) }
    return headers
  }

  private func entry(
    _ http: HTTPResponse, raw: RawData?, request: HTTPRequest, requested: CacheMoment, vary: VaryMatcher
  ) -> CacheEntry? {
    guard let key else { return nil }
    let now = cache.now
    let terms = call.terms.caching
    let ownLifetime: Double? =
      switch terms.policy.rule {
      case .fresh(let age), .networkElseStale(let age): age.inSeconds
      case .cacheThenNetwork, .cacheOnly: .infinity
      case .http, .none: nil
      }
    let fields = CacheEntry.Fields(
      key: key, type: call.managerName, version: terms.traits.version, tags: terms.traits.tags,
      isSensitive: terms.traits.isSensitive, url: request.url.fingerprint,
      partition: Checksum.of(partition), vary: vary, http: http,
      raw: raw, arrival: now, freshness: freshness(of: http, requested, now), ownLifetime: ownLifetime)
    return CacheEntry(fields)
  }

  private var reasonNotToAsk: String {
    if rules.use == .storedOnly { return "the load takes only what is stored" }
    if rules.preference == .storedOnly { return "the network's condition forbids asking" }
    return rules.policy.rule == .cacheOnly ? "the policy is cacheOnly" : "the request is only-if-cached"
  }
}
