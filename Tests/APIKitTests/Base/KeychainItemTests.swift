import XCTest

@testable import APIKit

final class KeychainItemTests: XCTestCase {
  /// A keychain of one item, in which another process may act before a call.
  private final class FakeKeychain: KeychainCalls {
    struct State {
      var bytes: [UInt8]?
      var status: Int32 = 0
      /// What another process does before each call to add.
      var beforeAdd: [@Sendable (inout State) -> Void] = []
    }
    let state = Mutex(State())

    private func act(_ body: (inout State) -> Int32) -> Int32 {
      state.withLock { $0.status == 0 ? body(&$0) : $0.status }
    }

    func read(_ item: KeychainItem) -> (status: Int32, bytes: [UInt8]?) {
      let status = act { $0.bytes == nil ? -25300 : 0 }
      return (status, status == 0 ? state.withLock { $0.bytes } : nil)
    }

    func add(_ item: KeychainItem, _ bytes: [UInt8]) -> Int32 {
      act { state in
        if !state.beforeAdd.isEmpty { state.beforeAdd.removeFirst()(&state) }
        guard state.bytes == nil else { return -25299 }
        state.bytes = bytes
        return 0
      }
    }

    func update(_ item: KeychainItem, to bytes: [UInt8]) -> Int32 {
      act { state in
        guard state.bytes != nil else { return -25300 }
        state.bytes = bytes
        return 0
      }
    }

    func remove(_ item: KeychainItem) -> Int32 {
      act { state in
        defer { state.bytes = nil }
        return state.bytes == nil ? -25300 : 0
      }
    }
  }

  private let keychain = FakeKeychain()
  private var item: KeychainItem { KeychainItem(service: "tests", account: "me", calls: keychain) }

  func testWhatIsWrittenIsReadUntilItIsRemoved() throws {
    XCTAssertNil(try item.read())
    try item.write([1])
    try item.write([2])
    XCTAssertEqual(try item.read(), [2])
    try item.remove()
    try item.remove()
    XCTAssertNil(try item.read())
  }

  func testAnItemThatAnotherProcessAddsMeanwhileIsReplaced() throws {
    keychain.state.withLock { $0.beforeAdd = [{ $0.bytes = [9] }] }
    try item.write([1])
    XCTAssertEqual(try item.read(), [1])
  }

  func testAKeyThatAnotherProcessMakesFirstIsTheKey() throws {
    let theirs = [UInt8](repeating: 9, count: 32)
    keychain.state.withLock { $0.beforeAdd = [{ $0.bytes = theirs }] }
    XCTAssertEqual(KeptKey(item).key?.bytes, theirs)
  }

  func testAKeyIsMadeOnce() throws {
    let made = try XCTUnwrap(KeptKey(item).key)
    XCTAssertEqual(made.bytes.count, 32)
    XCTAssertEqual(KeptKey(item).key?.bytes, made.bytes)
  }

  func testAKeychainThatIsLockedIsAskedAgainAndOneThatIsForbiddenIsNot() {
    let kept = KeptKey(item)
    // Before the first unlock (errSecInteractionNotAllowed).
    keychain.state.withLock { $0.status = -25308 }
    XCTAssertNil(kept.key)
    XCTAssertNil(kept.key)
    keychain.state.withLock { $0.status = 0 }
    let key = kept.key
    XCTAssertNotNil(key)
    // It is read once.
    keychain.state.withLock { $0.status = -25308 }
    XCTAssertEqual(kept.key, key)

    let forbidden = KeptKey(item)
    keychain.state.withLock { $0.status = -34018 }
    XCTAssertNil(forbidden.key)
    keychain.state.withLock { $0.status = 0 }
    XCTAssertNil(forbidden.key, "the process is not asked about again")
  }

  func testAKeychainThatCannotBeUsedIsAnErrorWithItsReason() {
    keychain.state.withLock { $0.status = -34018 }
    XCTAssertNil(KeptKey(item).key)
    XCTAssertThrowsError(try item.write([1])) { error in
      XCTAssertTrue("\(error)".contains("not signed with an entitlement"), "\(error)")
    }
    // Before the first unlock.
    keychain.state.withLock { $0.status = -25308 }
    XCTAssertThrowsError(try item.read()) { XCTAssertEqual("\($0)", "status -25308") }
    XCTAssertThrowsError(try item.remove())
  }

  func testReadingTheKeychainAheadGivesTheProgramsKey() async {
    let key = await SecretKey.readKeychain()
    XCTAssertEqual(key, SecretKey.keychain)
  }
}
