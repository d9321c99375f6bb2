/// One HTTP request: method, URL, header fields, body and timeouts.
///
/// A value: the steps of a flight change copies of it. ``validate()`` checks it before it is sent, so a
/// transport need not check it again.
public struct HTTPRequest: Sendable {
  private struct Fields: Sendable {
    var method: HTTPMethod
    var url: HTTPURL
    var headers: HTTPHeaders
    var body: HTTPBody
    var timeouts: HTTPTimeouts
    var options: HTTPRequestOptions
  }

  private var fields: CopyOnWrite<Fields>

  /// The method; the default is `GET`.
  public var method: HTTPMethod {
    get { fields.value.method }
    _modify { yield &fields.value.method }
  }
  /// The URL.
  public var url: HTTPURL {
    get { fields.value.url }
    _modify { yield &fields.value.url }
  }
  /// The header fields, in the order they are sent.
  public var headers: HTTPHeaders {
    get { fields.value.headers }
    _modify { yield &fields.value.headers }
  }
  /// The body; the default is none.
  public var body: HTTPBody {
    get { fields.value.body }
    _modify { yield &fields.value.body }
  }
  /// The timeouts of one attempt; those of the transport by default.
  public var timeouts: HTTPTimeouts {
    get { fields.value.timeouts }
    _modify { yield &fields.value.timeouts }
  }
  /// Settings of this request beyond plain HTTP.
  public var options: HTTPRequestOptions {
    get { fields.value.options }
    _modify { yield &fields.value.options }
  }

  /// Makes a request.
  public init(
    method: HTTPMethod = .get, url: HTTPURL, headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody = .empty,
    timeouts: HTTPTimeouts = HTTPTimeouts(), options: HTTPRequestOptions = HTTPRequestOptions()
  ) {
    fields = CopyOnWrite(
      Fields(
        method: method, url: url, headers: headers, body: body, timeouts: timeouts, options: options))
  }

  /// Throws ``APIError/Reason/invalidMethod`` or ``APIError/Reason/invalidHeader`` when the method or a
  /// header field is not valid. A URL is always valid.
  ///
  /// `Content-Length` and `Transfer-Encoding` are refused: the transport derives them from the body, and others
  /// would end the request at another byte (RFC 9112, 6). So are control characters in a login and in
  /// ``HTTPRequestOptions/connectTo``, with ``APIError/Reason/misconfigured``.
  public func validate() throws(APIError) {
    guard HTTPToken.isToken(method.rawValue) else {
      throw APIError(
        .assembly, .invalidMethod, "\(method.rawValue.debugDescription) is not an HTTP method")
    }
    try headers.validate()
    try headers.refuseFraming()
    try options.validate()
  }
}

extension HTTPRequest: Redacted {
  /// Method, URL without its query, header fields with secrets masked, and the kind of the body.
  public var description: String {
    (["\(method) \(url)"] + headers.map(\.description) + bodyKind).joined(separator: "\n")
  }

  private var bodyKind: [String] {
    switch body {
    case .empty: []
    case .bytes(let bytes): ["\(bytes.count) bytes"]
    case .file(let path, _): ["the file \(path)"]
    case .stream: ["a stream"]
    }
  }
}

/// The timeouts of one attempt. `.zero` means no limit; nil means the transport's configured value.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The longest time to connect: name look-up, TCP and TLS. ``standard`` has 15 seconds. An attempt that
  /// exceeds it fails with ``APIError/Reason/connectTimeout``.
  public var connect: Duration?
  /// The longest wait between two bytes. ``standard`` has 30 seconds. An attempt that exceeds it fails with
  /// ``APIError/Reason/idleTimeout``.
  public var idle: Duration?
  /// The longest time for the whole attempt, with the requests of its redirects. ``standard`` has no limit. An attempt that
  /// exceeds it fails with ``APIError/Reason/totalTimeout``.
  public var total: Duration?
  /// The time left until the deadline of the load, which limits the total. Set by the flight.
  package var ceiling: Duration?
  /// How many milliseconds of the total were used before the transport got the request: by a race of connections, by requests
  /// that were redirected, before a second attempt. So small a number takes no memory beside the limits.
  var spentMilliseconds: UInt32 = 0

  /// Makes timeouts; each omitted one is left to the transport.
  public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }

  /// 15 seconds to connect, 30 seconds between two bytes, no limit for the whole attempt.
  public static let standard = HTTPTimeouts(connect: .seconds(15), idle: .seconds(30), total: .zero)

  /// These timeouts, with those of `fallback` where there is none.
  public func filled(from fallback: HTTPTimeouts) -> HTTPTimeouts {
    var filled = HTTPTimeouts(
      connect: connect ?? fallback.connect, idle: idle ?? fallback.idle, total: total ?? fallback.total)
    if spentMilliseconds > 0, let total = filled.total, total != .zero {
      filled.total = max(.milliseconds(1), total - .milliseconds(spentMilliseconds))
    }
    guard let ceiling else { return filled }
    if let total = filled.total, total != .zero, total < ceiling { return filled }
    filled.total = ceiling
    return filled
  }

  /// Uses some of the total up.
  mutating func spend(_ time: Duration) {
    spentMilliseconds = UInt32(clamping: Int64(spentMilliseconds) + time.microseconds / 1000)
  }

  /// Throws ``APIError/Reason/misconfigured`` when a timeout is negative.
  func validate() throws(APIError) {
    for (name, limit) in [("connect", connect), ("idle", idle), ("total", total)] {
      if let limit, limit < .zero {
        throw APIError(
          .transport, .misconfigured, "the \(name) timeout is negative; write .zero for no limit")
      }
    }
  }
}

