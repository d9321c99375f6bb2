import APIKit

/// The types of managers that a queue knows, and the managers that are told how its items end: an ``Outbox`` and a
/// ``TransferQueue`` alike. `Work` is how an item of a type is sent.
@MainActor struct QueueRegistry<Work> {
  struct Registration {
    var service: any APIService
    var work: Work
  }

  private let queue: String
  private var registrations: [String: Registration] = [:]
  private var typeNames: [ObjectIdentifier: String] = [:]
  private var attachments: [QueueAttachment] = []

  /// - Parameter queue: What the queue is called in sentences.
  init(of queue: String) { self.queue = queue }

  mutating func register(
    _ type: any Any.Type, as name: String?, of service: any APIService, _ work: Work, with runner: QueueRunner
  ) {
    let name = name ?? String(describing: type)
    precondition(
      registrations[name] == nil || typeNames[ObjectIdentifier(type)] == name,
      "two types of managers are registered with one queue under the same name; give each a name of its own")
    typeNames[ObjectIdentifier(type)] = name
    registrations[name] = Registration(service: service, work: work)
    if let authenticator = service.identity.authenticator { runner.watch(authenticator) }
  }

  /// The latest manager of a name counts. What has ended before is told at once.
  mutating func attach<Manager: EndpointManager>(
    _ manager: Manager, as name: String?, with runner: QueueRunner,
    report: @escaping @MainActor (Manager, TransferProgress) -> Void = { _, _ in },
    land: @escaping @MainActor (Manager, QueuedLanding) -> Void
  ) {
    let name = name ?? self.name(of: Manager.self)
    attachments.removeAll { $0.manager == nil || $0.manager === manager }
    attachments.append(
      QueueAttachment(
        manager: manager, name: name,
        authenticator: { [weak manager] in manager?.service.identity.authenticator },
        report: { [weak manager] progress in if let manager { report(manager, progress) } },
        land: { [weak manager] landing in if let manager { land(manager, landing) } }))
    runner.deliverKept(to: name)
  }

  subscript(_ name: String) -> Registration? { registrations[name] }

  /// The registration of a manager that makes an item now; throws `APIError.Reason.misconfigured` where it has none.
  func registration(
    of manager: AnyObject, loadingFrom service: any APIService
  ) throws(APIError) -> (name: String, Registration) {
    let name = name(of: type(of: manager))
    guard let registration = registrations[name] else {
      throw APIError(
        .takeoff, .misconfigured, "the \(queue) does not know \(name): call register(\(name).self) at launch")
    }
    guard service.name == registration.service.name else {
      throw APIError(
        .takeoff, .misconfigured,
        "\(name) is registered for \(registration.service.name), and loads from \(service.name)")
    }
    return (name, registration)
  }

  private func name(of type: any Any.Type) -> String {
    typeNames[ObjectIdentifier(type)] ?? String(describing: type)
  }

  /// The name under which a manager's items are kept.
  func recipient(_ manager: AnyObject) -> String {
    attachments.last { $0.manager === manager }?.name ?? name(of: type(of: manager))
  }

  func attached(_ name: String) -> QueueAttachment? {
    attachments.last { $0.name == name && $0.manager != nil }
  }

  /// The names under which types are registered.
  var names: [String] { Array(registrations.keys) }

  /// The names under which managers are attached.
  var attachedNames: Set<String> { Set(attachments.map(\.name)) }
}

/// A manager that is told of landings.
@MainActor struct QueueAttachment {
  weak var manager: AnyObject?
  let name: String
  /// What signs its user in.
  let authenticator: @MainActor () -> Authenticator?
  /// Tells its delegate how far a transfer is.
  let report: @MainActor (TransferProgress) -> Void
  /// Tells its delegate how an item has ended.
  let land: @MainActor (QueuedLanding) -> Void
}
