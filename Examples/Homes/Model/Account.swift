import APIKit
import APIKitOAuth
import APIKitTransfers
import Foundation
import Observation

/// Who is signed in, and how one signs in and out.
@MainActor @Observable final class Account {
  /// The URL scheme by which the sign-in page returns to the application.
  static let callbackScheme = "com.example.homes"

  /// The name of the user; nil while nobody is signed in.
  private(set) var user: String?
  /// Whether a sign-in or a sign-out is under way.
  private(set) var isBusy = false
  /// Why the last sign-in or sign-out has failed.
  private(set) var problem: String?

  private let service: HomesService
  private let authenticator: Authenticator
  private let oauth: OAuthClient
  private let userData: UserData

  init(
    _ service: HomesService, _ authenticator: Authenticator, _ oauth: OAuthClient, _ userData: UserData
  ) {
    (self.service, self.authenticator, self.oauth, self.userData) = (service, authenticator, oauth, userData)
  }

  /// Follows who is signed in: a credential may also end by itself.
  func follow() async {
    for await _ in authenticator.changes() { user = authenticator.credential?.notes["user"] }
  }

  /// Signs in by the page of the authorization server.
  ///
  /// - Parameter page: Shows the page, and returns the URL by which it has come back; throws `CancellationError` when the
  ///   user has closed it.
  func signIn(through page: @MainActor (HTTPURL) async throws -> URL) async {
    await work {
      let authorization = try oauth.authorization(redirectURI: "\(Self.callbackScheme):/signed-in")
      let callback = try await page(authorization.url)
      var credential = try await oauth.credential(
        for: authorization, callback: callback.absoluteString)
      // Names the user, so that the outbox knows whose changes it has.
      credential.notes["user"] = try await UserManager(service, of: credential).value().user
      try authenticator.signIn(with: credential)
    }
  }

  /// Signs out, and erases all that this device has of the user.
  func signOut() async {
    await work {
      let credential = authenticator.credential
      try await userData.forget()
      // The user has left this device, whether or not the server can be told.
      if let credential { try? await oauth.revoke(credential) }
    }
  }

  private func work(_ steps: @MainActor () async throws -> Void) async {
    guard !isBusy else { return }
    (isBusy, problem) = (true, nil)
    do { try await steps() } catch is CancellationError {} catch { problem = error.localizedDescription }
    isBusy = false
  }
}
