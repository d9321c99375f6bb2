import APIKit
import AuthenticationServices
import Foundation
import SwiftUI

/// Who is signed in, and what waits to be sent.
struct AccountView: View {
  let model: HomesModel
  @Environment(\.webAuthenticationSession) private var page
  @Environment(\.dismiss) private var dismiss

  var body: some View {
    let account = model.account
    NavigationStack {
      Form {
        if let user = account.user {
          LabeledContent("Signed in as", value: user)
          LabeledContent("Changes to be sent", value: model.favourites.changes.count.formatted())
          Button("Sign out", role: .destructive) { Task { await account.signOut() } }
        } else {
          Text("Who signs in can keep favourites.")
          Button("Sign in") { Task { await account.signIn { try await show($0) } } }
        }
        if account.isBusy { ProgressView() }
        if let problem = account.problem { Text(problem).foregroundStyle(.red) }
      }
      .formStyle(.grouped)
      .disabled(account.isBusy)
      .navigationTitle("Account")
      .toolbar { Button("Done") { dismiss() } }
    }
    .frame(minWidth: 320, minHeight: 280)
  }

  /// Shows the sign-in page in the system's browser until it comes back.
  private func show(_ address: HTTPURL) async throws -> URL {
    guard let url = URL(string: address.string) else { throw URLError(.badURL) }
    do {
      return try await page.authenticate(
        using: url, callbackURLScheme: Account.callbackScheme, preferredBrowserSession: .ephemeral)
    } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
      throw CancellationError()
    }
  }
}
