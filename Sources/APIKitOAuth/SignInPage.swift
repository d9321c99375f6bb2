import APIKit

/// A page on which the user signs in: the system's, or that of a test.
@MainActor protocol SignInPage: AnyObject {
  /// Shows the page; false when it cannot be shown.
  ///
  /// - Parameter completion: Called when the page has closed: with the URL that the server redirected to, or why there is
  ///   none. On any thread, perhaps before this returns, perhaps never after ``close()``.
  func show(completion: @escaping @Sendable (Result<String, APIError>) -> Void) -> Bool

  /// Closes the page.
  func close()
}

/// Shows one ``SignInPage`` and waits until it has closed, or until its task is cancelled.
///
/// One page is open at a time in the process. What the system does with two differs from platform to platform, and a user
/// who signs in on one of them does not know which.
@MainActor final class SignInPageVisit {
  private static var isOpen = false

  private let page: any SignInPage
  private var waiter: CheckedContinuation<Result<String, APIError>, Never>?

  private init(_ page: any SignInPage) { self.page = page }

  /// The URL that the server redirected to.
  ///
  /// Throws `APIError.Reason.signInCancelled` when the user has closed the page,
  /// `APIError.Reason.signInPageFailed` when it cannot be shown or another one is open, and
  /// `APIError.Reason.cancelled` when the task was cancelled, which closes the page.
  static func callback(on page: any SignInPage) async throws(APIError) -> String {
    guard !Task.isCancelled else { throw APIError(.auth, .cancelled) }
    guard !isOpen else {
      throw APIError(.auth, .signInPageFailed, "another page for a sign-in is open")
    }
    isOpen = true
    return try await SignInPageVisit(page).end().get()
  }

  private func end() async -> Result<String, APIError> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        self.waiter = waiter
        let isShown = page.show { result in
          Task { @MainActor in self.finish(result) }
        }
        // After what the page itself has said about it.
        if !isShown { Task { finish(.failure(Self.notShown)) } }
      }
    } onCancel: {
      Task { @MainActor in
        if finish(.failure(APIError(.auth, .cancelled))) { page.close() }
      }
    }
  }

  /// False when it has ended before.
  @discardableResult private func finish(_ result: Result<String, APIError>) -> Bool {
    guard let waiter = waiter.take() else { return false }
    // Now, and not once the caller's task runs: another one may show its page before.
    Self.isOpen = false
    waiter.resume(returning: result)
    return true
  }

  private static let notShown = APIError(
    .auth, .signInPageFailed,
    "the system does not start the page: the window must be on the screen, and the application in the foreground"
  )
}

/// What a page is to wait for: a redirect URI in the parts that the system takes.
enum SignInPageCallback: Hashable {
  case scheme(String)
  /// A universal link of the application.
  case https(host: String, path: String)

  /// Throws `APIError.Reason.misconfigured` for a URI to which the system's page does not come back.
  ///
  /// - Parameter takesHTTPS: Whether the system can wait for an `https` URL.
  init(_ redirectURI: String, takesHTTPS: Bool) throws(APIError) {
    func refused(_ why: String) -> APIError { APIError(.auth, .misconfigured, "the redirect URI \(why)") }
    let scheme = redirectURI.prefix { $0 != ":" }
    guard scheme.count < redirectURI.count, scheme.first?.isASCII == true, scheme.first?.isLetter == true,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { throw refused("has no scheme") }
    switch scheme.lowercased() {
    case "http":
      throw refused(
        "is http, which the system's page does not wait for; LoopbackRedirect does, on this machine")
    case "https":
      guard takesHTTPS else {
        throw refused(
          "is https, for which the system's page waits from iOS 17.4 and macOS 14.4 on; before, it has a scheme of the application's"
        )
      }
      let url = try HTTPURL(redirectURI)
      guard url.effectivePort == 443 else { throw refused("has a port, of which the system is not told") }
      self = .https(host: url.host, path: url.path)
    default: self = .scheme(String(scheme))
    }
  }
}

extension APIError {
  /// Why a page of the system has closed without a URL.
  ///
  /// - Parameter code: That of the system's error; nil for another error.
  /// - SeeAlso: <https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror/code>
  init(signInPage error: (any Error)?, code: Int?) {
    switch code {
    case 1: self.init(.auth, .signInCancelled, "the user has closed the page", underlying: error)
    case 2, 3:
      self.init(
        .auth, .signInPageFailed, "the window is not one in which the system can show the page",
        underlying: error)
    default:
      self.init(
        .auth, .signInPageFailed,
        error == nil ? "the page has closed without a word" : "the page has closed with an error",
        underlying: error)
    }
  }
}
