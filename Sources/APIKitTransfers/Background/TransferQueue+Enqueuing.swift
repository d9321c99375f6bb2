public import APIKit
import Foundation

/// What comes in, and what is decided about it.
extension TransferQueue {
  /// Adds a download, and returns once it is on the disk.
  ///
  /// - Parameters:
  ///   - manager: A manager of a registered type. Its delegate is called while this object is
  ///     attached.
  ///   - parameters: The parameters of the endpoint.
  ///   - target: The destination of the file. Downloads to the same destination run one after the
  ///     other.
  ///   - sha256: The SHA-256 that the file must have, in hexadecimal digits.
  /// - Returns: Its id.
  /// - Throws: `APIError.Reason.queueFull` beyond the limits, `APIError.Reason.misconfigured` for a type that is not
  ///   registered, `APIError.Reason.invalidParameters` for a digest that is not 64 hexadecimal digits,
  ///   `APIError.Reason.unsupportedCapability` for a setting of the service that the background session does not support,
  ///   `APIError.Reason.cleartextRefused`, `APIError.Reason.signedOut` if it requires a sign-in and nobody is signed in, and
  ///   `APIError.Reason.outboxUnusable`.
  @discardableResult public func enqueue<Manager: DownloadManager>(
    _ manager: Manager, _ parameters: Parameters = [:], to target: DownloadTarget, sha256: String? = nil
  ) async throws(APIError) -> TransferID {
    if let sha256 { _ = try FileDigest(sha256: sha256) }
    var (kept, entry) = try draft(.download(to: target, sha256: sha256), of: manager, parameters)
    let identity = try manager.identity(
      parameters, TransferTerms(environment: ServiceEnvironment(kept.environment), user: entry.user))
    let place = PartialFile.place(of: target, identity: identity)
    kept.journal = place + PartialFile.journalEnding
    entry.setLane(place)
    return try await keep(kept, entry)
  }

  /// Adds an upload, and returns once it is on the disk.
  ///
  /// - Parameters:
  ///   - manager: A manager of a registered type. Its delegate is called while this object is
  ///     attached.
  ///   - body: The body. A file is not copied and must not change until it was sent; an upload of a changed file is parked.
  ///     Bytes and streams are copied.
  ///   - parameters: The parameters of the endpoint.
  /// - Returns: Its id.
  /// - Throws: `APIError.Reason.queueFull` beyond the limits, `APIError.Reason.misconfigured` for a type that is not
  ///   registered, `APIError.Reason.unsupportedCapability` for a setting of the service or of the manager that the background
  ///   session does not support, `APIError.Reason.cleartextRefused`, `APIError.Reason.unreadableBody`,
  ///   `APIError.Reason.signedOut` if it requires a sign-in and nobody is signed in or its user signs out before it is on the
  ///   disk, and `APIError.Reason.outboxUnusable`.
  @discardableResult public func enqueue<Manager: UploadManager>(
    _ manager: Manager, uploading body: HTTPBody, _ parameters: Parameters = [:]
  ) async throws(APIError) -> TransferID {
    var (kept, entry) = try draft(.spooledUpload(contentType: nil), of: manager, parameters)
    let keeper = QueueRunner.Keeper(user: entry.user, departures: runner.departures)
    if carrier != nil, manager.expectsContinue {
      throw BackgroundSetting.refusal(of: "asking before a body is sent (expectsContinue)")
    }
    // What is refused leaves no copy of the body.
    var tus: (options: TusOptions, place: [String?])?
    if case .tus(let options) = manager.uploadProtocol {
      try options.validate()
      let terms = TransferTerms(environment: ServiceEnvironment(kept.environment), user: entry.user)
      tus = (options, try manager.transferIdentity(parameters, terms))
    }
    let reader: UploadReader
    if case .file(let path, let offset) = body {
      reader = try UploadReader(body)
      kept.kind = .upload(path: path, offset: offset, fingerprint: reader.fingerprint ?? "")
    } else {
      if case .stream(let stream) = body { kept.kind = .spooledUpload(contentType: stream.contentType) }
      let file = try await queue.spool(body)
      (entry.spool, entry.spooledBytes) = (file.name, file.count)
      reader = try UploadReader(.file(path: queue.spoolPath(file.name)))
    }
    kept.count = reader.total ?? 0
    if let tus {
      kept.journal = UploadJournal.path(tus.options, of: tus.place, fingerprint: reader.fingerprint ?? "")
    }
    return try await keep(kept, entry, of: keeper)
  }

