@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitOAuth

/// The visit to a page of the system, with a page that does what a test says.
@MainActor final class SignInPageTests: XCTestCase {
  private final class Page: SignInPage {
    /// What ``show(completion:)`` returns.
    var isShown = true
    /// What it says before it returns.
    var early: Result<String, APIError>?
    private(set) var completion: (@Sendable (Result<String, APIError>) -> Void)?
    private(set) var closings = 0

    func show(completion: @escaping @Sendable (Result<String, APIError>) -> Void) -> Bool {
      self.completion = completion
      if let early { completion(early) }
      return isShown
    }

    func close() { closings += 1 }
  }

  private func visit(_ page: Page) -> Task<Result<String, APIError>, Never> {
    Task {
      do throws(APIError) { return .success(try await SignInPageVisit.callback(on: page)) } catch {
        return .failure(error)
      }
    }
  }

  private func reason(_ result: Result<String, APIError>) -> APIError.Reason? {
    if case .failure(let error) = result { error.reason } else { nil }
  }

  func testTheURLThatTheServerRedirectedToIsReturnedFromAnyThread() async throws {
    let page = Page()
    let visit = visit(page)
    await waitUntil { page.completion != nil }
    let completion = try XCTUnwrap(page.completion)
    DispatchQueue.global().async { completion(.success("app:/cb?code=1")) }
    let result = await visit.value
    XCTAssertEqual(try result.get(), "app:/cb?code=1")
    XCTAssertEqual(page.closings, 0)
  }

  func testOnlyTheFirstEndCounts() async throws {
    let page = Page()
    page.early = .success("app:/first")
    let visit = visit(page)
    await waitUntil { page.completion != nil }
    page.completion?(.success("app:/second"))
    page.completion?(.failure(APIError(signInPage: nil, code: 1)))
    let result = await visit.value
    XCTAssertEqual(try result.get(), "app:/first")
  }

  func testAPageThatCannotBeShownIsAnErrorWithWhatThePageSaysOfIt() async {
    let page = Page()
    page.isShown = false
    let silent = await visit(page).value
    XCTAssertEqual(reason(silent), .signInPageFailed)
    page.early = .failure(APIError(signInPage: nil, code: 3))
    let telling = await visit(page).value
    guard case .failure(let error) = telling else { return XCTFail("it was shown") }
    XCTAssertEqual(error.reason, .signInPageFailed)
    XCTAssertTrue(error.detail.contains("not one in which"), error.detail)
  }

  func testCancellingTheTaskClosesThePageOnce() async {
    let page = Page()
    let visit = visit(page)
    await waitUntil { page.completion != nil }
    visit.cancel()
    visit.cancel()
    let result = await visit.value
    XCTAssertEqual(reason(result), .cancelled)
    XCTAssertEqual(page.closings, 1)
    // The system may report its own end of the page, or not.
    page.completion?(.failure(APIError(signInPage: nil, code: 1)))
  }

  /// A view that appears again cancels its task and begins the next at once.
  func testAPageMayBeShownRightAfterTheTaskOfTheOneBeforeWasCancelled() async throws {
    let (first, second) = (Page(), Page())
    let cancelled = visit(first)
    await waitUntil { first.completion != nil }
    cancelled.cancel()
    second.early = .success("app:/cb")
    let result = await visit(second).value
    XCTAssertEqual(try result.get(), "app:/cb")
    XCTAssertEqual(first.closings, 1)
    let before = await cancelled.value
    XCTAssertEqual(reason(before), .cancelled)
  }

  func testATaskThatWasCancelledBeforeShowsNothing() async {
    let page = Page()
    // Both are of the main actor, so it is cancelled before it begins.
    let visit = visit(page)
    visit.cancel()
    let result = await visit.value
    XCTAssertEqual(reason(result), .cancelled)
    XCTAssertNil(page.completion)
  }

  func testASecondPageIsRefusedWhileOneIsOpenAndShownAfterwards() async throws {
    let (first, second) = (Page(), Page())
    let visit = visit(first)
    await waitUntil { first.completion != nil }
    let refused = await self.visit(second).value
    XCTAssertEqual(reason(refused), .signInPageFailed)
    XCTAssertNil(second.completion, "it is not shown")
    first.completion?(.failure(APIError(signInPage: nil, code: 1)))
    let closed = await visit.value
    XCTAssertEqual(reason(closed), .signInCancelled)
    second.early = .success("app:/cb")
    let again = await self.visit(second).value
    XCTAssertEqual(try again.get(), "app:/cb")
  }

  func testEachErrorOfTheSystemHasItsReason() {
    let underlying = CancellationError()
    XCTAssertEqual(APIError(signInPage: underlying, code: 1).reason, .signInCancelled)
    for code in [2, 3, 4, nil] as [Int?] {
      let error = APIError(signInPage: underlying, code: code)
      XCTAssertEqual(error.reason, .signInPageFailed)
      XCTAssertTrue(error.underlying is CancellationError)
    }
  }

  func testTheRedirectURIIsToldInTheSystemsParts() throws {
    for (uri, expected) in [
      "com.example.app:/signed-in": SignInPageCallback.scheme("com.example.app"),
      "app://cb?x=1": .scheme("app"),
      "https://example.com/signed-in?x=1": .https(host: "example.com", path: "/signed-in"),
      "HTTPS://example.com:443": .https(host: "example.com", path: "/"),
    ] {
      XCTAssertEqual(try SignInPageCallback(uri, takesHTTPS: true), expected, uri)
    }
  }

  func testARedirectURIThatThePageDoesNotWaitForIsRefused() {
    func refusal(_ uri: String, takesHTTPS: Bool = true) -> String? {
      do throws(APIError) {
        _ = try SignInPageCallback(uri, takesHTTPS: takesHTTPS)
        return nil
      } catch {
        XCTAssertEqual(error.reason, .misconfigured, uri)
        return error.detail
      }
    }
    for uri in ["", "signed-in", ":/cb", "1app:/cb", "ä:/cb", "my app:/cb"] {
      XCTAssertEqual(refusal(uri), "the redirect URI has no scheme", uri)
    }
    XCTAssertEqual(refusal("http://127.0.0.1/cb")?.contains("LoopbackRedirect"), true)
    XCTAssertEqual(refusal("https://example.com:8443/cb")?.contains("has a port"), true)
    XCTAssertEqual(refusal("https://example.com/cb", takesHTTPS: false)?.contains("iOS 17.4"), true)
  }
}
