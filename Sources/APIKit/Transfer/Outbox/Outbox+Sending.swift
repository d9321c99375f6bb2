import Foundation

/// What goes out: items are taken, sent, and told about.
extension Outbox {
  /// How often is looked for what other processes have kept, and for processes that have ended.
  private static let poll = Duration.seconds(2)

  /// Sends what may be sent, if it is running.
  func pump() {
    guard isRunning else { return }
    guard pumping == nil else {
      mustPumpAgain = true
      return
    }
    pumping = Task {
      repeat {
        mustPumpAgain = false
        await takeMore()
      } while mustPumpAgain && isRunning
      pumping = nil
    }
  }

  private func takeMore() async {
    guard isRunning, !configuration.network.condition.isOffline else { return }
    if tidied.map({ time.now - $0 >= Self.poll }) ?? true { await tidy() }
    var wait: Duration? = Self.poll
    await report { () async throws(DurableQueue.Fault) in
      let free = self.configuration.concurrency - self.running.count
      guard free > 0 else { return }
      let rows = try await self.queue.claim(atMost: free)
      for row in rows { self.begin(row) }
      // A full hand: there may be more as soon as one of them has landed.
      guard rows.count < free else { return }
      wait = try await self.queue.nextWait().map { min($0, Self.poll) } ?? Self.poll
    }
    timer?.cancel()
    guard isRunning, let wait else { return }
    timer = Task { [weak self, time] in
      do { try await time.sleep(for: max(wait, .milliseconds(10))) } catch { return }
      self?.pump()
    }
  }

  private func tidy() async {
    tidied = time.now
    await report { () async throws(DurableQueue.Fault) in
      let expired = try await self.queue.tidy { row in
        QueuedLanding.envelope.wrap(QueuedLanding(.failure(Self.expiry(of: row))).encode())
      }
      for row in expired { await self.deliver(row, .failure(Self.expiry(of: row))) }
    }
  }

  private nonisolated static func expiry(of row: QueueStore.Row) -> APIError {
    APIError(.takeoff, .deadlineExceeded, "item \(row.id) was not sent in time")
  }

  private func begin(_ row: QueueStore.Row) {
    running[row.id] = Task {
      await send(row)
      running[row.id] = nil
      pump()
    }
  }

  // MARK: One item

  private func send(_ row: QueueStore.Row) async {
    guard let call = Self.call(of: row) else { return await park(row, "its content cannot be read") }
    guard let registration = registrations[row.type] else {
      return await park(row, "the outbox does not know the manager type \(row.type)")
    }
    let manager = registration.make()
    let service: any APIService = manager.service
    let environment = ServiceEnvironment(call.environment)
    guard service.environments[environment] != nil else {
      return await park(row, "\(service.name) has no environment \(environment)")
    }
    let authenticator = service.identity.authenticator
    // Before the user is looked at: while it stays the same, so does the user.
    let epoch = authenticator?.epoch
    if !row.user.isEmpty, authenticator?.credential.flatMap(configuration.user) != row.user {
      return await putBack(row, authenticator?.epoch == epoch ? nil : .seconds(1), isAttempt: false)
    }
    let body: HTTPBody? =
      switch call.body {
      case .none: nil
      case .bytes(let bytes): .bytes(bytes)
      case .spooled: row.spool.map { .file(path: queue.spoolPath($0)) }
      }
    if call.body == .spooled, row.spool.map({ !FileChunks.isPlainFile(queue.spoolPath($0)) }) ?? true {
      return await park(row, "the file with its body is gone")
    }
    manager.interceptors = InterceptorList()
    let result = await manager.send(
      call, body: body, keyField: configuration.idempotencyKeyField, epoch: row.user.isEmpty ? nil : epoch)
    switch result {
    case .success(let response): await finish(row, response)
    case .failure(let error):
      await fail(row, error, service, hasChanged: authenticator?.epoch != epoch)
    }
  }

  private func finish(_ row: QueueStore.Row, _ response: APIResponse) async {
    let landing = QueuedLanding.envelope.wrap(QueuedLanding(.success(response)).encode())
    let raw = response.raw
    await report { () async throws(DurableQueue.Fault) in
      try await self.queue.finish(row.id, landing: landing) { child in Self.fill(child, from: row.id, raw) }
    }
    await deliver(row, .success(response))
  }

