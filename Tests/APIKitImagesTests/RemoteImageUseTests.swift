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

  private struct ServicePhotos: View {
    var home: (id: Int, photo: HTTPURL?)
    var photos: ImageLoader

    var body: some View {
      RemoteImage(for: ["id": home.id], by: photos)
      RemoteImage(home.photo, by: photos)
    }
  }
#endif

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  @MainActor private func configure(
    _ cell: (photo: UIImageView, title: String), _ home: (id: Int, photo: HTTPURL?), _ photos: ImageLoader,
    _ house: UIImage
  ) {
    let view = cell.photo
    cell.photo.showImage(at: home.photo, placeholder: UIImage(named: "house"))
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
