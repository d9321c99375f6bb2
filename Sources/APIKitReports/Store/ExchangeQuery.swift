import APIKit

/// Conditions for exchanges of an ``ExchangeStore``. An exchange matches if all of them apply. The newest come first.
///
/// All conditions except ``text`` use the columns of the database. For a text the store opens the newest exchanges that match
/// the other conditions, at most ``openedAtMost``, and searches each.
public struct ExchangeQuery: Sendable, Hashable {
  /// The host; nil, the default, means any.
  public var host: String?
  /// The path without its query; one that ends with `*` means every path with that beginning. Nil, the default, means any.
  public var path: String?
  /// The service's name; nil, the default, means any.
  public var service: String?
  /// The API as its manager states it; nil, the default, means any.
  public var apiName: String?
  /// The statuses; nil, the default, means any, and none.
  public var status: ClosedRange<Int>?
  /// Whether it failed on the wire; nil, the default, means either. A response with a status of 500 is no such failure.
  public var hasFailed: Bool?
  /// The time at which it began, in seconds since 1970; nil, the default, means any time.
  public var time: ClosedRange<Double>?
  /// The shortest duration; zero by default.
  public var longerThan = Duration.zero
  /// The smallest size of the response's body in bytes; 0 by default.
  public var minimumBytesReceived: Int64 = 0
  /// The number of the flight in its launch; nil, the default, means any.
  public var flight: UInt64?
  /// The launch, as ``KeptExchange/launch`` has it; nil, the default, means any.
  public var launch: String?
  /// A text in the URL, a header field or a text body, case ignored; nil, the default, for none.
  public var text: String?
  /// The largest number of exchanges to open for ``text``; 1,000 by default.
  public var openedAtMost = 1000
  /// The largest number of results; 100 by default.
  public var limit = 100

  /// Makes a query for the newest 100 exchanges.
  public init() {}
}

extension ExchangeQuery {
  /// The condition on the columns, for exchanges that began between two times.
  func condition(from oldest: Double, to newest: Double) -> (sql: String, values: [any SQLiteValue]) {
    var parts = ["begun BETWEEN ? AND ?"]
    var values: [any SQLiteValue] = [
      max(oldest, time?.lowerBound ?? oldest), min(newest, time?.upperBound ?? newest),
    ]
    func add(_ part: String, _ own: any SQLiteValue...) {
      parts.append(part)
      values += own
    }
    if let host { add("host = ?", host.lowercased()) }
    if let path, path.hasSuffix("*") {
      let beginning = String(path.dropLast())
      add("substr(path, 1, ?) = ?", Int64(beginning.unicodeScalars.count), beginning)
    } else if let path {
      add("path = ?", path)
    }
    if let service { add("service = ?", service) }
    if let apiName { add("api = ?", apiName) }
    if let status {
      add("status BETWEEN ? AND ?", Int64(status.lowerBound), Int64(status.upperBound))
    }
    if let hasFailed { parts.append(hasFailed ? "failure <> ''" : "failure = ''") }
    if longerThan > .zero { add("took >= ?", longerThan / .seconds(1)) }
    if minimumBytesReceived > 0 { add("received >= ?", minimumBytesReceived) }
    if let flight { add("flight = ?", Int64(clamping: flight)) }
    if let launch { add("launch = ?", launch) }
    return (parts.joined(separator: " AND "), values)
  }
}

extension HTTPArchive.Entry {
  /// Whether a text, in lower case, stands in its URL, a header field or a body that is text.
  func contains(_ text: String) -> Bool {
    func isIn(_ other: String) -> Bool { other.lowercased().contains(text) }
    func isIn(_ headers: HTTPHeaders) -> Bool { headers.contains { isIn($0.name) || isIn($0.value) } }
    func isIn(_ body: HTTPArchive.Content) -> Bool {
      body.bytes.flatMap { HTTPArchive.Content.text($0) }.map(isIn) ?? false
    }
    if isIn(request.url) || isIn(request.headers) || isIn(request.body) { return true }
    return response.map { isIn($0.headers) || isIn($0.body) } ?? false
  }
}
