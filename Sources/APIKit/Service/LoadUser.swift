/// Whose load it is, fixed when it is called: the user of its credential, of its cookies and of its signer.
///
/// Compared wherever the load continues. It costs a load two atomic reads.
package struct LoadUser: Hashable, Sendable {
  /// That of the authenticator's user (``Authenticator/epoch``). Nil where nobody was signed in: the first user whose
  /// credential the load gets is then its user.
  var epoch: Int? {
    get { known == Self.nobody ? nil : Int(known) }
    set { known = newValue.map { Int32(truncatingIfNeeded: $0) } ?? Self.nobody }
  }
  // 32 bits, not 64: an `APICall` just fits into a small block of the allocator.
  private var known = Self.nobody
  private static let nobody = Int32.min
  private let generation: Int32
  /// The generation of the client's cookie jar (``CookieJar/generation``).
  var jar: Int { Int(generation) }
  /// What the signer says of its caller.
  var signer: String? { stated?.text }
  private let stated: ExactText?

  /// - Parameter epoch: That of a user who was compared before; nil for the user who is signed in now.
  package init(_ identity: ServiceIdentity, _ wire: WireOptions, signIn rule: SignInRule, epoch: Int? = nil) {
    generation = Int32(truncatingIfNeeded: wire.client.cookies?.generation ?? 0)
    stated = (identity.signer?.caller).map(ExactText.init)
    self.epoch = epoch ?? (rule == .exempt ? nil : identity.authenticator?.userEpoch)
  }

  /// The user of several loads.
  init(_ owner: LoadOwner) {
    (generation, stated) = (Int32(truncatingIfNeeded: owner.jar), owner.signer.map(ExactText.init))
    epoch = owner.epoch
  }

  /// Why what belongs to this user may not continue; nil when the user is still the present one.
  ///
  /// - Parameters:
  ///   - caller: What its signer says of its caller; nil for a signer whose caller never changes.
  ///   - cookies: The jar of its client.
  ///   - authenticator: Who signs the load in; nil for one that is exempt.
  ///   - host: Where it goes; nil before that is known.
  func objection(
    _ caller: String??, _ cookies: CookieJar?, authenticator: Authenticator?,
    host: @autoclosure () -> String?
  ) -> APIError? {
    if let epoch, let authenticator, authenticator.epoch != epoch {
      return .signedOut("the user to whom the load belongs is no longer signed in")
    }
    if let cookies, !cookies.isSameUser(since: jar, host: host()) {
      return .signedOut("the cookies of the user to whom the load belongs were removed")
    }
    if let caller, !caller.equalsExactly(signer) {
      return .signedOut("the signer signs for another caller than when the load was called")
    }
    return nil
  }
}

/// Compares a user with the one who is present now, without a reference to a load: for connections and transfers, which
/// outlast their loads.
package struct UserCheck: Sendable {
  /// One that may say another caller later on; nil for any other. CopyOnWrite: few services have one, and every open connection
  /// keeps a check.
  private let signer: CopyOnWrite<any RequestSigner>?
  private let cookies: CookieJar?
  private let authenticator: Authenticator?
  private let host: String?

  package init(_ identity: ServiceIdentity, _ wire: WireOptions, signIn rule: SignInRule, host: String?) {
    signer = identity.mayChangeCaller ? identity.signer.map { CopyOnWrite($0) } : nil
    (cookies, self.host) = (wire.client.cookies, host)
    authenticator = rule == .exempt ? nil : identity.authenticator
  }

  /// Nil where a call carries nothing of a user.
  package init?(_ call: APICall) {
    self.init(call.identity, call.wire, signIn: call.terms.signInRule, host: call.baseURL?.host)
    guard signer != nil || cookies != nil || authenticator != nil else { return nil }
  }

  /// Why what belongs to a user may not continue; nil when the user is still the present one.
  package func objection(to owner: LoadOwner) -> APIError? { objection(to: LoadUser(owner)) }

  /// Waits, and cancels the wait as soon as the user is no longer the present one.
  package func wait(
    as user: @escaping @Sendable () -> LoadUser, _ wait: @escaping @Sendable () async -> Void
  ) async {
    _ = await UserChanges.during(wait, until: { objection(to: user()) != nil })
  }

  /// Returns when the user is no longer the present one, or the task is cancelled.
  func untilGone(_ user: LoadUser) async {
    await UserChanges.waitUntil { objection(to: user) != nil }
  }

  /// The same for an owner.
  package func wait(as owner: LoadOwner, _ wait: @escaping @Sendable () async -> Void) async {
    await self.wait(as: { LoadUser(owner) }, wait)
  }

  /// The same for the user of a single load.
  package func objection(to user: LoadUser) -> APIError? {
    user.objection(signer.map(\.value.caller), cookies, authenticator: authenticator, host: host)
  }
}

extension LoadOwner {
  /// The user for all loads of a transfer.
  ///
  /// - Parameter epoch: That of a user who was compared before; nil for who is signed in now.
  package convenience init(
    _ identity: ServiceIdentity, _ wire: WireOptions, signIn rule: SignInRule, epoch: Int?,
    hasSubstitute: Bool = true
  ) {
    let user = LoadUser(identity, wire, signIn: rule, epoch: epoch)
    self.init(epoch: user.epoch, jar: user.jar, signer: user.signer, hasSubstitute: hasSubstitute)
  }
}

extension APICall {
  /// Why a load of this user may not continue; nil when its user is still the present one.
  ///
  /// - Parameter host: Where its request goes; nil before it is known.
  func objection(to user: LoadUser, host: @autoclosure () -> String?) -> APIError? {
    user.objection(
      mayChangeCaller ? .some(identity.signer?.caller) : .none, wire.client.cookies,
      authenticator: authenticator,
      host: host() ?? baseURL?.host)
  }

  /// Who signs the load in; nil for one that is exempt.
  var authenticator: Authenticator? { terms.signInRule == .exempt ? nil : identity.authenticator }
}
