import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Where credentials are kept, and that nobody else reads them.
final class CredentialStoreTests: XCTestCase {
  private lazy var folder = temporaryPath()
  private let credential = Credential(
    accessToken: "secret-access", refreshToken: "secret-refresh", expiresAt: 1_800_000_000,
    scopes: ["read", "write"], notes: ["user": "ann"])

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
  }

  private func reason(_ work: () throws -> Void) -> APIError.Reason? {
    do { try work() } catch { return (error as? APIError)?.reason }
    return nil
  }

  func testACredentialComesBackAsItWasKept() throws {
    let key = SecretKey.random()
    let store = try FileCredentialStore(folder: folder, key: key)
    XCTAssertNil(try store.credential(of: "ann"))
    try store.store(credential, of: "ann")
    try store.store(Credential(accessToken: "b"), of: "bob")
    let again = try FileCredentialStore(folder: folder, key: key)
    XCTAssertEqual(try again.credential(of: "ann"), credential)
    try again.store(nil, of: "ann")
    XCTAssertNil(try store.credential(of: "ann"))
    XCTAssertEqual(try store.credential(of: "bob")?.accessToken, "b")
    XCTAssertNoThrow(try store.store(nil, of: "nobody"))
  }

  func testKilledProcessesLeaveOneDraftAtMost() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let file = try XCTUnwrap(try files().first)
    try Data("half of".utf8).write(to: URL(fileURLWithPath: file + ".new"))
    try store.store(Credential(accessToken: "next"), of: "ann")
    XCTAssertEqual(try files(), [file])
    try Data("half of".utf8).write(to: URL(fileURLWithPath: file + ".new"))
    try store.store(nil, of: "ann")
    XCTAssertEqual(try files(), [])
  }

  #if os(Linux)
    func testTheErrorOfAFullDiskSaysSo() throws {
      let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
      let cookies = CookieJar(store: try CookieStore(path: folder + "/cookies", key: SecretKey.random()))
      cookies.set(Cookie("a", "1", domain: "a.test", expires: 4_000_000_000))
      try PrivateFile.makeFolder(folder)
      let limit = FileSizeLimit(8)
      defer { limit.remove() }
      for write in [{ try store.store(self.credential, of: "ann") }, { try cookies.flush() }] {
        XCTAssertThrowsError(try write()) { error in
          XCTAssertTrue((error as? APIError)?.detail.contains("File too large") == true, "\(error)")
        }
      }
      XCTAssertEqual(try files(), [], "no draft is left")
    }
  #endif

  func testTheFileIsItsOwnersAloneAndHoldsNoTokenInTheClear() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let file = try XCTUnwrap(try files().first)
    XCTAssertEqual(try files().count, 1, "no draft is left behind")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    XCTAssertEqual(mode, 0o600)
    let folderMode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    XCTAssertEqual(folderMode, 0o700)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    XCTAssertNil(bytes.range(of: Data("secret".utf8)))
    XCTAssertFalse(file.contains("ann"))
  }

  func testAFileThatOthersMayReadIsRefused() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let file = try XCTUnwrap(try files().first)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    XCTAssertEqual(reason { _ = try store.credential(of: "ann") }, .credentialStoreFailed)
  }

  func testAnotherKeyADamagedFileAndAnExchangedFileAreRefused() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let other = try FileCredentialStore(folder: folder, key: SecretKey.random())
    XCTAssertEqual(reason { _ = try other.credential(of: "ann") }, .credentialStoreFailed)

    let file = try XCTUnwrap(try files().first)
    try store.store(Credential(accessToken: "b"), of: "bob")
    let second = try XCTUnwrap(try files().first { $0 != file })
    let sealed = try Data(contentsOf: URL(fileURLWithPath: file))
    try sealed.write(to: URL(fileURLWithPath: second))
    XCTAssertEqual(reason { _ = try store.credential(of: "bob") }, .credentialStoreFailed, "it is ann's")

    var damaged = sealed
    damaged[20] ^= 1
    try damaged.write(to: URL(fileURLWithPath: file))
    XCTAssertEqual(reason { _ = try store.credential(of: "ann") }, .credentialStoreFailed)
    XCTAssertEqual(
      reason { _ = try FileCredentialStore(folder: "x", key: SecretKey(bytes: [1])) }, .misconfigured)
  }

  func testAFileInTheClearIsNotTakenForASealedOne() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let file = try XCTUnwrap(try files().first)
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: file)).prefix(4), Data("APIK".utf8))
    let plain = Envelope(kind: .credential).wrap(Array(try credential.jsonText.utf8))
    try PrivateFile.replace(file, with: plain)
    XCTAssertEqual(reason { _ = try store.credential(of: "ann") }, .credentialStoreFailed)
  }

  func testAFolderThatOthersMayChangeIsRefused() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let file = try XCTUnwrap(try files().first)
    for mode in [0o777, 0o1777, 0o770] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
      XCTAssertEqual(reason { _ = try store.credential(of: "ann") }, .credentialStoreFailed)
      XCTAssertEqual(reason { try store.store(credential, of: "bob") }, .credentialStoreFailed)
      XCTAssertEqual(try files(), [file])
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    XCTAssertEqual(try store.credential(of: "ann"), credential)
    guard chown(folder, 65534, 65534) == 0 else { throw XCTSkip("only root can give folders away") }
    XCTAssertEqual(reason { _ = try store.credential(of: "ann") }, .credentialStoreFailed)
  }

  func testPrintingACredentialShowsNoToken() {
    var dumped = ""
    dump(credential, to: &dumped)
    for text in ["\(credential)", String(reflecting: credential), dumped] {
      XCTAssertFalse(text.contains("secret"), text)
      XCTAssertTrue(text.contains("read write"), text)
    }
  }

  func testWhatIsTooLargeToBeReadAgainIsRefusedWhenItIsWritten() throws {
    let store = try FileCredentialStore(folder: folder, key: SecretKey.random())
    try store.store(credential, of: "ann")
    let large = Credential(accessToken: String(repeating: "x", count: 1 << 20))
    assertFails(.credentialStoreFailed, "is too large") { try store.store(large, of: "ann") }
    XCTAssertEqual(try store.credential(of: "ann"), credential)
    XCTAssertEqual(try files().count, 1, "no draft stays")
  }
}
