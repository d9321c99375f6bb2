/// What one load does with a stored response, or without one.
enum CacheVerdict: Sendable, Hashable {
  /// The stored response lands.
  case use(Provenance)
  /// The stored response lands, and the server is asked in the background (RFC 5861, 3).
  case useAndRefresh(Provenance)
  /// The stored response is shown as a preview, and the server is asked.
  case preview(Provenance)
  /// The server is asked, under a condition where the stored response has a validator.
  case ask
  /// The load fails: no stored response may be used, and the server must not be asked.
  case fail
}

/// The cache's decisions as pure functions of policy, directives and ages.
///
/// These HTTP rules decide whether a stored response is used; those of storing, freshness and validation
/// are in files of their own:
///
/// | rule | section |
/// |---|---|
/// | a fresh response is used without asking | RFC 9111, 4.2 |
/// | request `no-cache`, or `Pragma: no-cache` without `Cache-Control`: the server is asked first | 5.2.1.4, 5.4 |
/// | response `no-cache`: the server is asked first | 5.2.2.4 |
/// | request `max-age`: no older response is used; `min-fresh`: it must stay fresh for so long | 5.2.1.1, 5.2.1.3 |
/// | request `max-stale`: a response stale by so much is used, unless it has `must-revalidate` | 5.2.1.2, 4.2.4 |
/// | response `must-revalidate`: it is never used stale, not even without a network | 5.2.2.2 |
/// | request `only-if-cached`: without a usable response the load fails and the server is not asked | 5.2.1.7 |
/// | `immutable`: a fresh response needs no confirmation | RFC 8246, 2 |
/// | `stale-while-revalidate`: a response stale by so much is used, the server is asked in the background | RFC 5861, 3 |
/// | a response made stale by an unsafe request or a tag is never used without asking | RFC 9111, 4.4 |
/// | `stale-if-error`, of either side: a response stale by so much replaces an outage (500, 502, 503, 504, none) | RFC 5861, 4 |
struct CacheRules: Sendable {
  var policy: CachePolicy
  var use: CacheUse = .asPolicy
  var preference: CacheConditionTable.Preference = .asPolicy
  /// The directives of the request.
  var request = CacheControl()

  /// What to do with a response found on a level, or with nil where none was found.
  func verdict(on entry: CacheEntry?, from level: CacheLevels, at now: CacheMoment) -> CacheVerdict {
    guard !use.ignoresStored else { return .ask }
    guard let entry else { return withoutEntry }
    let age = entry.arrival.seconds(until: now)
    let isFresh = isFresh(entry, age: age)
    let provenance = Self.provenance(level, age: age, isFresh: isFresh)

    // A load that asks for confirmation overrides a preference, but not a prohibition.
    if use == .revalidating, preference != .storedOnly, policy.rule != .cacheOnly {
      return isFresh && policy.rule == .http && entry.freshness.control.isImmutable ? .use(provenance) : .ask
    }
    if preference != .asPolicy, policy.rule != .none {
      guard policy.rule == .http else { return .use(provenance) }
      // As if the request accepted any staleness; other directives of either side still apply (4.2.4).
      var lenient = self
      lenient.request.maxStale = request.maxStale ?? .any
      let verdict = lenient.httpVerdict(on: entry, age: age, isFresh: isFresh, provenance: provenance)
      return verdict == .ask && preference == .storedOnly ? .fail : verdict
    }
    switch policy.rule {
    case .none: return .ask
    case .fresh: return isFresh ? .use(provenance) : .ask
    case .http: return httpVerdict(on: entry, age: age, isFresh: isFresh, provenance: provenance)
    case .cacheThenNetwork: return .preview(provenance)
    case .networkElseStale: return .ask
    case .cacheOnly: return .use(provenance)
    }
  }

