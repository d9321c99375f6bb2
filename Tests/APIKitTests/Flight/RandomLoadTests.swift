import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Loads with settings, events and faults that a seed chooses, over real sockets: whatever they are, some rules hold.
///
/// `APIKIT_LOAD_SEEDS=100-200` runs these seeds instead of the first twenty.
@MainActor final class RandomLoadTests: XCTestCase {
  func testWhateverIsStatedTheRulesHold() async throws {
    for seed in SeededGenerator.seeds("APIKIT_LOAD_SEEDS", count: 20) {
      let world = try RandomWorld(seed: seed)
      try await world.run()
      XCTAssertEqual(world.faults, [], "seed \(seed): \(world.settings)")
      if !world.faults.isEmpty { break }
    }
  }
}

/// What reached the servers.
private struct Arrival: Sendable {
  let origin: Int
  let method: HTTPMethod
  /// The number of the load; nil for one that may be shared.
  let load: Int?
  let user: String?
  let isKeyed: Bool
  /// Whether the server may have acted.
  let hasActed: Bool
}

@MainActor private final class RandomWorld: APIManagerDelegate {
  private struct Call {
    let number: Int
    let manager: ObjectIdentifier
    let q: String
    let user: String?
    let method: HTTPMethod
    var landings = 0
    var isCancelled = false
  }

