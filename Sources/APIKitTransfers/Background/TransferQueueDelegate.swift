public import APIKit

/// Receives progress and end of all transfers that a ``TransferQueue`` runs in this process, e.g. for a list on a screen.
/// Called on the main actor.
@MainActor public protocol TransferQueueDelegate: AnyObject {
  /// The progress of a transfer; at most ten times a second, and at the end. The default does
  /// nothing.
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

/// The result of a successful transfer.
public enum TransferEnd: Sendable {
  /// The file is complete and at its destination.
  case downloaded(DownloadedFile)
  /// The server has responded to the whole body.
  case uploaded(APIResponse)

  var landing: QueuedLanding {
    switch self {
    case .downloaded(let file): .file(file)
    case .uploaded(let response): .response(response.http)
    }
  }
}
