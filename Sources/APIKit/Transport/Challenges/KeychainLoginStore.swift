#if canImport(Security)
  import Foundation

  /// Keeps logins in the keychain, readable after the first unlock and only on this device.
  ///
  /// On macOS it is the data-protection keychain, which only programs with an entitlement for it may use.
  public final class KeychainLoginStore: LoginStore {
    private let service: String
    private let accessGroup: String?

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - service: The name of the items' service; the application's bundle identifier is a good one.
    ///   - accessGroup: A group shared with extensions; with nil, the default, items are added to the first of the
    ///     application's groups and looked for in all of them.
    public init(service: String, accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// The login of a space; nil when there is none.
    public func login(in space: ProtectionSpace) throws(APIError) -> HTTPLogin? {
      do {
        guard let bytes = try item(space).read() else { return nil }
        return try JSONDecoder().decode(StoredLogin.self, from: Data(bytes)).login
      } catch {
        throw StoredLogin.failed("cannot be read from the keychain: \(error)", error)
      }
    }

    /// Stores a login in place of the earlier one; nil removes it.
    public func store(_ login: HTTPLogin?, in space: ProtectionSpace) throws(APIError) {
      do {
        guard let login else { return try item(space).remove() }
        try item(space).write([UInt8](try JSONEncoder().encode(StoredLogin(login))))
      } catch {
        throw StoredLogin.failed("cannot be written to the keychain: \(error)", error)
      }
    }

    private func item(_ space: ProtectionSpace) -> KeychainItem {
      KeychainItem(
        service: service + ".logins", account: space.description, group: accessGroup,
        calls: SystemKeychain())
    }
  }
#endif
