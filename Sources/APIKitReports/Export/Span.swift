import APIKit

/// A load, or one of its requests, as OpenTelemetry describes it.
///
/// - SeeAlso: <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>
struct Span: Sendable {
  /// The numbers of the protocol.
  enum SpanKind: Int64 { case own = 1, client = 3 }

  enum Value: Sendable, Hashable {
    case text(String)
    case number(Int64)
  }

  struct Event: Sendable {
    var at: Int64
    var name: String
    var detail: String
  }

  /// The trace, with whether its caller records it and what it passes on.
  var trace: TraceContext
  var id: String
  var parent: String?
  var name: String
  var kind: SpanKind
  /// In microseconds since 1970.
  var begin: Int64
  var end: Int64
  var attributes: [String: Value] = [:]
  var events: [Event] = []
  var droppedEvents = 0
  var hasFailed = false
  /// What happened; nil where the attributes say it.
  var message: String?

  /// A load with more events than these tells how many were left out.
  static let mostEvents = 64

  mutating func fail(_ type: String, _ message: String? = nil) {
    hasFailed = true
    self.message = message
    attributes["error.type"] = .text(type)
  }
}

extension Span {
  /// The spans of a load that has landed: its own, and one for each request that it has sent.
  static func spans(of record: FlightRecord) -> [Span] {
    var walk = SpanWalk(record)
    for entry in record.entries where walk.take(entry) { break }
    return walk.finish()
  }
}

/// Makes spans of the entries of a record, first to last.
private struct SpanWalk {
  private let record: FlightRecord
  private let context: TraceContext
  private var load: Span
  private var requests: [Span] = []
  /// How often a request was sent, the transport's own repetitions included.
  private var sent: Int64 = 0
  /// When the request under way began.
  private var begun: Duration?
  /// How many redirects of the attempt led to it.
  private var hop = 0
  private var host = ""
  /// What the next request that ends was.
  private var named: (id: String, url: String)?
  /// The request that broke last, until its failure says why.
  private var broken: Int?

  init(_ record: FlightRecord) {
    self.record = record
    let context = record.trace ?? TraceContext()
    self.context = context
    load = Span(
      trace: context, id: context.parentID, name: "load \(record.apiName)", kind: .own, begin: 0, end: 0,
      attributes: [
        "apikit.service": .text(record.service), "apikit.manager": .text(record.manager),
        "apikit.flight": .number(Int64(clamping: record.flight.rawValue)),
        "url.template": .text(record.apiName),
      ])
    load.begin = time(.zero)
    load.end = time(record.duration)
  }

  private func time(_ at: Duration) -> Int64 {
    Int64(max(0, record.secondsSince1970) * 1_000_000) + at.microseconds
  }

  /// Takes an entry. True when it is the last one of the load: what ends on the wire later is not part of it.
  mutating func take(_ entry: FlightRecord.Entry) -> Bool {
    switch entry.event {
    case .traced(_, let parent): load.parent = load.parent ?? parent
    case .span(let id, let url): named = (id, url)
    case .attempt(_, let name):
      (begun, hop, host) = (entry.at, 0, name)
      (broken, named) = (nil, nil)
    case .redirected(let status, let target, let metrics):
      add(until: entry.at, status, metrics)
      (begun, hop) = (entry.at, hop + 1)
      host = (try? HTTPURL(target))?.host ?? host
    case .responded(let status, let metrics):
      add(until: entry.at, status, metrics)
      begun = nil
    case .broken(let status, let metrics):
      add(until: entry.at, status, metrics)
      requests[requests.count - 1].fail("_OTHER")
      (begun, broken) = (nil, requests.count - 1)
    case .attemptFailed(let label, let detail):
      if begun != nil {
        add(until: entry.at, nil, nil)
        broken = requests.count - 1
      }
      if let broken { requests[broken].fail(label, detail) }
      (begun, broken) = (nil, nil)
    case .landed(let landing):
      land(landing, at: entry.at)
      return true
    default: note(entry)
    }
    return false
  }

  private mutating func land(_ landing: FlightLanding, at end: Duration) {
    load.attributes["apikit.landing"] = .text(landing.description)
    switch landing {
    case .succeeded: break
    case .failed(let label, let detail): load.fail(label, detail)
    case .cancelled(let reason): load.attributes["apikit.cancelled"] = .text(reason)
    }
    guard begun != nil else { return }
    add(until: end, nil, nil)
    requests[requests.count - 1].fail("cancelled")
  }

  private mutating func note(_ entry: FlightRecord.Entry) {
    guard let name = entry.event.spanEventName else { return }
    guard load.events.count < Span.mostEvents else { return load.droppedEvents += 1 }
    load.events.append(Span.Event(at: time(entry.at), name: name, detail: entry.event.description))
  }

  /// Adds a request that has ended.
  private mutating func add(until end: Duration, _ status: Int?, _ metrics: TransportMetrics?) {
    let took = metrics.map { Duration.microseconds($0.total) } ?? .zero
    let begin = took > .zero ? max(.zero, end - took) : begun ?? end
    var request = Span(
      trace: context, id: named?.id ?? context.child().parentID, parent: context.parentID,
      name: record.method.spanName, kind: .client, begin: time(begin), end: time(end))
    // A redirect leads to another path than the one of the API.
    if hop == 0 {
      request.name += " " + record.apiName
      request.attributes["url.template"] = .text(record.apiName)
    }
    request.describe(record.method, url: named?.url, host: host, metrics)
    if sent > 0 { request.attributes["http.request.resend_count"] = .number(sent) }
    if let status {
      request.attributes["http.response.status_code"] = .number(Int64(status))
      if status >= 400 { request.fail(String(status)) }
    }
    sent += 1 + Int64(metrics?.resends ?? 0)
    requests.append(request)
    named = nil
  }

  func finish() -> [Span] { [load] + requests }
}
