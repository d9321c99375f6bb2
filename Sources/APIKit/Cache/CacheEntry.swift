/// One stored answer with all that decides whether it may be used again. Immutable and shared.
final class CacheEntry: Sendable {
  let key: CacheKey
  /// The type that validated the answer: another type's look-up does not get it.
  let type: String
  let version: Int
  let tags: Set<String>
  let isSensitive: Bool
  /// The fingerprint of the URL that was asked, for invalidation by unsafe requests.
  let url: UInt64
  /// The fingerprint of the partition, so that one user's answers can be dropped.
  let partition: UInt64
  let vary: VaryMatcher
  /// Status, stored header fields and body.
  let http: HTTPResponse
  /// The body, parsed; nil when it comes from disk and nobody has read it yet.
  let raw: RawData?
  let arrival: CacheMoment
  let freshness: HTTPFreshness
  /// For how long the manager's own policy calls it fresh, in seconds; nil where HTTP decides.
  let ownLifetime: Double?
  /// Whether a change on the server has made it stale, whatever its age.
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

  /// The same answer, stale from now on.
  func expired() -> CacheEntry {
    CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary,
      http: http, raw: raw, arrival: arrival, freshness: freshness, ownLifetime: ownLifetime, isExpired: true)
  }

  /// The same answer with its body, which stood in a file.
  func with(body: [UInt8]) -> CacheEntry {
    var http = http
    http.body = .bytes(body)
    return CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary, http: http, raw: raw, arrival: arrival, freshness: freshness,
      ownLifetime: ownLifetime, isExpired: isExpired)
  }

  /// The same answer with its parsed body.
  func parsed(_ raw: RawData) -> CacheEntry {
    CacheEntry(
      key: key, type: type, version: version, tags: tags, isSensitive: isSensitive, url: url,
      partition: partition, vary: vary,
      http: http, raw: raw, arrival: arrival, freshness: freshness, ownLifetime: ownLifetime,
      isExpired: isExpired)
  }

  /// The wall clock's time from which nobody calls it fresh; what is past it is evicted first.
  var expiry: Double {
    if isExpired { return 0 }
    return arrival.wall + (ownLifetime ?? max(0, freshness.lifetime - freshness.initialAge))
  }

  /// What it takes in memory, in bytes: body, parsed form, fields and the books kept of it.
  var memoryCost: Int {
    var cost = Self.fixedCost + http.bytes.count
    if let raw, raw.exists {
      cost += raw.overheadBytes
      // A format other than JSON keeps the JSON text that stands for it.
      if raw.byteCount != http.bytes.count { cost += raw.byteCount }
    }
    // A field is two strings of 16 bytes, and what does not fit into those is allocated.
    for field in http.headers.fields {
      cost += 64
      if field.name.utf8.count > 15 { cost += field.name.utf8.count + 32 }
      if field.value.utf8.count > 15 { cost += field.value.utf8.count + 32 }
    }
    return cost
  }

  /// The object, its arrays' headers and its place in the books of ``MemoryCache``; found by measuring.
  private static let fixedCost = 1024

  /// The answer as a load lands with it.
  func response(_ provenance: Provenance) -> APIResponse {
    APIResponse(raw: raw ?? .missing, http: http, provenance: provenance)
  }
}

/// A point in time on two clocks: the wall clock, which may jump, and a steady one, which means nothing to
/// another process.
struct CacheMoment: Sendable, Hashable {
  /// Seconds since 1970.
  var wall: Double
  /// Seconds on this process's steady clock; nil for what another process has stored.
  var steady: Double?

  init(wall: Double, steady: Double?) {
    self.wall = wall
    self.steady = steady
  }

  /// The present.
  init(_ time: any TimeSource) {
    let now = time.now.components
    wall = time.wallClock
    steady = Double(now.seconds) + Double(now.attoseconds) * 1e-18
  }

  /// The seconds from this moment to a later one; nil when the wall clock was set back in between and the
  /// steady one does not reach so far.
  func seconds(until later: CacheMoment) -> Double? {
    if let steady, let end = later.steady { return max(0, end - steady) }
    let seconds = later.wall - wall
    return seconds >= -Self.tolerance ? max(0, seconds) : nil
  }

  /// Clocks that are disciplined over the network step back this much without anything being wrong.
  private static let tolerance = 1.0
}
