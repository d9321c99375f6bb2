/// Which environments stand behind the name of a service, to find services that exist twice.
///
/// Two objects of one service have environments, authenticators, clocks and caches of their own, so that a switch of the
/// one does not reach the managers of the other.
final class ServiceStore: Sendable {
  /// The table of the process.
  static let shared = ServiceStore()

  private struct NamedService {
    weak var environments: ServiceEnvironments?
    var isTold = false
  }

  private let entries = Mutex<[String: NamedService]>([:])

  /// Notes a service that is about to be used.
  ///
  /// - Returns: The complaint when there is another service of the name, and whether it is the first one; else nil.
  func enter(_ service: some APIService) -> (complaint: String, isNew: Bool)? {
    let environments = service.environments
    guard !environments.isEntered.load() else { return nil }
    let name = service.name
    let isNew = entries.withLock { entries -> Bool? in
      guard let other = entries[name]?.environments, other !== environments else {
        entries[name, default: NamedService()].environments = environments
        environments.isEntered.store(true)
        return nil
      }
      defer { entries[name]?.isTold = true }
      return entries[name]?.isTold == false
    }
    guard let isNew else { return nil }
    let type = type(of: service)
    return (
      "several objects of the service \(name) are in use, each with environments, a credential, a clock and a cache "
        + "of its own: keep one, `static let shared = \(type)(…)`, and state `let service = \(type).shared` in its "
        + "managers", isNew
    )
  }
}
