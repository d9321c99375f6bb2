/// On whose behalf a load goes: the credential, the cookies, the signer and the transport that it goes with.
///
/// Loads share a wire call, a batch or a stored response only where it is equal. It is taken where something may be
/// shared, and costs other loads nothing.
struct LoadIdentity: Hashable, Sendable {
  /// Whether loads of the same identity may share a call.
  let isKnown: Bool

  // Texts by their bytes, as servers tell callers apart.
  private let stated: ExactText?
  private let authenticator: ObjectIdentifier?
  /// Whether it goes without a credential, or waits for one.
  private let signIn: SignInRule
  /// The user of the load.
  private let user: LoadUser
  private let jar: ObjectIdentifier?
  private let transport: ObjectIdentifier
  private let signer: ObjectIdentifier?
  /// The load's own challenge handler.
  private let challenges: ObjectIdentifier?
  /// The cookies of the jar for the host.
  private let cookies: ExactText?
  /// The callers that signer and transport state.
  private let signerCaller: ExactText?
  /// Whether its responses are verified: others may not take their place.
  private let isVerified: Bool
  private let transportCaller: ExactText
  /// The header fields of service and manager whose values authenticate: names and values.
  private let secrets: [ExactText]

  init(_ call: APICall) {
    let (client, signer) = (call.wire.boxedClient, call.identity.signer)
    let authenticator = call.authenticator
    cookies = (client.value.cookies?.sender(to: { call.host })).map(ExactText.init)
    signerCaller = (signer?.caller).map(ExactText.init)
    transportCaller = ExactText(client.value.transport.caller)
    isVerified = call.identity.verifier != nil
    secrets = Self.secrets(call).map(ExactText.init)
    stated = Self.partition(of: call).map(ExactText.init)
    self.authenticator = authenticator.map { ObjectIdentifier($0) }
    signIn = authenticator == nil ? .exempt : call.terms.signInRule
    user = call.user
    jar = client.value.cookies.map { ObjectIdentifier($0) }
    transport = Self.object(client.value.transport) ?? ObjectIdentifier(type(of: client.value.transport))
    self.signer = signer.flatMap { Self.object($0) }
    challenges = call.options.challenges.map { ObjectIdentifier($0) }
    isKnown = signer == nil || signerCaller != nil || self.signer != nil
  }

  /// The partition of stored responses that a load may use, the same in every process; nil where it is not known, because the
  /// application's own signer does not state its caller.
  static func partition(of call: APICall) -> String? {
    let isVerified = call.identity.verifier != nil
    if let stated = call.cache.partition.stated { return stated() + (isVerified ? " verified" : "") }
    let signerCaller = call.identity.signer?.caller
    if signerCaller == nil, call.identity.signer != nil { return nil }
    let credential = (call.authenticator?.credential).map { $0.refreshToken ?? $0.accessToken }
    let cookies = call.wire.client.cookies?.sender(to: { call.host })
    let transportCaller = call.wire.client.transport.caller
    var secrets = secrets(call)
    if isVerified { secrets.append("verified") }
    guard
      credential != nil || cookies != nil || signerCaller != nil || !transportCaller.isEmpty
        || !secrets.isEmpty
    else { return "" }
    return Crypto.digest(of: [credential, cookies, signerCaller, transportCaller] + secrets)
  }

  private static func secrets(_ call: APICall) -> [String] {
    let headers = call.ownHeaders
    let login = call.options.login
    guard !headers.isEmpty || login != nil else { return [] }
    return (login.map { ["login", $0.user, $0.password] } ?? [])
      + headers.fields.filter { SecretNames.contains($0.name) }.flatMap {
        [$0.name.lowercased(), $0.value]
      }
  }

  /// The identity of an object; nil for a value.
  private static func object(_ value: any Sendable) -> ObjectIdentifier? {
    type(of: value) is AnyClass ? ObjectIdentifier(value as AnyObject) : nil
  }
}

extension APICall {
  /// The header fields that service and manager state, and those of parameters.
  var ownHeaders: HTTPHeaders {
    var headers = service.headers(for: self)
    headers.merge(terms.headers)
    return withParameters(headers)
  }

  /// The header fields that the manager states, and those of parameters.
  var managerHeaders: HTTPHeaders { withParameters(terms.headers) }

  /// Where one cannot be written the load fails at its assembly.
  private func withParameters(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard terms.encoding.hasFields else { return headers }
    var headers = headers
    try? terms.encoding.addFields(of: parameters, to: &headers)
    return headers
  }

  /// The host that the load goes to; nil where it has none.
  fileprivate var host: String? { ((try? Endpoint(of: self))?.url ?? baseURL)?.host }
}
