/// Loads of which each is fed by the one before.
///
/// ```swift
/// let chain = ManagerChain(search.loading(["q": "garden"]))
///   .then { found in details.loading(["id": .string(try found.raw.items[0].id.require())]) }
///   .map { try HomeReformer().reform($0.raw) }
/// let home = try await chain.landing()
/// ```
/// Links are built when their turn comes. One that throws while it is built ends the chain there, with what
/// it threw as the reason, and nothing of it is sent. Any ``GroupMember`` is a link: a load, a closure, a
/// group, another chain; and a chain is a member too. Starting, cancelling and the deadline are those of
/// ``BaseManagerGroup``.
@MainActor public final class ManagerChain<Output: Sendable>: AnyManagerChain {
  /// What the last run landed with; nil before, when it failed, and while the next is in flight.
  public var output: Output? { machine?.end == .succeeded ? output(of: results) : nil }

  private init(_ links: [MemberSlot]) { super.init(links, name: "chain") }

  /// A chain of one link.
  public convenience init(_ first: some GroupMember<Output>) {
    self.init([MemberSlot(name: { first.memberName }, member: { _ in first })])
  }

  /// This chain with one more link, built from what this one lands with.
  ///
  /// - Parameters:
  ///   - name: The link's name in errors; the default is the type of what is built.
  ///   - build: Makes the link; called on the main actor when its turn comes, once per run.
  public func then<Next: GroupMember>(
    _ name: String? = nil, _ build: @escaping @MainActor (Output) throws -> Next
  ) -> ManagerChain<Next.Value> {
    let link = MemberSlot(name: { name ?? String(describing: Next.self) }) { value in
      // The link before has this type: `init` and `then` are the only ways to a chain.
      try build(value as! Output)
    }
    return ManagerChain<Next.Value>(slots + [link])
  }

  /// This chain with its output turned into another value, on the main actor.
  public func map<Value: Sendable>(
    _ name: String = "map", _ turn: @escaping @MainActor (Output) throws -> Value
  ) -> ManagerChain<Value> {
    then(name) { output in MemberWork(name) { try turn(output) } }
  }

  /// Starts the chain and waits for its end.
  ///
  /// Cancelling the task cancels the chain. Throws what its failed link failed with;
  /// ``AnyManagerChain/failedLink`` says which.
  public func landing() async throws(APIError) -> Output { try await run(report: nil) }

  private func output(of results: GroupResults) -> Output? {
    results.members.last?.value.flatMap { $0 as? Output }
  }
}

extension ManagerChain: GroupMember {
  /// Runs the chain as a member of a group or of another chain.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> Output {
    if let output = output(of: try await awaited(report)) { return output }
    throw APIError(.takeoff, .memberFailed, "\(memberName) gave no \(Output.self)")
  }
}
