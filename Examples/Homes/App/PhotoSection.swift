import Foundation
import PhotosUI
import SwiftUI

/// Sends a photo of a home, and shows how far it is.
struct PhotoSection: View {
  let upload: PhotoUpload
  @State private var choice: PhotosPickerItem?

  var body: some View {
    Section("Your photo") {
      switch upload.state {
      case .idle:
        EmptyView()
      case .sending(let fraction):
        ProgressView(value: fraction)
        Button("Cancel", role: .cancel) { upload.cancel() }
      case .sent(let bytes):
        Text("The server has all \(bytes.formatted(.byteCount(style: .file))).")
      case .failed(let problem):
        ProblemRow(problem: problem) { upload.retry() }
      }
      PhotosPicker("Choose a photo", selection: $choice, matching: .images)
        .disabled(upload.isSending)
    }
    .task(id: choice) { await send() }
  }

  private func send() async {
    guard let choice else { return }
    do {
      guard let photo = try await choice.loadTransferable(type: Data.self) else {
        throw CocoaError(.fileReadUnknown)
      }
      upload.send(photo)
    } catch {
      upload.fail(error)
    }
    // The same photo may be chosen again.
    self.choice = nil
  }
}