  private(set) var faults: [String] = []
  private(set) var settings = ""
  private var random: SeededGenerator
  private let servers: [DemoServer]
  private nonisolated let arrivals = Mutex<[Arrival]>([])
  private var calls: [UInt64: Call] = [:]
  private var managers: [TestManager] = []
  private let shared = SharedState()
  private let authenticator = Authenticator()
  private let isChecked: Bool
  private var service = TestService(StubTransport())
  private var user: String?
  private var users = 0

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    servers = [try DemoServer(), try DemoServer()]
    isChecked = random.next() % 2 == 0
    self.random = random
    for (index, server) in servers.enumerated() { serve(server, index, seed) }
    makeService()
    for _ in 0..<4 { managers.append(makeManager()) }
  }

  // MARK: The servers

  private func serve(_ server: DemoServer, _ index: Int, _ seed: UInt64) {
    let other = servers[1 - index].baseURL.string
    let isChecked = isChecked
    let counts = Mutex<[String: UInt64]>([:])
    for method in [HTTPMethod.get, .post, .put, .delete, .patch] {
      server.on(method, "/*") { [self] request in
        let key = request.headers["X-Load"] ?? "\(request.method) \(request.path) \(request["q"] ?? "")"
        let count = counts.withLock { counts in
          counts[key, default: 0] += 1
          return counts[key] ?? 0
        }
        let mixed = seed &* 31 &+ UInt64(index) &+ count << 8 &+ Checksum.of(key) << 16
        var generator = SeededGenerator(seed: mixed)
        let dice = generator.next() % 100
        let user = request.headers["Authorization"].map { String($0.dropFirst(7)) }
        var response: DemoResponse
        var hasActed = true
        func redirect(_ status: Int, _ target: String) {
          hasActed = false
          response = DemoResponse(status, headers: ["Location": target])
        }
        let query = request.rawQuery.isEmpty ? "" : "?" + request.rawQuery
        response = .json(
          #"{"q": "\#(request["q"] ?? "")", "user": "\#(user ?? "")", "origin": \#(index)}"#
        )
        response.headers.add("Cache-Control", ["no-store", "max-age=60", "no-cache"][Int(dice % 3)])
        if dice % 3 == 2 { response.headers.add("ETag", "\"\(user ?? "")-\(request["q"] ?? "")\"") }
        if index == 0, isChecked, !Self.isSigned(request) {
          response = DemoResponse(400)
        } else if !request.path.contains("/moved") {
          switch dice {
          case 0..<6: (response, hasActed) = (DemoResponse(503, headers: ["Retry-After": "0"]), false)
          case 6..<10: (response, hasActed) = (DemoResponse(429, headers: ["Retry-After": "0"]), false)
          case 10..<14: response = DemoResponse(500)
          case 14..<20: response.drops = true
          case 20..<25: response.cutAfter = 3
          case 25..<30: response.stall = .milliseconds(60)
          case 30..<36: response.delay = .milliseconds(40)
          case 36..<42: redirect(307, "/moved\(query)")
          case 42..<46: redirect(303, "/moved\(query)")
          case 46..<52: redirect(307, "\(other)moved\(query)")
          case 52..<55: response = .text("no JSON")
          case 55..<58: (response, hasActed) = (DemoResponse(401), false)
          case 58..<62: response.framing = .chunked(size: 5)
          case 62..<66: response.framing = .close
          default: break
          }
        } else if dice < 20 {
          response.drops = true
        }
        let arrival = Arrival(
          origin: index, method: request.method,
          load: request.headers["X-Load"].flatMap { Int($0) }, user: user,
          isKeyed: request.headers.contains("Idempotency-Key"), hasActed: hasActed)
        arrivals.withLock { $0.append(arrival) }
        return response
      }
    }
  }

  /// What ``BodySigner`` has signed is what arrived.
  private nonisolated static func isSigned(_ request: DemoRequest) -> Bool {
    var body = request.body
    if let name = request.headers["Content-Encoding"], let coding = ContentDecoder.Coding(name) {
      var decoder = ContentDecoder(coding)
      body = []
      try? decoder.decode(request.body, into: &body)
    }
    return request.headers["X-Sign"] == BodySigner.text(request.rawQuery, body)
  }

  // MARK: The settings

  private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
  private func pick<Value>(_ values: Value...) -> Value { values[Int(random.next() % UInt64(values.count))] }

  private func makeService() {
    service.environments = ServiceEnvironments(servers[0].baseURL)
    service.client = HTTPClient(
      transport: (try? DefaultTransport.make(.ephemeral)) ?? StubTransport(),
      cookies: chance(30) ? CookieJar() : nil)
    service.authenticator = authenticator
    if isChecked { service.signer = BodySigner() }
    service.store = chance(70) ? ResponseCache() : nil
    service.cachePartition = nil
    service.parameterEncoding = pick(.automatic, .query, .form, .json)
    service.retryPolicy = policy()
    service.hostLimits = chance(50) ? HostLimits(attemptsPerHost: pick(1, 2, 5)) : nil
    if chance(30) { service.breaker = .standard }
    if chance(30) { service.requestRate = RequestRate(5, per: .milliseconds(20)) }
    if chance(30) { service.timeouts = HTTPTimeouts(idle: .milliseconds(30), total: .milliseconds(200)) }
    if chance(20) { service.common = ["lang": "en"] }
    if chance(20) { service.requestIDField = "X-Request-ID" }
    if chance(20) { service.trace = .sent }
    if chance(20) {
      service.onError = { error in error.context.status == 503 ? .replay : .letThrough }
    }
    if chance(30) {
      service.onBatchPlan = { call in
        guard call.method == .get else { return nil }
        var plan = BatchPlan.byID("q", list: "batch", as: "ids", items: "items")
        plan.window = .milliseconds(2)
        plan.gathersWhileFlying = true
        return plan
      }
    }
    settings =
      "signed \(isChecked), cache \(service.store != nil), limits \(String(describing: service.hostLimits))"
  }

  private func policy() -> RetryPolicy {
    var policy = pick(RetryPolicy.never, .standard, RetryPolicy(attempts: 4, deadline: .milliseconds(250)))
    policy.backoff = .constant(.milliseconds(Int64(random.next() % 4)))
    if chance(30) { policy.idempotencyKeyField = "Idempotency-Key" }
    if chance(50) { policy.drawsOnBudget = false }
    return policy
  }

  private func makeManager() -> TestManager {
    let manager = TestManager(service)
    (manager.sharedState, manager.delegate) = (shared, self)
    manager.method = pick(.get, .get, .post, .put, .delete, .patch)
    manager.apiName = pick("a", "b")
    if chance(30) { manager.ownEncoding = pick(.automatic, .form, .json, .query) }
    if chance(30) { manager.ownRetryPolicy = policy() }
    manager.cachePolicy = pick(
      .none, .fresh(), .http, .cacheThenNetwork, .networkElseStale(upTo: .seconds(60)))
    manager.takeoffPolicy = pick(
      .concurrent, .concurrent, .ignoreNew, .cancelPrevious, .queue,
      .queue(limit: 2, overflow: .cancelOldest),
      .debounce(.milliseconds(5)), .throttle(.milliseconds(5), .both),
      TakeoffPolicy.cancelPrevious.keyed(by: "q"))
    manager.joinsIdenticalFlights = chance(50)
    manager.priority = pick(.background, .low, .normal, .high)
    manager.signIn = pick(.asAvailable, .asAvailable, .required, .exempt)
    if chance(20) { manager.ownTimeouts = HTTPTimeouts(total: .milliseconds(50)) }
    if chance(30) { manager.loadOptions.compressesBody = true }
    if chance(15) {
      manager.onValidateResponse = { response in
        if response.raw["q"].string == "3" { throw ValidationError("no 3") }
      }
    }
    if chance(15) { manager.onValidateParameters = { if $0["q"] == "4" { throw ValidationError("no 4") } } }
    return manager
  }

  // MARK: The run

  func run() async throws {
    try signIn()
    for number in 0..<25 {
      switch random.next() % 100 {
      case 0..<6: try signIn()
      case 6..<10: try signOut()
      case 10..<14: pick(managers[0], managers[1], managers[2], managers[3]).cancel()
      case 14..<20:
        if let id = calls.keys.sorted().last, calls[id]?.landings == 0 {
          calls[id]?.isCancelled = true
          managers.forEach { $0.cancel(FlightID(rawValue: id)) }
        }
      case 20..<40: try await Task.sleep(for: .milliseconds(Int64(random.next() % 8)))
      default: break
      }
      load(number)
    }
    // Those that wait for a sign-in.
    try await Task.sleep(for: .milliseconds(20))
    if user == nil { try signIn() }
    var waits = 0
    while calls.values.contains(where: { $0.landings == 0 }), waits < 4_000 {
      try await Task.sleep(for: .milliseconds(2))
      waits += 1
      // For those whose credential was refused.
      if waits % 50 == 0 { try signIn() }
    }
    for _ in 0..<3 { await landingsWorkedOff() }
    check()
    for server in servers { server.stop() }
  }

  private func load(_ number: Int) {
    // Nil once a server has refused the credential, which may happen at any time.
    let user = authenticator.credential?.notes["user"]
    var present: String? { authenticator.credential?.notes["user"] == user ? user : nil }
    let manager = pick(managers[0], managers[1], managers[2], managers[3])
    let q = "\(random.next() % 5)"
    manager.headers = manager.method == .get ? [:] : ["X-Load": "\(number)"]
    switch manager.load(["q": q]) {
    case .flying(let id), .waiting(let id):
      if calls[id.rawValue] != nil { fail("the id \(id) was used twice") }
      calls[id.rawValue] = Call(
        number: number, manager: ObjectIdentifier(manager), q: q, user: present,
        method: manager.method)
    case .refused: break
    }
  }

  private func signIn() throws {
    try signOut()
    users += 1
    let next = "user\(users)"
    try authenticator.signIn(with: Credential(accessToken: next, notes: ["user": next]))
    user = next
  }

  private func signOut() throws {
    try authenticator.signOut()
    user = nil
  }

  private func fail(_ text: String) { faults.append(text) }

  // MARK: The rules

  private func check() {
    for call in calls.values where call.landings != 1 {
      fail("load \(call.number) has landed \(call.landings) times: \(record(of: call))")
    }
    for manager in managers where manager.isLoading { fail("a manager is still loading") }
    if shared.joins.waiterCount != 0 || shared.batches.waitingCount != 0 { fail("loads still wait") }
    let arrivals = arrivals.withLock { $0 }
    for call in calls.values where call.method == .post || call.method == .patch {
      let own = arrivals.filter { $0.load == call.number && $0.method == call.method && !$0.isKeyed }
      let acted = own.filter(\.hasActed)
      if acted.count > 1 {
        fail("load \(call.number) was acted on \(acted.count) times: \(own)")
      }
    }
    for call in calls.values {
      let allowed = call.user
      for arrival in arrivals where arrival.load == call.number {
        if let user = arrival.user, arrival.origin == 1 { fail("\(user) was told to another origin") }
        if let allowed, let user = arrival.user, user != allowed {
          fail("load \(call.number) of \(allowed) was sent as \(user): \(record(of: call))")
        }
      }
    }
  }

  private func record(of call: Call) -> String {
    let id = calls.first { $0.value.number == call.number }?.key
    return id.flatMap { FlightLog.shared.record(of: FlightID(rawValue: $0)) }?.description ?? ""
  }

  private func landed(_ id: UInt64?, _ manager: BaseAPIManager, _ what: String) {
    guard let id, calls[id] != nil else { return }
    calls[id]?.landings += 1
    if calls[id]?.manager != ObjectIdentifier(manager) { fail("another manager was told of \(id)") }
    if calls[id]?.isCancelled == true, what != "cancelled" {
      fail("flight \(id) was cancelled and has \(what)")
    }
  }

  private func judge(_ response: APIResponse, _ manager: BaseAPIManager) {
    guard let id = response.flightID, let call = calls[id.rawValue] else {
      return fail("a landing of nobody")
    }
    let raw = response.raw
    if call.method == .get, let q = raw["q"].string, !q.isEmpty, "\(call.q)" != q {
      fail("load \(call.number) for \(call.q) got the response to \(q)")
    }
    guard let manager = manager as? TestManager, let got = raw["user"].string, !got.isEmpty else { return }
    if manager.signIn == .exempt { fail("an exempt load got the response of \(got)") }
    if got != user { fail("\(user ?? "nobody") got the response of \(got): \(response.provenance)") }
    if let own = call.user, own != got { fail("the load of \(own) got the response of \(got)") }
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    judge(response, manager)
    landed(response.flightID?.rawValue, manager, "succeeded")
  }

  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) { judge(response, manager) }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    if error.context.status == 400 { fail("what arrived is not what was signed: \(error)") }
    landed(error.context.flightID, manager, "failed")
  }

  func manager(
    _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {
    landed(flight.rawValue, manager, "cancelled")
  }
}

/// Signs the query and the body.
private struct BodySigner: RequestSigner {
  let runsInline = true

  static func text(_ query: String, _ body: [UInt8]) -> String {
    Crypto.digest(of: [query, Hex.encode(body)])
  }

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    guard case .bytes(let bytes) = request.body else {
      request.headers["X-Sign"] = Self.text(request.url.query ?? "", [])
      return
    }
    request.headers["X-Sign"] = Self.text(request.url.query ?? "", bytes)
  }
}
