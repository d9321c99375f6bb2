#if canImport(Security)
  import Foundation
#endif

extension SigningKey {
  #if canImport(Security)
    /// The program's own key in the system's keychain: 32 random bytes, made at the first use, readable after
    /// the first unlock and only on this device. Nil when the keychain cannot be used, as by a macOS tool that is
    /// not signed with an entitlement for it.
    public static let keychain = kept(
      in: KeychainItem(
        service: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName, account: "storage-key",
        calls: SystemKeychain()))
  #else
    /// Nil: there is no keychain on this platform.
    public static let keychain: SigningKey? = nil
  #endif

  /// The key in an item, which is made when there is none; nil when the keychain cannot be used.
  static func kept(in item: KeychainItem) -> SigningKey? {
    (try? item.readOrAdd(SigningKey.random().bytes)).map { SigningKey(bytes: $0) }
  }
}
