// swift-format-ignore-file
// https://developer.apple.com/documentation/authenticationservices/webauthenticationsession
public import Foundation
public import SwiftUI

@available(macOS 13.3, iOS 16.4, tvOS 16.4, watchOS 9.4, *)
@MainActor public struct WebAuthenticationSession {
  public struct BrowserSession: Sendable { public static let ephemeral = BrowserSession() }
  /// https://developer.apple.com/documentation/authenticationservices/webauthenticationsession/authenticate(using:callbackurlscheme:preferredbrowsersession:)
  @MainActor public func authenticate(
    using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil
  ) async throws -> URL { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environmentvalues/webauthenticationsession
@available(macOS 13.3, iOS 16.4, tvOS 16.4, watchOS 9.4, *)
extension EnvironmentValues { public var webAuthenticationSession: WebAuthenticationSession { fatalError() } }
/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror
@available(macOS 10.15, iOS 12, tvOS 16, watchOS 6.2, *)
public struct ASWebAuthenticationSessionError: Error {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public init(rawValue: Int) { fatalError() }
    public var rawValue: Int { fatalError() }
    public static let canceledLogin = Code(rawValue: 1)
  }
  public var code: Code { fatalError() }
}
