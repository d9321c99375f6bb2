import APIKit
import APIKitTesting
import Foundation

let flightGroup = BenchGroup(name: "flight", summary: "what stands between takeoff and landing") {
  measurement in
  await idleSteps(measurement)
  try await idleSignIn(measurement)
  try await recordLine(measurement)
  try await sharedResponse(measurement)
  try await refreshStorm(measurement)
  await statistics(measurement)
  try await exports(measurement)
}

/// Retry, host limits, breaker, network gate and an authenticator with nobody signed in, switched on and with
/// nothing to do, against all of them switched off: the CPU that they add to one load. Joining is apart: it is
/// opt-in, and a load that opts in leads a shared call even where nobody joins.
private func idleSteps(_ measurement: Measurement) async {
  let names = (
    idle: "idle retry, limits, breaker, gate and sign-in, CPU per load",
    joining: "leading a shared call that nobody joins, CPU per load"
  )
  guard measurement.wants(names.idle, names.joining) else { return }
  let loads = 20_000
  let off = ControlledService()
  off.admission.retryPolicy = .never
  let on = ControlledService()
  on.admission.retryPolicy = .standard
  on.admission.hostLimits = HostLimits(attemptsPerHost: 1000)
  on.admission.breaker = .standard
  on.admission.networkGate = .refuse
  on.admission.network.force(.wired)
  on.identity.authenticator = Authenticator()
  var best = (off: Double.infinity, on: Double.infinity, joining: Double.infinity)
  // A difference of two large numbers wants both of them at their best.
  for _ in 0..<measurement.rounds * 3 {
    best.off = min(best.off, await ControlledDriver.run(service: off, loads: loads))
    best.on = min(best.on, await ControlledDriver.run(service: on, loads: loads))
    best.joining = min(best.joining, await ControlledDriver.run(service: off, loads: loads, joins: true))
  }
  func microseconds(_ seconds: Double) -> Double { seconds / Double(loads) * 1e6 }
  let note = String(format: "a load without them: %.2f µs", microseconds(best.off))
  measurement.record(
    names.idle, microseconds(best.on - best.off), "µs", bar: .atMost(2), note: note)
  measurement.record(
    names.joining, microseconds(best.joining - best.off), "µs", note: note)
}

/// An authenticator with nobody signed in, and one whose token every load carries, against none: the CPU that
/// they add to one load.
private func idleSignIn(_ measurement: Measurement) async throws {
  let names = (
    idle: "sign-in with nobody signed in, CPU per load", token: "a token on every load, CPU per load"
  )
  guard measurement.wants(names.idle, names.token) else { return }
  let loads = 20_000
  let none = ControlledService()
  let idle = ControlledService()
  idle.identity.authenticator = Authenticator()
  let signedIn = ControlledService()
  let authenticator = Authenticator()
  try authenticator.signIn(with: Credential(accessToken: "token"))
  signedIn.identity.authenticator = authenticator
  var best = (none: Double.infinity, idle: Double.infinity, signedIn: Double.infinity)
  for _ in 0..<measurement.rounds {
    best.none = min(best.none, await ControlledDriver.run(service: none, loads: loads))
    best.idle = min(best.idle, await ControlledDriver.run(service: idle, loads: loads))
    best.signedIn = min(best.signedIn, await ControlledDriver.run(service: signedIn, loads: loads))
  }
  func microseconds(_ seconds: Double) -> Double { seconds / Double(loads) * 1e6 }
  let note = String(format: "a load without: %.2f µs", microseconds(best.none))
  measurement.record(
    names.idle, microseconds(best.idle - best.none), "µs", bar: .atMost(2), note: note)
  measurement.record(
    names.token, microseconds(best.signedIn - best.none), "µs", note: note)
}

/// One line of a flight's record.
private func recordLine(_ measurement: Measurement) async throws {
  let name = "one line of a record"
  guard measurement.wants(name) else { return }
  let box = Mutex<FlightRecorder?>(nil)
  let service = ControlledService()
  service.onCall = { call in box.withLock { $0 = call.recorder } }
  let manager = await ControlledManager(service)
  _ = try await manager.response()
  guard let recorder = box.withLock({ $0 }) else { return }
  let seconds = measurement.seconds(slice: 0.002) { recorder.record(.attempt(1, host: "homes.test")) }
  measurement.record(name, seconds * 1e9, "ns", bar: .atMost(300))
}

/// Ten thousand loads that wait for one wire call, from its response to the last landing on the delegate.
private func sharedResponse(_ measurement: Measurement) async throws {
  let name = "10,000 waiters of one wire call land"
  guard measurement.wants(name) else { return }
  let count = 10_000
  var (best, cpu) = (Double.infinity, Double.infinity)
  for _ in 0..<measurement.rounds {
    let stub = StubTransport(.json(#"{"items": []}"#))
    stub.hold()
    let landings = await Landings(ControlledService(transport: stub), count: count)
    await landings.start()
    // All have left the main actor; a moment for the last of them to reach the table.
    try await Task.sleep(for: .milliseconds(300))
    let clock = ContinuousClock()
    let (start, used) = (clock.now, ProcessUse.cpuSeconds)
    stub.release()
    await landings.wait()
    best = min(best, Measurement.seconds(clock.now - start))
    cpu = min(cpu, ProcessUse.cpuSeconds - used)
    // Loads that did not join are not what is measured.
    guard stub.requests.count == 1 else { fatalError("\(stub.requests.count) requests were sent") }
  }
  measurement.record(
    name, best * 1e3, "ms", bar: .atMost(100),
    note: String(format: "%.0f ms of CPU", cpu * 1e3))
}

/// Keeps 64 loads in the air until so many have landed. Every load is unlike the others in the air.
@MainActor final class ControlledDriver: APIManagerDelegate {
  private let manager: ControlledManager
  private var toStart: Int
  private var toLand: Int
  private var done: CheckedContinuation<Void, Never>?

  private init(_ manager: ControlledManager, loads: Int) {
    self.manager = manager
    (toStart, toLand) = (loads, loads)
  }

  /// The CPU seconds of all the loads.
  static func run(service: ControlledService, loads: Int, joins: Bool = false) async -> Double {
    let manager = ControlledManager(service, joins: joins)
    manager.sharedState = SharedState()
    let driver = ControlledDriver(manager, loads: loads)
    manager.delegate = driver
    let start = ProcessUse.cpuSeconds
    await withCheckedContinuation { continuation in
      driver.done = continuation
      for _ in 0..<64 { driver.startOne() }
    }
    return ProcessUse.cpuSeconds - start
  }

  private func startOne() {
    guard toStart > 0 else { return }
    toStart -= 1
    manager.load(["page": toStart])
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    toLand -= 1
    startOne()
    if toLand == 0 { done?.resume() }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    fatalError("a load of the measurement failed: \(error)")  // a failed load would flatter the number
  }
}

/// Starts identical loads and waits until all have landed.
@MainActor private final class Landings: APIManagerDelegate {
  private let manager: ControlledManager
  private let count: Int
  private var landed = 0
  private var done: CheckedContinuation<Void, Never>?

  init(_ service: ControlledService, count: Int) {
    manager = ControlledManager(service, joins: true)
    manager.sharedState = SharedState()
    self.count = count
    manager.delegate = self
  }

  func start() { for _ in 0..<count { manager.load() } }

  func wait() async {
    if landed < count { await withCheckedContinuation { done = $0 } }
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    landed += 1
    if landed == count { done?.resume() }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    fatalError("a load of the measurement failed: \(error)")  // a failed load would flatter the number
  }
}
