import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// The file of a jar: sealed, and nowhere without a key.
final class CookieStoreTests: XCTestCase {
  private lazy var folder = temporaryPath()
  private let key = SecretKey.random()
  private let cookies = [Cookie("sid", "hunter2", domain: "a.test", expires: 4_000_000_000)]

  func testCookiesComeBackUnderTheirKeyAndStandNowhereInTheClear() throws {
    let store = try CookieStore(path: folder + "/deep/cookies", key: key)
    XCTAssertEqual(store.load(), [])
    _ = try store.update { _ in cookies }
    XCTAssertEqual(store.load(), cookies)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
    XCTAssertEqual(bytes.prefix(4), Data("APIK".utf8))
    for word in ["sid", "hunter2", "a.test"] { XCTAssertNil(bytes.range(of: Data(word.utf8)), word) }
    XCTAssertEqual(try CookieStore(path: store.path, key: .random()).load(), [])
  }

  func testAFileBelongsToItsNameAndMayMoveWithItsFolder() throws {
    let store = try CookieStore(path: folder + "/one/cookies", key: key)
    _ = try store.update { _ in cookies }
    try FileManager.default.moveItem(atPath: folder + "/one", toPath: folder + "/two")
    XCTAssertEqual(try CookieStore(path: folder + "/two/cookies", key: key).load(), cookies)
    try FileManager.default.moveItem(atPath: folder + "/two/cookies", toPath: folder + "/two/others")
    XCTAssertEqual(try CookieStore(path: folder + "/two/others", key: key).load(), [])
  }

  func testAFileInTheClearOrOfOthersIsNotTaken() throws {
    let store = try CookieStore(path: folder + "/cookies", key: key)
    try PrivateFile.replace(store.path, with: try JSONEncoder().encode(cookies))
    XCTAssertEqual(store.load(), [])
    let json = [UInt8](try JSONEncoder().encode(cookies))
    try PrivateFile.replace(store.path, with: Envelope(kind: .cookies).wrap(json))
    XCTAssertEqual(store.load(), [])
    _ = try store.update { _ in cookies }
    XCTAssertEqual(chmod(store.path, 0o644), 0)
    XCTAssertEqual(store.load(), [])
  }

  func testAKeyOfAnotherLengthIsAnErrorOfTheConfiguration() {
    assertFails(.misconfigured, "32 bytes, not 9") {
      try CookieStore(path: "x", key: SecretKey("too short"))
    }
    var configuration = TransportConfiguration.standard
    configuration.storageKey = SecretKey("too short")
    assertFails(.misconfigured, "32 bytes") { try HTTPClient(configuration: configuration) }
  }

  func testPrintingAStoreShowsNoKey() throws {
    let store = try CookieStore(path: "x", key: SecretKey(bytes: [UInt8](repeating: 0xA7, count: 32)))
    var dumped = ""
    dump(store, to: &dumped)
    for text in ["\(store)", String(reflecting: store), dumped] { XCTAssertFalse(text.contains("167"), text) }
  }

  func testAJarTakesItsFileOnceItsKeyCanBeRead() throws {
    let store = try CookieStore(path: folder + "/cookies", key: key)
    let old = Cookie("sid", "old", domain: "a.test", expires: 4_000_000_000)
    let other = Cookie("lang", "de", domain: "b.test", expires: 4_000_000_000)
    _ = try store.update { _ in [old, other] }
    let isUnlocked = Mutex(false)
    let jar = CookieJar(finding: { isUnlocked.withLock { $0 } ? store : nil })
    let url = HTTPURL("https://a.test/")
    XCTAssertNil(jar.header(for: url))
    XCTAssertFalse(jar.isOnDisk)
    jar.set(cookies[0])
    try jar.flush()
    XCTAssertEqual(jar.header(for: url), "sid=hunter2")
    XCTAssertEqual(store.load(), [old, other])
    isUnlocked.withLock { $0 = true }
    XCTAssertEqual(jar.header(for: HTTPURL("https://b.test/")), "lang=de")
    XCTAssertEqual(jar.header(for: url), "sid=hunter2", "the later one counts")
    try jar.flush()
    XCTAssertEqual(Set(store.load().map(\.value)), ["hunter2", "de"])
  }

  func testCookiesThatWereRemovedBeforeTheKeyCouldBeReadDoNotComeBack() throws {
    let store = try CookieStore(path: folder + "/cookies", key: key)
    _ = try store.update { _ in cookies }
    let isUnlocked = Mutex(false)
    let jar = CookieJar(finding: { isUnlocked.withLock { $0 } ? store : nil })
    jar.removeAll()
    isUnlocked.withLock { $0 = true }
    XCTAssertEqual(jar.cookies, [])
    try jar.flush()
    XCTAssertEqual(store.load(), [])
  }

  func testWithoutAKeyCookiesStayInMemory() throws {
    var configuration = TransportConfiguration.standard
    configuration.storageKey = nil
    XCTAssertEqual(try HTTPClient(configuration: configuration).cookies?.isOnDisk, false)
    configuration.storageKey = .random()
    XCTAssertEqual(try HTTPClient(configuration: configuration).cookies?.isOnDisk, true)
    configuration.persistence = .memory
    XCTAssertEqual(try HTTPClient(configuration: configuration).cookies?.isOnDisk, false)
  }
}
