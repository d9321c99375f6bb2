/// One request, and what to do with its response while it arrives.
public struct HTTPExchange: Sendable {
  /// What few exchanges state; kept apart, because exchanges are copied from step to step.
  private struct Extras: Sendable {
    var inspectHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void)?
    var fileAtHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) -> String?)?
    var onProgress: (@Sendable (TransferProgress) -> Void)?
    var challenges: ChallengeHandler?
    var proxyLogin: HTTPLogin?
    var onSlot: (@Sendable (_ isWaiting: Bool) -> Void)?
    var load: (any ExchangeLoad)?
  }

  private var extras: CopyOnWrite<Extras>?

  /// The request.
  public var request: HTTPRequest
  /// Where the body of the response goes; into memory by default.
  public var destination: Destination
  /// Called with status and header fields before the body is read; throws to refuse the body. None by
  /// default.
  ///
  /// The attempt then fails with ``APIError/Reason/refusedAtHeaders`` and the error thrown as its
  /// `underlying`. Called on a thread of the transport, once, so it must not block.
  public var inspectHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void)? {
    get { extras?.value.inspectHead }
    set { if extras != nil || newValue != nil { change { $0.inspectHead = newValue } } }
  }
  /// Called with status and header fields of a response with a status of 2xx whose ``destination`` is memory, after
  /// ``inspectHead``; a path that it returns makes the response a download to that file, without a limit but that of the
  /// configuration for decoded bytes. None by default.
  ///
  /// Called on a thread of the transport, once, so it must not block.
  public var fileAtHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) -> String?)? {
    get { extras?.value.fileAtHead }
    set { if extras != nil || newValue != nil { change { $0.fileAtHead = newValue } } }
  }
  /// Called with the progress of the transfer, at most about ten times a second and once at the end. None
  /// by default.
  ///
  /// Called on a thread of the transport, so it must not block.
  public var onProgress: (@Sendable (TransferProgress) -> Void)? {
    get { extras?.value.onProgress }
    set { if extras != nil || newValue != nil { change { $0.onProgress = newValue } } }
  }

  /// The handler of authentication challenges of this exchange, in place of the session's handler
  /// (``TransportConfiguration/challenges``). None by default. Needs ``TransportCapabilities/challenges``.
  public var challenges: ChallengeHandler? {
    get { extras?.value.challenges }
    set { if extras != nil || newValue != nil { change { $0.challenges = newValue } } }
  }
  /// The login for a proxy's challenge, in place of that of the configuration.
  var proxyLogin: HTTPLogin? {
    get { extras?.value.proxyLogin }
    set { if extras != nil || newValue != nil { change { $0.proxyLogin = newValue } } }
  }

  /// Stated where the response stays open for long: the exchange takes no place of ordinary ones, and this is called with
  /// true when it must wait for one of those there are for such exchanges, and with false when it has it. None by default.
  ///
  /// Called on a thread of the transport, so it must not block.
  package var onSlot: (@Sendable (_ isWaiting: Bool) -> Void)? {
    get { extras?.value.onSlot }
    set { if extras != nil || newValue != nil { change { $0.onSlot = newValue } } }
  }

  /// Told of each phase of the request while it is under way; a transport that cannot tell leaves it to its metrics. nil, the
  /// default, when there is no listener.
  package var phaseObserver: (any PhaseObserver)?

  /// The load that it belongs to, where somebody keeps exchanges (``ExchangeKeepers``); nil for an exchange of no load.
  package var load: (any ExchangeLoad)? {
    get { extras?.value.load }
    set { if extras != nil || newValue != nil { change { $0.load = newValue } } }
  }

  /// Tells those who want it how far the bodies have come.
  package func tell(_ progress: TransferProgress) {
    onProgress?(progress)
    phaseObserver?.reached(.progress(progress), microsecondsAgo: 0)
  }

  /// Whether somebody wants to know how far the bodies have come.
  package var tellsProgress: Bool { onProgress != nil || phaseObserver != nil }

  /// Whether a redirect leads the request to another origin than the one that was asked; false by default.
  ///
  /// A transport then adds no header fields of its configuration and presents no client certificate: they belong to
  /// the origin that was asked.
  public var crossesOrigin = false

  /// The header fields to send: those of a configuration, which are for the origin that was asked, and those of the request in
  /// their place.
  package func headers(over configured: HTTPHeaders) -> HTTPHeaders {
    var headers = crossesOrigin ? HTTPHeaders() : configured
    headers.merge(request.headers)
    return headers
  }

  /// Whether the body as it was on the wire is kept beside the decoded one, in ``HTTPResponse/codedBytes``: its digest may
  /// be signed. The default is false. A transport that cannot keep it asks for a body without content coding.
  public var keepsCodedBody = false

  /// The flight that it belongs to, so that an archive of exchanges can name the API; nil, the default, for
  /// none.
  public var flightID: FlightID?

  private mutating func change(_ body: (inout Extras) -> Void) {
    var changed = extras ?? CopyOnWrite(Extras())
    body(&changed.value)
    extras = changed
  }

  /// The file that a response becomes at its head; nil when it stays what it is.
  package func file(status: Int, _ headers: @autoclosure () -> HTTPHeaders) -> String? {
    guard let fileAtHead, case .memory = destination, ResponseFile.takes(status: status) else { return nil }
    return fileAtHead(status, headers())
  }

  /// Makes an exchange.
  public init(_ request: HTTPRequest, destination: Destination = .memory()) {
    self.request = request
    self.destination = destination
  }

  /// Where the body of a response goes.
  public enum Destination: Sendable {
    /// Collected in memory: at most this many bytes after content decoding; the default is 64 MiB.
    case memory(maximumBytes: Int = 64 << 20)
    /// Written to a file, which is created or replaced when the body of a response with a status of 2xx is
    /// complete: at most this many bytes, by default without a limit. When the attempt fails, an existing file
    /// stays as it was. The body of a response with another status is collected in memory, at most 64 MiB.
    case file(path: String, maximumBytes: Int64 = .max)
    /// Passed on in chunks while it arrives, with back-pressure.
    case stream

    /// The most bytes that are collected in memory: of any body, or of one that the file does not take.
    package var memoryLimit: Int {
      switch self {
      case .memory(let maximumBytes): maximumBytes
      case .file(_, let maximumBytes): min(Int(clamping: maximumBytes), 64 << 20)
      case .stream: .max
      }
    }
  }
}
