/// How old a stored response is, and how long it is fresh.
///
/// | rule | section |
/// |---|---|
/// | lifetime: `max-age`, else `Expires` − `Date`, else a heuristic; `s-maxage` is for shared caches | RFC 9111, 4.2.1 |
/// | an `Expires` that is not a date is in the past | 5.3 |
/// | the heuristic is the policy's own lifetime, where it has one | 4.2.2 |
/// | otherwise: a tenth of the time since `Last-Modified`, at most a day; only with `public` or a status that allows it | 4.2.2 |
/// | age: the larger of `Age` + the exchange's duration and the time since `Date`, + the time stored | 4.2.3 |
/// | an `Age` that is not a number counts as 0 | 5.1 |
/// | a response without `Date` counts from its arrival | RFC 9110, 6.6.1 |
struct HTTPFreshness: Sendable, Hashable {
  /// How long the response is fresh, in seconds, counted from its generation at the origin.
  var lifetime: Double
  /// The response's age at its arrival, in seconds.
  var initialAge: Double
  /// The response's directives.
  var control: CacheControl

  /// The longest heuristic lifetime, in seconds: a day.
  static let heuristicLimit = 86_400.0

  /// The age after this many seconds in the cache (4.2.3).
  func age(stored seconds: Double) -> Double { initialAge + seconds }

  /// How long the response has been stale after this many seconds in the cache; negative while it is fresh.
  func staleness(stored seconds: Double) -> Double { age(stored: seconds) - lifetime }

  /// The first number of an `Age` field, which should have only one.
  private static func age(_ text: String) -> Double {
    CacheControl.seconds(String(text.prefix { $0 != "," }).trimmingSpaces())
  }
}

extension HTTPFreshness {
  /// Computes lifetime and initial age.
  ///
  /// - Parameters:
  ///   - requested: When the request was sent, in seconds since 1970.
  ///   - received: When the response arrived, in seconds since 1970.
  ///   - otherwise: The lifetime of a response that states none, in seconds; nil for a tenth of its age.
  init(status: Int, headers: HTTPHeaders, requested: Double, received: Double, otherwise: Double? = nil) {
    self.init(lifetime: 0, initialAge: 0, control: CacheControl(response: headers))
    let date = headers.date("Date", now: received)

    let apparentAge = max(0, received - (date ?? received))
    let ageField = headers["Age"].map(Self.age) ?? 0
    initialAge = max(apparentAge, ageField + max(0, received - requested))

    if let maxAge = control.maxAge {
      lifetime = maxAge
    } else if let expires = headers["Expires"] {
      let end = HTTPDate.secondsSince1970(expires, now: received)
      lifetime = end.map { max(0, $0 - (date ?? received)) } ?? 0
    } else if control.isPublic || HTTPStorage.heuristicallyCacheable.contains(status) {
      if let otherwise {
        lifetime = otherwise
      } else if let modified = headers.date("Last-Modified", now: received) {
        lifetime = min(max(0, ((date ?? received) - modified) / 10), Self.heuristicLimit)
      }
    }
  }
}
