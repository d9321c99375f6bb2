#if canImport(Security)
  /// Stores credentials in the keychain, readable after the first unlock and only on this device.
  ///
  /// On macOS it is the data-protection keychain, which only programs with an entitlement for it may use: in a
  /// command-line tool without one, each call throws, and the error says so. Use a ``FileCredentialStore`` there.
  public final class KeychainCredentialStore: CredentialStore {
    private let service: String
    private let accessGroup: String?

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - service: The name of the items' service; the application's bundle identifier is a good one.
    ///   - accessGroup: A group shared with extensions. With nil, the default, items are added to the first of
    ///     the application's groups and looked for in all of them: an application that has several names one.
    public init(service: String, accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// The credential of an account; nil when there is none.
    ///
    /// Throws ``APIError/Reason/credentialStoreFailed`` when the item cannot be read.
    public func credential(of account: String) throws(APIError) -> Credential? {
      let bytes: [UInt8]?
      do throws(KeychainItem.Fault) { bytes = try item(account).read() } catch {
        throw failed("be read", error)
      }
      guard let bytes else { return nil }
      return try Credential(json: bytes)
    }

    /// Stores a credential in place of the earlier one; nil removes it.
    ///
    /// Throws ``APIError/Reason/credentialStoreFailed`` when the item cannot be written or removed.
    public func store(_ credential: Credential?, of account: String) throws(APIError) {
      guard let credential else {
        do throws(KeychainItem.Fault) { return try item(account).remove() } catch {
          throw failed("be removed", error)
        }
      }
      let text: String
      do { text = try credential.jsonText } catch {
        throw APIError(.auth, .credentialStoreFailed, "the credential has no text", underlying: error)
      }
      do throws(KeychainItem.Fault) { try item(account).write(Array(text.utf8)) } catch {
        throw failed("be written", error)
      }
    }

    private func item(_ account: String) -> KeychainItem {
      KeychainItem(service: service, account: account, group: accessGroup, calls: SystemKeychain())
    }

    private func failed(_ verb: String, _ fault: KeychainItem.Fault) -> APIError {
      APIError(.auth, .credentialStoreFailed, "the keychain item cannot \(verb): \(fault)", underlying: fault)
    }
  }
#endif
