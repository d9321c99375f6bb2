import APIKit

/// The types of managers that a queue knows, and the managers that are told how its items end: an ``Outbox`` and a
/// ``TransferQueue`` alike. `Work` is how an item of a type is sent.
@MainActor struct QueueRegistry<Work> {
  struct Registration {
    var service: any APIService
    var work: Work
  }

  /// A manager that is told of landings.
  struct Attachment {
    weak var manager: AnyObject?
    let name: String
    /// What signs its user in.
    var authenticator: @MainActor () -> Authenticator?
    /// Tells its delegate how far a transfer is.
    var report: @MainActor (TransferProgress) -> Void = { _ in }
    /// Tells its delegate how an item has ended.
    var land: @MainActor (QueuedLanding) -> Void
  }

  /// What the queue is called in sentences.
  private let queue: String
  private var registrations: [String: Registration] = [:]
  private var names: [ObjectIdentifier: String] = [:]
  private var attachments: [Attachment] = []

  init(of terms: QueueTerms) { queue = terms.name }

  mutating func register(
    _ type: any Any.Type, as name: String?, of service: any APIService, _ work: Work, with runner: QueueRunner
  ) {
    let name = name ?? String(describing: type)
    precondition(
      registrations[name] == nil || names[ObjectIdentifier(type)] == name,
      "two types of managers are registered with one queue under the same name; give each a name of its own")
    names[ObjectIdentifier(type)] = name
    registrations[name] = Registration(service: service, work: work)
    if let authenticator = service.identity.authenticator { runner.watch(authenticator) }
  }

  /// The latest manager of a name counts. What has ended before is told at once.
  mutating func attach(_ attachment: Attachment, with runner: QueueRunner) {
    attachments.removeAll { $0.manager == nil || $0.manager === attachment.manager }
    attachments.append(attachment)
    runner.deliverKept(to: attachment.name)
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

  func name(of type: any Any.Type) -> String { names[ObjectIdentifier(type)] ?? String(describing: type) }

  /// The name under which a manager's items are kept.
  func recipient(_ manager: AnyObject) -> String {
    attachments.last { $0.manager === manager }?.name ?? name(of: type(of: manager))
  }

  func attached(_ name: String) -> Attachment? {
    attachments.last { $0.name == name && $0.manager != nil }
  }

  var attachedNames: Set<String> { Set(attachments.map(\.name)) }
}