  private func draft<Manager: EndpointManager>(
    _ kind: KeptTransfer.TransferKind, of manager: Manager, _ parameters: Parameters
  ) throws(APIError) -> (KeptTransfer, QueueStore.QueueEntry) {
    let service = manager.service
    let (name, registration) = try registry.registration(of: manager, loadingFrom: service)
    var kept = KeptTransfer(kind)
    kept.key = Nonce.make()
    kept.service = service.name
    kept.environment = service.environments.current.name
    try checkCarried(kept, of: service)
    (kept.apiName, kept.parameters) = (manager.apiName, parameters)
    var entry = QueueStore.QueueEntry()
    (entry.type, entry.recipient) = (name, registry.recipient(manager))
    entry.user = try configuration.user(registration.work.signIn, of: service, for: name)
    entry.lifetime = configuration.lifetime?.inSeconds
    return (kept, entry)
  }

  /// Throws where the transfer could not go by the background session as its service states it.
  private func checkCarried(_ kept: KeptTransfer, of service: any APIService) throws(APIError) {
    guard let carrier else { return }
    let carried = try CarriedTransport(by: carrier, for: kept.key, of: service)
    let place = service.environments.selection(of: ServiceEnvironment(kept.environment))
    if let url = place.baseURL { try carried.check(url, cleartext: place.cleartext) }
  }

  private func keep(
    _ kept: KeptTransfer, _ draft: QueueStore.QueueEntry, of keeper: QueueRunner.Keeper? = nil
  ) async throws(APIError) -> TransferID {
    var entry = draft
    entry.payload = kept.enveloped
    return TransferID(rawValue: try await runner.keep([entry], of: keeper)[0])
  }

  // MARK: Looking and deciding

  /// All transfers, in order, with their progress.
  public func transfers() async throws(APIError) -> [QueuedTransfer] {
    try await contents().map { row, kept in
      QueuedTransfer(row, kept ?? KeptTransfer(.spooledUpload(contentType: nil)), live: live[row.id])
    }
  }

  /// Continues a parked transfer as if it were new.
  public func retry(_ transfer: TransferID) async throws(APIError) {
    try await runner.unpark(transfer.rawValue)
  }

  /// Removes a transfer; a running one is cancelled. The partial file of a download is removed.
  public func drop(_ transfer: TransferID) async throws(APIError) {
    let row = try await runner.drop(transfer.rawValue)
    await runner.running[transfer.rawValue]?.value
    if let row {
      forgetCarried(row)
      Self.discardFiles(of: row)
    }
    runner.pump()
  }

  /// The paths of copies of databases that were damaged; see ``Outbox/damagedDatabases()``.
  public func damagedDatabases() async -> [String] { await queue.damagedDatabases }

  /// Removes the copies of damaged databases, so that later launches do not report them.
  public func forgetDamage() async { await queue.forgetDamage() }

  /// Removes what a transfer that was given up has left: its journal, and a partial file that no other download writes.
  nonisolated static func discardFiles(of row: QueueStore.Row) {
    guard let kept = content(of: row), !kept.journal.isEmpty else { return }
    guard case .download = kept.kind else {
      return UploadJournal.discard(kept.journal)
    }
    guard let place = place(of: kept) else { return }
    JournaledEnd.forget(kept.key, at: place)
    guard PrivateFile.exists(place + PartialFile.ending) else { return }
    (try? PartialFile(for: place, identity: ""))?.discard()
  }

  /// Where the partial file of a download is, but for its ending; nil where nothing is known of it.
  nonisolated static func place(of kept: KeptTransfer) -> String? {
    kept.journal.hasSuffix(PartialFile.journalEnding)
      ? String(kept.journal.dropLast(PartialFile.journalEnding.count)) : nil
  }
}
