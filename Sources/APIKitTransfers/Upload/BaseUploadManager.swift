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
/// Nothing here can be overridden; what a subclass states is in ``UploadManager``. Isolated to the main actor; reading and
/// sending are done elsewhere. One body is sent at a time. Releasing the manager ends its upload; one by tus can go on later.
@MainActor open class BaseUploadManager {
  /// Receives the results. Weak.
  public weak var delegate: (any UploadManagerDelegate)?

  private var task: TransferTask<APIResponse>?
  private var run: UploadRun?
  private var last: TransferProgress?

  /// Makes a manager.
  public init() {}

  deinit { task?.cancel() }

  /// Whether a body is being sent.
  public var isUploading: Bool { task != nil }

  /// Ends the upload. One by tus keeps its place, and the next call with the same body goes on from there.
  public func pause() { task?.cancel() }

  /// Ends the upload; by tus, the server is told to forget it, and so is the journal.
  public func cancel() {
    run?.discards.store(true)
    task?.cancel()
  }

  func start(
    manager name: String, run: UploadRun? = nil,
    _ work: @escaping UploadWork
  ) -> TransferTask<APIResponse> {
    self.run = run
    last = nil
    let task = Task { [weak self] in
      let result = await work { [weak self] progress in self?.tell(progress) }.named(name)
      self?.end(result)
      return result
    }
    self.task = task
    return task
  }

  private func tell(_ progress: TransferProgress) {
    // The callback before may have cancelled it.
    guard isUploading, run?.discards.load() != true else { return }
    last = progress
    delegate?.manager(self, didReport: progress)
  }

  private func end(_ result: Result<APIResponse, APIError>) {
    let sent = last?.sent ?? 0
    (task, run) = (nil, nil)
    switch result {
    case .success(let response): delegate?.manager(self, didFinish: response)
    case .failure(let error) where error.isCancellation: delegate?.manager(self, didStopAt: sent)
    case .failure(let error): delegate?.manager(self, didFail: error)
    }
  }
}

/// Sends a body, and says how far it is.
typealias UploadWork =
  @MainActor (@escaping @MainActor (TransferProgress) -> Void) async -> Result<APIResponse, APIError>

/// Receives what becomes of the uploads of a manager; called on the main actor.
///
/// After an upload has begun, exactly one of ``manager(_:didFinish:)``, ``manager(_:didFail:)`` and ``manager(_:didStopAt:)``
/// is called, unless the manager is released before.
@MainActor public protocol UploadManagerDelegate: AnyObject {
  /// The server has responded to the whole.
  func manager(_ manager: BaseUploadManager, didFinish response: APIResponse)
  /// The upload has failed. One by tus can go on where the server still knows it.
  func manager(_ manager: BaseUploadManager, didFail error: APIError)
  /// How far it is: sent bytes, then those of the response; at most ten times a second, and at the end. Sent bytes may become
  /// fewer when a body is sent again. The default does nothing.
  func manager(_ manager: BaseUploadManager, didReport progress: TransferProgress)
  /// It was paused or cancelled when so many bytes were sent. The default does nothing.
  func manager(_ manager: BaseUploadManager, didStopAt sent: Int64)
}

extension UploadManagerDelegate {
  /// Does nothing.
  public func manager(_ manager: BaseUploadManager, didReport progress: TransferProgress) {}
  /// Does nothing.
  public func manager(_ manager: BaseUploadManager, didStopAt sent: Int64) {}
}
