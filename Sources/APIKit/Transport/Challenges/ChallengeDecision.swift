/// The decision on a challenge, on any transport: a function of the challenge and of the answer to it.
enum ChallengeDecision: Sendable {
  /// The server is trusted.
  case trust
  case login(HTTPLogin, isStored: Bool)
  /// This certificate is shown.
  case identity(ClientIdentity)
  /// Nothing is shown.
  case nothing
  /// The system decides about the server, by its own rules.
  case system
  case fail(APIError)

  /// - Parameters:
  ///   - answer: What the handler said; `default` where there is none.
  ///   - identity: The certificate of the policy.
  ///   - judge: Who decides about the server by default; the policy on systems that leave all to the transport.
  init(
    _ challenge: AuthenticationChallenge, _ answer: ChallengeAnswer, identity: ClientIdentity?,
    judge: TLSPolicy.Judge = .policy
  ) {
    if case .cancel = answer {
      self = .fail(
        APIError(.transport, .challengeCancelled, "the application cancelled at the challenge: \(challenge)"))
      return
    }
    switch (challenge.kind, answer) {
    case (.serverTrust, .use(.trust)): self = .trust
    case (.serverTrust, .default) where judge == .system: self = .system
    case (.serverTrust(_, let fault), .default):
      self = fault.map(Self.fail) ?? (judge == .both ? .system : .trust)
    case (.serverTrust, .reject):
      self = .fail(
        APIError(
          .transport, .certificateRejected,
          "the application rejects the certificate of \(challenge.space.host)"))
    case (.clientCertificate, .use(.identity(let own))): self = .identity(own)
    case (.clientCertificate, .default): self = identity.map(Self.identity) ?? .nothing
    case (.basic, .use(.login(let login, let isStored))), (.digest, .use(.login(let login, let isStored))):
      self = Self.login(login, isStored: isStored, for: challenge)
    case (.basic, .default), (.digest, .default):
      self = challenge.proposed.map { Self.login($0, isStored: false, for: challenge) } ?? .nothing
    case (_, .reject): self = .nothing
    default:
      self = .fail(
        APIError(
          .transport, .misconfigured, "the answer to the challenge does not fit what is asked: \(challenge)"))
    }
  }

  /// The login as the challenge wants it; nothing when the login's own scheme forbids that.
  private static func login(
    _ login: HTTPLogin, isStored: Bool, for challenge: AuthenticationChallenge
  ) -> Self {
    let wanted: HTTPLogin.Scheme = if case .basic = challenge.kind { .basic } else { .digest }
    guard login.scheme == .any || login.scheme == wanted else { return .nothing }
    var login = login
    login.scheme = wanted
    return .login(login, isStored: isStored)
  }
}

/// A login of an attempt that was sent and not answered yet.
struct LoginTrial: Sendable {
  var login: HTTPLogin
  var space: ProtectionSpace
  var isStored = false
  /// Whether the handler gave it.
  var isHandlers = true
}

/// The strongest login that a response asks for (RFC 9110, 11.6.1).
struct LoginChallenge: Equatable {
  var scheme: HTTPLogin.Scheme
  var realm: String

  /// Nil when the response asks for none, or for none of Basic and Digest.
  init?(_ response: borrowing HTTPResponse) {
    guard response.status == 401 || response.status == 407 else { return nil }
    let name = response.status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
    var found: Self?
    for value in response.headers.values(name) {
      for challenge in Self.parse(value) where found == nil || challenge.scheme == .digest {
        if found?.scheme != .digest { found = challenge }
      }
    }
    guard let found else { return nil }
    self = found
  }

  init(scheme: HTTPLogin.Scheme, realm: String) {
    self.scheme = scheme
    self.realm = realm
  }

  /// The Basic and Digest challenges of a field. One field may have several, separated by commas like their
  /// parameters: a part that begins with a word and a space begins a challenge.
  static func parse(_ field: String) -> [Self] {
    var all: [Self] = []
    var isKnown = false
    for part in field.fieldParts(at: ",") {
      var text = part[...]
      let word = text.prefix { $0 != " " && $0 != "=" }
      let rest = text.dropFirst(word.count)
      if !rest.hasPrefix("="), !rest.drop(while: { $0 == " " }).hasPrefix("=") {
        let scheme = word.lowercased()
        isKnown = scheme == "basic" || scheme == "digest"
        if isKnown { all.append(Self(scheme: scheme == "basic" ? .basic : .digest, realm: "")) }
        text = rest.drop { $0 == " " }
      }
      let (name, value) = String(text).fieldParameter
      if isKnown, name == "realm", let value { all[all.count - 1].realm = value }
    }
    return all
  }
}
