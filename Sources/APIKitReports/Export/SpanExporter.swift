public import APIKit

/// Sends each load that has landed to a collector of OpenTelemetry, as a span with a child for each of its requests.
///
/// ```swift
/// let spans = SpanExporter(to: "https://collector.example.com/v1/traces", service: "Homes")
/// spans.isOn = true
/// ```
/// The form is OTLP over HTTP in JSON; names and attributes follow the semantic conventions for HTTP clients. The span of a
/// request has the id of its `traceparent` if the service states `WireOptions.trace`; otherwise the ids are random. Loads of a
/// trace that is not sampled are not exported.
///
/// A load never waits for the exporter. A batch has at most 256 loads and is sent after five seconds at the latest. At most
/// 2,048 loads wait; further ones are dropped and counted. If the collector refuses a batch, it is sent again as the protocol
/// says, up to four times in all, and then counts as failed. The exporter's own requests are no loads: they have no spans and
/// no records. Secrets are masked as in a record. Safe on any thread.
/// - SeeAlso: <https://opentelemetry.io/docs/specs/otlp/#otlphttp>
public final class SpanExporter: Sendable {
  /// The numbers of loads so far.
  public struct Counts: Sendable, Hashable {
    /// Loads that the collector has accepted.
    public var exported = 0
    /// Loads without room in the queue.
    public var dropped = 0
    /// Loads that the collector did not accept.
    public var failed = 0
    /// Spans that the collector refused of accepted batches.
    public var refusedSpans = 0
  }

  private let sink: RecordSink
  private let queue: SpanQueue

  /// Makes an exporter, off.
  ///
  /// - Parameters:
  ///   - collector: The URL of the collector, with its path, which usually is `/v1/traces`.
  ///   - service: The name of the application (`service.name`).
  ///   - resource: Further attributes of it, such as `deployment.environment.name`. None by default.
  ///   - headers: Header fields for the collector, such as its key. None by default.
  ///   - transport: The transport of its requests; `DefaultTransport.shared` by default.
  ///   - onFailure: Called with the reason for each failed batch and for refused spans, on any thread. It must not block. Does
  ///     nothing by default.
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

  /// Whether loads are exported; false at first. While it is on, the process keeps the exporter. Waiting loads are still sent
  /// after it was switched off.
  public var isOn: Bool {
    get { sink.isOn }
    set { sink.isOn = newValue }
  }

  /// The numbers of loads so far.
  public var counts: Counts {
    var counts = queue.counts
    counts.dropped += sink.counts.dropped
    return counts
  }

  /// Sends the loads that wait at the call, and returns when the collector has accepted them or the last attempt has failed.
  /// Returns early when its task is cancelled. Call it before the process ends.
  public func flush() async {
    _ = await Task<Void, Never>.leavable { [sink, queue] in
      await sink.flush()
      await queue.flush()
    }
  }
}
