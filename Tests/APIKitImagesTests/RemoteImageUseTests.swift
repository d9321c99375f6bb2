// The code of Docs/Images.md that needs Apple's frameworks: `Scripts/apple --tests` compiles it.
#if canImport(SwiftUI)
  import APIKit
  import APIKitImages
  import SwiftUI

  private struct HomePhoto: View {
    var photo: HTTPURL?

    var body: some View {
      RemoteImage(photo)
        .frame(width: 120, height: 80)
    }
  }

  private struct HomePage: View {
    var photo: HTTPURL?

    var body: some View {
      RemoteImage(photo, contentMode: .fit) {
        Color.gray
      } failure: { error in
        Text(verbatim: error.localizedDescription)
      }
    }
  }

  private struct ServicePhoto: View {
    var id: Int
    var photos: ImageLoader

    var body: some View { RemoteImage(for: ["id": id], by: photos) }
  }
#endif

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  @MainActor private func configure(
    _ view: UIImageView, _ photo: HTTPURL?, _ photos: ImageLoader, _ house: UIImage
  ) {
    view.showImage(at: photo, placeholder: house)
    view.showImage(at: nil)
    view.showImage(for: ["id": 7], by: photos, placeholder: house, failure: house)
  }
#elseif canImport(AppKit)
  import AppKit

  @MainActor private func configure(
    _ view: NSImageView, _ photo: HTTPURL?, _ photos: ImageLoader, _ house: NSImage
  ) {
    view.showImage(at: photo, placeholder: house)
    view.showImage(at: nil)
    view.showImage(for: ["id": 7], by: photos, placeholder: house, failure: house)
  }
#endif
