import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Whose the kept exchanges are, and how those of one user are erased.
@MainActor final class ExchangeUserTests: XCTestCase {
  private let key = SecretKey(bytes: [UInt8](0..<32))
  private let stub = StubTransport(.json("{}"))
  private let authenticator = Authenticator()
  private lazy var folder = temporaryPath()

  private var path: String { folder + "/exchanges.sqlite" }

  private func makeStore() throws -> ExchangeStore {
    let store = try ExchangeStore(path: path, key: key)
    store.isOn = true
    return store
  }

  private func manager(_ store: ExchangeStore, _ apiName: String, over transport: StubTransport? = nil)
    -> TestManager
  {
    var service = TestService(stub)
    service.client = HTTPClient(transport: store.keeping(transport ?? stub))
    service.authenticator = authenticator
    let manager = TestManager(service)
    manager.apiName = apiName
    return manager
  }

  private func load(_ store: ExchangeStore, _ apiName: String, as user: String) async throws {
    try authenticator.signIn(with: Credential(accessToken: "token of \(user)", notes: ["user": user]))
    _ = try await manager(store, apiName).response()
  }

  private func paths(_ store: ExchangeStore) async throws -> [String] {
    try await store.find().map(\.path)
  }

  func testTheExchangesOfOneUserAreErasedAndThoseOfAnotherStay() async throws {
    let store = try makeStore()
    try await load(store, "anna", as: "anna")
    try await load(store, "bert", as: "bert")
    try authenticator.signOut()
    _ = try await manager(store, "nobody").response()
    let users = try await store.find().map(\.user)
    XCTAssertEqual(users, [nil, "bert", "anna"].map { KeptExchange.tag(of: $0) })
    XCTAssertFalse(users.contains("anna"), "the file does not say who they are")
    try await store.erase(of: ["anna"])
    var left = try await paths(store)
    XCTAssertEqual(left, ["/api/nobody", "/api/bert"])
    try await store.erase(of: [nil])
    left = try await paths(store)
    XCTAssertEqual(left, ["/api/bert"])
    let archive = try await store.archive(of: store.find())
    XCTAssertEqual(archive.entries.count, 1, "it opens with its user")
  }

  func testWaitingExchangesOfAUserWhoseNameIsOneTextOfOtherBytesStay() async throws {
    let store = try makeStore()
    try await load(store, "one", as: "zo\u{EB}")
    try await load(store, "other", as: "zoe\u{308}")
    try await store.erase(of: ["zo\u{EB}"])
    let left = try await paths(store)
    XCTAssertEqual(left, ["/api/other"])
  }

  func testAnExchangeThatIsUnderWayWhenAllAreErasedIsNotKept() async throws {
    let store = try makeStore()
    try await load(store, "before", as: "anna")
    let slow = StubTransport(.json("{}"))
    slow.hold()
    let manager = manager(store, "under-way", over: slow)
    manager.load()
    await waitUntil { slow.heldCount == 1 }
    store.isOn = false
    try await store.erase()
    slow.release()
    await waitUntil { !manager.isLoading }
    var left = try await paths(store)
    XCTAssertEqual(left, [])
    store.isOn = true
    try await load(store, "after", as: "anna")
    left = try await paths(store)
    XCTAssertEqual(left, ["/api/after"])
  }

  func testAnExchangeThatIsUnderWayWhenItsUserIsForgottenIsNotKept() async throws {
    let store = try makeStore()
    try await load(store, "before", as: "anna")
    let slow = StubTransport(.json("{}"))
    slow.hold()
    defer { slow.release() }
    let manager = manager(store, "under-way", over: slow)
    manager.load()
    await waitUntil { slow.heldCount == 1 }
    try store.markErasure(of: ["anna"])
    try authenticator.signOut()
    try await store.erase(of: ["anna"])
    manager.cancel()
    let left = try await paths(store)
    XCTAssertEqual(left, [])
    try await load(store, "again", as: "anna")
    let after = try await paths(store)
    XCTAssertEqual(after, ["/api/again"], "who signs in again is kept as before")
  }

  func testAnErasureThatWasBegunIsFinishedByTheNextLaunch() async throws {
    do {
      let store = try makeStore()
      try await load(store, "anna", as: "anna")
      try await load(store, "bert", as: "bert")
      await store.flush()
      try store.markErasure(of: ["anna"])
    }
    // Nothing is asked of it.
    let next = try makeStore()
    await waitUntil { (try? ExchangeDatabase.marked(at: self.path)) == [] }
    let left = try await paths(next)
    XCTAssertEqual(left, ["/api/bert"])
  }

  func testAnErasureIsNotOverWhileAnotherProcessReadsTheLog() async throws {
    let store = try makeStore()
    try await load(store, "anna", as: "anna")
    await store.flush()
    let reader = try SQLiteDatabase(path: path, patience: 100)
    try reader.execute("BEGIN")
    XCTAssertEqual(try reader.number("SELECT count(*) FROM exchanges"), 1)
    try store.markErasure(of: ["anna"])
    let error = try await errorThrown { () throws(APIError) in try await store.erase(of: ["anna"]) }
    XCTAssertTrue(error.detail.contains("another connection reads the log"), error.detail)
    XCTAssertFalse(try ExchangeDatabase.marked(at: path).isEmpty, "the next launch goes on with it")
    try reader.execute("COMMIT")
    let next = try makeStore()
    await waitUntil { (try? ExchangeDatabase.marked(at: self.path)) == [] }
    let log = FileManager.default.contents(atPath: path + "-wal") ?? Data()
    XCTAssertNil(log.range(of: Data("/api/anna".utf8)))
    let left = try await paths(next)
    XCTAssertEqual(left, [])
  }

  func testADatabaseOfTheFormBeforeIsRead() async throws {
    try PrivateFile.makeFolder(folder)
    do {
      let old = SQLiteSchema(
        migrations: [SQLiteSchema.exchanges.migrations[0]], application: 0x4150_4B58, settings: "")
      let database = try SQLiteDatabase(path: path, patience: 100)
      XCTAssertNil(try old.prepare(database))
      try database.execute(
        """
        INSERT INTO exchanges VALUES (1, 'launch', 7, \(WallClock.now), 0.5, 3, 'Homes', 'list', 'GET',
        'homes.test', '/api/old', 204, '', 0, 0, 500)
        """)
      let entry = HTTPArchive.Entry(
        secondsSince1970: WallClock.now,
        request: HTTPArchive.Request(
          method: .get, url: "https://homes.test/api/old", headers: [:], body: HTTPArchive.Content()))
      let content = Envelope(kind: .keptExchange).seal(
        entry.tree.compactBytes, under: try XCTUnwrap(StorageKey(key.withBytes { $0 })),
        at: "launch 7 GET homes.test /api/old 204  Homes list".utf8)
      let filling = try database.prepare("INSERT INTO contents VALUES (1, ?)")
      filling.bind(1, try XCTUnwrap(content))
      try filling.run()
    }
    let store = try makeStore()
    let found = try await store.find()
    XCTAssertEqual(found.map(\.path), ["/api/old"])
    XCTAssertEqual(found.map(\.user), [""])
    let archive = try await store.archive(of: found)
    XCTAssertEqual(archive.entries.map(\.request.url), ["https://homes.test/api/old"])
    try await load(store, "new", as: "anna")
    try await store.erase(of: [nil])
    let left = try await paths(store)
    XCTAssertEqual(left, ["/api/new"], "what does not say whose it is goes with whoever is forgotten")
  }
}
