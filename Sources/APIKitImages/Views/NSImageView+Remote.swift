#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import APIKit
  public import AppKit
  import CoreGraphics

  extension NSImageView {
    /// Loads the image at a URL and shows it, decoded for the size of the view off the main actor.
    ///
    /// A cell calls it each time it is configured; the image of an earlier call is then no longer shown. The load begins
    /// when the view is in a window and has a size, and is cancelled when it leaves the window. A picture in memory is
    /// shown at once. A second call with the same URL does nothing, unless the load has failed: then it loads again, as
    /// a click on the view does.
    ///
    /// - Parameters:
    ///   - url: The URL of the image; nil cancels the load and shows the placeholder.
    ///   - loader: Loads and keeps it.
    ///   - placeholder: Shown until the image is loaded; nothing by default.
    ///   - failure: Shown when it cannot be loaded; the placeholder by default.
    public func showImage(
      at url: HTTPURL?, by loader: ImageLoader = .shared, placeholder: NSImage? = nil, failure: NSImage? = nil
    ) {
      let probe = ImageProbe.of(self)
      (probe.placeholder, probe.failure) = (placeholder, failure ?? placeholder)
      probe.show(url.map { .url($0) }, by: loader)
    }

    /// Loads the image that the loader's manager loads with these parameters, and shows it; see
    /// `showImage(at:by:placeholder:failure:)`.
    public func showImage(
      for parameters: Parameters, by loader: ImageLoader, placeholder: NSImage? = nil, failure: NSImage? = nil
    ) {
      let probe = ImageProbe.of(self)
      (probe.placeholder, probe.failure) = (placeholder, failure ?? placeholder)
      probe.show(.parameters(parameters), by: loader)
    }
  }

  /// A view without a look that fills an image view, and so hears of its size, of its window and of clicks.
  private final class ImageProbe: NSView {
    private let slot = ImageSlot<ImageThumbnail>()
    var placeholder: NSImage?
    var failure: NSImage?

    /// The probe of an image view; made by the first call.
    static func of(_ view: NSImageView) -> ImageProbe {
      for case let probe as ImageProbe in view.subviews { return probe }
      let probe = ImageProbe(frame: view.bounds)
      probe.autoresizingMask = [.width, .height]
      probe.slot.onChange = { [weak probe] in probe?.draw() }
      view.addSubview(probe)
      return probe
    }

    func show(_ address: ImageAddress?, by loader: ImageLoader) {
      measure()
      slot.show(address, by: loader.pipeline)
      draw()
    }

    override func viewDidMoveToWindow() {
      super.viewDidMoveToWindow()
      measure()
      if window == nil { slot.disappear() } else { slot.appear() }
    }

    override func viewDidChangeBackingProperties() {
      super.viewDidChangeBackingProperties()
      measure()
    }

    override func setFrameSize(_ newSize: NSSize) {
      super.setFrameSize(newSize)
      measure()
    }

    /// Takes clicks while there is something to try again, and is not in the way otherwise.
    override func hitTest(_ point: NSPoint) -> NSView? { slot.isFailed ? super.hitTest(point) : nil }

    /// Not passed on, so that the end of the click comes here.
    override func mouseDown(with event: NSEvent) {}

    override func mouseUp(with event: NSEvent) {
      if bounds.contains(convert(event.locationInWindow, from: nil)) { slot.tap() }
    }

    private var view: NSImageView? { superview as? NSImageView }

    private var scale: CGFloat { window?.backingScaleFactor ?? 1 }

    private func measure() {
      let fits =
        view?.imageScaling == .scaleProportionallyDown || view?.imageScaling == .scaleProportionallyUpOrDown
      slot.resize(
        to: ImageTarget(
          width: Double(bounds.width), height: Double(bounds.height), scale: Double(scale), fills: !fits))
    }

    private func draw() {
      guard let view else { return }
      switch slot.phase {
      case .placeholder: view.image = placeholder
      case .picture(let picture, _):
        let size = NSSize(
          width: CGFloat(picture.size.width) / scale, height: CGFloat(picture.size.height) / scale)
        view.image = NSImage(cgImage: picture.image, size: size)
      case .failure: view.image = failure
      }
    }
  }
#endif
