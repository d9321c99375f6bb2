/// One request as it goes on the wire: method, URL, header fields, body and its limits.
///
/// A value: steps of the flight change copies of it. Everything is checked by ``validate()`` before it is
/// sent, so a transport may trust what it gets.
public struct HTTPRequest: Sendable {
  private struct Fields: Sendable {
    var method: HTTPMethod
    var url: HTTPURL
    var headers: HTTPHeaders
    var body: HTTPBody
    var timeouts: HTTPTimeouts
    var options: HTTPRequestOptions
  }

  private var fields: Boxed<Fields>

  /// The method; the default is `GET`.
  public var method: HTTPMethod {
    get { fields.value.method }
    _modify { yield &fields.value.method }
  }
  /// Where to.
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
  /// The limits in time of one attempt; the transport's own by default.
  public var timeouts: HTTPTimeouts {
    get { fields.value.timeouts }
    _modify { yield &fields.value.timeouts }
  }
  /// What the transport is asked to do for this request beyond plain HTTP.
  public var options: HTTPRequestOptions {
    get { fields.value.options }
    _modify { yield &fields.value.options }
  }

  /// Makes a request.
  public init(
    method: HTTPMethod = .get, url: HTTPURL, headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody = .empty,
    timeouts: HTTPTimeouts = HTTPTimeouts(), options: HTTPRequestOptions = HTTPRequestOptions()
  ) {
    fields = Boxed(
      Fields(
        method: method, url: url, headers: headers, body: body, timeouts: timeouts, options: options))
  }

  /// Throws when the method or a header field may not stand on the wire. The URL is valid by its type.
  public func validate() throws(APIError) {
    guard method.isToken else {
      throw APIError(
        .assembly, .invalidMethod, "\(method.rawValue.debugDescription) is not an HTTP method")
    }
    try headers.validate()
  }
}

/// The limits in time of one attempt. `.zero` means no limit, nil what the transport is configured with.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The longest wait for a connection: name, TCP and TLS; ``standard`` has 15 seconds.
  /// Beyond it the attempt fails with ``APIError/Reason/connectTimeout``.
  public var connect: Duration?
  /// The longest wait between two bytes; ``standard`` has 30 seconds.
  /// Beyond it the attempt fails with ``APIError/Reason/idleTimeout``.
  public var idle: Duration?
  /// The longest time for the whole attempt; ``standard`` has no limit.
  /// Beyond it the attempt fails with ``APIError/Reason/totalTimeout``.
  public var total: Duration?
  /// What is left of a deadline over several attempts: the total is never longer. Set by the flight.
  var ceiling: Duration?

  /// Makes limits; what is left out is the transport's to decide.
  public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }

  /// 15 seconds to connect, 30 between two bytes, no limit in all.
  public static let standard = HTTPTimeouts(connect: .seconds(15), idle: .seconds(30), total: .zero)

  /// These limits, and those of `fallback` where there is none.
  public func filled(from fallback: HTTPTimeouts) -> HTTPTimeouts {
    var filled = HTTPTimeouts(
      connect: connect ?? fallback.connect, idle: idle ?? fallback.idle, total: total ?? fallback.total)
    guard let ceiling else { return filled }
    if let total = filled.total, total != .zero, total < ceiling { return filled }
    filled.total = ceiling
    return filled
  }

  /// Throws ``APIError/Reason/misconfigured`` when a limit is negative.
  func validate() throws(APIError) {
    for (name, limit) in [("connect", connect), ("idle", idle), ("total", total)] {
      if let limit, limit < .zero {
        throw APIError(
          .transport, .misconfigured, "the \(name) timeout is negative; write .zero for no limit")
      }
    }
  }
}

/// What a request asks of the transport beyond plain HTTP. Each must be among the transport's capabilities.
public struct HTTPRequestOptions: Sendable {
  /// User and password for a challenge of the server (Basic, Digest) or of an FTP server. None by default.
  public var login: HTTPLogin?
  /// An address to connect to while Host, SNI and verification keep the URL's name: `127.0.0.1`, `::1`
  /// or `127.0.0.1:8443`. None by default.
  public var connectTo: String?
  /// Encodes the body with gzip before it is sent. The default is false.
  public var compressesBody: Bool

  /// Makes options.
  public init(login: HTTPLogin? = nil, connectTo: String? = nil, compressesBody: Bool = false) {
    self.login = login
    self.connectTo = connectTo
    self.compressesBody = compressesBody
  }
}

/// A user and a password, for the challenges of a server or a proxy.
public struct HTTPLogin: Sendable, Hashable, CustomStringConvertible {
  /// How the password may travel.
  public enum Scheme: Sendable, Hashable {
    /// Sent with the first request, encoded but not protected (RFC 7617).
    case basic
    /// Only a digest is sent, after the server's challenge (RFC 7616).
    case digest
    /// The strongest that the server offers, after its challenge.
    case any
  }

  /// The user's name.
  public var user: String
  /// The password.
  public var password: String
  /// How the password may travel; the default is ``Scheme/any``.
  public var scheme: Scheme

  /// Makes a login.
  public init(user: String, password: String, scheme: Scheme = .any) {
    self.user = user
    self.password = password
    self.scheme = scheme
  }

  /// The user alone.
  public var description: String { "\(user):•••" }
}
