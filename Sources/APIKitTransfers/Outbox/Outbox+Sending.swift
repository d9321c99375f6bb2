import APIKit

/// What goes out: how an item is sent, and who is told.
extension Outbox: QueueOwner {
  func send(
    _ row: QueueStore.Row, _ content: QueuedCall, by make: @escaping Work, body: HTTPBody?,
    as identity: QueueRunner.Identity
  ) async -> Result<APIResponse, APIError> {
    let manager = make()
    let body: HTTPBody? = if case .bytes(let bytes) = content.body { .bytes(bytes) } else { body }
    let (queue, configuration) = (queue, configuration)
    var load = content.load(
      body, of: manager, keyField: configuration.idempotencyKeyField, epoch: identity.epoch)
    // Before it leaves: where the process ends meanwhile, the next one does not send it again.
    load.willCross = { (request) async throws(APIError) in
      guard !request.headers.contains(configuration.idempotencyKeyField) else { return }
      do throws(DurableQueue.Fault) { try await queue.noteCrossing(row.id) } catch {
        throw APIError(error, of: configuration)
      }
    }
    return await manager.send(load)
  }

  /// A redirect to another origin does not carry the idempotency key: the server there cannot tell a repetition.
  func mayGoAgain(after error: APIError) -> Bool {
    // A cancelled attempt does not say what was sent.
    guard let sent = error.request else { return !error.context.isElsewhere }
    let row = RetryTable.standard.row(for: error)
    return error.allowsRetry(
      isIdempotent: sent.method.isIdempotent || sent.headers.contains(configuration.idempotencyKeyField),
      isUnprocessed: error.evidence != nil && row?.provesNothingSent == true)
  }

  func dropped(_ row: QueueStore.Row, because error: APIError) { land(row.id, .failure(error)) }

  nonisolated static func fill(
    _ child: QueueStore.Row, from parent: Int64, _ end: APIResponse
  ) -> (payload: [UInt8]?, fault: String)? {
    guard var call = content(of: child) else { return (nil, "its content cannot be read") }
    let fills = call.fills.filter { $0.parent == parent }
    guard !fills.isEmpty else { return nil }
    for fill in fills {
      guard let value = ParameterValue(leaf: end.raw.at(RawPath(fill.path))) else {
        return (nil, "the response of item \(parent) has no value at \(fill.path)")
      }
      call.parameters[fill.parameter] = value
    }
    call.fills.removeAll { $0.parent == parent }
    return (call.enveloped, "")
  }

  // MARK: Telling

  /// Tells the load that waits, else the manager that is attached.
  @discardableResult func tell(_ row: QueueStore.Row, _ result: Result<APIResponse, APIError>) -> Bool {
    guard isPresent(row) else {
      land(row.id, .failure(APIError(cancelled: .signedOut)))
      return false
    }
    if land(row.id, result) { return true }
    // Of a cancelled attempt only the load that waits for it is told.
    if case .failure(let error) = result, error.isCancellation { return false }
    guard let manager = registry.attached(row.recipient)?.manager as? BaseAPIManager else { return false }
    manager.land(kept: result)
    return true
  }

  /// Lands the load that waits for an item. False when there is none.
  @discardableResult func land(_ id: Int64, _ result: Result<APIResponse, APIError>) -> Bool {
    guard let waiter = waiters.removeValue(forKey: id) else { return false }
    kept[waiter.id] = nil
    return waiter.land(result)
  }
}

extension QueuedCall: QueuedItemContent {
  var call: QueuedCall { self }
  var isSpooled: Bool { body == .spooled }
  var objection: String? { nil }
}

extension APIResponse: QueuedEnd {
  var landing: QueuedLanding { .response(http) }
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
