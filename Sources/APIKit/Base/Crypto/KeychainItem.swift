/// One secret in the system's keychain: a generic password, found by its service and account.
///
/// What to do with each status is decided here, over ``KeychainCalls``, so that it is tested without a keychain.
struct KeychainItem: Sendable {
  let service: String
  let account: String
  /// The access group. With nil, the system adds to the first group of the program and looks in all of them.
  var group: String?
  let calls: any KeychainCalls

  /// A call that failed, with the system's status (SecBase.h).
  struct Fault: Error, Hashable, CustomStringConvertible {
    let status: Int32

    /// Whether it stays so for as long as the process runs.
    var isLasting: Bool { status == KeychainStatus.missingEntitlement }

    var description: String {
      status == KeychainStatus.missingEntitlement
        ? "status \(status): the program is not signed with an entitlement for the keychain (keychain-access-groups or application-identifier)"
        : "status \(status)"
    }
  }

  /// The secret; nil when there is none.
  func read() throws(Fault) -> [UInt8]? {
    let (status, bytes) = calls.read(self)
    if status == KeychainStatus.notFound { return nil }
    guard status == KeychainStatus.success, let bytes else { throw Fault(status: status) }
    return bytes
  }

  /// Puts the secret in place of the earlier one.
  ///
  /// The keychain has no such call, only one that changes an item and one that adds it. Between the two another
  /// process may add or remove it; then both are tried again.
  func write(_ bytes: [UInt8]) throws(Fault) {
    var status = KeychainStatus.notFound
    for _ in 0..<Self.rounds {
      status = calls.update(self, to: bytes)
      if status == KeychainStatus.notFound { status = calls.add(self, bytes) }
      guard status == KeychainStatus.duplicate else { break }
    }
    guard status == KeychainStatus.success else { throw Fault(status: status) }
  }

  /// Adds the secret unless there is one, and returns what is stored then.
  func readOrAdd(_ bytes: @autoclosure () -> [UInt8]) throws(Fault) -> [UInt8]? {
    if let stored = try read() { return stored }
    let status = calls.add(self, bytes())
    // Another process of the program may have made it first; what is stored then counts.
    guard status == KeychainStatus.success || status == KeychainStatus.duplicate else {
      throw Fault(status: status)
    }
    return try read()
  }

  /// Removes the secret, if there is one.
  func remove() throws(Fault) {
    let status = calls.remove(self)
    guard status == KeychainStatus.success || status == KeychainStatus.notFound else {
      throw Fault(status: status)
    }
  }

  /// Each further one needs another process that adds and removes the item in between.
  private static let rounds = 8
}

/// The calls of the keychain: the system's, or those of a test.
protocol KeychainCalls: Sendable {
  func read(_ item: KeychainItem) -> (status: Int32, bytes: [UInt8]?)
  func add(_ item: KeychainItem, _ bytes: [UInt8]) -> Int32
  func update(_ item: KeychainItem, to bytes: [UInt8]) -> Int32
  func remove(_ item: KeychainItem) -> Int32
}

/// The statuses that decide what happens next.
/// - SeeAlso: <https://developer.apple.com/documentation/security/security-framework-result-codes>
enum KeychainStatus {
  static let success: Int32 = 0
  static let duplicate: Int32 = -25299
  static let notFound: Int32 = -25300
  static let missingEntitlement: Int32 = -34018
}
