/// The load's user, compared wherever it continues: after each wait, before each attempt, before its response is stored and
/// before it is delivered.
extension Flight {
  /// Why the load may not continue; nil when its user is still the present one.
  var userObjection: APIError? {
    let changes = UserChanges.now
    // A signer says itself for whom it signs, and may say another one at any time.
    if changes == run.comparedAt, !call.mayChangeCaller { return nil }
    var objection = call.objection(to: run.user, host: run.request?.url.host)
    // A redirect may have led to a host with cookies of its own.
    if objection == nil, run.isElsewhere {
      objection = call.objection(to: run.user, host: run.sent?.url.host)
    }
    if objection == nil { run.comparedAt = changes }
    return objection
  }

  /// Throws ``APIError/Reason/signedOut`` when the load's user is no longer the present one.
  func checkUser() throws(APIError) { if let userObjection { throw userObjection } }

  /// Waits for something that may take long, and ends the wait with ``APIError/Reason/signedOut`` as soon as the load's user is
  /// no longer the present one. If the wait has succeeded by then, its value is returned: it may hold a slot that must be released.
  func whileUserStays<Value: Sendable>(
    _ wait: @escaping @Sendable () async throws(APIError) -> Value
  ) async throws(APIError) -> Value {
    let (call, user, host) = (call, run.user, run.request?.url.host)
    let result = await UserChanges.during(wait, until: { call.objection(to: user, host: host) != nil })
    if case .success(let value)? = result { return value }
    try checkUser()
    guard let result else { throw APIError(.transport, .cancelled) }
    return try result.get()
  }

  /// A load that was called while nobody was signed in has the user of its credential, or of the call that it waited for.
  func takeUser(_ epoch: Int) {
    guard run.user.epoch == nil else { return }
    run.user.epoch = call.options.owner?.settle(epoch) ?? epoch
  }

  /// The load goes with this credential from here on.
  func take(_ credential: VersionedCredential) throws(APIError) {
    if credential.credential != nil {
      takeUser(credential.epoch)
      guard run.user.epoch == credential.epoch else {
        throw .signedOut("the user to whom the load belongs is no longer signed in")
      }
    }
    run.credential = credential
  }
}
