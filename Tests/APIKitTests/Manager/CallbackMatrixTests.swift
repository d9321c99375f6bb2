import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// An owner that acts from within every callback of its manager.
@MainActor final class CallbackMatrixTests: XCTestCase {
  /// Calls `act` with the name of each callback, and writes down how loads end.
  @MainActor
  private final class Owner: APIManagerDelegate, APIManagerInterceptor, APIManagerValidator,
    APIManagerParameterSource
  {
    var act: (String) throws -> Void = { _ in }
    private(set) var ends: [FlightID: [String]] = [:]
    private(set) var shown: [FlightID: [String]] = [:]
    private(set) var points: Set<String> = []

    func at(_ point: String) {
      points.insert(point)
      try? act(point)
    }
    private func atThrowing(_ point: String) throws {
      points.insert(point)
      try act(point)
    }
    private func end(_ id: FlightID?, _ what: String) { if let id { ends[id, default: []].append(what) } }

    func parameters(for manager: BaseAPIManager) -> Parameters {
      at("source")
      return [:]
    }
    func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws {
      try atThrowing("validate parameters")
    }
    func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws {
      try atThrowing("validate response")
    }
    func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool {
      at("shouldLoad")
      return true
    }
    func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID) {
      at("didLoad")
    }
    func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {
      at("didReceive")
    }
    func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool {
      at("beforePreview")
      return true
    }
    func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
      at("beforeSuccess")
      return true
    }
    func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) { at("afterSuccess") }
    func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool {
      at("beforeFailure")
      return true
    }
    func manager(_ manager: BaseAPIManager, afterFailure error: APIError) { at("afterFailure") }
    func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
      end(response.flightID, "success")
      at("success")
    }
    func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
      end(error.context.flightID.map { FlightID(rawValue: $0) }, "failure \(error.label)")
      at("failure")
    }
    func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
      if let id = response.flightID {
        shown[id, default: []].append("preview")
        if ends[id] != nil { XCTFail("a preview after the end of \(id)") }
      }
      at("preview")
    }
    func manager(
      _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
    ) {
      end(flight, "cancel \(reason)")
      at("cancel")
    }
    func manager(_ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID) {
      if ends[flight] != nil { XCTFail("progress after the end of \(flight)") }
      at("progress")
    }
  }

  /// Acts at each change of a property, as an observer that calls the manager back at once.
  private static func observe(
    _ manager: TestManager, _ what: String, _ owner: Owner?, number: Int = 1,
    _ read: @escaping @MainActor @Sendable (TestManager) -> Void
  ) {
    onNextChange(of: { read(manager) }) { [weak manager, weak owner] in
      MainActor.assumeIsolated {
        if let manager, number < 3 { observe(manager, what, owner, number: number + 1, read) }
        owner?.at(number == 1 ? what : "\(what) \(number)")
      }
    }
  }

  private enum Action: String, CaseIterable {
    case nothing, cancelAll, cancelFirst, loadAgain, loadTwice, loadOther, cancelAndLoad, loadAndCancel,
      release
    case releaseDelegate, signOut, switchUser, removeAll, suspend, suspendAndResume, throwing
    case registryCancel, dropInterceptor, tagsAndObserve
  }

  private enum Scenario: String, CaseIterable { case success, failure, preview, refusal, cancelled }

  func testEveryActionFromEveryCallback() async throws {
    let points: Set = [
      "source", "reform", "validate parameters", "own validate parameters", "shouldLoad", "didLoad",
      "willStore",
      "own validate response", "validate response", "didReceive", "beforePreview", "preview", "beforeSuccess",
      "success", "afterSuccess", "beforeFailure", "failure", "afterFailure", "cancel", "progress",
      "isLoading",
      "isLoading 2", "isLoading 3", "lastResponse", "lastResponse 2", "lastError",
    ]
    var seen: Set<String> = []
    let policies: [TakeoffPolicy] = [
      .concurrent, .ignoreNew, .cancelPrevious, .queue, .debounce(.milliseconds(1)),
    ]
    for policy in policies {
      for scenario in Scenario.allCases {
        let reached = try await run(policy, scenario, .nothing, at: "")
        seen.formUnion(reached)
        for action in Action.allCases where action != .nothing {
          for point in points.intersection(reached).sorted() {
            seen.formUnion(try await run(policy, scenario, action, at: point))
          }
        }
      }
    }
    XCTAssertEqual(points.subtracting(seen), [])
  }

  private func run(
    _ policy: TakeoffPolicy, _ scenario: Scenario, _ action: Action, at point: String
  ) async throws -> Set<String> {
    let name = "\(policy.rule.name) \(scenario) \(action) at \(point)"
    let stub = StubTransport(scenario == .failure ? .json("{}", status: 500) : .json(someJSON))
    var service = TestService(stub)
    let cache = ResponseCache(time: SystemTime())
    service.store = cache
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "anna", notes: ["user": "anna"]))
    service.authenticator = authenticator
    var strong: TestManager? = TestManager(service)
    weak let manager = strong
    var owner: Owner? = Owner()
    weak let weakOwner = owner
    var states: AsyncStream<FlightStateChange>.AsyncIterator? = strong!.stateChanges().makeAsyncIterator()
    strong!.takeoffPolicy = policy
    strong!.delegate = owner
    strong!.reportsProgress = true
    strong!.parameterSource = owner
    strong!.validator = owner
    strong!.addInterceptor(owner!)
    strong!.sharedState = SharedState()
    strong!.cachePolicy = .cacheThenNetwork
    if scenario == .preview {
      _ = try await TestManager(service).prime()
      strong!.cachePolicy = .cacheThenNetwork
    }
    strong!.onReformParameters = { [weak weakOwner] in
      weakOwner?.at("reform")
      return $0
    }
    strong!.onValidateParameters = { [weak weakOwner] _ in
      weakOwner?.at("own validate parameters")
      if scenario == .refusal { throw ValidationError("refused") }
    }
    strong!.onValidateResponse = { [weak weakOwner] _ in weakOwner?.at("own validate response") }
    strong!.onWillStore = { [weak weakOwner] in
      weakOwner?.at("willStore")
      return $0
    }
    var takeoffs: [Takeoff] = []
    var hasActed = false
    var cancelledAt: [FlightID] = []
    let other = TestManager(TestService(StubTransport(.json(someJSON))))
    func load() {
      guard let manager else { return }
      takeoffs.append(manager.load())
    }
    weakOwner!.act = { [weak weakOwner] here in
      guard here == point, !hasActed else { return }
      hasActed = true
      switch action {
      case .nothing: break
      case .cancelAll:
        cancelledAt = manager?.flights ?? []
        manager?.cancel()
        if let owner = weakOwner {
          for id in cancelledAt where owner.ends[id]?.count != 1 { XCTFail("\(name): not cancelled at once") }
        }
      case .cancelFirst: if let manager, let id = manager.flights.first { manager.cancel(id) }
      case .loadAgain: load()
      case .loadTwice:
        load()
        load()
      case .loadOther: other.load()
      case .cancelAndLoad:
        manager?.cancel()
        load()
      case .loadAndCancel:
        load()
        manager?.cancel()
      case .release: strong = nil
      case .releaseDelegate: owner = nil
      case .signOut: try authenticator.signOut()
      case .switchUser:
        try authenticator.signOut()
        try authenticator.signIn(with: Credential(accessToken: "bert", notes: ["user": "bert"]))
      case .removeAll: cache.removeAll()
      case .suspend:
        if let manager, let id = manager.flights.first {
          if (try? manager.suspend(id)) == true {
            Task { @MainActor in
              try await Task.sleep(for: .milliseconds(2))
              manager.resume(id)
            }
          }
        }
      case .suspendAndResume:
        if let manager, let id = manager.flights.first, (try? manager.suspend(id)) == true {
          manager.resume(id)
        }
      case .throwing: throw ValidationError("thrown")
      case .registryCancel: FlightRegistry.shared.cancel(.all)
      case .dropInterceptor: if let owner = weakOwner { manager?.removeInterceptor(owner) }
      case .tagsAndObserve:
        manager?.tags = ["x"]
        _ = manager?.stateChanges()
        _ = manager?.landings()
      }
    }
    if let manager {
      Self.observe(manager, "isLoading", weakOwner) { _ = $0.isLoading }
      Self.observe(manager, "lastResponse", weakOwner) { _ = $0.lastResponse }
      Self.observe(manager, "lastError", weakOwner) { _ = $0.lastError }
    }
    load()
    if scenario == .cancelled { manager?.cancel() }
    let end = ContinuousClock.now + .seconds(5)
    while manager?.isLoading == true || other.isLoading {
      if ContinuousClock.now > end {
        XCTFail("\(name): does not end")
        break
      }
      await Task.yield()
      try? await Task.sleep(for: .microseconds(50))
    }
    await landingsWorkedOff()
    await landingsWorkedOff()
    let points = weakOwner?.points ?? []
    if action != .release, action != .releaseDelegate, let owner = weakOwner {
      for takeoff in takeoffs {
        guard let id = takeoff.flightID else { continue }
        if owner.ends[id]?.count != 1 { XCTFail("\(name): \(id) ended \(owner.ends[id] ?? [])") }
      }
    } else if let owner = weakOwner {
      for (id, ends) in owner.ends where ends.count > 1 { XCTFail("\(name): \(id) ended \(ends)") }
    }
    if let owner = weakOwner {
      for id in cancelledAt where owner.ends[id]?.first?.hasPrefix("cancel") != true {
        XCTFail("\(name): \(id) was cancelled, and ended \(owner.ends[id] ?? [])")
      }
    }
    let accepted = takeoffs.count { $0.flightID != nil } + (scenario == .preview ? 1 : 0)
    if stub.requests.count > accepted {
      XCTFail("\(name): \(stub.requests.count) requests of \(accepted) loads")
    }
    strong = nil
    owner = nil
    weakOwner?.act = { _ in }
    await landingsWorkedOff()
    for _ in 0..<200 where manager != nil { try? await Task.sleep(for: .milliseconds(1)) }
    if manager != nil { XCTFail("\(name): the manager is kept") }
    if weakOwner != nil { XCTFail("\(name): the owner is kept") }
    var last: [FlightID: FlightState] = [:]
    while let change = await states?.next() {
      if let from = change.from, !from.canMove(to: change.to) { XCTFail("\(name): \(from) to \(change.to)") }
      if last[change.flight]?.isFinal == true { XCTFail("\(name): \(change) after the end") }
      last[change.flight] = change.to
    }
    states = nil
    return points
  }
}

extension TestManager {
  fileprivate func prime() async throws -> APIResponse {
    cachePolicy = .cacheThenNetwork
    return try await response([:])
  }
}
