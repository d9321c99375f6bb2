#if canImport(SwiftUI)
  public import APIKit
  import Combine
  import CoreGraphics
  public import SwiftUI

  /// A SwiftUI view that loads an image and shows it in the size that it is given.
  ///
  /// ```swift
  /// RemoteImage(home.photo)
  ///   .frame(width: 120, height: 80)
  /// ```
  /// It takes all offered space, as a `Color` does: give it a frame or an aspect ratio. The image is decoded for that space,
  /// off the main actor. A picture in memory is there at the first drawing. When the view disappears its load is cancelled;
  /// when it gets another image, the earlier one is not shown. A failure is shown as a button that loads again.
  public struct RemoteImage<Placeholder: View, Failure: View>: View {
    private let address: ImageAddress?
    private let loader: ImageLoader
    private let contentMode: ContentMode
    private let placeholder: Placeholder
    private let failure: (APIError) -> Failure

    @StateObject private var model = RemoteImageModel()
    @Environment(\.displayScale) private var displayScale

    /// Makes a view of the image at a URL.
    ///
    /// - Parameters:
    ///   - url: The URL of the image; nil shows the placeholder.
    ///   - loader: Loads and keeps it.
    ///   - contentMode: Whether the image fills the space, cut at its edges, or fits into it.
    ///   - placeholder: Shown until the image is loaded.
    ///   - failure: Shown when it cannot be loaded, as the label of a button that tries again.
    public init(
      _ url: HTTPURL?, by loader: ImageLoader = .shared, contentMode: ContentMode = .fill,
      @ViewBuilder placeholder: () -> Placeholder, @ViewBuilder failure: @escaping (APIError) -> Failure
    ) {
      (address, self.loader, self.contentMode) = (url.map { .url($0) }, loader, contentMode)
      (self.placeholder, self.failure) = (placeholder(), failure)
    }

    /// Makes a view of the image that the loader's manager loads with these parameters.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the load.
    ///   - loader: A loader over a manager.
    ///   - contentMode: Whether the image fills the space, cut at its edges, or fits into it.
    ///   - placeholder: Shown until the image is loaded.
    ///   - failure: Shown when it cannot be loaded, as the label of a button that tries again.
    public init(
      for parameters: Parameters, by loader: ImageLoader, contentMode: ContentMode = .fill,
      @ViewBuilder placeholder: () -> Placeholder, @ViewBuilder failure: @escaping (APIError) -> Failure
    ) {
      (address, self.loader, self.contentMode) = (.parameters(parameters), loader, contentMode)
      (self.placeholder, self.failure) = (placeholder(), failure)
    }

    /// The picture, the placeholder or the failure.
    public var body: some View {
      GeometryReader { space in
        let wish = wish(in: space.size)
        content(model.slot.phase(showing: address, by: loader.pipeline, in: wish.target))
          .frame(width: space.size.width, height: space.size.height)
          .clipped()
          // What is cut off takes no taps.
          .contentShape(Rectangle())
          .task(id: wish) { @MainActor [slot = model.slot, loader = loader] in
            // Runs when the view appears too, and is cancelled when it disappears.
            guard !Task.isCancelled else { return }
            slot.want(wish.address, by: loader.pipeline, in: wish.target)
            slot.appear()
          }
          .onDisappear { model.slot.disappear() }
      }
    }

    @ViewBuilder private func content(_ phase: ImageSlotMachine<ImageThumbnail>.Phase) -> some View {
      switch phase {
      case .placeholder: placeholder
      case .picture(let picture, _):
        // Without a label of its own, so that one of the application's (`accessibilityLabel`) counts.
        Image(picture.image, scale: displayScale, label: Text(verbatim: ""))
          .resizable()
          .aspectRatio(contentMode: contentMode)
      case .failure(let error):
        Button {
          model.slot.tap()
        } label: {
          failure(error)
        }
        .buttonStyle(.plain)
      }
    }

    private func wish(in space: CGSize) -> RemoteImageWish {
      RemoteImageWish(
        address: address,
        target: ImageTarget(
          width: Double(space.width), height: Double(space.height), scale: Double(displayScale),
          fills: contentMode == .fill),
        loader: ObjectIdentifier(loader))
    }
  }

  extension RemoteImage where Placeholder == Color, Failure == Image {
    /// Makes a view of the image at a URL, with a grey placeholder and an arrow for a failure.
    ///
    /// - Parameters:
    ///   - url: The URL of the image; nil shows the placeholder.
    ///   - loader: Loads and keeps it.
    ///   - contentMode: Whether the image fills the space, cut at its edges, or fits into it.
    public init(_ url: HTTPURL?, by loader: ImageLoader = .shared, contentMode: ContentMode = .fill) {
      self.init(url, by: loader, contentMode: contentMode) {
        Color.usualPlaceholder
      } failure: { _ in
        Image.usualFailure
      }
    }

    /// Makes a view of the image that the loader's manager loads with these parameters, with a grey placeholder and an
    /// arrow for a failure.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the load.
    ///   - loader: A loader over a manager.
    ///   - contentMode: Whether the image fills the space, cut at its edges, or fits into it.
    public init(for parameters: Parameters, by loader: ImageLoader, contentMode: ContentMode = .fill) {
      self.init(for: parameters, by: loader, contentMode: contentMode) {
        Color.usualPlaceholder
      } failure: { _ in
        Image.usualFailure
      }
    }
  }

  /// What a ``RemoteImage`` wants in its present size.
  private struct RemoteImageWish: Hashable, Sendable {
    let address: ImageAddress?
    let target: ImageTarget?
    let loader: ObjectIdentifier
  }

  /// Keeps the slot of a ``RemoteImage`` as long as the view, and has it drawn again.
  @MainActor private final class RemoteImageModel: ObservableObject {
    let slot = ImageSlot<ImageThumbnail>()

    init() {
      slot.onChange = { [weak self] in self?.objectWillChange.send() }
    }
  }

  extension Color {
    fileprivate static var usualPlaceholder: Color { .gray.opacity(0.2) }
  }

  extension Image {
    fileprivate static var usualFailure: Image { Image(systemName: "arrow.clockwise") }
  }
#endif
