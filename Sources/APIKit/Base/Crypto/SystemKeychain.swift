#if canImport(Security)
  import Foundation
  import Security

  /// The data-protection keychain: items that can be read after the first unlock and only on this device.
  struct SystemKeychain: KeychainCalls {
    func read(_ item: KeychainItem) -> (status: Int32, bytes: [UInt8]?) {
      var query = query(item)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      return (status, (found as? Data).map { [UInt8]($0) })
    }

    func add(_ item: KeychainItem, _ bytes: [UInt8]) -> Int32 {
      SecItemAdd(query(item).merging(value(bytes)) { $1 } as CFDictionary, nil)
    }

    func update(_ item: KeychainItem, to bytes: [UInt8]) -> Int32 {
      SecItemUpdate(query(item) as CFDictionary, value(bytes) as CFDictionary)
    }

    func remove(_ item: KeychainItem) -> Int32 { SecItemDelete(query(item) as CFDictionary) }

    private func query(_ item: KeychainItem) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: item.service,
        kSecAttrAccount as String: item.account, kSecUseDataProtectionKeychain as String: true,
      ]
      if let group = item.group { query[kSecAttrAccessGroup as String] = group }
      return query
    }

    private func value(_ bytes: [UInt8]) -> [String: Any] {
      [
        kSecValueData as String: Data(bytes),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
    }
  }
#endif
