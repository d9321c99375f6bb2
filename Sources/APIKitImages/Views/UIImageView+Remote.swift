#if canImport(UIKit) && !os(watchOS)
  public import APIKit
  import CoreGraphics
  public import UIKit

  extension UIImageView {
    /// Loads the image at a URL and shows it, decoded for the size of the view off the main actor.
    ///
    /// A cell calls it each time it is configured; the image of an earlier call is then no longer shown. The load begins
    /// when the view is in a window and has a size, and is cancelled when it leaves the window. A picture in memory is
    /// shown at once. A second call with the same URL does nothing, unless the load has failed: then it loads again, as
    /// a tap on the view does.
    ///
    /// - Parameters:
    ///   - url: The URL of the image; nil cancels the load and shows the placeholder.
    ///   - loader: Loads and keeps it.
    ///   - placeholder: Shown until the image is loaded; nothing by default.
    ///   - failure: Shown when it cannot be loaded; the placeholder by default.
    public func showImage(
      at url: HTTPURL?, by loader: ImageLoader = .shared, placeholder: UIImage? = nil, failure: UIImage? = nil
    ) {
      let probe = ImageProbe.of(self)
      (probe.placeholder, probe.failure) = (placeholder, failure ?? placeholder)
      probe.show(url.map { .url($0) }, by: loader)
    }

    /// Loads the image that the loader's manager loads with these parameters, and shows it; see
    /// `showImage(at:by:placeholder:failure:)`.
    public func showImage(
      for parameters: Parameters, by loader: ImageLoader, placeholder: UIImage? = nil, failure: UIImage? = nil
    ) {
      let probe = ImageProbe.of(self)
      (probe.placeholder, probe.failure) = (placeholder, failure ?? placeholder)
      probe.show(.parameters(parameters), by: loader)
    }
  }

  /// A view without a look that fills an image view, and so hears of its size, of its window and of taps.
  private final class ImageProbe: UIView {
    private let slot = ImageSlot<ImageThumbnail>()
    var placeholder: UIImage?
    var failure: UIImage?
    /// Whether the image view took taps before a failure made it.
    private var tookTaps: Bool?

    /// The probe of an image view; made by the first call.
    static func of(_ view: UIImageView) -> ImageProbe {
      for case let probe as ImageProbe in view.subviews { return probe }
      let probe = ImageProbe(frame: view.bounds)
      probe.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      probe.slot.onChange = { [weak probe] in probe?.draw() }
      view.addSubview(probe)
      return probe
    }

    func show(_ address: ImageAddress?, by loader: ImageLoader) {
      measure()
      slot.show(address, by: loader.pipeline)
      draw()
    }

    override func didMoveToWindow() {
      super.didMoveToWindow()
      measure()
      if window == nil { slot.disappear() } else { slot.appear() }
    }

    override func layoutSubviews() {
      super.layoutSubviews()
      measure()
    }

    /// Takes taps while there is something to try again, and is not in the way otherwise.
    override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
      slot.isFailed && super.point(inside: point, with: event)
    }

    // Who overrides one of them without passing it on overrides them all; a cell below would stay highlighted.
    override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
    override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
      if touches.contains(where: { bounds.contains($0.location(in: self)) }) { slot.tap() }
    }

    private var view: UIImageView? { superview as? UIImageView }

    private func measure() {
      slot.resize(
        to: ImageTarget(
          width: Double(bounds.width), height: Double(bounds.height),
          scale: Double(traitCollection.displayScale),
          fills: view?.contentMode != .scaleAspectFit))
    }

    private func draw() {
      guard let view else { return }
      switch slot.phase {
      case .placeholder: view.image = placeholder
      case .picture(let picture, _):
        view.image = UIImage(cgImage: picture.image, scale: traitCollection.displayScale, orientation: .up)
      case .failure: view.image = failure
      }
      if slot.isFailed {
        tookTaps = tookTaps ?? view.isUserInteractionEnabled
        view.isUserInteractionEnabled = true
      } else if let took = tookTaps {
        tookTaps = nil
        view.isUserInteractionEnabled = took
      }
    }
  }
#endif
