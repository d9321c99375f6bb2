import APIKit

/// How a transfer is carried out, and who is told.
extension TransferQueue: QueueOwner {
  func send(
    _ row: QueueStore.Row, _ content: KeptTransfer, by work: Work, body: HTTPBody?,
    as identity: QueueRunner.Identity
  ) async -> Result<TransferEnd, APIError> {
    var terms = TransferTerms(environment: ServiceEnvironment(content.environment))
    if let carrier, let service = registry[row.type]?.service {
      do throws(APIError) {
        terms.transport = try CarriedTransport(by: carrier, for: content.key, of: service)
      } catch {
        return .failure(error)
      }
    }
    (terms.key, terms.apiName, terms.user, terms.epoch) = (
      content.key, content.apiName, row.user, identity.epoch
    )
    if identity.epoch == nil { terms.signIn = .exempt }
    var body = body ?? .empty
    switch content.kind {
    case .download: break
    case .upload(let path, let offset, _): body = .file(path: path, offset: offset)
    case .spooledUpload(let type): terms.contentType = type
    }
    let result = await work.carryOut(content, body, terms) { [weak self] progress in
      self?.report(progress, of: row)
    }
    live[row.id] = nil
    return result
  }

  nonisolated static func ended(_ row: QueueStore.Row) {
    guard let kept = content(of: row), !kept.journal.isEmpty else { return }
    guard case .download = kept.kind else { return UploadJournal.forget(kept.key, at: kept.journal) }
    if let place = place(of: kept) { JournaledEnd.forget(kept.key, at: place) }
  }

  nonisolated static func ended(_ landings: [QueueStore.Landing]) {
    let files = landings.compactMap { landing -> String? in
      if case .file(let file)? = QueuedLanding(enveloped: landing.payload) { file.path } else { nil }
    }
    JournaledEnd.forget(Set(files))
  }

  func dropped(_ row: QueueStore.Row, because error: APIError) {
    forgetCarried(row)
    registry.attached(row.recipient)?.land(QueuedLanding(error))
    delegate?.transferQueue(self, didEnd: TransferID(rawValue: row.id), .failure(error))
  }

  /// Nothing continues of a transfer that was given up, be it under way or waiting.
  func forgetCarried(_ row: QueueStore.Row) {
    if let key = Self.content(of: row)?.key { carrier?.forget(key) }
  }

  private func report(_ progress: TransferProgress, of row: QueueStore.Row) {
    // Nothing is told of one that was given up, though it has not ended yet.
    guard runner.running[row.id]?.isCancelled == false, isPresent(row) else { return }
    live[row.id] = progress
    registry.attached(row.recipient)?.report(progress)
    // The delegate that was told may have signed the user out.
    guard isPresent(row) else { return }
    delegate?.transferQueue(self, didProgress: progress, of: TransferID(rawValue: row.id))
  }

  /// Tells the manager that is attached and the queue's delegate.
  @discardableResult func tell(_ row: QueueStore.Row, _ result: Result<TransferEnd, APIError>) -> Bool {
    guard isPresent(row) else { return false }
    let attached = registry.attached(row.recipient)
    switch result {
    case .success(let end): attached?.land(end.landing)
    case .failure(let error): attached?.land(QueuedLanding(error))
    }
    // The delegate that was told may have signed the user out.
    let isHeard = attached != nil
    guard isPresent(row), let delegate else { return isHeard }
    delegate.transferQueue(self, didEnd: TransferID(rawValue: row.id), result)
    return true
  }
}

extension KeptTransfer: QueuedItemContent {
  var isSpooled: Bool { if case .spooledUpload = kind { true } else { false } }

  var objection: String? {
    guard case .upload(let path, let offset, let fingerprint) = kind,
      (try? UploadReader(.file(path: path, offset: offset)))?.fingerprint != fingerprint
    else { return nil }
    return "the file \(path.debugDescription) has changed or is gone"
  }
}

extension TransferEnd: QueuedEnd {}
