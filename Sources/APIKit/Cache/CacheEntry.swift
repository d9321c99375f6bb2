/// One stored response with everything that decides whether it may be used again. Immutable and shared.
@dynamicMemberLookup
final class CacheEntry: Sendable {
  /// What an entry holds.
  struct Fields: Sendable {
    var key: CacheKey
    /// The type of the manager that validated the response; look-ups of other types do not find it.
    var type: String
    var version: Int
    var tags: Set<String>
    var isSensitive: Bool
    /// The fingerprint of the request's URL, for invalidation by unsafe requests.
    var url: UInt64
    /// The fingerprint of the partition, so that one user's responses can be removed.
    var partition: UInt64
    var vary: VaryMatcher
    /// Status, stored header fields and body.
    var http: HTTPResponse
    /// The parsed body; nil when the entry comes from disk and has not been parsed yet.
    var raw: RawData?
    var arrival: CacheMoment
    var freshness: HTTPFreshness
    /// The lifetime by the manager's own policy, in seconds; nil where HTTP decides.
    var ownLifetime: Double?
    /// Whether a change on the server has made the response stale, whatever its age.
    var isExpired = false
  }

  private let fields: Fields

  init(_ fields: Fields) { self.fields = fields }

  @inline(__always)
  subscript<Value>(dynamicMember path: KeyPath<Fields, Value>) -> Value { fields[keyPath: path] }

  /// The same response with a change.
  func with(_ change: (inout Fields) -> Void) -> CacheEntry {
    var fields = fields
    change(&fields)
    return CacheEntry(fields)
  }

  /// The same response, marked as stale.
  func expired() -> CacheEntry { with { $0.isExpired = true } }

  /// The same response without the secrets of its head, for a disk that must not hold them.
  func withoutSecretFields() -> CacheEntry {
    with {
      $0.http.headers = HTTPHeaders($0.http.headers.fields.filter { !SecretNames.contains($0.name) })
      $0.http.url = $0.http.url?.withoutSecretParameters
    }
  }

  /// The response that a load lands with, without asking the server: its `Age` is of now (RFC 9111, 4).
  func response(_ provenance: Provenance, at now: CacheMoment) -> APIResponse {
    var http = fields.http
    let age = fields.freshness.age(stored: fields.arrival.seconds(until: now) ?? 0)
    http.headers["Age"] = String(Int(min(age, CacheControl.longest)))
    return APIResponse(raw: fields.raw ?? .missing, http: http, provenance: provenance)
  }
}

extension CacheEntry.Fields {
  /// Whether there are secrets in its head: fields such as `Set-Cookie`, parameters of its URL, or values of
  /// the request that it depends on.
  var hasSecretFields: Bool {
    vary.hasSecrets || http.headers.fields.contains { SecretNames.contains($0.name) }
      || http.url?.hasSecretParameters == true
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
    func add(_ name: String, _ value: String) {
      cost += 64
      if name.utf8.count > 15 { cost += name.utf8.count + 32 }
      if value.utf8.count > 15 { cost += value.utf8.count + 32 }
    }
    for field in http.headers.fields { add(field.name, field.value) }
    for field in vary.fields { add(field.name, field.value ?? "") }
    return cost
  }

  /// The object, its arrays' headers and its slot in ``MemoryStore``; a measured number.
  private static let fixedCost = 1024
}

/// A point in time on two clocks: the wall clock, which may be set, and a steady clock, whose values mean
/// nothing to another process.
struct CacheMoment: Sendable, Hashable {
  /// Seconds since 1970.
  var wall: Double
  /// Seconds on this process's steady clock; nil for what another process has stored.
  var steady: Double?
}

extension CacheMoment {
  /// The present, on both clocks.
  init(_ time: any TimeSource) {
    (wall, steady) = (time.wallClock, time.now.inSeconds)
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
