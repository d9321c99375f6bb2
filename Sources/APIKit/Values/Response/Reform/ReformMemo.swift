/// The outputs of reformers for one response, so that a reformer runs only once for several views.
///
/// Shared by all copies of a response whose sources are alike.
final class ReformMemo: Sendable {
  /// A reformer as a dictionary key.
  ///
  /// `@unchecked`, because `AnyHashable` is not `Sendable`; the initializer accepts only `Sendable` values,
  /// and the key is immutable.
  struct ReformerKey: Hashable, @unchecked Sendable {
    private let reformer: AnyHashable

    /// Nil when the reformer is not `Hashable`.
    init?(_ reformer: some Sendable) {
      guard let reformer = reformer as? any Hashable else { return nil }
      self.reformer = AnyHashable(reformer)
    }
  }

  /// How many outputs are kept. A reformer that holds what a user types is another one with each key.
  static let most = 64

  private let outputs = Mutex<[ReformerKey: any Sendable]>([:])

  /// The output that an equal reformer made before.
  func output<Output>(of key: ReformerKey, as type: Output.Type) -> Output? {
    outputs.withLock { $0[key] } as? Output
  }

  /// Keeps the output of a reformer. The one beyond the most takes the place of all others.
  func keep(_ output: some Sendable, of key: ReformerKey) {
    var replaced: [ReformerKey: any Sendable] = [:]
    outputs.withLock { outputs in
      if outputs.count >= Self.most, outputs[key] == nil { swap(&outputs, &replaced) }
      outputs[key] = output
    }
    // They may be large: released outside the lock.
    withExtendedLifetime(replaced) {}
  }
}
