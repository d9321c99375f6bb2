/// A ``ManagerChain`` of whatever output: what a delegate of several chains sees.
@MainActor public class AnyManagerChain: BaseManagerGroup {
  /// Where the runs land. Weak.
  public weak var delegate: (any ManagerChainDelegate)?

  /// How many links there are.
  public var linkCount: Int { slots.count }

  /// The link at which the last run failed: its place from 0, and its name; nil when it did not.
  public var failedLink: (index: Int, name: String)? {
    switch machine?.end {
    case .failed, .timedOut: break
    case .succeeded, .tooFew, .cancelled, nil: return nil
    }
    // The links behind the failed one have failures too, for they never ran.
    guard let index = results.members.firstIndex(where: { $0.value == nil }) else { return nil }
    return (index, results.members[index].name)
  }

  override func tell(_ event: GroupEvent) {
    switch event {
    case .settled(let index):
      if results.members[index].value != nil { delegate?.chain(self, didLandLinkAt: index) }
    case .progressed: break
    case .succeeded: delegate?.chainDidSucceed(self)
    case .failed(let error): delegate?.chain(self, didFailWith: error)
    case .cancelled(let flight, let reason): delegate?.chain(self, didCancel: flight, because: reason)
    }
  }
}

/// Where the results of a ``ManagerChain`` land.
///
/// Held weakly; called on the main actor, exactly once for every run, which is over by then. One delegate may
/// serve several chains: compare with `===`, and read ``ManagerChain/output``.
@MainActor public protocol ManagerChainDelegate: AnyObject {
  /// The last link has landed.
  func chainDidSucceed(_ chain: AnyManagerChain)

  /// A link has failed, or the deadline has passed; ``AnyManagerChain/failedLink`` says where.
  func chain(_ chain: AnyManagerChain, didFailWith error: APIError)

  /// The run was cancelled. The default does nothing.
  func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason)

  /// A link has landed, and the next is about to be built. The chain may be cancelled from here. The default
  /// does nothing.
  func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int)
}

extension ManagerChainDelegate {
  /// Does nothing.
  public func chain(
    _ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason
  ) {}
  /// Does nothing.
  public func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int) {}
}
