/// The error of a load: stage, reason and API.
///
/// Every failure of the framework is an `APIError`. It has four texts: ``description`` is safe to log,
/// ``label`` has no variable parts and names a metric, ``expandedDescription`` may contain bodies and
/// values of header fields, and `localizedDescription` is a sentence for the user.
public struct APIError: Error, Sendable {
  private struct Fields: Sendable {
    var stage: Stage
    var reason: Reason
    var detail: String
    var quote: String?
    var context: Context
    var underlying: (any Error)?
    var evidence: Evidence?
    var request: (any Sendable)?
    var decoders: (any Sendable)?
    var metrics: (any Sendable)?
    var requestProgress: RequestProgress?
  }

  private var fields: CopyOnWrite<Fields>

  /// The stage of the load at which it failed.
  public var stage: Stage {
    get { fields.value.stage }
    _modify { yield &fields.value.stage }
  }
  /// The reason of the failure. Compare it with `==`; new reasons may be added, so a `switch` needs
  /// a default.
  public var reason: Reason {
    get { fields.value.reason }
    _modify { yield &fields.value.reason }
  }
  /// The failure with its numbers, and the next step if there is one. Safe to log: it contains no
  /// secrets, see ``quote``.
  public var detail: String {
    get { fields.value.detail }
    _modify { yield &fields.value.detail }
  }
  /// The part that the detail leaves out because it may be a secret: the value that was found, a text of the server, a
  /// path. Only ``expandedDescription`` has it. Nil when there is nothing.
  public var quote: String? {
    get { fields.value.quote }
    _modify { yield &fields.value.quote }
  }
  /// The API that the failure belongs to. The flight fills it in; it is empty for errors of bare values.
  public var context: Context {
    get { fields.value.context }
    _modify { yield &fields.value.context }
  }
  /// The error of a lower layer or of the application that caused this one; nil when there is none.
  public var underlying: (any Error)? {
    get { fields.value.underlying }
    _modify { yield &fields.value.underlying }
  }
  /// The response at which the load failed; nil when there was none.
  public var evidence: Evidence? {
    get { fields.value.evidence }
    _modify { yield &fields.value.evidence }
  }
  /// The request, an `HTTPRequest`. It is a value of a room above, which has the typed accessor.
  var attachedRequest: (any Sendable)? {
    get { fields.value.request }
    _modify { yield &fields.value.request }
  }
  /// What decodes the service's bodies, a `BodyDecoders`; as above.
  var attachedDecoders: (any Sendable)? {
    get { fields.value.decoders }
    _modify { yield &fields.value.decoders }
  }
  /// What was measured of the attempt, a `TransportMetrics`; as above.
  var attachedMetrics: (any Sendable)? {
    get { fields.value.metrics }
    _modify { yield &fields.value.metrics }
  }

  /// How much of the request was sent, in all attempts of the load together; nil, the default, when it is not known.
  /// Transports set it. A request whose progress is not known counts as sent: it is repeated only where its method is
  /// idempotent or it carries an idempotency key.
  public var requestProgress: RequestProgress? {
    get { fields.value.requestProgress }
    _modify { yield &fields.value.requestProgress }
  }

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - stage: The stage of the load.
  ///   - reason: The reason of the failure.
  ///   - detail: The failure, safe to log. The default is the reason's own text.
  ///   - quote: The part that the detail leaves out because it may be a secret. None by default.
  ///   - context: The API; when empty, the flight fills it in.
  ///   - underlying: The error that caused this one. None by default.
  ///   - evidence: The response at which the load failed. None by default.
  public init(
    _ stage: Stage, _ reason: Reason, _ detail: String? = nil, quote: String? = nil,
    context: Context = Context(),
    underlying: (any Error)? = nil, evidence: Evidence? = nil
  ) {
    fields = CopyOnWrite(
      Fields(
        stage: stage, reason: reason, detail: detail ?? reason.text, quote: quote, context: context,
        underlying: underlying,
        evidence: evidence))
  }
}

extension APIError {
  /// A stage of one load.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Collecting, reforming and validating the parameters.
    case parameters
    /// The takeoff policy and the interceptors, the network gate, the limiter and the circuit breaker.
    case takeoff
    /// Building the request from service, API and parameters.
    case assembly
    /// Computing the signature of one attempt.
    case signing
    /// The transport's attempt: name resolution, connection, TLS, transfer.
    case transport
    /// Decoding and validating the response.
    case response
    /// Mapping raw data for a view.
    case reform
    /// Looking up stored responses.
    case cache
    /// Credentials: sign-in, refresh, authorization.
    case auth
  }

  /// The response at which a load failed.
  public struct Evidence: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order received.
    public var headers: [(name: String, value: String)]
    /// The body after content decoding; it may be incomplete.
    public var body: [UInt8]

    /// Makes evidence from the parts of a response.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// The API that a failure belongs to, and the progress of the load.
  public struct Context: Sendable {
    /// The manager's type, e.g. `RentListAPIManager`; method and path, e.g. `GET rents/{id}`, for a call without a class.
    public var manager: String?
    /// The service's name.
    public var service: String?
    /// The API name as the manager states it.
    public var apiName: String?
    /// The HTTP method.
    public var method: String?
    /// The URL without its query, which may contain secrets.
    public var location: String?
    /// The attempt that failed, counted from 1; nil when none was made.
    public var attempt: Int?
    /// The number of attempts that the retry policy allows.
    public var attemptLimit: Int?
    /// The time since takeoff.
    public var elapsed: Duration?
    /// The HTTP status of the response; nil when there was none.
    public var status: Int?
    /// The id of the flight, as in its takeoff and its record.
    public var flightID: UInt64?
    /// Why the load was cancelled; see ``APIError/cancellation``.
    var cancellation: CancellationReason?
    /// Whether it failed at another origin, where a redirect has led, and which got no credential. Of a cancelled load:
    /// whether a request on which a server may act twice may have gone there.
    package var isElsewhere = false

    /// Makes an empty context.
    public init() {}
  }
}
