/// What the thread or task that runs a load knows of it, and changes; see ``Flight/run``.
///
/// What few loads have is boxed: a flight above 1 KiB leaves the thread's own pool of the system's allocator.
struct FlightRun {
  var step: Flight.Step
  var place: Flight.Place
  /// Whose load it is.
  var user: LoadUser { didSet { comparedAt = .max } }
  /// When it was last found to be the present one, see ``UserChanges``.
  var comparedAt = UInt64.max
  /// The request as assembled, before credential, cookies and signature.
  var request: HTTPRequest?
  /// How it is one of a batch; nil where it makes its own call.
  var batch: Boxed<BatchPart>?
  /// What a signature covers beside the request.
  var signed = (apiName: "", parameters: Parameters())
  /// The trace that its requests belong to; nil where they do not say.
  var trace: Boxed<TraceContext>?
  /// How far the request came, all attempts together.
  var requestProgress = RequestProgress.unsent
  /// The attempt under way, from 1; 0 before the first.
  var attempt = 0
  /// How often the services' error hooks had resolved refusals when the attempt began; see ``Resolutions``.
  var resolutions = 0
  /// What the present attempt goes with; nil where the load has nothing to do with a sign-in.
  var credential: VersionedCredential?
  /// Its place at the host, and the circuit breaker's permit.
  var admission: Flight.Admission?
  /// Its way through the service's pool of servers; nil where it has none.
  var way: HostRoute?
  /// The present exchange and its redirects.
  var exchange: ClientExchange?
  /// What goes on the wire next.
  var outgoing: HTTPExchange?
  /// What went on the wire last, for the error where it fails.
  var sent: HTTPRequest?
  /// What came from the wire last.
  var http: HTTPResponse?
  /// The response as far as it is known, decoded.
  var response: APIResponse?
  /// The failure in whose place a stored response lands.
  var replaced: APIError?
  /// Why the load has failed, for its delivery.
  var failure: APIError?
  /// What may mend a failure; made at the first.
  var remedies: [any Remedy] = []
}
