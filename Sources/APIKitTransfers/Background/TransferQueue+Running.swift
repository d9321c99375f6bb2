import APIKit
import Foundation

/// What is carried out, and who is told.
extension TransferQueue: QueueRunnerOwner {
  func send(_ row: QueueStore.Row) async {
    guard let kept = Self.kept(row) else { return await park(row, "its bytes on the disk were damaged") }
    guard let registration = registry[row.type] else {
      return await park(row, "the queue of transfers does not know the manager type \(row.type)")
    }
    let service = registration.service
    let environment = ServiceEnvironment(kept.environment)
    guard service.environments[environment] != nil else {
      return await park(row, "\(service.name) has no environment \(environment)")
    }
    let authenticator = service.identity.authenticator
    var terms = TransferTerms(environment: environment, transport: carrier?.transport(for: kept.key))
    terms.apiName = kept.apiName
    terms.user = row.user
    switch await runner.identity(of: row, authenticator) {
    case .absent: return
    case .nobody: terms.signIn = .exempt
    case .user(let epoch): terms.epoch = epoch
    }
    let body: HTTPBody
    switch kept.kind {
    case .download: body = .empty
    case .upload(let path, let offset, let fingerprint):
      body = .file(path: path, offset: offset)
      guard (try? UploadReader(body))?.fingerprint == fingerprint else {
        return await park(row, "the file \(path.debugDescription) has changed or is gone")
      }
    case .spooledUpload(let type):
      if let objection = await queue.objection(toSpool: row.spool) { return await park(row, objection) }
      guard let name = row.spool else { return }
      body = .file(path: queue.spoolPath(name))
      terms.contentType = type
    }
    let id = row.id
    let result = await registration.work.carryOut(kept, body, terms) { [weak self] progress in
      self?.report(progress, of: row)
    }
    live[id] = nil
    switch result {
    case .success(let end): await finish(row, end)
    case .failure(let error):
      guard await runner.fail(row, error, authenticator) else { return }
      tell(row, .failure(error))
    }
  }

  func expired(_ row: QueueStore.Row, _ error: APIError) async {
    await deliver(row, .failure(error))
  }

  func damaged(_ copies: [String]) { onDamage?(copies) }

  func dropped(_ row: QueueStore.Row, because error: APIError) {
    registry.attached(row.recipient)?.land(QueuedLanding(error))
    delegate?.transferQueue(self, didEnd: TransferID(rawValue: row.id), .failure(error))
  }

  func flush() async {}

  private func report(_ progress: TransferProgress, of row: QueueStore.Row) {
    // Nothing is told of one that was given up, though it has not ended yet.
    guard runner.running[row.id]?.isCancelled == false, isPresent(row) else { return }
    live[row.id] = progress
    registry.attached(row.recipient)?.report(progress)
    delegate?.transferQueue(self, didReport: progress, of: TransferID(rawValue: row.id))
  }

  private func finish(_ row: QueueStore.Row, _ end: TransferEnd) async {
    let queue = queue
    await runner.finish(row, QueuedLanding.envelope.wrap(end.landing.encode())) {
      (landing) async throws(DurableQueue.Fault) in
      try await queue.finish(row.id, landing: landing)
    } _: { [weak self] in
      self?.tell(row, .success(end)) ?? false
    }
  }

  /// Sets a transfer aside. Its delegate is told of the failure; it stays, and may go on.
  private func park(_ row: QueueStore.Row, _ reason: String) async {
    await runner.park(row, reason)
    tell(row, .failure(APIError(.takeoff, .misconfigured, "transfer \(row.id) is parked: \(reason)")))
  }

  // MARK: Telling

  private func deliver(_ row: QueueStore.Row, _ result: Result<TransferEnd, APIError>) async {
    await runner.deliver(row) { tell(row, result) }
  }

  private func isPresent(_ row: QueueStore.Row) -> Bool {
    runner.isPresent(row.user, registry[row.type]?.service.identity.authenticator)
  }

  /// Tells the manager that is attached and the queue's delegate. False when there is neither, or the transfer's user is not
  /// there any more.
  @discardableResult private func tell(_ row: QueueStore.Row, _ result: Result<TransferEnd, APIError>) -> Bool
  {
    guard isPresent(row) else { return false }
    let attached = registry.attached(row.recipient)
    switch result {
    case .success(let end): attached?.land(end.landing)
    case .failure(let error): attached?.land(QueuedLanding(error))
    }
    // Who was told may have signed the user out.
    let isHeard = attached != nil
    guard isPresent(row), let delegate else { return isHeard }
    delegate.transferQueue(self, didEnd: TransferID(rawValue: row.id), result)
    return true
  }

  var attachedNames: Set<String> { registry.attachedNames }

  func recipient(named name: String) -> QueueRunner.Recipient? {
    registry.attached(name).map { QueueRunner.Recipient(authenticator: $0.authenticator(), land: $0.land) }
  }
}
