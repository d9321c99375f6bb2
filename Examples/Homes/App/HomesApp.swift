import APIKit
import SwiftUI

@main struct HomesApp: App {
  /// Where the demo's server listens: `swift run DemoCLI serve --port 8080` in the folder of the package.
  private static let server: HTTPURL = "http://127.0.0.1:8080"

  @State private var model = HomesModel(.init(server: server, credentials: credentials))

  var body: some Scene {
    WindowGroup {
      HomeListView(model: model)
        .task { await model.run() }
    }
  }

  private static var credentials: any CredentialStore {
    #if os(macOS)
      // The keychain of macOS asks for a team's signature, which the example does without: a sign-in ends with the program.
      MemoryCredentialStore()
    #else
      KeychainCredentialStore(service: "com.example.homes")
    #endif
  }
}
