import APIKit
import Foundation
import Observation

/// One home: what the list knows of it, until the server has said it anew.
@MainActor @Observable final class HomeDetail {
  private(set) var home: Home
  /// Why it could not be loaded anew.
  private(set) var problem: String?
  let upload: PhotoUpload

  private let manager: HomeManager

  init(_ home: Home, _ manager: HomeManager, _ photos: PhotoManager) {
    (self.home, self.manager) = (home, manager)
    upload = PhotoUpload(photos)
  }

  /// Loads the home. Cancelling the task, as SwiftUI does when the view disappears, cancels the load.
  func load() async {
    problem = nil
    do throws(APIError) {
      home = try await manager.value(["id": home.id]).data
    } catch {
      if !error.isCancellation { problem = error.localizedDescription }
    }
  }
}
