import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A load with a second attempt under way that is suspended, cancelled or released, also from the callbacks.
@MainActor final class HostHedgeLifeTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()
  private let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
  private let gates = [StubGate(isOpen: false), StubGate(isOpen: false)]

  private func makeManager() -> TestManager {
    let manager = TestManager(stub)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    manager.retryPolicy.hedgesSlowReads = true
    return manager
  }

  /// Has the pool know how long loads take, and then both servers be slow.
  private func learn() async throws {
    stub.reset()
    stub.on("/api/list", .json(someJSON))
    let manager = makeManager()
    for _ in 0..<120 { _ = try await manager.response() }
    stub.reset()
    for gate in gates { gate.close() }
    for (index, gate) in gates.enumerated() {
      stub.when({ $0.options.connectTo == "10.0.0.\(index + 1)" }, .held(by: gate, .json(someJSON)))
    }
  }

  /// Loads until both attempts are under way.
  private func loadTwice(_ manager: TestManager) async throws -> FlightID {
    let flight = try XCTUnwrap(manager.load().flightID)
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(60))
    try await stub.waitForRequests(2)
    await waitUntil { self.gates.allSatisfy { $0.waiting == 1 } }
    return flight
  }

  private func nothingIsLeft(_ what: String = "") async {
    await waitUntil { self.gates.allSatisfy { $0.waiting == 0 } && self.time.sleeperCount == 0 }
    XCTAssertEqual(pool.status(time.now).map(\.health), [.good, .good], what)
  }

  func testASuspendedLoadLandsWithNeitherAttemptBeforeItIsResumed() async throws {
    for winner in [0, 1] {
      try await learn()
      let (manager, recorder) = (makeManager(), Recorder())
      manager.delegate = recorder
      let flight = try await loadTwice(manager)
      XCTAssertTrue(try manager.suspend(flight))
      gates[winner].open()
      try await Task.sleep(for: .milliseconds(30))
      XCTAssertEqual(recorder.landingCount, 0)
      XCTAssertTrue(manager.resume(flight))
      await recorder.waitForLandings()
      XCTAssertEqual(recorder.responses.count, 1)
      await nothingIsLeft()
    }
  }

  func testALoadThatIsSuspendedWhenItsTimeComesGetsNoSecondAttempt() async throws {
    for isSuspended in [true, false] {
      let transport = Suspendable()
      let request = HTTPRequest(url: "https://named.test/")
      let operation = HedgedExchange(transport, second: HTTPExchange(request)) {
        true
      } began: {
      } completion: { _, _ in
      }
      operation.start(HTTPExchange(request), delay: .milliseconds(50), time)
      if isSuspended { operation.suspend() }
      let timer = operation.timer
      await time.advanceOnceAsleep(by: .milliseconds(50))
      await timer?.value
      operation.resume()
      XCTAssertEqual(transport.operations.all.count, isSuspended ? 1 : 2)
      operation.cancel()
    }
  }

  /// Suspended between the moment that its time has come and the start of the second attempt.
  func testASecondAttemptThatBeginsWhileTheLoadIsBeingSuspendedIsHeldToo() async throws {
    let transport = Suspendable()
    let request = HTTPRequest(url: "https://named.test/")
    let held = Record<HedgedExchange>()
    let operation = HedgedExchange(transport, second: HTTPExchange(request)) {
      true
    } began: {
      held.all.first?.suspend()
    } completion: { _, _ in
    }
    held.add(operation)
    operation.start(HTTPExchange(request), delay: .milliseconds(50), time)
    await time.advanceOnceAsleep(by: .milliseconds(50))
    await waitUntil { transport.operations.all.count == 2 }
    await waitUntil { transport.operations.all.allSatisfy(\.isHeld) }
    operation.resume()
    XCTAssertEqual(transport.operations.all.map(\.isHeld), [false, false])
    operation.cancel()
  }

  func testAManagerThatIsReleasedEndsBothAttempts() async throws {
    try await learn()
    var manager: TestManager? = makeManager()
    let flight = try await loadTwice(try XCTUnwrap(manager))
    manager = nil
    XCTAssertEqual(FlightLog.shared.record(of: flight)?.landing, .cancelled("manager-released"))
    await nothingIsLeft()
  }

  func testFromEachCallbackTheLoadMayBeSuspendedCancelledAndReleased() async throws {
    let actions: [(name: String, run: (Caller) -> Void)] = [
      ("suspend and resume", { $0.suspendAndResume() }), ("cancel", { $0.manager?.cancel() }),
      ("release", { $0.manager = nil }), ("load again", { $0.loadAgain() }),
    ]
    for callback in ["shouldLoad", "didLoad", "didReceive", "beforeSuccess", "success", "afterSuccess"] {
      for action in actions {
        try await learn()
        let caller = Caller(makeManager(), at: callback, action.run)
        let what = "\(action.name) at \(callback)"
        let flight = caller.manager?.load().flightID
        // What was ended before the request went out needs no second attempt.
        if let flight, caller.manager?.state(of: flight) == .flying {
          try await stub.waitForRequests(1)
          await time.advanceOnceAsleep(by: .milliseconds(60))
          try await stub.waitForRequests(2)
        }
        gates[1].open()
        await waitUntil { caller.didAct }
        for gate in gates { gate.open() }
        await waitUntil { caller.manager?.isLoading != true }
        await nothingIsLeft(what)
        if let flight {
          let landings = FlightLog.shared.record(of: flight)?.events.count {
            if case .landed = $0 { true } else { false }
          }
          XCTAssertEqual(landings, 1, what)
        }
        XCTAssertLessThanOrEqual(caller.landings, 2, what)
      }
    }
  }
}

/// Does something at one callback, once.
@MainActor private final class Caller: APIManagerDelegate, APIManagerInterceptor {
  var manager: TestManager?
  private(set) var didAct = false
  private(set) var landings = 0
  private let callback: String
  private let action: (Caller) -> Void

  init(_ manager: TestManager, at callback: String, _ action: @escaping (Caller) -> Void) {
    (self.manager, self.callback, self.action) = (manager, callback, action)
    manager.delegate = self
    manager.addInterceptor(self)
  }

  func suspendAndResume() {
    guard let manager else { return }
    for flight in manager.flights {
      _ = try? manager.suspend(flight)
      manager.resume(flight)
    }
  }

  func loadAgain() { manager?.load(["again": true]) }

  private func came(_ name: String) {
    guard name == callback, !didAct else { return }
    didAct = true
    action(self)
  }

  func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool {
    came("shouldLoad")
    return true
  }
  func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID) {
    came("didLoad")
  }
  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {
    came("didReceive")
  }
  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
    came("beforeSuccess")
    return true
  }
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    landings += 1
    came("success")
  }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) { landings += 1 }
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    landings += 1
  }
  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) { came("afterSuccess") }
}

/// Begins operations that never end, and knows which are held.
private final class Suspendable: HTTPTransport {
  final class Operation: SuspendableOperation {
    private let held = Mutex(false)
    var isHeld: Bool { held.withLock { $0 } }
    func cancel() {}
    func suspend() { held.withLock { $0 = true } }
    func resume() { held.withLock { $0 = false } }
  }

  let capabilities = TransportCapabilities.all
  let operations = Record<Operation>()

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    let operation = Operation()
    operations.add(operation)
    return operation
  }
}
