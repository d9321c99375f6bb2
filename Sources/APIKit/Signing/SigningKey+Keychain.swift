#if canImport(Security)
  import Foundation
  import Security
#endif

extension SigningKey {
  #if canImport(Security)
    /// The program's own key in the system's keychain: 32 random bytes, made at the first use, readable after
    /// the first unlock and only on this device. Nil when the keychain cannot be used.
    public static let keychain: SigningKey? = {
      let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "storage-key",
        kSecAttrService as String: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
        kSecUseDataProtectionKeychain as String: true,
      ]
      func stored() -> SigningKey? {
        var found: CFTypeRef?
        let query = item.merging([kSecReturnData as String: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return (found as? Data).map { SigningKey(bytes: [UInt8]($0)) }
      }
      if let key = stored() { return key }
      let value: [String: Any] = [
        kSecValueData as String: Data(SigningKey.random().bytes),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      // Another process of the program may have made it first; what is stored then counts.
      SecItemAdd(item.merging(value) { $1 } as CFDictionary, nil)
      return stored()
    }()
  #else
    /// Nil: there is no keychain on this platform.
    public static let keychain: SigningKey? = nil
  #endif
}
