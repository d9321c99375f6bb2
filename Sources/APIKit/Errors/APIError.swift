/// What went wrong with one load: where it failed, why, and for which API.
///
/// Every failure of the framework is an `APIError`; a load ends with exactly one of them, with an answer,
/// or cancelled. It has three texts: ``description`` is safe to log, ``label`` has no variable parts and
/// names a metric, and ``expandedDescription`` may hold bodies and header values.
public struct APIError: Error, Sendable {
  private struct Fields: Sendable {
    var place: Place
    var reason: Reason
    var detail: String
    var context: Context
    var underlying: (any Error)?
    var evidence: Evidence?
  }

  private var fields: Boxed<Fields>

  /// The station of the walk at which the load failed.
  public var place: Place {
    get { fields.value.place }
    _modify { yield &fields.value.place }
  }
  /// Why it failed. Compare with `==`; new reasons may be added, so a `switch` needs a default.
  public var reason: Reason {
    get { fields.value.reason }
    _modify { yield &fields.value.reason }
  }
  /// What happened, with its numbers and the next step if there is one. Safe to log: holds no secrets.
  public var detail: String {
    get { fields.value.detail }
    _modify { yield &fields.value.detail }
  }
  /// Which API the failure belongs to. Filled in by the flight; empty for errors of bare values.
  public var context: Context {
    get { fields.value.context }
    _modify { yield &fields.value.context }
  }
  /// The error of a lower layer or of the application that led to this one, if there was one.
  public var underlying: (any Error)? {
    get { fields.value.underlying }
    _modify { yield &fields.value.underlying }
  }
  /// What the server had answered when the load failed, so that nothing is lost; nil before an answer.
  public var evidence: Evidence? {
    get { fields.value.evidence }
    _modify { yield &fields.value.evidence }
  }

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - place: The station of the walk.
  ///   - reason: Why it failed.
  ///   - detail: What happened, in words that may be logged. The default is the reason's own text.
  ///   - context: Which API; filled in later by the flight when left empty.
  ///   - underlying: The error below this one.
  ///   - evidence: What the server had answered.
  public init(
    _ place: Place, _ reason: Reason, _ detail: String? = nil, context: Context = Context(),
    underlying: (any Error)? = nil, evidence: Evidence? = nil
  ) {
    fields = Boxed(
      Fields(
        place: place, reason: reason, detail: detail ?? reason.text, context: context, underlying: underlying,
        evidence: evidence))
  }
}

extension APIError {
  /// A station of the walk of one call.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// Collecting, reforming and validating the parameters.
    case parameters
    /// The takeoff policy, the interceptors and admission: before anything is built.
    case takeoff
    /// Building the request from service, API and parameters.
    case assembly
    /// Computing the signature of one attempt.
    case signing
    /// The wire: name, connection, TLS, bytes.
    case transport
    /// Decoding and validating what came back.
    case response
    /// Turning raw data into what a view shows.
    case reform
    /// Reading or writing stored answers.
    case cache
    /// Credentials: sign-in, refresh, authorization.
    case auth
  }

  /// What the server had answered when a load failed.
  public struct Evidence: Sendable {
    /// The status code of the answer.
    public var status: Int
    /// The header fields in the order received.
    public var headers: [(name: String, value: String)]
    /// The body as received (after content decoding), possibly cut.
    public var body: [UInt8]

    /// Makes the evidence of one answer.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// The API a failure belongs to, and how far the load had come.
  public struct Context: Sendable {
    /// The manager's type, e.g. `RentListAPIManager`.
    public var manager: String?
    /// The service's name.
    public var service: String?
    /// The API name as the manager states it.
    public var apiName: String?
    /// The HTTP method.
    public var method: String?
    /// The URL without its query, which may hold secrets.
    public var location: String?
    /// The attempt that failed, from 1; nil when none was made.
    public var attempt: Int?
    /// How many attempts the retry policy allowed.
    public var attemptLimit: Int?
    /// Time since takeoff.
    public var elapsed: Duration?
    /// The HTTP status of the answer, if there was one.
    public var status: Int?
    /// The flight's id, as in its takeoff and its record.
    public var flightID: UInt64?
    /// Who cancelled the load; see ``APIError/cancellation``.
    var cancellation: CancellationReason?

    /// An empty context.
    public init() {}
  }
}
