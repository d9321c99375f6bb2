import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A delegate that acts from within every callback of a load that an outbox keeps.
@MainActor final class OutboxCallbackTests: OutboxCase {
  @MainActor private final class Owner: APIManagerDelegate, APIManagerInterceptor {
    var act: (String) -> Void = { _ in }
    private(set) var events: [String] = []
    private(set) var ends: [FlightID: [String]] = [:]
    var item: OutboxItemID?

    func at(_ point: String) {
      events.append(point)
      act(point)
    }
    private func end(_ id: FlightID?, _ what: String) {
      if let id { ends[id, default: []].append(what) }
      at(what)
    }
    func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool {
      at("shouldLoad")
      return true
    }
    func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID) {
      at("didLoad")
    }
    func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
      at("beforeSuccess")
      return true
    }
    func manager(_ manager: BaseAPIManager, didQueue item: OutboxItemID, of flight: FlightID) {
      if ends[flight] != nil { XCTFail("didQueue behind the end") }
      self.item = item
      at("queued")
    }
    func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
      end(response.flightID, "success")
    }
    func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
      end(error.context.flightID.map { FlightID(rawValue: $0) }, "failure")
    }
    func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
      end(flight, "cancel")
    }
  }

  private enum Action: CaseIterable {
    case nothing, cancel, load, cancelAndLoad, drop, stopAndStart, finish, release, signOut, switchUser,
      attach, retry
  }

  func testEveryActionFromEveryCallback() async throws {
    for fails in [false, true] {
      for action in Action.allCases {
        for point in [
          "shouldLoad", "didLoad", "queued", "isLoading", "beforeSuccess", "success", "failure", "cancel",
        ] {
          for cancels in [false, true] {
            try await run(action, at: point, fails: fails, cancels: cancels)
          }
        }
      }
    }
  }

  private func run(_ action: Action, at point: String, fails: Bool, cancels: Bool) async throws {
    let name = "\(action) at \(point) fails \(fails) cancels \(cancels)"
    folder += "x"
    stub.reset()
    stub.on("/api/notes", fails ? .json("{}", status: 422) : .json("{}"))
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "anna", notes: ["user": "anna"]))
    service.authenticator = authenticator
    let service = service
    let outbox = outbox(knows: false) { $0.user = { $0.notes["user"] } }
    outbox.register(QueuedNoteManager.self) { QueuedNoteManager(service) }
    outbox.start()
    let owner = Owner()
    var strong: QueuedNoteManager? = QueuedNoteManager(service)
    weak let manager = strong
    strong?.delegate = owner
    strong?.addInterceptor(owner)
    var flights: [FlightID] = []
    var hasActed = false
    var isFinished = action != .finish && action != .stopAndStart && action != .drop && action != .retry
    func load() { if let id = manager?.load(["n": 1]).flightID { flights.append(id) } }
    owner.act = { [weak owner] here in
      guard here == point, !hasActed else { return }
      hasActed = true
      switch action {
      case .nothing: break
      case .cancel: manager?.cancel()
      case .load: load()
      case .cancelAndLoad:
        manager?.cancel()
        load()
      case .drop:
        let item = owner?.item
        Task {
          if let item { try? await outbox.drop(item) }
          isFinished = true
        }
      case .retry:
        let item = owner?.item
        Task {
          if let item { try? await outbox.retry(item) }
          isFinished = true
        }
      case .stopAndStart:
        Task {
          await outbox.stop()
          outbox.start()
          isFinished = true
        }
      case .finish:
        Task {
          await outbox.finish()
          isFinished = true
        }
      case .release: strong = nil
      case .signOut: try? authenticator.signOut()
      case .switchUser:
        try? authenticator.signOut()
        try? authenticator.signIn(with: Credential(accessToken: "bert", notes: ["user": "bert"]))
      case .attach: if let manager { outbox.attach(manager) }
      }
    }
    if let manager {
      onNextChange(of: { _ = manager.isLoading }) { [weak owner] in
        MainActor.assumeIsolated { owner?.at("isLoading") }
      }
    }
    load()
    if cancels { manager?.cancel() }
    let end = ContinuousClock.now + .seconds(5)
    while manager?.isLoading == true {
      if ContinuousClock.now > end { return XCTFail("\(name): does not end: \(owner.events)") }
      try await Task.sleep(for: .microseconds(200))
      time.advance(by: .milliseconds(100))
    }
    while hasActed, !isFinished {
      if ContinuousClock.now > end { return XCTFail("\(name): hangs: \(owner.events)") }
      try await Task.sleep(for: .microseconds(200))
      time.advance(by: .milliseconds(100))
    }
    await landingsWorkedOff()
    if action != .release {
      for id in flights where owner.ends[id]?.count != 1 {
        XCTFail("\(name): \(id) of \(flights) ended \(owner.ends): \(owner.events)")
      }
    }
    // What is sent by the next user is not of this one.
    let tokens = stub.requests.map { $0.headers["Authorization"] ?? "" }
    if action == .switchUser, tokens.filter({ $0.contains("bert") }).count > 0 {
      XCTFail("\(name): \(tokens)")
    }
    if stub.requests.count > flights.count, action != .retry {
      XCTFail("\(name): \(stub.requests.count) of \(flights.count)")
    }
    await outbox.stop()
    outboxes = []
    strong = nil
    owner.act = { _ in }
    for _ in 0..<300 where manager != nil { try await Task.sleep(for: .milliseconds(1)) }
    if manager != nil { XCTFail("\(name): kept") }
  }
}
