// swift-format-ignore-file
// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
public import Foundation
#if os(macOS)
  public import AppKit
#else
  public import UIKit
#endif

@available(iOS 12, macCatalyst 12, macOS 10.15, tvOS 16, visionOS 1, watchOS 6.2, *)
open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void
  public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler) { fatalError() }
  /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/init(url:callback:completionhandler:)-6nut7
  @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, watchOS 10.4, *)
  public init(url URL: URL, callback: ASWebAuthenticationSession.Callback, completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler) { fatalError() }
  /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/presentationcontextprovider
  @available(iOS 13, macCatalyst 13.1, macOS 10.15, visionOS 1, *)
  @available(tvOS, unavailable)
  @available(watchOS, unavailable)
  open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)? { get { fatalError() } set { fatalError() } }
  /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/prefersephemeralwebbrowsersession
  @available(iOS 13, macCatalyst 13.1, macOS 10.15, visionOS 1, watchOS 6.2, *)
  @available(tvOS, unavailable)
  open var prefersEphemeralWebBrowserSession: Bool { get { fatalError() } set { fatalError() } }
  open func start() -> Bool { fatalError() }
  open func cancel() { fatalError() }

  /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/callback
  @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, watchOS 10.4, *)
  open class Callback: NSObject {
    override private init() { fatalError() }
    open class func customScheme(_ customScheme: String) -> Self { fatalError() }
    open class func https(host: String, path: String) -> Self { fatalError() }
  }
}
/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@available(iOS 13, macCatalyst 13.1, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
/// https://developer.apple.com/documentation/authenticationservices/aspresentationanchor
#if os(macOS)
public typealias ASPresentationAnchor = NSWindow
#else
@available(iOS 12, macCatalyst 12, tvOS 13, visionOS 1, *)
@available(watchOS, unavailable)
public typealias ASPresentationAnchor = UIWindow
#endif
