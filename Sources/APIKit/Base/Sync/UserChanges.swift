import Synchronization

/// Counts the changes of who is the user, of any authenticator and any cookie jar of the process: where there was none,
/// nobody needs to be compared.
enum UserChanges {
  private static let count = Atomic<UInt64>(0)

  /// How many there were so far.
  static var now: UInt64 { count.load(ordering: .acquiring) }

  /// To be called when the change can be seen, before the call that has made it returns.
  static func note() { count.add(1, ordering: .releasing) }
}
