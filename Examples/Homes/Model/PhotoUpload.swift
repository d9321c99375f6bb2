import APIKit
import APIKitTransfers
import Foundation
import Observation

/// The upload of a photo, as a view shows it.
@MainActor @Observable final class PhotoUpload: UploadManagerDelegate {
  enum State: Equatable {
    case idle
    /// Sent so far, from 0 to 1.
    case sending(Double)
    /// The server has so many bytes.
    case sent(Int64)
    case failed(String)
  }

  private(set) var state = State.idle
  var isSending: Bool { if case .sending = state { true } else { false } }

  private let manager: PhotoManager
  @ObservationIgnored private var photo: Data?

  init(_ manager: PhotoManager) {
    self.manager = manager
    manager.delegate = self
  }

  func send(_ photo: Data) {
    self.photo = photo
    retry()
  }

  /// Sends the photo again; what the server has already is not sent twice.
  func retry() {
    guard let photo else { return state = .idle }
    state = .sending(0)
    if let refusal = manager.upload(.bytes(Array(photo))).refusal {
      state = .failed(refusal.localizedDescription)
    }
  }

  /// Gives the upload up, also at the server.
  func cancel() { manager.cancel() }

  /// Ends the upload for now: the same photo goes on where it was left.
  func pause() { manager.pause() }

  /// The photo could not be read, so there is nothing to send.
  func fail(_ error: any Error) {
    photo = nil
    state = .failed(error.localizedDescription)
  }

  // MARK: UploadManagerDelegate

  func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) {
    state = .sending(progress.fraction ?? 0)
  }

  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) {
    state = .sent(Int64(photo?.count ?? 0))
    photo = nil
  }

  func manager(_ manager: BaseUploadManager, didFailWith error: APIError) {
    state = .failed(error.localizedDescription)
  }

  func manager(_ manager: BaseUploadManager, didPauseAt sent: Int64) { state = .idle }
  func manager(_ manager: BaseUploadManager, didCancel flight: FlightID, because reason: CancellationReason) {
    state = .idle
  }
}
