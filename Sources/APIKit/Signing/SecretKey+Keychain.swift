#if canImport(Security)
  import Foundation
#endif

extension SecretKey {
  #if canImport(Security)
    /// The program's own key in the system's keychain: 32 random bytes, made at the first use, readable after
    /// the first unlock and only on this device. Nil when the keychain cannot be used, as by a macOS tool that is
    /// not signed with an entitlement for it.
    ///
    /// It is nil as well before the user has unlocked the device for the first time since it was started, when the system may
    /// launch a program in the background. The next use then reads the keychain again. A use may block while the keychain is
    /// read; to avoid that, call ``readKeychain()`` at launch.
    ///
    /// The item has the application's bundle identifier as its service, so each extension has a key of its own. It outlives
    /// the application: after a new installation the application finds it again.
    public static var keychain: SecretKey? { program.key }

    private static let program = KeptKey(
      KeychainItem(
        service: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName, account: "storage-key",
        calls: SystemKeychain()))
  #else
    /// Nil: there is no keychain on this platform.
    public static let keychain: SecretKey? = nil
  #endif

  /// Reads ``keychain`` off the main thread and the threads of tasks, so that later uses find it without waiting.
  ///
  /// Clients, caches and queues that are made before it returns read the keychain on their own thread. Nil where
  /// ``keychain`` is nil.
  @discardableResult public static func readKeychain() async -> SecretKey? {
    await BlockingWork.run { keychain }
  }
}

/// A key in an item of the keychain, which is made when there is none.
final class KeptKey: Sendable {
  private enum Known {
    case key(SecretKey)
    /// The program may not use the keychain, and never will in this process.
    case none
  }

  private let item: KeychainItem
  private let known = Mutex<Known?>(nil)

  init(_ item: KeychainItem) { self.item = item }

  /// Nil when the keychain cannot be used now.
  var key: SecretKey? {
    switch known.withLock({ $0 }) {
    case .key(let key): return key
    case .none?: return nil
    case nil: break
    }
    do throws(KeychainItem.Fault) {
      guard let bytes = try item.readOrAdd(SecretKey.random().bytes) else { return nil }
      let key = SecretKey(bytes: bytes)
      known.withLock { $0 = .key(key) }
      return key
    } catch {
      if error.isLasting { known.withLock { $0 = Known.none } }
      return nil
    }
  }
}