  private func fail(
    _ row: QueueStore.Row, _ error: APIError, _ service: any APIService, hasChanged: Bool
  ) async {
    var known = OutboxVerdict.Circumstances()
    known.attempts = row.attempts + 1
    known.maximumAttempts = configuration.maximumAttempts
    known.isOffline = configuration.network.condition.isOffline
    known.hasSignIn = service.identity.authenticator != nil && !row.user.isEmpty
    known.backoff = configuration.backoff
    known.jitter = .random(in: 0.5...1)
    known.wallClock = time.wallClock
    switch OutboxVerdict(error, known) {
    case .again: await putBack(row, .zero, isAttempt: false)
    case .later(let wait): await putBack(row, wait, isAttempt: true)
    // Who has signed in meanwhile was heard before the item waits.
    case .awaitSignIn: await putBack(row, hasChanged ? .seconds(1) : nil, isAttempt: false)
    case .park: await park(row, error.description, error)
    }
  }

  private func putBack(_ row: QueueStore.Row, _ wait: Duration?, isAttempt: Bool) async {
    await report { () async throws(DurableQueue.Fault) in
      try await self.queue.putBack(row.id, after: wait, isAttempt: isAttempt)
    }
  }

  /// Sets an item aside. Its delegate hears of the failure; the item stays, and may be sent again.
  private func park(_ row: QueueStore.Row, _ reason: String, _ error: APIError? = nil) async {
    await report { () async throws(DurableQueue.Fault) in try await self.queue.park(row.id, reason) }
    tell(row, .failure(error ?? APIError(.takeoff, .misconfigured, "item \(row.id) is parked: \(reason)")))
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

  /// Tells how an item has ended, and forgets it once somebody was told.
  private func deliver(_ row: QueueStore.Row, _ result: Result<APIResponse, APIError>) async {
    // A manager that was attached in between may have been told.
    guard !told.contains(row.id), tell(row, result) else { return }
    told.insert(row.id)
    defer { told.remove(row.id) }
    await report { () async throws(DurableQueue.Fault) in try await self.queue.forgetLanding(row.id) }
  }

  /// Tells the load that waits, else the manager that is attached. False when there is neither.
  @discardableResult private func tell(
    _ row: QueueStore.Row, _ result: Result<APIResponse, APIError>
  ) -> Bool {
    if land(row.id, result) { return true }
    guard let manager = attached(row.recipient) else { return false }
    manager.land(kept: result)
    return true
  }

  /// Lands the load that waits for an item. False when there is none.
  @discardableResult func land(_ id: Int64, _ result: Result<APIResponse, APIError>) -> Bool {
    guard let waiter = waiters.removeValue(forKey: id), let manager = waiter.manager,
      !waiter.flight.state.isFinal
    else { return false }
    manager.land(queued: waiter.flight, result.map { $0.landing(waiter.flight.call) })
    return true
  }

  /// Tells a manager what has ended without anybody being told.
  func deliverKept(to name: String) async {
    await report { () async throws(DurableQueue.Fault) in
      for landing in try await self.queue.landings(of: name) where self.running[landing.id] == nil {
        guard let manager = self.attached(name) else { return }
        let kept = landing.payload.withUnsafeBytes { bytes in
          (try? QueuedLanding.envelope.unwrap(bytes)).flatMap { QueuedLanding(Array($0)) }
        }
        guard self.told.insert(landing.id).inserted else { continue }
        if let kept { manager.land(kept: kept.result(of: manager)) }
        try await self.queue.forgetLanding(landing.id)
        self.told.remove(landing.id)
      }
    }
  }
}

extension QueuedLanding {
  /// What a delegate is told. The body is decoded anew.
  @MainActor func result(of manager: BaseAPIManager) -> Result<APIResponse, APIError> {
    let child = manager.child
    switch self {
    case .response(let http):
      let contentType = http.headers["Content-Type"]
      let raw =
        http.bytes.isEmpty
        ? .missing
        : (try? child.service.wire.decoders.decode(http.bytes, contentType: contentType)) ?? .missing
      let source = ReformSource(
        managerType: type(of: manager), serviceName: child.service.name, apiName: child.apiName)
      return .success(APIResponse(raw: raw, http: http, source: source))
    case .failure(let reason, let place, let detail, let status, let body):
      var error = APIError(
        APIError.Place(rawValue: place) ?? .transport, APIError.Reason(reason, detail), detail,
        evidence: status.map { APIError.Evidence(status: $0, headers: [], body: body) })
      error.context.status = status
      error.context.manager = String(describing: type(of: manager))
      return .failure(error)
    }
  }
}

extension APIResponse {
  /// The response as that of a load which waited for it.
  fileprivate func landing(_ call: APICall) -> APIResponse {
    var response = self
    response.source = ReformSource(call)
    return response
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
