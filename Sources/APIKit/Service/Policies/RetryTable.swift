/// Which failures are retried, each with the reason.
///
/// Responses are looked up by their status, failures without a response by ``APIError/Reason``, to which
/// transports map the error codes of their libraries and of the system. A failure without a row is not
/// retried. Change a row for a backend that differs:
///
/// ```swift
/// var policy = RetryPolicy.standard
/// policy.table[status: 409] = .retry("this backend sends 409 while it is busy")
/// policy.table[.businessError] = .retry("its code 7 is temporary")
/// ```
public struct RetryTable: Sendable {
  /// Whether one kind of failure is retried, and why.
  public struct Row: Sendable, Hashable {
    /// Whether the failure is retried.
    public var isOn: Bool
    /// For a status: whether it proves that the server has not acted on the request, so that any method may be retried.
    /// Without a response this has no effect: there counts how far the transport saw the request come,
    /// ``APIError/requestProgress``.
    public var provesNothingSent: Bool
    /// The reason, as records print it.
    public var why: String

    /// Retried, if nothing of the request has left or the method may be sent twice.
    public static func retry(_ why: String) -> Row { Row(isOn: true, provesNothingSent: false, why: why) }
    /// For a status: retried with any method, because the server says with it that it has not acted on the request.
    public static func retryAny(_ why: String) -> Row { Row(isOn: true, provesNothingSent: true, why: why) }
    /// Not retried.
    public static func leave(_ why: String) -> Row { Row(isOn: false, provesNothingSent: false, why: why) }
  }

  package var byStatus: [Int: Row] = [:]
  package var byReason: [APIError.Reason: Row] = [:]

  /// A table without rows: nothing is retried.
  public init() {}

  /// The row of a status.
  public subscript(status status: Int) -> Row? {
    get { byStatus[status] }
    set { byStatus[status] = newValue }
  }

  /// The row of a failure without a response, or of one in reading the response (a body that cannot be
  /// decoded).
  public subscript(reason: APIError.Reason) -> Row? {
    get { byReason[reason] }
    set { byReason[reason] = newValue }
  }

  /// The row for an error, by its status or its reason.
  package func row(for error: APIError) -> Row? {
    if error.reason == .unacceptableStatus, let status = error.context.status { return byStatus[status] }
    return byReason[error.reason]
  }

  /// The rows that suit most backends.
  public static let standard: RetryTable = {
    var table = RetryTable()
    table.byStatus = [
      408: .retry("the server gave up waiting for the request"),
      421: .leave("the server is the wrong one for this host, and would be again"),
      423: .leave("the resource is locked; whoever holds it decides"),
      425: .retry("the server did not want to risk a replayed early request"),
      429: .retry("too many requests for now"),
      500: .retry("the server failed, often for this once"),
      501: .leave("the server does not know the method, and will not next time"),
      502: .retry("a gateway got no good response from behind it"),
      503: .retry("the server is not available for a while"),
      504: .retry("a gateway got no response in time"),
      505: .leave("the server does not speak this version of HTTP"),
      507: .leave("the server's storage is full"),
      511: .leave("the network wants a sign-in of its own"),
    ]
    table.byReason = [
      .unknownHost: .retry("name servers fail for moments, more so while networks change"),
      .connectionRefused: .retry("a server that restarts refuses for a moment"),
      .connectTimeout: .retry("no connection stood, so nothing was sent"),
      .tlsHandshakeFailed: .retry("a handshake is cut by networks in change; nothing was sent yet"),
      .proxyFailed: .retry("the proxy did not pass it on"),
      .connectionLost: .retry("the connection broke; the server may have seen the request"),
      .idleTimeout: .retry("the server fell silent; it may be at work on the request"),
      .truncatedBody: .retry("the response was cut on its way"),
      .totalTimeout: .leave("its time was what the application allowed"),
      .deadlineExceeded: .leave("the deadline is for all attempts together"),
      .cancelled: .leave("somebody wants it no longer"),
      .transportStopped: .leave("nothing carries it any more"),
      .malformedResponse: .leave("the server does not speak HTTP"),
      .responseTooLarge: .leave("it would be as large again"),
      .tooManyRedirects: .leave("the redirects would be the same"),
      .redirectLoop: .leave("the redirects would be the same"),
      .certificateExpired: .leave("the certificate would be the same"),
      .certificateNotYetValid: .leave("the certificate would be the same"),
      .certificateHostMismatch: .leave("the certificate would be the same"),
      .certificateSelfSigned: .leave("the certificate would be the same"),
      .certificateUntrusted: .leave("the certificate would be the same"),
      .certificateRevoked: .leave("the certificate would be the same"),
      .certificateRejected: .leave("the application has decided"),
      .challengeCancelled: .leave("the application has decided"),
      .pinMismatch: .leave("somebody may be in the middle; trying again helps them"),
      .certificateUnsuitable: .leave("the certificate would be the same"),
      .certificateTooWeak: .leave("the certificate would be the same"),
      .clientCertificateRequired: .leave("the certificate would be the same"),
      .clientCertificateRefused: .leave("the certificate would be the same"),
      .clientCertificateExpired: .leave("the certificate would be the same"),
      .loginDenied: .leave("the login would be the same"),
      .remoteFileUnavailable: .leave("the file would be missing again"),
      .remoteFileRefused: .leave("the server would refuse it again"),
      .circuitOpen: .leave("the breaker knows when the server is worth another try"),
      .rateLimited: .leave("the rate says whether it may wait"),
      .noNetwork: .leave("the gate has waited already"),
      .malformedBody: .leave("the body would be the same"),
      .businessError: .leave("what the service says in the body is its decision"),
    ]
    return table
  }()
}
