import APIKit
import Foundation

/// What goes out: items are taken, sent, and told about.
extension Outbox: QueueRunnerOwner {
  func expired(_ row: QueueStore.Row, _ error: APIError) async { await deliver(row, .failure(error)) }

  func damaged(_ copies: [String]) { onDamage?(copies) }

  func dropped(_ row: QueueStore.Row, because error: APIError) { land(row.id, .failure(error)) }

  // MARK: One item

  func send(_ row: QueueStore.Row) async {
    guard let call = Self.call(of: row) else { return await park(row, "its bytes on the disk were damaged") }
    guard let registration = registry[row.type] else {
      return await park(row, "the outbox does not know the manager type \(row.type)")
    }
    let manager = registration.work()
    let service: any APIService = manager.service
    let environment = ServiceEnvironment(call.environment)
    guard service.environments[environment] != nil else {
      return await park(row, "\(service.name) has no environment \(environment)")
    }
    let authenticator = service.identity.authenticator
    let epoch: Int?
    switch await runner.identity(of: row, authenticator) {
    case .absent: return
    case .nobody: epoch = nil
    case .user(let known): epoch = known
    }
    let body: HTTPBody? =
      switch call.body {
      case .none: nil
      case .bytes(let bytes): .bytes(bytes)
      case .spooled: row.spool.map { .file(path: queue.spoolPath($0)) }
      }
    if call.body == .spooled, let objection = await queue.objection(toSpool: row.spool) {
      return await park(row, objection)
    }
    let result = await manager.send(
      call.load(body, of: manager, keyField: configuration.idempotencyKeyField, epoch: epoch))
    switch result {
    case .success(let response): await finish(row, response)
    case .failure(let error):
      guard await runner.fail(row, error, authenticator) else { return }
      tell(row, .failure(error))
    }
  }

  private func finish(_ row: QueueStore.Row, _ response: APIResponse) async {
    let (queue, raw) = (queue, response.raw)
    await runner.finish(row, QueuedLanding.envelope.wrap(QueuedLanding(.success(response)).encode())) {
      (landing) async throws(DurableQueue.Fault) in
      try await queue.finish(row.id, landing: landing) { child in Self.fill(child, from: row.id, raw) }
    } _: { [weak self] in
      self?.tell(row, .success(response)) ?? false
    }
  }

  /// Sets an item aside. Its delegate hears of the failure; the item stays, and may be sent again.
  private func park(_ row: QueueStore.Row, _ reason: String) async {
    await runner.park(row, reason)
    tell(row, .failure(APIError(.takeoff, .misconfigured, "item \(row.id) is parked: \(reason)")))
  }

  /// Puts the values of a response into an item that waited for it.
  private nonisolated static func fill(
    _ child: QueueStore.Row, from parent: Int64, _ raw: RawData
  ) -> (payload: [UInt8]?, fault: String)? {
    guard var call = call(of: child) else { return (nil, "its content cannot be read") }
    let fills = call.fills.filter { $0.parent == parent }
    guard !fills.isEmpty else { return nil }
    for fill in fills {
      guard let value = ParameterValue(leaf: raw.at(RawPath(fill.path))) else {
        return (nil, "the response of item \(parent) has no value at \(fill.path)")
      }
      call.parameters[fill.parameter] = value
    }
    call.fills.removeAll { $0.parent == parent }
    return (QueuedCall.envelope.wrap(call.encode()), "")
  }

  // MARK: Telling

  private func deliver(_ row: QueueStore.Row, _ result: Result<APIResponse, APIError>) async {
    await runner.deliver(row) { tell(row, result) }
  }

  /// Tells the load that waits, else the manager that is attached. False when there is neither, or the item's user is not
  /// there any more.
  @discardableResult private func tell(
    _ row: QueueStore.Row, _ result: Result<APIResponse, APIError>
  ) -> Bool {
    guard runner.isPresent(row.user, registry[row.type]?.service.identity.authenticator) else {
      land(row.id, .failure(APIError(cancelled: .signedOut)))
      return false
    }
    if land(row.id, result) { return true }
    guard let manager = registry.attached(row.recipient)?.manager as? BaseAPIManager else { return false }
    manager.land(kept: result)
    return true
  }

  /// Lands the load that waits for an item. False when there is none.
  @discardableResult func land(_ id: Int64, _ result: Result<APIResponse, APIError>) -> Bool {
    waiters.removeValue(forKey: id)?.land(result) ?? false
  }

  var attachedNames: Set<String> { registry.attachedNames }

  func recipient(named name: String) -> QueueRunner.Recipient? {
    registry.attached(name).map { QueueRunner.Recipient(authenticator: $0.authenticator(), land: $0.land) }
  }
}
extension ParameterValue {
  /// A text, a number or a boolean of a document; nil for anything else.
  fileprivate init?(leaf raw: RawData) {
    switch raw.kind {
    case .string: self = .string(raw.string ?? "")
    case .bool: self = .bool(raw.bool ?? false)
    case .number:
      if let number = raw.int { self = .integer(number) } else { self = .double(raw.double ?? 0) }
    default: return nil
    }
  }
}
