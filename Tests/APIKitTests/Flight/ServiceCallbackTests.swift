import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// A service that acts from within each of its callbacks, on whichever thread it is called.
@MainActor final class ServiceCallbackTests: XCTestCase {
  private enum Action: String, CaseIterable {
    case nothing, signOut, switchUser, removeAll, expire, forgetFailures, cancel, load, release, environment
    var changesUser: Bool { self == .signOut || self == .switchUser }
  }

  private enum Scenario: String, CaseIterable {
    case success, joined, batch, failure, refused, redirect, fallback
  }

  /// Acts once, at one point.
  private final class Stage: Sendable {
    let point: String
    let act: @Sendable () -> Void
    let points = Record<String>()
    let hasActed = AtomicFlag()

    init(_ point: String, _ act: @escaping @Sendable () -> Void) { (self.point, self.act) = (point, act) }

    func at(_ here: String) {
      points.add(here)
      guard here == point, !hasActed.load() else { return }
      hasActed.store(true)
      act()
    }
  }

  private struct Signer: RequestSigner {
    let stage: Stage
    var caller: String? { "own" }
    func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) { stage.at("sign") }
  }

  private struct Verifier: ResponseVerifier {
    let stage: Stage
    func verify(_ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int) {
      stage.at("verify")
    }
  }

  /// Writes down the ends of loads.
  @MainActor private final class Owner: APIManagerDelegate {
    var ends: [FlightID: [String]] = [:]
    var wrongs: [String] = []
    /// Those who loaded before the user has changed.
    var early: [ObjectIdentifier] = []
    var hasChanged: () -> Bool = { false }

    private func isWrong(_ manager: BaseAPIManager) -> Bool {
      hasChanged() && early.contains(ObjectIdentifier(manager))
    }

    func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
      if let id = response.flightID { ends[id, default: []].append("success") }
      if isWrong(manager), response.provenance != .fallback { wrongs.append("success") }
    }
    func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
      let id = error.context.flightID.map { FlightID(rawValue: $0) }
      if let id { ends[id, default: []].append("failure \(error.label)") }
      if isWrong(manager), error.response != nil { wrongs.append("failure \(error.label)") }
    }
    func manager(
      _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
    ) {
      ends[flight, default: []].append("cancel")
    }
  }

  /// Does something on the main actor, and returns when it is done; fails where the main actor waits for the caller.
  private nonisolated static func onMain(_ name: String, _ work: @escaping @MainActor @Sendable () -> Void) {
    if Thread.isMainThread { return MainActor.assumeIsolated(work) }
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.main.async {
      MainActor.assumeIsolated(work)
      done.signal()
    }
    if done.wait(timeout: .now() + 5) == .timedOut { XCTFail("\(name): the main actor waits for it") }
  }

  func testEveryActionFromEveryCallbackOfTheService() async throws {
    let points: Set = [
      "headers", "common", "sign", "verify", "cipher", "business", "resolve", "fallback", "willStore",
      "batchPlan", "attach", "isRefusal", "renewal", "rewrite", "transport",
    ]
    var seen: Set<String> = []
    for scenario in Scenario.allCases {
      let reached = try await run(scenario, .nothing, at: "")
      for action in Action.allCases where action != .nothing {
        for point in points.intersection(reached).sorted() {
          try await run(scenario, action, at: point)
        }
      }
      seen.formUnion(reached)
    }
    XCTAssertEqual(points.subtracting(seen), [])
  }

  @discardableResult
  private func run(_ scenario: Scenario, _ action: Action, at point: String) async throws -> Set<String> {
    let name = "\(scenario) \(action) at \(point)"
    let stub = StubTransport()
    let shared = SharedState()
    let cache = ResponseCache()
    let environments = ServiceEnvironments(
      [.development: "https://homes.test/api", .release: "https://homes.test/api"], current: .development)
    let managers = Record<TestManager>()
    let slot = Slot()
    let stage = Stage(point) {
      switch action {
      case .nothing: break
      case .signOut: try? slot.authenticator?.signOut()
      case .switchUser:
        try? slot.authenticator?.signOut()
        try? slot.authenticator?.signIn(with: Credential(accessToken: "bert", notes: ["user": "bert"]))
      case .removeAll: cache.removeAll()
      case .expire: cache.expire(tags: ["a"])
      case .forgetFailures: shared.forgetFailures()
      case .cancel: Self.onMain(name) { for manager in managers.all { manager.cancel() } }
      case .load: Self.onMain(name) { managers.all.first?.load(["id": 9]) }
      case .release: Self.onMain(name) { managers.removeAll() }
      case .environment: Self.onMain(name) { environments.current = .release }
      }
    }
    var rules = Authenticator.Rules()
    rules.attach = { credential, request in
      stage.at("attach")
      request.headers["Authorization"] = credential.accessToken
    }
    rules.isRefusal = { error in
      stage.at("isRefusal")
      return error.status == 401
    }
    let authenticator = Authenticator(rules: rules) { _ in
      stage.at("renewal")
      return Credential(accessToken: "new")
    }
    try authenticator.signIn(
      with: Credential(accessToken: "anna", refreshToken: "r", notes: ["user": "anna"]))
    slot.set(authenticator)
    let good = StubResponse.json(
      #"{"items": [{"id": 1}, {"id": 2}, {"id": 9}]}"#,
      headers: ["Vary": "X-Own", "Cache-Control": "max-age=60"])
    stub.on(
      "*",
      .computed { request in
        stage.at("transport")
        switch scenario {
        case .failure: return .json(#"{"name": "Anna"}"#, status: 500)
        case .refused where request.headers["Authorization"] == "anna": return .status(401)
        case .redirect where request.url.path == "/api/list": return .redirect(to: "/api/other")
        default: return good
        }
      })
    var service = TestService(stub)
    service.environments = environments
    service.client = HTTPClient(
      transport: stub,
      redirects: .rewriting { request, _ in
        stage.at("rewrite")
        return request
      })
    service.authenticator = authenticator
    service.store = cache
    service.cachePartition = "one"
    service.signer = Signer(stage: stage)
    service.verifier = Verifier(stage: stage)
    service.onHeaders = {
      stage.at("headers")
      return ["X-Own": "1"]
    }
    service.onCommonParameters = {
      stage.at("common")
      return [:]
    }
    service.transform = {
      stage.at("cipher")
      return $0
    }
    service.findBusinessError = { _ in
      stage.at("business")
      return nil
    }
    service.onError = { _ in
      stage.at("resolve")
      return .letThrough
    }
    service.onFallback = { _ in
      stage.at("fallback")
      return APIResponse(raw: .missing, http: HTTPResponse(status: 200))
    }
    service.onWillStore = {
      stage.at("willStore")
      return $0
    }
    let plan = BatchPlan.byID("id", list: "list", as: "ids", items: "items")
    service.onBatchPlan = { _ in
      stage.at("batchPlan")
      return scenario == .batch ? plan : nil
    }
    service.hostLimits = HostLimits(attemptsPerHost: 1)
    service.breaker = BreakerPolicy()
    service.retryPolicy = RetryPolicy(attempts: 2)
    service.retryPolicy.backoff = .constant(.zero)
    if scenario == .fallback {
      service.network.force(.offline)
      service.networkGate = .wait(upTo: .milliseconds(1))
    }
    let owner = Owner()
    owner.hasChanged = { action.changesUser && stage.hasActed.load() }
    var ids: [FlightID] = []
    for id in 1...2 {
      let manager = TestManager(service)
      manager.sharedState = shared
      manager.delegate = owner
      manager.cachePolicy = scenario == .batch ? .none : .http
      manager.joinsIdenticalFlights = scenario == .joined
      managers.add(manager)
      if let flight = manager.load(["id": scenario == .joined ? 1 : id]).flightID { ids.append(flight) }
      if !stage.hasActed.load() { owner.early.append(ObjectIdentifier(manager)) }
    }
    let end = ContinuousClock.now + .seconds(10)
    while managers.all.contains(where: \.isLoading) {
      guard ContinuousClock.now < end else {
        XCTFail("\(name): does not end")
        break
      }
      try await Task.sleep(for: .microseconds(100))
    }
    await landingsWorkedOff()
    if action != .release {
      for id in ids where owner.ends[id]?.count != 1 { XCTFail("\(name): ended \(owner.ends[id] ?? [])") }
    }
    XCTAssertEqual(owner.wrongs, [], "\(name): another user's")
    managers.removeAll()
    // Nothing is left behind: another load has its slot.
    service.authenticator = nil
    service.network.force(.wifi)
    service.onError = { _ in .letThrough }
    let last = TestManager(service)
    last.sharedState = shared
    last.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    let recorder = Recorder()
    last.delegate = recorder
    last.load(["id": 3])
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, scenario == .failure ? 0 : 1, "\(name): \(recorder.errors)")
    let left = [
      shared.joins.count, shared.joins.waiterCount, shared.resolutions.waiterCount,
      shared.batches.waitingCount, authenticator.waiterCount,
    ]
    XCTAssertEqual(left, [0, 0, 0, 0, 0], name)
    return Set(stage.points.all)
  }
}

/// The authenticator whose own callbacks use it.
private final class Slot: Sendable {
  private let kept = Mutex<Authenticator?>(nil)
  var authenticator: Authenticator? { kept.withLock { $0 } }
  func set(_ authenticator: Authenticator) { kept.withLock { $0 = authenticator } }
}
