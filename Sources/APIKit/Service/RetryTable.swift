/// Which failures are worth another attempt, each with the reason.
///
/// Answers are looked up by their status, failures without an answer by ``APIError/Reason``, into which
/// transports turn the codes of their libraries and of the system. What has no row is not retried. Change
/// a row for a backend of other habits:
///
/// ```swift
/// var policy = RetryPolicy.standard
/// policy.table[status: 409] = .retry("this backend answers 409 while it is busy")
/// policy.table[.businessError] = .retry("its code 7 is temporary")
/// ```
public struct RetryTable: Sendable {
  /// What is done about one kind of failure, and why.
  public struct Row: Sendable, Hashable {
    /// Whether it is retried.
    public var isOn: Bool
    /// Whether it proves that nothing has reached the server, so that any method may be retried.
    public var provesNothingSent: Bool
    /// The reason, as records print it.
    public var why: String

    /// It is retried, for methods that may be sent twice.
    public static func retry(_ why: String) -> Row { Row(isOn: true, provesNothingSent: false, why: why) }
    /// It is retried whatever the method: the server has not seen the request.
    public static func retryAny(_ why: String) -> Row { Row(isOn: true, provesNothingSent: true, why: why) }
    /// It is not retried.
    public static func leave(_ why: String) -> Row { Row(isOn: false, provesNothingSent: false, why: why) }
  }

  private var byStatus: [Int: Row] = [:]
  private var byReason: [APIError.Reason: Row] = [:]

  /// A table without rows: nothing is retried.
  public init() {}

  /// The row of a status.
  public subscript(status status: Int) -> Row? {
    get { byStatus[status] }
    set { byStatus[status] = newValue }
  }

  /// The row of a failure without an answer, or of one after it (a body that cannot be read).
  public subscript(reason: APIError.Reason) -> Row? {
    get { byReason[reason] }
    set { byReason[reason] = newValue }
  }

  /// The row for an error, whichever half of the table it stands in.
  func row(for error: APIError) -> Row? {
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
      502: .retry("a gateway got no good answer from behind it"),
      503: .retry("the server is not available for a while"),
      504: .retry("a gateway got no answer in time"),
      505: .leave("the server does not speak this version of HTTP"),
      507: .leave("the server's storage is full"),
      511: .leave("the network wants a sign-in of its own"),
    ]
    table.byReason = [
      .unknownHost: .retryAny("name servers fail for moments, more so while networks change"),
      .connectionRefused: .retryAny("a server that restarts refuses for a moment"),
      .connectTimeout: .retryAny("no connection stood, so nothing was sent"),
      .tlsHandshakeFailed: .retryAny("a handshake is cut by networks in change; nothing was sent yet"),
      .proxyFailed: .retryAny("the proxy did not pass it on"),
      .connectionLost: .retry("the connection broke; the server may have seen the request"),
      .idleTimeout: .retry("the server fell silent; it may be at work on the request"),
      .truncatedBody: .retry("the answer was cut on its way"),
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
      .pinMismatch: .leave("somebody may be in the middle; trying again helps them"),
      .clientCertificateRequired: .leave("the certificate would be the same"),
      .loginDenied: .leave("the login would be the same"),
      .remoteFileUnavailable: .leave("the file would be missing again"),
      .remoteFileRefused: .leave("the server would refuse it again"),
      .circuitOpen: .leave("the breaker knows when the server is worth another try"),
      .noNetwork: .leave("the gate has waited already"),
      .malformedBody: .leave("the body would be the same"),
      .businessError: .leave("what the service says in the body is its decision"),
    ]
    return table
  }()
}
