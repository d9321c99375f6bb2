import APIKitTesting
import APIKitReports
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// An application that keeps something in each place that the framework writes to, of Anna and of Bert.
@MainActor final class UserDataWorld {
  static let canary = "canary-of-anna"
  /// Longer than what a database takes, so that it has a file of its own.
  static let long = Array(String(repeating: "\(canary) ", count: 10_000).utf8)
  private static let key = SecretKey(bytes: [UInt8](repeating: 7, count: 32))

  let folder: String
  let authenticator: Authenticator
  let jar: CookieJar
  let cache: ResponseCache
  let outbox: Outbox
  let transfers: TransferQueue
  let log: ActionLog
  let logins: FileLoginStore
  let exchanges: ExchangeStore
  let service: TestService
  let userData: UserData
  private let pool: HostPool

  init(_ folder: String) throws {
    self.folder = folder
    authenticator = Authenticator(
      store: try FileCredentialStore(folder: "\(folder)/credentials", key: Self.key))
    jar = CookieJar(store: try CookieStore(path: "\(folder)/cookies/jar", key: Self.key))
    cache = ResponseCache(disk: DiskCacheConfiguration(folder: "\(folder)/cache"))
    pool = HostPool(
      "homes.test", source: try .daily(in: "\(folder)/hosts", key: Self.key) { ["203.0.113.7"] })
    var service = TestService(StubTransport())
    service.client = HTTPClient(transport: StubTransport(), cookies: jar)
    (service.authenticator, service.store, service.hosts) = (authenticator, cache, pool)
    self.service = service
    let network = NetworkMonitor(watchesSystem: false)
    var kept = OutboxConfiguration(folder: "\(folder)/outbox")
    (kept.network, kept.keepsItemsAtSignOut, kept.storageKey) = (network, true, nil)
    outbox = Outbox(kept)
    outbox.register(QueuedNoteManager.self) { QueuedNoteManager(service) }
    var queued = TransferQueueConfiguration(folder: "\(folder)/transfers")
    (queued.network, queued.sessionIdentifier, queued.storageKey) = (network, nil, nil)
    transfers = TransferQueue(queued)
    transfers.register(KeptDownloads.self) { KeptDownloads(service) }
    transfers.register(KeptUploads.self) { KeptUploads(service) }
    log = ActionLog(folder: "\(folder)/actions", storageKey: nil) { _ in }
    logins = try FileLoginStore(folder: "\(folder)/logins", key: Self.key)
    exchanges = try ExchangeStore(path: "\(folder)/exchanges/exchanges.sqlite", key: Self.key)
    exchanges.isOn = true
    userData = UserData(
      of: [service], outboxes: [outbox], transferQueues: [transfers], actionLogs: [log],
      loginStores: [logins], downloadFolders: ["\(folder)/downloads"], uploads: [Self.tus(folder)],
      stores: [exchanges], folder: folder)
  }

  private static func tus(_ folder: String) -> TusOptions {
    var options = TusOptions()
    options.journalFolder = "\(folder)/uploads"
    return options
  }

  // MARK: What is kept

  func signIn(_ user: String) throws {
    try authenticator.signIn(with: Credential(accessToken: "token of \(user)", notes: ["user": user]))
  }

