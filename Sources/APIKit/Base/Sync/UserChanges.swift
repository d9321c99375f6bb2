/// Counts the changes of who is the user, of any authenticator and any cookie jar of the process: where there was none,
/// nobody needs to be compared.
enum UserChanges {
  private static let count = AtomicInt()

  /// How many there were so far.
  static var now: Int { count.load() }

  /// To be called when the change can be seen, before the call that has made it returns.
  static func note() { count.add(1) }
}
