/// Whose loads are, fixed for several of them before the first is made: the requests of a transfer, a load that a queue has
/// kept.
package final class LoadOwner: Sendable {
  /// The generation of the cookie jar.
  let jar: Int
  /// What the signer says of its caller.
  let signer: String?
  /// Whether the service's fallback may land in place of one of the loads.
  let hasSubstitute: Bool
  private let known: Mutex<Int?>

  init(epoch: Int?, jar: Int, signer: String?, hasSubstitute: Bool = true) {
    self.jar = jar
    self.signer = signer
    self.hasSubstitute = hasSubstitute
    known = Mutex(epoch)
  }

  /// The epoch of the authenticator's user; nil before one is known.
  var epoch: Int? { known.withLock { $0 } }

  /// The first user whose credential one of the loads gets is the user of all.
  ///
  /// - Returns: The user's epoch.
  @discardableResult package func settle(_ epoch: Int) -> Int {
    known.withLock { known in
      known = known ?? epoch
      return known ?? epoch
    }
  }
}
