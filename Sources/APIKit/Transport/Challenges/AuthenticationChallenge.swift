/// An authentication challenge of a connection or a response: server trust, client certificate, login.
///
/// A ``ChallengeHandler`` receives it and gives a ``ChallengeAnswer``.
public struct AuthenticationChallenge: Sendable, CustomStringConvertible {
  /// The kind of the challenge.
  public enum Kind: Sendable {
    /// Whether the server is trusted, before anything is sent to it.
    ///
    /// - `chain`: its certificates in DER, its own first; the verified chain where there is one.
    /// - `fault`: why the policy refuses it; nil when the policy trusts it.
    case serverTrust(chain: [[UInt8]], fault: APIError?)
    /// A trusted server asks for the client's certificate. `authorities` are the names in DER that it accepts
    /// certificates of; empty when it does not say.
    case clientCertificate(authorities: [[UInt8]])
    /// A user and a password that are sent as they are (RFC 7617).
    case basic
    /// A user and a password of which a digest is sent (RFC 7616).
    case digest
  }

  /// The kind of the challenge.
  public var kind: Kind
  /// The protection space.
  public var space: ProtectionSpace
  /// The number of logins for this request that were refused already.
  public var previousFailures: Int
  /// The login that ``ChallengeAnswer/default`` would use: the stored one. Nil when there is none, or when it was refused.
  public var proposed: HTTPLogin?

  /// Makes a challenge; for tests of handlers.
  public init(
    _ kind: Kind, space: ProtectionSpace, previousFailures: Int = 0, proposed: HTTPLogin? = nil
  ) {
    self.kind = kind
    self.space = space
    self.previousFailures = previousFailures
    self.proposed = proposed
  }

  /// The kind and the protection space, without certificates and logins.
  public var description: String {
    let what =
      switch kind {
      case .serverTrust: "server trust"
      case .clientCertificate: "client certificate"
      case .basic: "Basic login"
      case .digest: "Digest login"
      }
    return "\(what) for \(space)"
  }
}

/// The protection space of a login or certificate: an origin or a proxy, and for logins a realm (RFC
/// 9110, 11.5).
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible {
  /// The scheme of the URL: `https`, or `http`.
  public var scheme: String { didSet { scheme = scheme.lowercased() } }
  /// The host, in the form of ``HTTPURL/host``; that of the proxy where ``isProxy`` is true.
  public var host: String { didSet { host = URLHost.name(host) } }
  /// The port.
  public var port: Int
  /// The realm that the challenge names; empty for certificates, and where a proxy refuses a tunnel.
  public var realm: String
  /// Whether the challenge comes from a proxy.
  public var isProxy: Bool

  /// Makes a space.
  public init(scheme: String, host: String, port: Int, realm: String = "", isProxy: Bool = false) {
    self.scheme = scheme.lowercased()
    self.host = URLHost.name(host)
    self.port = port
    self.realm = realm
    self.isProxy = isProxy
  }

  /// Compares the bytes of the realm, which is the server's.
  public static func == (left: Self, right: Self) -> Bool {
    left.scheme == right.scheme && left.host == right.host && left.port == right.port
      && left.isProxy == right.isProxy && left.realm.equalsExactly(right.realm)
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(scheme)
    hasher.combine(host)
    hasher.combine(port)
    hasher.combine(isProxy)
    hasher.combine(ExactText(realm))
  }

  /// The space of a URL's origin.
  public init(_ url: HTTPURL, realm: String = "") {
    self.init(scheme: url.scheme, host: url.host, port: url.effectivePort ?? 0, realm: realm)
  }

  /// The space of a proxy.
  init(_ proxy: HTTPProxy, realm: String = "") {
    self.init(scheme: "http", host: proxy.host, port: proxy.port, realm: realm, isProxy: true)
  }

  /// `https://api.example.com:443 (Listings)`
  public var description: String {
    "\(isProxy ? "proxy " : "")\(scheme)://\(host):\(port)" + (realm.isEmpty ? "" : " (\(realm))")
  }

  /// The same for every realm.
  var withoutRealm: Self {
    var space = self
    space.realm = ""
    return space
  }
}

/// The answer of a ``ChallengeHandler`` to a challenge.
public enum ChallengeAnswer: Sendable {
  /// Answers with this proof. A proof that does not fit the challenge fails the load with
  /// ``APIError/Reason/misconfigured``.
  case use(ChallengeProof)
  /// The same as without a handler: the ``TLSPolicy`` decides about the server and states the client certificate, and a
  /// stored login is used once.
  case `default`
  /// The load fails with ``APIError/Reason/challengeCancelled``. The handler is asked again for the
  /// next load.
  case cancel
  /// A server is not trusted: the load fails with ``APIError/Reason/certificateRejected``. Any other challenge gets no
  /// proof: the response with status 401 or 407 lands, and the connection is tried without a certificate.
  case reject
}

/// The proof that answers a challenge.
public enum ChallengeProof: Sendable {
  /// The server is trusted, whatever its certificates are.
  case trust
  /// A login; kept in the handler, and with `isStored` in the transport's ``LoginStore`` once it was accepted.
  case login(HTTPLogin, isStored: Bool = false)
  /// A client certificate.
  case identity(ClientIdentity)
}
