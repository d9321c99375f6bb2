import APIKitPaging
import APIKit
import Foundation
import Observation

/// A list that comes page by page, as a view shows it.
@MainActor @Observable final class HomePages: PagerDelegate {
  private(set) var homes: [Home] = []
  private(set) var isLoading = false
  /// Why the last page could not be loaded.
  private(set) var problem: String?
  /// Whether the server has said that there are none.
  private(set) var isEmpty = false

  private let pager: Pager
  /// Those who wait for the end of a refresh.
  @ObservationIgnored private var refreshes: [CheckedContinuation<Void, Never>] = []

  init(_ manager: HomeListManager) {
    pager = Pager(manager)
    pager.delegate = self
  }

  /// Begins the list of these parameters.
  func start(_ parameters: Parameters) { move { $0.loadFirst(parameters) } }

  /// The screen is there: loads what was not loaded yet.
  func appear() {
    if homes.isEmpty, !isEmpty, !isLoading, problem == nil { move { $0.loadFirst() } }
  }

  /// The screen has gone: nothing is loaded for it any more.
  func disappear() { pager.cancel() }

  /// A row has become visible: loads the next page before the user reaches its end.
  func appeared(_ home: Home) {
    guard problem == nil, let row = homes.firstIndex(of: home) else { return }
    pager.itemShown(at: row)
    isLoading = pager.isLoading
  }

  func retry() { move { homes.isEmpty ? $0.loadFirst() : $0.loadNext() } }

  /// Loads the list anew, and returns when it is there, has failed or was given up.
  func refresh() async {
    move { $0.refresh() }
    guard isLoading else { return }
    await withCheckedContinuation { refreshes.append($0) }
  }

  // MARK: PagerDelegate

  func pager(_ pager: Pager, didSucceedWith page: Page) {
    do throws(APIError) {
      let fresh = try page.items.map { (item) throws(APIError) in try item.decode(as: Home.self) }
      homes = page.replacesOthers ? fresh : homes + fresh
      end()
    } catch {
      end(error)
    }
  }

  func pager(_ pager: Pager, didFailWith error: APIError) { end(error) }

  func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) { end() }

  func pagerDidReset(_ pager: Pager) { homes = [] }

  /// - Parameter move: Begins a load.
  private func move(_ move: (Pager) -> Takeoff) {
    problem = move(pager).refusal?.localizedDescription
    isLoading = pager.isLoading
    isEmpty = pager.total == 0
  }

  private func end(_ error: APIError? = nil) {
    problem = error?.localizedDescription
    isLoading = pager.isLoading
    isEmpty = pager.total == 0
    let waiting = refreshes
    refreshes = []
    for refresh in waiting { refresh.resume() }
  }
}
