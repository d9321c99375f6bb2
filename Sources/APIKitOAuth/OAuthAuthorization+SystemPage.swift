// Apple platforms only: type-checked by Scripts/apple, never run here. What is decided, `SignInPage.swift` decides, which is
// tested.
#if canImport(AuthenticationServices)
  public import APIKit
  public import AuthenticationServices
  import Foundation

  extension OAuthAuthorization {
    #if os(tvOS)
      /// Has the user sign in on the system's page, and returns the URL that the server redirected to.
      ///
      /// The system shows the page on another device of the user nearby. The redirect URI has a scheme of the application's,
      /// or, from tvOS 17.4 on, is `https` at an associated domain. Cancelling the task closes the page.
      /// - Throws: `APIError.Reason.signInCancelled` when the user has closed the page,
      ///   `APIError.Reason.signInPageFailed` when it cannot be shown or another one is open,
      ///   `APIError.Reason.misconfigured` for a redirect URI that the page does not wait for, and
      ///   `APIError.Reason.cancelled` when the task was cancelled.
      /// - SeeAlso: <https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession>
      @MainActor public func callbackFromSystemPage() async throws(APIError) -> String {
        try await SignInPageVisit.callback(on: SystemSignInPage(self))
      }
    #elseif os(watchOS)
      /// Has the user sign in on the system's page, and returns the URL that the server redirected to.
      ///
      /// The redirect URI has a scheme of the application's, or, from watchOS 10.4 on, is `https` at an associated domain.
      /// Cancelling the task closes the page.
      /// - Parameter isEphemeral: Whether the page starts without the cookies of the browser, and leaves none there; false by
      ///   default.
      /// - Throws: `APIError.Reason.signInCancelled` when the user has closed the page,
      ///   `APIError.Reason.signInPageFailed` when it cannot be shown or another one is open,
      ///   `APIError.Reason.misconfigured` for a redirect URI that the page does not wait for, and
      ///   `APIError.Reason.cancelled` when the task was cancelled.
      /// - SeeAlso: <https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession>
      @MainActor public func callbackFromSystemPage(isEphemeral: Bool = false) async throws(APIError)
        -> String
      {
        let page = try SystemSignInPage(self)
        page.isEphemeral = isEphemeral
        return try await SignInPageVisit.callback(on: page)
      }
    #else
      /// Has the user sign in on the system's page, and returns the URL that the server redirected to.
      ///
      /// ```swift
      /// let authorization = try oauth.authorization(redirectURI: "com.example.app:/signed-in")
      /// let callback = try await authorization.callbackFromSystemPage(over: window)
      /// let credential = try await oauth.credential(for: authorization, callback: callback)
      /// ```
      /// The redirect URI has a scheme of the application's, which need not be in its Info.plist, or, from iOS 17.4 and macOS
      /// 14.4 on, is `https` at an associated domain. Cancelling the task closes the page.
      /// - Parameters:
      ///   - window: The window over which the page is shown; it must be on the screen.
      ///   - isEphemeral: Whether the page starts without the cookies of the browser, and leaves none there, so that the user
      ///     signs in each time and is not asked whether the application may use what the browser has. False by default.
      ///     Browsers other than Safari may ignore it on macOS.
      /// - Throws: `APIError.Reason.signInCancelled` when the user has closed the page,
      ///   `APIError.Reason.signInPageFailed` when it cannot be shown or another one is open,
      ///   `APIError.Reason.misconfigured` for a redirect URI that the page does not wait for, and
      ///   `APIError.Reason.cancelled` when the task was cancelled.
      /// - SeeAlso: <https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession>
      @MainActor public func callbackFromSystemPage(
        over window: ASPresentationAnchor, isEphemeral: Bool = false
      ) async throws(APIError) -> String {
        let page = try SystemSignInPage(self)
        page.provider = PageProvider(window)
        page.isEphemeral = isEphemeral
        return try await SignInPageVisit.callback(on: page)
      }
    #endif
  }

  /// The system's page for one authorization.
  @MainActor private final class SystemSignInPage: SignInPage {
    var isEphemeral = false
    #if !os(tvOS) && !os(watchOS)
      /// Held here, because the session does not hold it.
      var provider: PageProvider?
    #endif
    private let url: URL
    private let callback: SignInPageCallback
    private var session: ASWebAuthenticationSession?

    init(_ authorization: OAuthAuthorization) throws(APIError) {
      guard let url = authorization.url.ofFoundation() else {
        throw APIError(.auth, .invalidURL, "the system does not take the URL of the authorization")
      }
      self.url = url
      callback = try SignInPageCallback(authorization.redirectURI, takesHTTPS: Self.takesHTTPS)
    }

    private static var takesHTTPS: Bool {
      if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) { true } else { false }
    }

    func show(completion: @escaping @Sendable (Result<String, APIError>) -> Void) -> Bool {
      // Sendable, because the system does not say on which thread it calls it: one that belonged to the main actor would end
      // the program on another.
      let handler: @Sendable (URL?, (any Error)?) -> Void = { url, error in
        let code = (error as? ASWebAuthenticationSessionError)?.code.rawValue
        completion(
          url.map { .success($0.absoluteString) } ?? .failure(APIError(signInPage: error, code: code)))
      }
      guard let session = makeSession(handler) else { return false }
      #if !os(tvOS)
        session.prefersEphemeralWebBrowserSession = isEphemeral
      #endif
      #if !os(tvOS) && !os(watchOS)
        session.presentationContextProvider = provider
      #endif
      self.session = session
      return session.start()
    }

    func close() { session?.cancel() }

    private func makeSession(
      _ handler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> ASWebAuthenticationSession? {
      switch callback {
      case .scheme(let scheme):
        return ASWebAuthenticationSession(url: url, callbackURLScheme: scheme, completionHandler: handler)
      case .https(let host, let path):
        guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else { return nil }
        return ASWebAuthenticationSession(
          url: url, callback: .https(host: host, path: path), completionHandler: handler)
      }
    }
  }

  #if !os(tvOS) && !os(watchOS)
    /// Says over which window a page is shown.
    @MainActor private final class PageProvider: NSObject, ASWebAuthenticationPresentationContextProviding {
      private let window: ASPresentationAnchor

      init(_ window: ASPresentationAnchor) { self.window = window }

      func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
    }
  #endif
#endif
