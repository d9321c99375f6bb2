// The code of Docs/SignIn.md that needs Apple's frameworks: `Scripts/apple --tests` compiles it.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  import APIKit
  import APIKitOAuth
  import AuthenticationServices

  @MainActor private func makeAuthenticator(
    _ oauth: OAuthClient, over window: ASPresentationAnchor
  ) -> Authenticator {
    oauth.authenticator(store: KeychainCredentialStore(service: "com.example.app")) { @MainActor in
      let authorization = try oauth.authorization(redirectURI: "com.example.app:/signed-in")
      let callback = try await authorization.callbackFromSystemPage(over: window, isEphemeral: true)
      return try await oauth.credential(for: authorization, callback: callback)
    }
  }
#endif
