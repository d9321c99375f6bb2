import Synchronization

/// What reformers have made of one response, so that two views of it cost one reform each.
///
/// Shared by the copies of a response; goes with the last of them.
final class ReformMemo: Sendable {
  /// A reformer as a key.
  ///
  /// `@unchecked` because `AnyHashable` forgets that what it holds is `Sendable`, which the only initializer
  /// demands; nothing is ever changed.
  struct Key: Hashable, @unchecked Sendable {
    private let reformer: AnyHashable

    /// Nil when the reformer cannot be compared with others.
    init?(_ reformer: some Sendable) {
      guard let reformer = reformer as? any Hashable else { return nil }
      self.reformer = AnyHashable(reformer)
    }
  }

  private let outputs = Mutex<[Key: any Sendable]>([:])

  /// What the same reformer made before.
  func output<Output>(of key: Key, as type: Output.Type) -> Output? {
    outputs.withLock { $0[key] } as? Output
  }

  /// Keeps what a reformer made.
  func keep(_ output: some Sendable, of key: Key) {
    outputs.withLock { $0[key] = output }
  }
}
