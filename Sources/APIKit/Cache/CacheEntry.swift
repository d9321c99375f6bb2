/// One stored response with everything that decides whether it may be used again. Immutable and shared.
final class CacheEntry: Sendable {
  let key: CacheKey
  /// The type of the manager that validated the response; look-ups of other types do not find it.
  let type: String
  let version: Int
  let tags: Set<String>
  let isSensitive: Bool
  /// The fingerprint of the request's URL, for invalidation by unsafe requests.
  let url: UInt64
  /// The fingerprint of the partition, so that one user's responses can be removed.
  let partition: UInt64
  let vary: VaryMatcher
  /// Status, stored header fields and body.
  let http: HTTPResponse
  /// The parsed body; nil when the entry comes from disk and has not been parsed yet.
  let raw: RawData?
  let arrival: CacheMoment
  let freshness: HTTPFreshness
  /// The lifetime by the manager's own policy, in seconds; nil where HTTP decides.
  let ownLifetime: Double?
  /// Whether a change on the server has made the response stale, whatever its age.
  let isExpired: Bool

  init(
    key: CacheKey, type: String, version: Int, tags: Set<String>, isSensitive: Bool, url: UInt64,
    partition: UInt64, vary: VaryMatcher, http: HTTPResponse, raw: RawData?, arrival: CacheMoment,
    freshness: HTTPFreshness,
    ownLifetime: Double?, isExpired: Bool = false
  ) {
    self.key = key
    self.type = type
    self.version = version
    self.tags = tags
    self.isSensitive = isSensitive
    self.url = url
    self.partition = partition
    self.vary = vary
    self.http = http
    self.raw = raw
    self.arrival = arrival
    self.freshness = freshness
    self.ownLifetime = ownLifetime
    self.isExpired = isExpired
  }

  /// The same response, marked as stale.
  func expired() -> CacheEntry {
    CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary,
      http: http, raw: raw, arrival: arrival, freshness: freshness, ownLifetime: ownLifetime, isExpired: true)
  }

  /// The same response with its body, which was read from a file.
  func with(body: [UInt8]) -> CacheEntry {
    var http = http
    http.body = .bytes(body)
    return CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary, http: http, raw: raw, arrival: arrival, freshness: freshness,
      ownLifetime: ownLifetime, isExpired: isExpired)
  }

  /// Whether there are secrets in its head: fields such as `Set-Cookie`, parameters of its URL, or values of
  /// the request that it depends on.
  var hasSecretFields: Bool {
    vary.hasSecrets || http.headers.fields.contains { SecretNames.contains($0.name) }
      || http.url?.hasSecretParameters == true
  }

  /// The same response without the secrets of its head, for a disk that must not hold them.
  func withoutSecretFields() -> CacheEntry {
    var http = http
    http.headers = HTTPHeaders(http.headers.fields.filter { !SecretNames.contains($0.name) })
    http.url = http.url?.withoutSecretParameters
    return CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary, http: http, raw: raw, arrival: arrival, freshness: freshness,
      ownLifetime: ownLifetime, isExpired: isExpired)
  }

  /// The same response with its parsed body, and with the secrets of its path, which are not written as such.
  func parsed(_ raw: RawData, pathSecrets: PathSecrets) -> CacheEntry {
    var http = http
    if !pathSecrets.values.isEmpty { http.url?.pathSecrets = pathSecrets }
    return CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary,
      http: http, raw: raw, arrival: arrival, freshness: freshness, ownLifetime: ownLifetime,
      isExpired: isExpired)
  }

  /// The wall clock's time at which the response stops being fresh; entries past it are evicted first.
  var expiry: Double {
    if isExpired { return 0 }
    return arrival.wall + (ownLifetime ?? max(0, freshness.lifetime - freshness.initialAge))
  }

  /// The cost in memory, in bytes: body, parsed form, header fields and bookkeeping.
  var memoryCost: Int {
    var cost = Self.fixedCost + http.bytes.count
    if let raw, raw.exists {
      cost += raw.overheadBytes
      // For formats other than JSON, raw data also holds the JSON text made from the body.
      if raw.byteCount != http.bytes.count { cost += raw.byteCount }
    }
    // A field holds two strings of 16 bytes; a text that does not fit is allocated apart.
    for field in http.headers.fields {
      cost += 64
      if field.name.utf8.count > 15 { cost += field.name.utf8.count + 32 }
      if field.value.utf8.count > 15 { cost += field.value.utf8.count + 32 }
    }
    return cost
  }

  /// The object, its arrays' headers and its slot in ``MemoryBooks``; a measured number.
  private static let fixedCost = 1024

  /// The response that a load lands with, without asking the server: its `Age` is of now (RFC 9111, 4).
  func response(_ provenance: Provenance, at now: CacheMoment) -> APIResponse {
    var http = http
    let age = freshness.age(stored: arrival.seconds(until: now) ?? 0)
    http.headers["Age"] = String(Int(min(age, CacheControl.longest)))
    return APIResponse(raw: raw ?? .missing, http: http, provenance: provenance)
  }
}

/// A point in time on two clocks: the wall clock, which may be set, and a steady clock, whose values mean
/// nothing to another process.
struct CacheMoment: Sendable, Hashable {
  /// Seconds since 1970.
  var wall: Double
  /// Seconds on this process's steady clock; nil for what another process has stored.
  var steady: Double?

  init(wall: Double, steady: Double?) {
    self.wall = wall
    self.steady = steady
  }

  /// The present, on both clocks.
  init(_ time: any TimeSource) {
    let now = time.now.components
    wall = time.wallClock
    steady = Double(now.seconds) + Double(now.attoseconds) * 1e-18
  }

  /// The seconds from this moment to a later one, by the steady clock where both have it. Nil when only the
  /// wall clock can tell and it was set back in between.
  func seconds(until later: CacheMoment) -> Double? {
    if let steady, let end = later.steady { return max(0, end - steady) }
    let seconds = later.wall - wall
    return seconds >= -Self.tolerance ? max(0, seconds) : nil
  }

  /// In seconds. Clocks that are synchronised over the network step back this much in normal operation.
  private static let tolerance = 1.0
}
