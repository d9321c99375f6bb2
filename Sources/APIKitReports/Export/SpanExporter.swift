public import APIKit

/// Sends each load that has landed to a collector of OpenTelemetry, as a span with a child for each of its requests.
///
/// ```swift
/// let spans = SpanExporter(to: "https://collector.example.com/v1/traces", service: "Homes")
/// spans.isOn = true
/// ```
/// The form is OTLP over HTTP in JSON; names and attributes follow the semantic conventions for HTTP clients. A request's span
/// is the one that its `traceparent` names, where the service states `WireOptions.trace`; otherwise the ids are made
/// up. Loads of a trace that its caller does not record are not exported.
///
/// A load never waits for it. Loads are sent in batches of at most 256, after five seconds at the latest; at most 2,048
/// wait, and further ones are dropped and counted. A batch that the collector does not take is sent again as the protocol
/// says, four times in all, and is then counted as failed. Its own requests are no loads: they have no spans and no records.
/// Secrets are masked as in a record. Safe on any thread.
/// - SeeAlso: <https://opentelemetry.io/docs/specs/otlp/#otlphttp>
public final class SpanExporter: Sendable {
  /// What has become of the loads so far.
  public struct Counts: Sendable, Hashable {
    /// Those that the collector has taken.
    public var exported = 0
    /// Those for which there was no room.
    public var dropped = 0
    /// Those that the collector did not take.
    public var failed = 0
    /// The spans that the collector refused of batches that it has taken otherwise.
    public var refusedSpans = 0
  }

  private let sink: RecordSink
  private let queue: SpanQueue

  /// Makes an exporter, off.
  ///
  /// - Parameters:
  ///   - collector: Where the spans go, path included, which usually is `/v1/traces`.
  ///   - service: The name of the application (`service.name`).
  ///   - resource: What else describes it, such as `deployment.environment.name`. None by default.
  ///   - headers: Header fields for the collector, such as its key. None by default.
  ///   - transport: What sends; the default one by default.
  ///   - onFailure: Called for each batch that failed and for spans that the collector refused, with the reason, on any
  ///     thread. It must not block. Nothing by default.
  public convenience init(
    to collector: HTTPURL, service: String, resource: [String: String] = [:], headers: HTTPHeaders = [:],
    transport: any HTTPTransport = DefaultTransport.shared,
    onFailure: @escaping @Sendable (APIError) -> Void = { _ in }
  ) {
    var request = HTTPRequest(method: .post, url: collector, headers: headers)
    request.headers["Content-Type"] = "application/json"
    request.timeouts.total = .seconds(10)
    self.init(
      SpanQueue(
        request, SpanDocument(service: service, resource: resource, spans: []), over: transport,
        time: SystemTime(), onFailure: onFailure))
  }

  init(_ queue: SpanQueue) {
    self.queue = queue
    sink = RecordSink("spans") { queue.append($0) }
  }

  /// Whether loads are exported; false at first. While it is on, the process keeps the exporter. Those that wait are sent
  /// after it is off, too.
  public var isOn: Bool {
    get { sink.isOn }
    set { sink.isOn = newValue }
  }

  /// What has become of the loads so far.
  public var counts: Counts {
    var counts = queue.counts
    counts.dropped += sink.counts.dropped
    return counts
  }

  /// Sends what waits, and returns when the collector has taken it or the last attempt has failed: before an application
  /// ends.
  public func flush() async {
    await sink.flush()
    await queue.flush()
  }
}