  /// Bert's item stays behind; then Anna has something everywhere.
  func fill() async throws {
    try signIn("bert")
    try await keep("bert's note", large: nil)
    try await exchange("of-bert")
    try authenticator.signOut()
    try signIn("anna")
    try await keep(Self.canary, large: Self.long)
    try await exchange(Self.canary)
    try await exchange("\(Self.canary)-of-nobody", SignInRule.exempt)
    await exchanges.flush()
    try await transfers.enqueue(
      KeptDownloads(service), ["id": Self.canary], to: .file("\(folder)/downloads/queued"))
    try await transfers.enqueue(KeptUploads(service), uploading: .bytes(Self.long))
    log.record(Self.canary, ["of": Self.canary])
    _ = await log.counts()
    for (number, body) in [Array(Self.canary.utf8), Self.long].enumerated() {
      cache.put(CacheFixture.entry(number).with { $0.http.body = .bytes(body) }, in: .all)
    }
    await cache.flush()
    jar.store(
      ["Set-Cookie": "name=\(Self.canary); Max-Age=1000"], from: try XCTUnwrap(HTTPURL("https://homes.test")))
    try jar.flush()
    try logins.store(
      HTTPLogin(user: Self.canary, password: Self.canary),
      in: ProtectionSpace(scheme: "https", host: "homes.test", port: 443, realm: "homes"))
    if case .daily(let kept) = pool.source?.kind {
      kept.keep(KeptHosts.List(day: 1, addresses: ["203.0.113.7"]), of: "homes.test")
    }
    try keepTransfers()
    // What processes have left that ended meanwhile, and a damaged database.
    for name in [
      "outbox/queue.sqlite.damaged-01", "outbox/queue.sqlite.damaged-01-wal", "uploads/a.upload.new",
      "actions/actions.sqlite.damaged-02", "transfers/queue.sqlite.damaged-03.draft", "cookies/jar.7.new",
      "exchanges/exchanges.sqlite.damaged", "downloads/left.apikit-part.journal.new", "hosts/a.hosts.7.new",
      "logins/a.login.7.new",
    ] {
      try Data(Self.canary.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
  }

  private func keep(_ note: String, large: [UInt8]?) async throws {
    QueuedNoteManager(service).load(["text": note])
    if let large {
      let manager = QueuedNoteManager(service)
      manager.body = .bytes(large)
      manager.load()
    }
    await outbox.flush()
  }

  /// Has a load keep its exchange, with a path that is an open column.
  private func exchange(_ path: String, _ rule: SignInRule = .asAvailable) async throws {
    var watched = service
    watched.client = HTTPClient(transport: exchanges.keeping(StubTransport(.json("{}"))), cookies: jar)
    let manager = TestManager(watched)
    (manager.apiName, manager.signIn) = (path, rule)
    _ = try await manager.response()
  }

  /// The paths of the kept exchanges.
  func keptPaths() async throws -> [String] { try await exchanges.find().map(\.path) }

  private func keepTransfers() throws {
    try PrivateFile.makeFolder("\(folder)/downloads")
    let file = try PartialFile(for: "\(folder)/downloads/begun", identity: "one")
    try Self.long.withUnsafeBytes { try file.write($0, at: 0) }
    var state = DownloadState()
    (state.offset, state.etag) = (Int64(Self.long.count), "\"\(Self.canary)\"")
    try file.checkpoint(state)
    let path = UploadJournal.path(Self.tus(folder), of: [], fingerprint: "print")
    let journal = try UploadJournal(path)
    try journal.write(UploadState(location: "https://homes.test/\(Self.canary)"))
  }

  // MARK: What is found

  /// The files with bytes of Anna, and those that are sealed and nobody's but a user's.
  static func traces(in folder: String) throws -> [String] {
    var found: [String] = []
    let needle = Data(canary.utf8)
    for file in try files(in: folder) {
      let ending = file.pathExtension
      let isPersonal = ["credential", "login", "hosts", "upload", "apikit-part", "journal"].contains(ending)
      guard isPersonal || (try? Data(contentsOf: file))?.range(of: needle) != nil else { continue }
      found.append(String(file.path.dropFirst(folder.count)))
    }
    return found.sorted()
  }

  static func files(in folder: String) throws -> [URL] {
    let all = try XCTUnwrap(
      FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil))
    return all.compactMap { $0 as? URL }
  }

  /// Opens what is opened when the application runs.
  func openAll() async throws {
    _ = try await outbox.items()
    _ = try await transfers.transfers()
    _ = await log.counts()
    await cache.flush()
    _ = try await exchanges.find()
  }
}
