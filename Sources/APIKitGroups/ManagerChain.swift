public import APIKit

/// A sequence of loads, each built from the result of the one before.
///
/// ```swift
/// let chain = ManagerChain(search.loading(["q": "garden"]))
///   .then { found in details.loading(["id": try found.raw.items[0].id.require(String.self)]) }
///   .map { try HomeReformer().reform($0.raw) }
/// let home = try await chain.landing()
/// ```
/// A link is built after the link before it has succeeded. If building it throws, the chain fails with that
/// error, and nothing of the link is sent. Any ``GroupMember`` is a link: a load, a closure, a group or
/// another chain. ``BaseManagerGroup`` describes starting, cancelling and the deadline.
@MainActor public final class ManagerChain<Output: Sendable>: AnyManagerChain {
  /// The output of the last run; nil before the first run, after a failure, and while a run is in flight.
  public var output: Output? { machine?.end == .succeeded ? output(of: results) : nil }

  private init(_ links: [MemberSlot]) { super.init(links, name: "chain") }

  /// A chain of one link.
  public convenience init(_ first: some GroupMember<Output>) {
    self.init([MemberSlot(name: { first.memberName }, member: { _ in first })])
  }

  /// This chain with one more link, built from the output of this one.
  ///
  /// - Parameters:
  ///   - name: The link's name in errors; the default is the type of the link.
  ///   - build: Makes the link. Called on the main actor once per run, after the link before has succeeded.
  public func then<Next: GroupMember>(
    _ name: String? = nil, _ build: @escaping @MainActor (Output) throws -> Next
  ) -> ManagerChain<Next.Value> {
    let link = MemberSlot(name: { name ?? String(describing: Next.self) }) { value in
      // The link before has this type, because chains are only made by `init` and `then`.
      try build(value as! Output)
    }
    return ManagerChain<Next.Value>(slots + [link])
  }

  /// This chain with its output transformed by a closure on the main actor.
  public func map<Value: Sendable>(
    _ name: String = "map", _ transform: @escaping @MainActor (Output) throws -> Value
  ) -> ManagerChain<Value> {
    then(name) { output in MemberWork(name) { try transform(output) } }
  }

  /// Starts the chain and waits for its end.
  ///
  /// Cancelling the task cancels the chain. Throws the error of the failed link, which is
  /// ``AnyManagerChain/failedLink``.
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
