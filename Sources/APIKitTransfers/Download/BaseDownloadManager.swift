public import APIKit

/// The base class of managers that download files.
///
/// ```swift
/// final class BrochureManager: BaseDownloadManager, DownloadManager {
///   let service = Homes.shared
///   let apiName = "brochures/{id}"
/// }
///
/// let file = try await brochures.file(["id": 7], to: .file("/tmp/brochure.pdf"))
/// ```
/// Nothing here can be overridden; a subclass adopts ``DownloadManager``. Isolated to the main actor; reading and writing are
/// done elsewhere. One file is downloaded at a time. A download that ends early leaves a partial file beside its destination,
/// and the same call resumes it. Releasing the manager pauses its download.
@MainActor open class BaseDownloadManager {
  /// Receives the results. Weak.
  public weak var delegate: (any DownloadManagerDelegate)?

  private var task: TransferTask<DownloadedFile>?
  private var run: DownloadRun?
  private var told: Int64?

  /// Makes a manager.
  public init() {}

  deinit { task?.cancel() }

  /// Whether a file is being downloaded.
  public var isDownloading: Bool { task != nil }

  /// Ends the download after a checkpoint; the next call resumes there. The delegate's `didPauseAt` follows, or
  /// `didSucceedWith` if the file is at its destination by then.
  public func pause() { task?.cancel() }

  /// Ends the download and removes its partial file. The delegate's `didCancel` follows, or `didSucceedWith` if the file is
  /// at its destination by then: a complete file is not removed.
  public func cancel() {
    run?.discards.store(true)
    task?.cancel()
  }

  /// Removes the partial files in a folder that were not written for this time and that no process is writing, with their
  /// journals and incomplete journals.
  ///
  /// - Returns: The number of removed partial files.
  @discardableResult nonisolated public static func sweep(folder: String, olderThan age: Duration) -> Int {
    PartialFile.sweep(folder, olderThan: age)
  }

  func start(
    _ run: DownloadRun, named names: APIError.Context, flight: FlightID
  ) -> TransferTask<DownloadedFile> {
    self.run = run
    let task = Task { [weak self] in
      // The run keeps what is called here.
      let (result, state) = await run.perform { [weak self, weak run] report in
        MainDelivery.main.put { [weak self, weak run] in if let run { self?.tell(report, of: run) } }
      }
      let named = result.mapError { $0.named(names) }
      self?.end(flight, named, at: state, last: await run.last)
      return named
    }
    self.task = task
    return task
  }

  private func tell(_ report: DownloadRun.Report, of run: DownloadRun) {
    // The callback before may have cancelled it.
    guard run === self.run, !run.isDiscarded else { return }
    switch report {
    case .began(let offset, let total): delegate?.manager(self, didBeginAt: offset, of: total)
    case .progress(let progress):
      told = progress.received
      delegate?.manager(self, didProgress: progress)
    }
  }

  private func end(
    _ flight: FlightID, _ result: Result<DownloadedFile, APIError>, at state: DownloadState,
    last: TransferProgress?
  ) {
    // The last report may be on its way still.
    if let last, last.received != told, run?.isDiscarded != true {
      delegate?.manager(self, didProgress: last)
    }
    told = nil
    let isDiscarded = run?.isDiscarded == true
    // A cancel that came after the run had looked for it, in that report at the latest.
    if let run, isDiscarded, state.offset > 0, case .failure(let error) = result,
      error.reason == .cancelled
    {
      run.removePartialFile()
    }
    (task, run) = (nil, nil)
    switch result {
    case .success(let file): delegate?.manager(self, didSucceedWith: file)
    case .failure(let error) where error.reason == .cancelled && isDiscarded:
      delegate?.manager(self, didCancel: flight, because: .byCaller)
    case .failure(let error) where error.reason == .cancelled:
      delegate?.manager(self, didPauseAt: state.offset, of: state.total)
    case .failure(let error): delegate?.manager(self, didFailWith: error)
    }
  }
}

/// Receives progress and result of the downloads of a manager. Called on the main actor.
///
/// After a download has begun, exactly one of ``manager(_:didSucceedWith:)``, ``manager(_:didFailWith:)``,
/// ``manager(_:didPauseAt:of:)`` and ``manager(_:didCancel:because:)`` is called, unless the manager is released before.
@MainActor public protocol DownloadManagerDelegate: AnyObject {
  /// The file is complete and at its destination.
  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile)
  /// The download has failed. Its partial file is kept if the next call can resume it.
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError)
  /// Bytes are received from this offset on; the offset is 0 for a new file. Called again when it is begun anew. The default
  /// does nothing.
  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?)
  /// The progress, with the bytes of earlier calls; at most ten times a second, and at the end. The default does nothing.
  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress)
  /// The download was paused at this offset, or its task cancelled. The default does nothing.
  func manager(_ manager: BaseDownloadManager, didPauseAt offset: Int64, of total: Int64?)
  /// The download was cancelled and its partial file removed; `flight` is the id that
  /// ``DownloadManager/download(_:to:sha256:)`` has returned. The default does nothing.
  func manager(_ manager: BaseDownloadManager, didCancel flight: FlightID, because reason: CancellationReason)
}

extension DownloadManagerDelegate {
  /// Does nothing.
  public func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) {}
  /// Does nothing.
  public func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) {}
  /// Does nothing.
  public func manager(_ manager: BaseDownloadManager, didPauseAt offset: Int64, of total: Int64?) {}
  /// Does nothing.
  public func manager(
    _ manager: BaseDownloadManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {}
}