  /// Whether a stored response may land in place of a failure.
  func mayReplace(_ error: APIError, with entry: CacheEntry, at now: CacheMoment) -> Bool {
    // What has a response was sent: a transport says `noNetwork` of a body that breaks off, too.
    guard error.isOutage || error.status == nil && error.isRefusalToSend,
      let age = entry.arrival.seconds(until: now)
    else { return false }
    switch policy.rule {
    case .networkElseStale(let limit): return age <= limit.inSeconds
    case .http:
      let control = entry.freshness.control
      guard !control.mustRevalidate, !control.noCache, !request.noCache, !entry.isExpired, use == .asPolicy
      else { return false }
      guard let limit = control.staleIfError ?? request.staleIfError else { return false }
      return entry.freshness.staleness(stored: age) <= limit
    case .none, .fresh, .cacheThenNetwork, .cacheOnly: return false
    }
  }

  /// Whether a response may be stored.
  func stores(method: HTTPMethod, requestHeaders: HTTPHeaders, response: HTTPResponse) -> Bool {
    guard case .bytes = response.body, response.status != 206, response.status != 304 else { return false }
    guard policy.mediaTypes.isEmpty || response.hasMediaType(in: policy.mediaTypes) else { return false }
    switch policy.rule {
    case .none: return false
    case .http:
      guard !requestHeaders.contains("Range"), HTTPStorage.leadsThereAgain(response.redirects) else {
        return false
      }
      return HTTPStorage.allows(
        method: method, request: request, status: response.status, headers: response.headers,
        control: CacheControl(response: response.headers))
    case .fresh, .cacheThenNetwork, .networkElseStale, .cacheOnly:
      return !request.noStore && !VaryMatcher.matchesNothing(response.headers)
    }
  }

  // MARK: Insides

  private var withoutEntry: CacheVerdict {
    if policy.rule == .cacheOnly || preference == .storedOnly { return .fail }
    return policy.rule == .http && request.onlyIfCached ? .fail : .ask
  }

  private func isFresh(_ entry: CacheEntry, age: Double?) -> Bool {
    // The age is unknown after a clock was set back: then nothing is fresh.
    guard let age, !entry.isExpired else { return false }
    switch policy.rule {
    case .fresh(let limit), .networkElseStale(let limit): return age <= limit.inSeconds
    case .http: return entry.freshness.staleness(stored: age) < 0
    case .none, .cacheThenNetwork, .cacheOnly: return true
    }
  }

  private func httpVerdict(
    on entry: CacheEntry, age: Double?, isFresh: Bool, provenance: Provenance
  ) -> CacheVerdict {
    let otherwise: CacheVerdict = request.onlyIfCached ? .fail : .ask
    let control = entry.freshness.control
    guard let age, !control.noCache, !request.noCache else { return otherwise }
    let currentAge = entry.freshness.age(stored: age)
    if let limit = request.maxAge, currentAge > limit { return otherwise }
    let staleness = entry.freshness.staleness(stored: age)
    if isFresh {
      if let remaining = request.minFresh, -staleness < remaining { return otherwise }
      return .use(provenance)
    }
    guard !control.mustRevalidate, !entry.isExpired, request.minFresh == nil else { return otherwise }
    switch request.maxStale {
    case .any: return .use(provenance)
    case .seconds(let limit) where staleness <= limit: return .use(provenance)
    default: break
    }
    if let limit = control.staleWhileRevalidate, staleness <= limit, !request.onlyIfCached {
      return .useAndRefresh(provenance)
    }
    return otherwise
  }

  private static func provenance(_ level: CacheLevels, age: Double?, isFresh: Bool) -> Provenance {
    let duration = Duration.seconds(age ?? 0)
    guard isFresh else { return .stale(age: duration) }
    return level == .memory ? .memory(age: duration) : .disk(age: duration)
  }
}

extension APIError {
  /// Whether there was no response, or the status of a failed server. A response that the application's own rules refuse is not
  /// an outage.
  var isOutage: Bool {
    if let status { return [500, 502, 503, 504].contains(status) }
    return stage == .transport && reason != .cancelled
  }

  /// Whether it kept the request from being sent at all.
  var isRefusalToSend: Bool { [.noNetwork, .circuitOpen, .rateLimited].contains(reason) }
}
