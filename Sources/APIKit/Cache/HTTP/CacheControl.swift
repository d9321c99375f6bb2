/// The directives of a request's or response's `Cache-Control` field.
///
/// Names are compared without regard to case; values may be tokens or quoted strings. Of a directive that
/// appears twice the first value counts. An invalid number counts as 0, which makes the response stale (RFC
/// 9111, 4.2.1). Unknown directives are ignored (5.2.3).
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9111#section-5.2>
struct CacheControl: Sendable, Hashable {
  /// How much staleness a request accepts.
  enum MaxStale: Sendable, Hashable {
    case any
    case seconds(Double)
  }

  /// 5.2.1.1 and 5.2.2.1; 0 for an invalid number.
  var maxAge: Double?
  /// 5.2.1.2.
  var maxStale: MaxStale?
  /// 5.2.1.3.
  var minFresh: Double?
  /// 5.2.1.4 and 5.2.2.4. A response's form with field names counts as the form without.
  var noCache = false
  /// 5.2.1.5 and 5.2.2.5.
  var noStore = false
  /// 5.2.1.7.
  var onlyIfCached = false
  /// 5.2.2.2.
  var mustRevalidate = false
  /// 5.2.2.3.
  var mustUnderstand = false
  /// 5.2.2.7. The form with field names counts as the form without; neither restricts a private cache.
  var isPrivate = false
  /// 5.2.2.9.
  var isPublic = false
  /// RFC 8246.
  var isImmutable = false
  /// RFC 5861, 3.
  var staleWhileRevalidate: Double?
  /// RFC 5861, 4.
  var staleIfError: Double?

  /// No directives.
  init() {}

  /// Reads the values of all lines of the field.
  init(_ lines: [String]) {
    for line in lines {
      for directive in line.fieldParts(at: ",").map(\.fieldParameter) {
        apply(directive.name, directive.value)
      }
    }
  }

  /// The directives of a response.
  init(response headers: HTTPHeaders) { self.init(headers.values("Cache-Control")) }

  /// The directives of a request; `Pragma: no-cache` counts where there is no `Cache-Control` (5.4).
  init(request headers: HTTPHeaders) {
    let lines = headers.values("Cache-Control")
    self.init(lines)
    if lines.isEmpty, headers.values("Pragma").contains(where: { $0.lowercased().contains("no-cache") }) {
      noCache = true
    }
  }

  private mutating func apply(_ name: String, _ value: String?) {
    switch name {
    case "max-age": maxAge = maxAge ?? Self.seconds(value)
    case "max-stale": maxStale = maxStale ?? value.map { .seconds(Self.seconds($0)) } ?? .any
    case "min-fresh": minFresh = minFresh ?? Self.seconds(value)
    case "no-cache": noCache = true
    case "no-store": noStore = true
    case "only-if-cached": onlyIfCached = true
    case "must-revalidate": mustRevalidate = true
    case "must-understand": mustUnderstand = true
    case "private": isPrivate = true
    case "public": isPublic = true
    case "immutable": isImmutable = true
    case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? Self.seconds(value)
    case "stale-if-error": staleIfError = staleIfError ?? Self.seconds(value)
    default: break
    }
  }

  /// The largest number of seconds that is written and read (1.2.2).
  static let longest = 2_147_483_648.0

  /// Delta-seconds (1.2.2): digits only; larger numbers count as 2 to the 31st, anything else as 0.
  static func seconds(_ value: String?) -> Double {
    guard let value, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Double(value) ?? 0, longest)
  }
}
