@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A delegate that acts from within every callback of a pager.
@MainActor final class PagerCallbackTests: PagerCase {
  @MainActor private final class Owner: PagerDelegate {
    var act: (String) -> Void = { _ in }
    private(set) var events: [String] = []
    var ends: [String] { events.filter { $0 != "reset" } }
    private func at(_ what: String) {
      events.append(what)
      act(what)
    }
    func pager(_ pager: Pager, didSucceedWith page: Page) { at("page") }
    func pager(_ pager: Pager, didFailWith error: APIError) { at("failed") }
    func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) { at("cancel") }
    func pagerDidReset(_ pager: Pager) { at("reset") }
  }

  private enum Action: CaseIterable {
    case nothing, cancel, first, firstOther, next, previous, refresh, jump, parameters, release, managerCancel
    case refreshTwice, cancelAndNext, shown
  }
  private enum Script: CaseIterable { case pages, fails, cancels, resets, refreshes }

  func testEveryActionFromEveryCallback() async throws {
    for policy in [0, 1] {
      for script in Script.allCases {
        for action in Action.allCases {
          for point in ["page", "failed", "cancel", "reset"] {
            for nth in [1, 2] { try await run(script, action, at: point, nth, policy) }
          }
        }
      }
    }
  }

  private func run(
    _ script: Script, _ action: Action, at point: String, _ nth: Int, _ policy: Int
  ) async throws {
    let name = "\(script) \(action) at \(point) \(nth) policy \(policy)"
    stub.reset()
    if script == .fails {
      stub.on("/api/list", .status(500))
    } else {
      stub.when(
        { _ in true },
        .computed { request in
          let number =
            Int(request.url.query?.split(separator: "&").first { $0.hasPrefix("page=") }?.dropFirst(5) ?? "1")
            ?? 1
          return .json(#"{"items": [{"id": \#(number * 2)}, {"id": \#(number * 2 + 1)}], "total": 10}"#)
        })
    }
    let owner = Owner()
    let manager = makeManager()
    var strong: Pager? = Pager(manager)
    weak let pager = strong
    strong?.delegate = owner
    var started = 0
    var count = 0
    func note(_ takeoff: Takeoff?) { if takeoff?.flightID != nil { started += 1 } }
    owner.act = { here in
      guard here == point else { return }
      count += 1
      guard count == nth else { return }
      switch action {
      case .nothing: break
      case .cancel: pager?.cancel()
      case .first: note(pager?.loadFirst())
      case .firstOther: note(pager?.loadFirst(["q": 2]))
      case .next: note(pager?.loadNext())
      case .previous: note(pager?.loadPrevious())
      case .refresh: note(pager?.refresh())
      case .jump: note(pager?.go(to: 3))
      case .parameters: pager?.parameters = ["q": 3]
      case .release: strong = nil
      case .managerCancel: manager.cancel()
      case .refreshTwice:
        note(pager?.refresh())
        note(pager?.refresh())
      case .cancelAndNext:
        pager?.cancel()
        note(pager?.loadNext())
      case .shown: pager?.itemShown(at: 1)
      }
    }
    func idle() async {
      let end = ContinuousClock.now + .seconds(5)
      while pager?.isLoading == true {
        if ContinuousClock.now > end { return XCTFail("\(name): loads for ever") }
        await Task.yield()
      }
      await landingsWorkedOff()
    }
    note(strong?.loadFirst(["q": 1]))
    await idle()
    note(pager?.loadNext())
    await idle()
    switch script {
    case .pages, .fails: note(pager?.loadNext())
    case .cancels:
      note(pager?.loadNext())
      pager?.cancel()
    case .resets: note(pager?.loadFirst(["q": 9]))
    case .refreshes:
      note(pager?.loadNext())
      note(pager?.refresh())
      note(pager?.go(to: 2))
    }
    await idle()
    if action != .release, action != .shown, owner.ends.count != started {
      XCTFail("\(name): \(started) started, \(owner.events)")
    }
    if let pager {
      let ids = ids(pager.items)
      if Set(ids).count != ids.count { XCTFail("\(name): \(ids)") }
    }
    strong = nil
    owner.act = { _ in }
    for _ in 0..<500 where pager != nil || manager.isLoading { try? await Task.sleep(for: .milliseconds(1)) }
    if pager != nil { XCTFail("\(name): kept") }
    if manager.isLoading { XCTFail("\(name): loads on") }
  }
}
