import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Where logins are kept.
final class LoginStoreTests: XCTestCase {
  private let space = ProtectionSpace(scheme: "https", host: "a.test", port: 443, realm: "Hangar")
  private let login = HTTPLogin(user: "flight", password: "landing-secret", scheme: .digest)

  private func files(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".login") }
  }

  func testALoginIsFoundAgainInItsSpaceOnly() throws {
    let (path, key) = (temporaryPath(), SecretKey.random())
    let stores: [any LoginStore] = [MemoryLoginStore(), try FileLoginStore(folder: path, key: key)]
    for store in stores {
      XCTAssertNil(try store.login(in: space))
      try store.store(nil, in: space)
      try store.store(login, in: space)
      XCTAssertEqual(try store.login(in: space), login)
      var other = space
      other.realm = "Tower"
      XCTAssertNil(try store.login(in: other))
      try store.store(HTTPLogin(user: "b", password: "c", scheme: .basic), in: space)
      XCTAssertEqual(try store.login(in: space)?.scheme, .basic)
    }
    XCTAssertEqual(try FileLoginStore(folder: path, key: key).login(in: space)?.user, "b")
    try stores[1].store(nil, in: space)
    XCTAssertEqual(files(path), [])
  }

  func testAStoredLoginIsSealedForItsSpaceUnderItsKey() throws {
    let path = temporaryPath()
    let store = try FileLoginStore(folder: path, key: SecretKey.random())
    try store.store(login, in: space)
    let name = try XCTUnwrap(files(path).first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    for secret in ["landing-secret", "flight", "a.test"] {
      XCTAssertNil(bytes.range(of: Data(secret.utf8)), secret)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions]
    XCTAssertEqual(mode as? Int, 0o600)
    assertFails(.credentialStoreFailed, "another key") {
      try FileLoginStore(folder: path, key: SecretKey.random()).login(in: space)
    }
    var other = space
    other.host = "b.test"
    try store.store(login, in: other)
    let theirs = try XCTUnwrap(files(path).first { $0 != name })
    try bytes.write(to: URL(fileURLWithPath: path + "/" + theirs))
    assertFails(.credentialStoreFailed, "elsewhere") { try store.login(in: other) }
    assertFails(.misconfigured, "32 bytes") { try FileLoginStore(folder: path, key: SecretKey(bytes: [1])) }
  }

  func testLoginsAreKeptAsTheConfigurationSays() throws {
    var configuration = TransportConfiguration.standard
    configuration.storageKey = .random()
    XCTAssertTrue(try configuration.loginStore() is FileLoginStore)
    configuration.persistence = .memory
    XCTAssertTrue(try configuration.loginStore() is MemoryLoginStore)
    configuration.persistence = .disk
    configuration.storageKey = nil
    XCTAssertTrue(try configuration.loginStore() is MemoryLoginStore)
    let own = MemoryLoginStore()
    configuration.logins = own
    XCTAssertTrue(try configuration.loginStore() === own)
  }

  func testALoginThatIsTooLargeToBeReadAgainIsRefusedWhenItIsWritten() throws {
    let path = temporaryPath()
    let store = try FileLoginStore(folder: path, key: SecretKey.random())
    try store.store(login, in: space)
    let large = HTTPLogin(user: "a", password: String(repeating: "x", count: 64 << 10), scheme: .basic)
    assertFails(.credentialStoreFailed, "is too large") { try store.store(large, in: space) }
    XCTAssertEqual(try store.login(in: space), login)
  }

  func testASpaceIsTheSameInAnyCaseOfItsSchemeAndHost() throws {
    var other = ProtectionSpace(scheme: "HTTPS", host: "A.test", port: 443, realm: "Hangar")
    XCTAssertEqual(other, space)
    other.scheme = "Http"
    other.host = "B.TEST."
    XCTAssertEqual(other, ProtectionSpace(scheme: "http", host: "b.test", port: 443, realm: "Hangar"))
    let store = MemoryLoginStore()
    store.store(login, in: ProtectionSpace(scheme: "HTTPS", host: "a.test", port: 443))
    XCTAssertEqual(store.login(in: ProtectionSpace("https://a.test/" as HTTPURL)), login)
  }

  func testPrintingAStoredLoginShowsNoPassword() {
    let stored = StoredLogin(login)
    var dumped = ""
    dump(stored, to: &dumped)
    for text in ["\(stored)", String(reflecting: stored), dumped] {
      XCTAssertFalse(text.contains("landing-secret"), text)
    }
  }
}
