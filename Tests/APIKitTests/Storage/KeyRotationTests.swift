import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Keys are exchanged without a loss, and what cannot be read says why.
final class KeyRotationTests: XCTestCase {
  private let old = SecretKey(bytes: [UInt8](repeating: 1, count: 32))
  private let new = SecretKey(bytes: [UInt8](repeating: 2, count: 32))
  private lazy var folder = temporaryPath()

  func testACredentialIsReadUnderThePreviousKeyAndSealedUnderTheNewOne() throws {
    let credential = Credential(accessToken: "at")
    try FileCredentialStore(folder: folder, key: old).store(credential, of: "ann")
    assertFails(.credentialStoreFailed, "under another key") {
      try FileCredentialStore(folder: folder, key: new).credential(of: "ann")
    }
    let rotating = try FileCredentialStore(folder: folder, key: new, previousKeys: [old])
    XCTAssertEqual(try rotating.credential(of: "ann"), credential)
    XCTAssertTrue(try rotating.replace(credential, with: Credential(accessToken: "at2"), of: "ann"))
    XCTAssertEqual(
      try FileCredentialStore(folder: folder, key: new).credential(of: "ann"), Credential(accessToken: "at2"))
    assertFails(.misconfigured, "32 bytes, not 3") {
      try FileCredentialStore(folder: folder, key: new, previousKeys: [SecretKey(bytes: [1, 2, 3])])
    }
  }

  func testLoginsAndCookiesToo() throws {
    let space = ProtectionSpace(scheme: "https", host: "a.test", port: 443)
    let login = HTTPLogin(user: "a", password: "b")
    try FileLoginStore(folder: folder, key: old).store(login, in: space)
    let logins = try FileLoginStore(folder: folder, key: new, previousKeys: [old])
    XCTAssertEqual(try logins.login(in: space), login)
    try logins.store(login, in: space)
    XCTAssertEqual(try FileLoginStore(folder: folder, key: new).login(in: space), login)

    let (oldKey, newKey) = (old, new)
    let cookies = [Cookie("sid", "x", domain: "a.test", expires: 4_000_000_000)]
    _ = try CookieStore(path: folder + "/cookies", key: oldKey).update { _ in cookies }
    let store = try CookieStore(path: folder + "/cookies", key: newKey, previousKeys: [oldKey])
    XCTAssertNil(store.fault)
    XCTAssertEqual(try store.update { $0 ?? [] }, cookies)
    XCTAssertEqual(try CookieStore(path: folder + "/cookies", key: newKey).load(), cookies)
  }

  func testAFileOfCookiesThatCannotBeReadSaysWhy() throws {
    let store = try CookieStore(path: folder + "/cookies", key: new)
    XCTAssertNil(store.fault, "there is no file")
    func fault(_ bytes: [UInt8]) throws -> String {
      try PrivateFile.replace(store.path, with: bytes)
      XCTAssertEqual(store.load(), [])
      XCTAssertEqual(store.fault?.reason, .fileFailed)
      return store.fault?.detail ?? ""
    }
    let key = try XCTUnwrap(StorageKey(new.bytes))
    let sealed = try XCTUnwrap(
      Envelope(kind: .cookies).seal(Array("[]".utf8), under: key, at: "cookies".utf8))
    XCTAssertEqual(try fault([1, 2, 3]), "the file of cookies is no file of this framework")
    XCTAssertEqual(
      try fault(Array(sealed.dropLast())), "the file of cookies was damaged, or belongs elsewhere")
    var other = sealed
    other[4] = 2
    XCTAssertEqual(try fault(other), "the file of cookies holds a credential, not cookies")
    other[4] = 99
    XCTAssertEqual(try fault(other), "the file of cookies holds content of the unknown kind 99, not cookies")
    let strange = try XCTUnwrap(Envelope(kind: .cookies).seal([7], under: key, at: "cookies".utf8))
    XCTAssertEqual(try fault(strange), "the file of cookies holds no cookies")
    let foreign = try XCTUnwrap(StorageKey(old.bytes))
    let theirs = try XCTUnwrap(Envelope(kind: .cookies).seal([7], under: foreign, at: "cookies".utf8))
    XCTAssertEqual(try fault(theirs), "the file of cookies was sealed under another key")
    // What is damaged is replaced by what the servers set next; what a later version wrote is not.
    XCTAssertNoThrow(try store.update { _ in [] })
    let later = try XCTUnwrap(Envelope(kind: .cookies, version: 2).seal([7], under: key, at: "cookies".utf8))
    XCTAssertEqual(try fault(later), "the file of cookies has the form 2 of a later version")
    assertFails(.fileFailed, "cannot be written") { try store.update { _ in [] } }
    XCTAssertEqual(try PrivateFile.read(store.path, limit: 1 << 20), later)
  }
}
