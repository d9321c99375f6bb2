public import APIKit

/// The base class of managers that send files.
///
/// ```swift
/// final class PlanManager: BaseUploadManager, UploadManager {
///   let service = Homes.shared
///   let apiName = "plans/{id}"
/// }
///
/// let response = try await plans.response(uploading: .file(path: "/tmp/plan.pdf"), ["id": 7])
/// ```
/// Nothing here can be overridden; a subclass adopts ``UploadManager``. Isolated to the main actor; reading and sending are
/// done elsewhere. One body is sent at a time. Releasing the manager ends its upload; a tus upload can continue later.
@MainActor open class BaseUploadManager {
  /// Receives the results. Weak.
  public weak var delegate: (any UploadManagerDelegate)?

  private var task: TransferTask<APIResponse>?
  private var run: UploadRun?
  private var isDiscarded = false
  private var last: TransferProgress?

  /// Makes a manager.
  public init() {}

  deinit { task?.cancel() }

  /// Whether a body is being sent.
  public var isUploading: Bool { task != nil }

  /// Ends the upload. A tus upload keeps its position, and the next call with the same body resumes there. The delegate's
  /// `didPauseAt` follows.
  public func pause() { task?.cancel() }

  /// Ends the upload. A tus upload is removed from the server and from the journal. The delegate's
  /// `didCancel` follows.
  public func cancel() {
    guard let task else { return }
    isDiscarded = true
    run?.discards.store(true)
    task.cancel()
  }

  func start(
    named names: APIError.Context, run: UploadRun?, flight: FlightID,
    _ work: @escaping UploadWork
  ) -> TransferTask<APIResponse> {
    (self.run, isDiscarded, last) = (run, false, nil)
    let task = Task { [weak self] in
      let result = await work { [weak self] progress in self?.tell(progress) }.mapError { $0.named(names) }
      self?.end(flight, result)
      return result
    }
    self.task = task
    return task
  }

  private func tell(_ progress: TransferProgress) {
    // The callback before may have cancelled it.
    guard isUploading, !isDiscarded else { return }
    last = progress
    delegate?.manager(self, didProgress: progress)
  }

  private func end(_ flight: FlightID, _ result: Result<APIResponse, APIError>) {
    let sent = last?.sent ?? 0
    (task, run) = (nil, nil)
    switch result {
    case .success(let response): delegate?.manager(self, didSucceedWith: response)
    case .failure(let error) where error.isCancellation && isDiscarded:
      delegate?.manager(self, didCancel: flight, because: .byCaller)
    case .failure(let error) where error.isCancellation: delegate?.manager(self, didPauseAt: sent)
    case .failure(let error): delegate?.manager(self, didFailWith: error)
    }
  }
}

/// Sends a body, and says how far it is.
typealias UploadWork =
  @MainActor (@escaping @MainActor (TransferProgress) -> Void) async -> Result<APIResponse, APIError>

/// Receives progress and result of the uploads of a manager. Called on the main actor.
///
/// After an upload has begun, exactly one of ``manager(_:didSucceedWith:)``, ``manager(_:didFailWith:)``,
/// ``manager(_:didPauseAt:)`` and ``manager(_:didCancel:because:)`` is called, unless the manager is released before.
@MainActor public protocol UploadManagerDelegate: AnyObject {
  /// The server has responded to the whole body.
  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse)
  /// The upload has failed. A tus upload can resume if the server still has it.
  func manager(_ manager: BaseUploadManager, didFailWith error: APIError)
  /// The progress: first the sent bytes, then those of the response; at most ten times a second, and at the end. The number
  /// of sent bytes decreases when a body is sent again. The default does nothing.
  func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress)
  /// The upload was paused, or its task cancelled, when this many bytes were sent. The default does nothing.
  func manager(_ manager: BaseUploadManager, didPauseAt sent: Int64)
  /// The upload was cancelled; `flight` is the id that ``UploadManager/upload(_:_:)`` has returned. The default does nothing.
  func manager(_ manager: BaseUploadManager, didCancel flight: FlightID, because reason: CancellationReason)
}

extension UploadManagerDelegate {
  /// Does nothing.
  public func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) {}
  /// Does nothing.
  public func manager(_ manager: BaseUploadManager, didPauseAt sent: Int64) {}
  /// Does nothing.
  public func manager(
    _ manager: BaseUploadManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {}
}
