/// On whose behalf a load goes, as far as its request does not say yet: loads of different callers never
/// share an answer.
struct CallerIdentity: Hashable, Sendable {
  private let authenticator: ObjectIdentifier?
  /// Rises when another user signs in.
  private let epoch: Int
  private let partition: String

  init(_ call: APICall) {
    let authenticator = call.terms.signInRule == .exempt ? nil : call.identity.authenticator
    self.authenticator = authenticator.map { ObjectIdentifier($0) }
    epoch = authenticator?.epoch ?? 0
    partition = call.terms.caching.partition
  }
}
