#if canImport(Security)
  import Foundation
  import Security

  /// Stores credentials in the keychain, readable after the first unlock and only on this device.
  public final class KeychainCredentialStore: CredentialStore {
    private let service: String
    private let accessGroup: String?

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - service: The name of the items' service; the application's bundle identifier is a good one.
    ///   - accessGroup: A group shared with extensions; with nil, the default, the application's own.
    public init(service: String, accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// The credential of an account; nil when there is none.
    ///
    /// Throws ``APIError/Reason/credentialStoreFailed`` when the item cannot be read.
    public func credential(of account: String) throws(APIError) -> Credential? {
      var query = query(account)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else { throw failed("be read", status) }
      return try Credential(json: [UInt8](data))
    }

    /// Stores a credential in place of the earlier one; nil removes it.
    ///
    /// Throws ``APIError/Reason/credentialStoreFailed`` when the item cannot be written or removed.
    public func store(_ credential: Credential?, of account: String) throws(APIError) {
      guard let credential else {
        let status = SecItemDelete(query(account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
          throw failed("be removed", status)
        }
        return
      }
      guard let text = try? credential.jsonText else { throw failed("be written", errSecParam) }
      let value: [String: Any] = [
        kSecValueData as String: Data(text.utf8),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(query(account) as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(query(account).merging(value) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw failed("be written", status) }
    }

    private func query(_ account: String) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account, kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
    }

    private func failed(_ verb: String, _ status: OSStatus) -> APIError {
      APIError(.auth, .credentialStoreFailed, "the keychain item cannot \(verb): status \(status)")
    }
  }
#endif
