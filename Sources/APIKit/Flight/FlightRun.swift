/// A load as a span of a trace.
struct LoadTrace: Sendable {
  /// What the spans of its requests are children of.
  let span: TraceContext
  /// The caller's span; nil where the load begins the trace.
  let parent: String?

  init(of caller: TraceContext?) {
    span = caller?.child() ?? TraceContext()
    parent = caller?.parentID
  }

  var event: FlightEvent { .traced(span, parent: parent) }
}

/// The state of a load that its owner alone uses; see ``Flight/run``.
///
/// Values that few loads have are boxed: a flight above 1 KiB leaves the thread's own pool of the system's allocator.
struct FlightRun {
  var step: Flight.Step
  var executor: Flight.Executor
  /// The user of the load.
  var user: LoadUser { didSet { comparedAt = .max } }
  /// ``UserChanges/now`` when the user was last found to be the present one.
  var comparedAt = Int.max
  /// The request as assembled, before credential, cookies and signature.
  var request: HTTPRequest?
  /// The load's part in a batch; nil where it makes its own call.
  var batch: CopyOnWrite<BatchPart>?
  /// The values that a signature covers beside the request.
  var signed = (apiName: "", parameters: Parameters())
  /// The trace that its requests name; nil where they name none.
  var trace: CopyOnWrite<LoadTrace>?
  /// How far the request came, all attempts together.
  var requestProgress = RequestProgress.unsent
  /// Whether a request went without the load's idempotency key, which a redirect to another origin does not carry.
  var wentWithoutKey = false
  /// Whether the last request went to another origin, where a redirect has led.
  var isElsewhere = false
  /// Where redirects have led the request, without its signature; nil before the response behind them.
  var led: HTTPURL?
  /// The attempt under way, from 1; 0 before the first.
  var attempt = 0
  /// How often the services' error hooks had resolved refusals when the attempt began; see ``Resolutions``.
  var resolutions = 0
  /// The credential of the present attempt; nil for a load that needs no sign-in.
  var credential: VersionedCredential?
  /// Whether the client's rate has counted the attempt, and nothing was sent yet.
  var isPaced = false
  /// The permits of the host's limit and of its circuit breaker.
  var admission: Flight.Admission?
  /// The servers of the service's pool that it has tried; nil without a pool.
  var way: HostRoute?
  /// The present exchange and its redirects.
  var exchange: ClientExchange?
  /// The next exchange on the wire.
  var outgoing: HTTPExchange?
  /// The last request on the wire, for the error where it fails.
  var sent: HTTPRequest?
  /// The last response from the wire.
  var http: HTTPResponse?
  /// The response as far as it is known, decoded.
  var response: APIResponse?
  /// The failure in whose place a stored response lands.
  var replaced: APIError?
  /// Why the load has failed, for its delivery.
  var failure: APIError?
  /// Made at the first failure.
  var remedies: [any Remedy] = []
}
