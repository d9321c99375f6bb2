import APIKit
import APIKitTransfers
import APIKitSockets
import DemoServer
import Foundation

/// One authenticator on which two users take turns, a pool of two servers that die with requests in hand, a WebSocket and
/// an event stream, downloads and uploads that are stopped and resumed, and an outbox.
@MainActor final class SwitchWorld {
  private(set) var breaches: [String] = []
  private(set) var transfers = 0
  private(set) var kills = 0
  private(set) var deaths = 0
  private(set) var queuedCount = 0
  private var random: SoakRandom
  private let plant: Plant?
  private let folder: String
  private let ledger: SoakLedger
  private let server: SoakServer
  private let proxies: [FaultProxy]
  private let transport: CurlTransport
  private let authenticator: Authenticator
  private let jar = CookieJar()
  private let outbox: Outbox
  private let service: SoakService
  private var user = SoakLedger.users[0]
  private var managers: [SwitchedManager] = []
  private let queued: QueuedManager
  private var connections: [SwitchedConnection] = []
  private var numbers: [Int] = []
  private(set) lazy var book = SwitchedBook(plant: plant, user: { [unowned self] in user }) {
    [unowned self] in breaches.append($0)
  }

  init(random: SoakRandom, plant: Plant?) throws {
    self.random = random
    self.plant = plant
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("soak-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    ledger = SoakLedger(plant: plant)
    server = try SoakServer(plant: nil, ledger: ledger)
    proxies = try FaultProxy.pool(
      of: ["127.0.0.1", "127.0.0.2"], to: server.server.port, random: &self.random)
    var configuration = TransportConfiguration.ephemeral
    configuration.connections = ConnectionLimits(perHost: 16)
    configuration.timeouts.idle = .seconds(5)
    transport = try CurlTransport(configuration)
    authenticator = Authenticator(store: MemoryCredentialStore()) { [server] credential in
      Credential(
        accessToken: server.token(of: credential.notes["user"] ?? "nobody"), refreshToken: "r",
        notes: credential.notes)
    }
    let network = NetworkMonitor(watchesSystem: false)
    let pool = HostPool(
      "pool.test", addresses: try proxies.map { try HostAddress($0.address) }, measuringInterval: nil)
    service = SoakService(
      environments: ServiceEnvironments(try HTTPURL("http://pool.test:\(proxies[0].port)")),
      identity: ServiceIdentity(authenticator: authenticator),
      wire: WireOptions(client: HTTPClient(transport: transport, cookies: jar)),
      cache: CacheOptions(store: ResponseCache(memoryBytes: 1 << 20, memoryCount: 100)),
      admission: AdmissionOptions(network: network, hostLimits: HostLimits(attemptsPerHost: 12), hosts: pool))
    var terms = OutboxConfiguration(folder: folder + "/outbox")
    terms.keepsItemsAtSignOut = true
    terms.backoff = .constant(.milliseconds(5))
    terms.maximumAttempts = 1000
    terms.network = network
    outbox = Outbox(terms)
    queued = QueuedManager(service)
    try authenticator.signIn(with: credential(of: user))
    outbox.register(QueuedManager.self) { [service] in QueuedManager(service) }
    outbox.attach(queued)
    outbox.start()
    queued.delegate = book
    for _ in 0..<8 { managers.append(makeManager()) }
    addConnections()
  }

  private func credential(of user: String) -> Credential {
    Credential(accessToken: server.token(of: user), refreshToken: "r", notes: ["user": user])
  }

  private func makeManager() -> SwitchedManager {
    let manager = SwitchedManager(service, &random)
    manager.delegate = book
    return manager
  }

  private func addConnections() {
    let number: @MainActor () -> Int = { [unowned self] in ledger.number(for: user) }
    let breach: @MainActor (String) -> Void = { [unowned self] in breaches.append($0) }
    for _ in 0..<2 {
      let (socket, stream) = (SwitchedSocket(service), SwitchedStream(service))
      let ofSocket = SwitchedConnection(
        "socket", random.split(),
        .init(
          open: { socket.open(["number": $0, "every": 3]) }, cancel: { socket.cancel() },
          close: { try? socket.close() }),
        number: number, breach: breach)
      let ofStream = SwitchedConnection(
        "stream", random.split(),
        .init(
          open: { stream.open(["number": $0, "every": 3]) }, cancel: { stream.cancel() },
          close: { stream.cancel() }),
        number: number, breach: breach)
      (socket.delegate, stream.delegate) = (ofSocket, ofStream)
      connections += [ofSocket, ofStream]
    }
  }

  var signIns: Int { book.signIn }
  var connectionCount: Int { connections.reduce(0) { $0 + $1.opens } }
  var items: Int { connections.reduce(0) { $0 + $1.items } }

  // MARK: Rounds

  /// Does random things for a while, then waits until all of it has ended.
  func round(lasting length: Duration) async {
    if random.chance(50) { server.expireTokens() }
    // In the first round all of them, so that the threads and descriptors they share for ever are there.
    for connection in connections where transfers == 0 || random.chance(60) { connection.open() }
    let transfer = TransferProcess(folder, server: proxies[0].port, &random)
    let file = Task { await download() }
    let end = ContinuousClock.now + length
    while ContinuousClock.now < end {
      for _ in 0..<Int.random(in: 1...24, using: &random) { act() }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 1...8, using: &random)))
    }
    for connection in connections { connection.end() }
    await wait("connections have not ended") { self.connections.allSatisfy(\.isOver) }
    await landQueued()
    await wait("loads have not landed") { self.book.openCount == 0 }
    book.giveUp()
    if let breach = await file.value { breaches.append(breach) }
    (kills, transfers) = (kills + transfer.kills, transfers + 1)
    if let breach = await transfer.end(plant) { breaches.append(breach) }
    checkRequests()
    breaches += ledger.takeBreaches()
    server.server.forget()
  }

  /// One random act of the present user.
  private func act() {
    let index = Int.random(in: 0..<managers.count, using: &random)
    let manager = managers[index]
    switch Int.random(in: 0..<1000, using: &random) {
    case 0..<900:
      let number = ledger.number(for: user)
      book.load(manager, manager.load(["number": number]), number)
    case 900..<930: if let flight = manager.flights.randomElement(using: &random) { manager.cancel(flight) }
    case 930..<950:
      book.release(manager)
      managers[index] = makeManager()
    case 950..<970:
      let number = ledger.number(for: user)
      numbers.append(number)
      queuedCount += 1
      book.load(queued, queued.load(["number": number]), number)
    case 970..<975: switchUser()
    case 975..<980: connections.randomElement(using: &random)!.open()
    case 980..<984:
      deaths += 1
      proxies.randomElement(using: &random)!.die()
    default: break
    }
  }

  private func switchUser() {
    let (before, next) = (user, SoakLedger.users.randomElement(using: &random)!)
    let leaves = random.chance(70)
    // A new sign-in of the same user ends nothing; a sign-out does, whoever follows.
    if leaves || next != before { book.signIn += 1 }
    user = next
    do {
      if leaves { try authenticator.signOut() }
      if leaves || next != before { jar.removeAll() }
      try authenticator.signIn(with: credential(of: next))
      if !leaves, random.chance(50) { server.expireTokens() }
    } catch {
      breaches.append("a sign-in failed: \(error)")
    }
  }

  /// Has each user sign in until the outbox is empty: what was queued must have been read, and landed.
  private func landQueued() async {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      await outbox.flush()
      guard let items = try? await outbox.items() else { return breaches.append("the outbox cannot be read") }
      if items.isEmpty { break }
      for user in SoakLedger.users where items.contains(where: { $0.user == user }) {
        comeBack(user)
        let patience = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < patience,
          (try? await outbox.items().contains { $0.user == user }) == true
        {
          try? await Task.sleep(for: .milliseconds(5))
        }
      }
    }
    for user in SoakLedger.users where book.owes(user) {
      comeBack(user)
      await wait("\(user) was not told how queued loads have ended") { !self.book.owes(user) }
    }
    if plant == .lostItem { numbers.append(ledger.number(for: user)) }
    for number in numbers where !ledger.wasKept(number) {
      breaches.append("the queued load \(number) was never read")
    }
    if let left = try? await outbox.items(), !left.isEmpty {
      breaches.append("\(left.count) items stay in the outbox: \(left[0].state)")
    }
    ledger.forgetKeys()
    numbers = []
  }

  private func comeBack(_ user: String) {
    guard self.user != user else { return }
    book.signIn += 1
    self.user = user
    jar.removeAll()
    try? authenticator.signIn(with: credential(of: user))
  }

  /// Downloads a file in this process, with pauses, and compares it with what it is.
  private func download() async -> String? {
    let (manager, path) = (SoakDownload(service), folder + "/file")
    let bytes = Int.random(in: 1...300_000, using: &random)
    for attempt in 0..<12 {
      if attempt < 4 {
        let patience = Duration.milliseconds(Int.random(in: 1...40, using: &random))
        Task {
          try? await Task.sleep(for: patience)
          manager.pause()
        }
      }
      do {
        _ = try await manager.file(["bytes": bytes], to: .file(path, overwrites: true))
        return SoakFile.objection(toFile: path, bytes: bytes)
      } catch  where error.isCancellation || error.reason == .signedOut {
        continue
      } catch {
        return "a download of \(bytes) bytes failed: \(error)"
      }
    }
    return nil
  }

  /// Sockets and streams: whose handshakes the server has read.
  private func checkRequests() {
    for request in server.server.requests where ["/prices", "/events"].contains(request.path) {
      guard let number = request["number"].flatMap({ Int($0) }), let user = server.user(of: request) else {
        continue
      }
      if SoakLedger.owner(of: number) != user {
        breaches.append("\(request.path) of \(SoakLedger.owner(of: number)) was asked for by \(user)")
      }
    }
    if plant == .lateCallback { connections[0].called("a planted call") }
  }

  private func wait(_ text: String, until isDone: () -> Bool) async {
    let end = ContinuousClock.now + (plant == nil ? .seconds(10) : .seconds(5))
    while !isDone(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    if !isDone() { breaches.append(text) }
  }

  /// Ends everything; nothing of it may be left afterwards.
  func end() async {
    await outbox.stop()
    managers = []
    for proxy in proxies { proxy.stop() }
    server.server.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
