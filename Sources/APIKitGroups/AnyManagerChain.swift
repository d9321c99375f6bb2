public import APIKit

/// A ``ManagerChain`` without the type of its output, for a delegate of several chains.
@MainActor public class AnyManagerChain: BaseManagerGroup {
  /// Receives the results of the runs. Weak.
  public weak var delegate: (any ManagerChainDelegate)?

  /// The number of links.
  public var linkCount: Int { slots.count }

  /// The link at which the last run failed: its index from 0 and its name. Nil when the run did not fail.
  public var failedLink: (index: Int, name: String)? {
    switch machine?.end {
    case .failed, .timedOut: break
    case .succeeded, .tooFew, .cancelled, nil: return nil
    }
    // The links after the failed one have failures too, because they did not run.
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

/// Receives the results of a ``ManagerChain``.
///
/// Held weakly; called on the main actor. Every run ends in exactly one of success, failure and
/// cancellation, and is over when that is delivered. One delegate may serve several chains: compare with
/// `===`, and read ``ManagerChain/output``.
@MainActor public protocol ManagerChainDelegate: AnyObject {
  /// The last link has landed.
  func chainDidSucceed(_ chain: AnyManagerChain)

  /// A link has failed, or the deadline has passed. ``AnyManagerChain/failedLink`` is the link.
  func chain(_ chain: AnyManagerChain, didFailWith error: APIError)

  /// The run was cancelled. The default does nothing.
  func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason)

  /// A link has succeeded, and the next is about to be built. The chain may be cancelled from here. The
  /// default does nothing.
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
