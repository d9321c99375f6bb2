public import APIKit

/// Hears of all transfers that a ``TransferQueue`` carries out in this process, as for a list of them on a screen; called on
/// the main actor.
@MainActor public protocol TransferQueueDelegate: AnyObject {
  /// How far a transfer is; at most ten times a second, and at the end. The default does nothing.
  func transferQueue(_ queue: TransferQueue, didProgress progress: TransferProgress, of transfer: TransferID)
  /// A transfer has ended. A parked one has failed, and stays in the queue. The default does nothing.
  func transferQueue(
    _ queue: TransferQueue, didEnd transfer: TransferID, _ result: Result<TransferEnd, APIError>)
}

extension TransferQueueDelegate {
  /// Does nothing.
  public func transferQueue(
    _ queue: TransferQueue, didProgress progress: TransferProgress, of transfer: TransferID
  ) {}
  /// Does nothing.
  public func transferQueue(
    _ queue: TransferQueue, didEnd transfer: TransferID, _ result: Result<TransferEnd, APIError>
  ) {}
}

/// How a transfer has ended well.
public enum TransferEnd: Sendable {
  /// The file is complete and at its place.
  case downloaded(DownloadedFile)
  /// The server has responded to the whole.
  case uploaded(APIResponse)

  var landing: QueuedLanding {
    switch self {
    case .downloaded(let file): .file(file)
    case .uploaded(let response): .response(response.http)
    }
  }
}
