// swift-format-ignore-file
// AppKit/NSView.h, https://developer.apple.com/documentation/appkit/nsview; Mac Catalyst has none of them.
@_exported public import CoreGraphics
@_exported public import Foundation

/// https://developer.apple.com/documentation/foundation/nssize and the others beside it
public typealias NSPoint = CGPoint
public typealias NSRect = CGRect
public typealias NSSize = CGSize
/// https://developer.apple.com/documentation/appkit/nsresponder
@available(macCatalyst, unavailable)
@MainActor open class NSResponder: NSObject {
  nonisolated override public init() { super.init() }
  open func mouseDown(with event: NSEvent) { fatalError() }
  open func mouseUp(with event: NSEvent) { fatalError() }
}
@available(macCatalyst, unavailable)
@MainActor open class NSView: NSResponder {
  /// https://developer.apple.com/documentation/appkit/nsview/autoresizingmask-swift.struct
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static var width: Self { fatalError() }
    public static var height: Self { fatalError() }
  }
  public init(frame frameRect: NSRect) { super.init() }
  open var bounds: NSRect { get { fatalError() } set { fatalError() } }
  open var autoresizingMask: NSView.AutoresizingMask { get { fatalError() } set { fatalError() } }
  open var superview: NSView? { fatalError() }
  open var subviews: [NSView] { get { fatalError() } set { fatalError() } }
  open var window: NSWindow? { fatalError() }
  open func addSubview(_ view: NSView) { fatalError() }
  open func setFrameSize(_ newSize: NSSize) { fatalError() }
  open func viewDidMoveToWindow() { fatalError() }
  open func viewDidChangeBackingProperties() { fatalError() }
  open func hitTest(_ point: NSPoint) -> NSView? { fatalError() }
  open func convert(_ point: NSPoint, from view: NSView?) -> NSPoint { fatalError() }
}
/// https://developer.apple.com/documentation/appkit/nswindow/backingscalefactor
@available(macCatalyst, unavailable)
@MainActor open class NSWindow: NSResponder { open var backingScaleFactor: CGFloat { fatalError() } }
/// https://developer.apple.com/documentation/appkit/nsevent/locationinwindow
@available(macCatalyst, unavailable)
open class NSEvent: NSObject { open var locationInWindow: NSPoint { fatalError() } }
/// https://developer.apple.com/documentation/appkit/nscontrol
@available(macCatalyst, unavailable)
@MainActor open class NSControl: NSView {}
/// https://developer.apple.com/documentation/appkit/nsimageview
@available(macCatalyst, unavailable)
@MainActor open class NSImageView: NSControl {
  open var image: NSImage? { get { fatalError() } set { fatalError() } }
  open var imageScaling: NSImageScaling { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/appkit/nsimagescaling
@available(macCatalyst, unavailable)
public enum NSImageScaling: UInt, Sendable { case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown }
/// https://developer.apple.com/documentation/appkit/nsimage/init(cgimage:size:)
@available(macCatalyst, unavailable)
open class NSImage: NSObject, @unchecked Sendable { public init(cgImage: CGImage, size: NSSize) { fatalError() } }
