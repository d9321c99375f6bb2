// swift-format-ignore-file
// UIKit/UIView.h, https://developer.apple.com/documentation/uikit/uiview; a watch has UIImage alone.
@_exported public import CoreGraphics
@_exported public import Foundation

/// https://developer.apple.com/documentation/uikit/uiresponder
@available(watchOS, unavailable)
@MainActor open class UIResponder: NSObject {
  nonisolated override public init() { super.init() }
  open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) { fatalError() }
  open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { fatalError() }
  open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) { fatalError() }
  open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) { fatalError() }
}
@available(watchOS, unavailable)
@MainActor open class UIView: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiview/autoresizing-swift.struct
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static var flexibleWidth: Self { fatalError() }
    public static var flexibleHeight: Self { fatalError() }
  }
  /// https://developer.apple.com/documentation/uikit/uiview/contentmode-swift.enum
  public enum ContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill }
  public init(frame: CGRect) { super.init() }
  open var frame: CGRect { get { fatalError() } set { fatalError() } }
  open var bounds: CGRect { get { fatalError() } set { fatalError() } }
  open var contentMode: UIView.ContentMode { get { fatalError() } set { fatalError() } }
  open var isUserInteractionEnabled: Bool { get { fatalError() } set { fatalError() } }
  open var autoresizingMask: UIView.AutoresizingMask { get { fatalError() } set { fatalError() } }
  open var traitCollection: UITraitCollection { fatalError() }
  open var superview: UIView? { fatalError() }
  open var subviews: [UIView] { fatalError() }
  open var window: UIWindow? { fatalError() }
  open func addSubview(_ view: UIView) { fatalError() }
  open func layoutSubviews() { fatalError() }
  open func didMoveToWindow() { fatalError() }
  open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uiwindow
@available(watchOS, unavailable)
@MainActor open class UIWindow: UIView {}
/// https://developer.apple.com/documentation/uikit/uievent and uitouch
@available(watchOS, unavailable)
@MainActor open class UIEvent: NSObject {}
@available(watchOS, unavailable)
@MainActor open class UITouch: NSObject { open func location(in view: UIView?) -> CGPoint { fatalError() } }
/// https://developer.apple.com/documentation/uikit/uitraitcollection/displayscale
@available(watchOS, unavailable)
open class UITraitCollection: NSObject, @unchecked Sendable { open var displayScale: CGFloat { fatalError() } }
/// https://developer.apple.com/documentation/uikit/uiimageview/image
@available(watchOS, unavailable)
@MainActor open class UIImageView: UIView { open var image: UIImage? { get { fatalError() } set { fatalError() } } }
/// https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:)
open class UIImage: NSObject, @unchecked Sendable {
  public enum Orientation: Int, Sendable { case up }
  public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiimage/init(named:)
  public init?(named name: String) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uiapplication/didreceivememorywarningnotification
@available(watchOS, unavailable)
@MainActor open class UIApplication: UIResponder {
  nonisolated public class var didReceiveMemoryWarningNotification: Notification.Name { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiapplication/willenterforegroundnotification
  nonisolated public class var willEnterForegroundNotification: Notification.Name { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
  @available(iOS 7, macCatalyst 13.1, tvOS 7, visionOS 1, *)
  nonisolated open func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:)
  nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { fatalError() }
}
/// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier
@available(watchOS, unavailable)
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
  public var rawValue: Int
  public init(rawValue: Int) { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
