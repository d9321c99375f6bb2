/// The load of an exchange, for whoever keeps exchanges.
package protocol ExchangeLoad: Sendable {
  /// The name of its user; nil for a load without a credential, or whose credential names none.
  var user: String? { get }
  /// Why it cannot be sent once more; nil when it can. One of a user who is not the present one cannot.
  var replayObjection: String? { get }
  /// Sends it once more, as a new load of the same service that no manager hears of: assembled and signed anew, with the
  /// present credential and cookies of its user. Of the load before, the header fields with secrets and the login are left out.
  /// The response is not stored, and is no stored one.
  func replay() async -> Result<HTTPResponse, APIError>
}

/// Whether somebody keeps exchanges, so that each needs its load; otherwise that costs one look at a number.
package enum ExchangeKeepers {
  private static let count = AtomicInt()

  /// Whether there are any.
  package static var areThere: Bool { count.load() > 0 }

  /// One more keeps exchanges, or one less.
  package static func change(by difference: Int) { count.add(difference) }
}
