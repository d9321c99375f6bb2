/// Which objects stand behind the name of a service, to find services that exist twice.
///
/// Two objects of one service have an authenticator and a clock of their own, so that who signs in with the one is not signed
/// in for the managers of the other.
final class ServiceStore: Sendable {
  /// The table of the process.
  static let shared = ServiceStore()

  private struct NamedService {
    weak var environments: ServiceEnvironments?
    var baseURL: HTTPURL?
    /// What it keeps between loads; nil for what it does not have.
    var authenticator: ObjectIdentifier?
    var clock: ObjectIdentifier?

    init(_ service: some APIService) {
      let identity = service.identity
      environments = service.environments
      baseURL = service.environments.selection().baseURL
      authenticator = identity.authenticator.map { ObjectIdentifier($0) }
      clock = identity.clock.map { ObjectIdentifier($0) }
    }

    /// Whether both ask the same server, and keep apart what they learn of it.
    func contradicts(_ other: Self) -> Bool {
      baseURL == other.baseURL && (authenticator != other.authenticator || clock != other.clock)
    }
  }

  private let entries = Mutex(PrunedTable<String, NamedService>())

  /// How many names are kept.
  var count: Int { entries.withLock { $0.values.count } }

  /// Notes a service that is about to be used.
  ///
  /// - Returns: The complaint when there is another service of the name, with the same base URL and another authenticator or
  ///   clock; else nil.
  func enter(_ service: some APIService) -> String? {
    let environments = service.environments
    guard !environments.isEntered.load() else { return nil }
    let (name, new) = (service.name, NamedService(service))
    let isSecond = entries.withLock { entries in
      guard let other = entries[name], let known = other.environments, known !== environments else {
        entries.makeRoom(for: name) { $0.environments == nil }
        entries[name] = new
        environments.isEntered.store(true)
        return false
      }
      return new.contradicts(other)
    }
    guard isSecond else { return nil }
    let type = type(of: service)
    return
      "several objects of the service \(name) are in use, each with a credential and a clock of its own: keep one, "
      + "`static let shared = \(type)(…)`, and state `let service = \(type).shared` in its managers"
  }
}