/// Settings of a request beyond plain HTTP. Each must be among the transport's
/// capabilities.
public struct HTTPRequestOptions: Sendable {
  /// User and password for a server's challenge (Basic, Digest) or for an FTP server. None by default.
  public var login: HTTPLogin?
  /// An address to connect to, while Host, SNI and certificate checks use the name in the URL: `127.0.0.1`,
  /// `::1` or `127.0.0.1:8443`. None by default.
  public var connectTo: String?
  /// Compresses the body with gzip before it is sent. The default is false.
  public var compressesBody: Bool
  /// Whether the server is asked before the body is sent (`Expect: 100-continue`). The default is false.
  public var expectsContinue = false
  /// Whether the request may be sent without TLS. The default, nil, leaves it to the transport's configuration.
  public var cleartext: CleartextPolicy?
  /// Whether cellular interfaces may be used. The default, nil, leaves it to the transport's configuration.
  public var allowsCellular: Bool?
  /// Whether interfaces that the system considers expensive may be used; as above.
  public var allowsExpensive: Bool?
  /// Whether interfaces in Low Data Mode may be used; as above.
  public var allowsConstrained: Bool?
  /// The kind of traffic; as above.
  public var serviceType: NetworkServiceType?
  /// The urgency among the requests to its host. The default is ``FlightPriority/normal``. It needs no capability, because
  /// it changes no result.
  public var priority = FlightPriority.normal

  /// Whether the transport must be able to choose interfaces and to mark traffic.
  var choosesInterfaces: Bool {
    allowsCellular == false || allowsExpensive == false || allowsConstrained == false
      || (serviceType ?? .standard) != .standard
  }

  /// Makes options.
  public init(
    login: HTTPLogin? = nil, connectTo: String? = nil, compressesBody: Bool = false,
    cleartext: CleartextPolicy? = nil
  ) {
    self.login = login
    self.connectTo = connectTo
    self.compressesBody = compressesBody
    self.cleartext = cleartext
  }

  /// Throws ``APIError/Reason/misconfigured`` for text that would begin another line of the request: a login
  /// is sent in a header field or a command of FTP, an address in a CONNECT request.
  func validate() throws(APIError) {
    try login?.validate("the login")
    guard connectTo?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) != true else {
      throw APIError(.assembly, .misconfigured, "connectTo has a control character")
    }
  }
}

/// A user and a password, for the challenges of a server or a proxy.
public struct HTTPLogin: Sendable, Hashable, Redacted {
  /// How the password is sent.
  public enum Scheme: Sendable, Hashable {
    /// Sent with the first request, encoded but not protected (RFC 7617).
    case basic
    /// Only a digest is sent, after the server's challenge (RFC 7616).
    case digest
    /// The strongest scheme that the server offers, after its challenge.
    case any
  }

  /// The user's name.
  public var user: String
  /// The password.
  public var password: String
  /// How the password is sent; the default is ``Scheme/any``.
  public var scheme: Scheme

  /// Makes a login.
  public init(user: String, password: String, scheme: Scheme = .any) {
    self.user = user
    self.password = password
    self.scheme = scheme
  }

  /// Compares the bytes of user and password, which are what is sent.
  public static func == (left: Self, right: Self) -> Bool {
    left.scheme == right.scheme && left.user.equalsExactly(right.user)
      && left.password.equalsExactly(right.password)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(user))
    hasher.combine(ExactText(password))
    hasher.combine(scheme)
  }

  /// The user's name, with the password masked.
  public var description: String { "\(user):•••" }

  /// Throws ``APIError/Reason/misconfigured`` when it has a control character.
  func validate(_ what: String) throws(APIError) {
    guard !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw APIError(.assembly, .misconfigured, "\(what) has a control character")
    }
  }
}
