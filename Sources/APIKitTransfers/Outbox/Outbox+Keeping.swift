public import APIKit

/// What comes in: loads are gathered and kept many at a time, in order.
struct OutboxDraft {
  var call: QueuedCall
  var entry: QueueStore.QueueEntry
  var body: HTTPBody?
  /// The load that waits; nil for an item of ``Outbox/enqueue(_:_:lane:after:taking:lifetime:)``.
  var waiter: QueuedLoad?
  /// The `enqueue` call that waits; nil for a load.
  var enqueuer: FlightID?

  /// Makes a body that is small a part of the content; one that is not needs a file.
  ///
  /// - Returns: The body for the file.
  mutating func takeBody(_ limit: Int) -> HTTPBody? {
    switch body {
    case nil, .empty: call.body = .none
    case .bytes(let bytes) where bytes.count <= limit: call.body = .bytes(bytes)
    case let large?:
      call.body = .spooled
      return large
    }
    return nil
  }
}

extension Outbox: LoadQueue {
  /// Bodies above this size have files of their own.
  private static let inlineBytes = 64 << 10

  package func take(_ load: QueuedLoad) {
    // An observer may have cancelled it before it came here.
    guard let manager = load.manager, load.isWaiting else { return _ = givenUp.remove(load.id) }
    do throws(APIError) {
      // Interceptors and observers may have signed in another one.
      if let objection = load.objection { throw objection }
      var draft = try draft(load.call, of: manager)
      draft.waiter = load
      keep(draft)
    } catch {
      MainDelivery.main.put { load.land(.failure(error)) }
    }
  }

  package func giveUp(_ flight: FlightID) {
    if let id = kept.removeValue(forKey: flight) {
      waiters[id] = nil
      Task { await runner.giveUp(id) }
    } else {
      givenUp.insert(flight)
      if let spooling, spooling.load == flight { spooling.task.cancel() }
    }
  }

  /// Queues a load with options that `load()` does not have, and returns once it is on the disk.
  ///
  /// - Parameters:
  ///   - manager: A manager of a registered type. Its delegate gets the result while this object is attached.
  ///   - parameters: The parameters, which are reformed and validated as in every load.
  ///   - lane: The lane in place of `APIManager.queueLane`: items of one lane are sent one after
  ///     the other.
  ///   - parents: Items that must succeed first. If one of them is parked or removed, this one is parked.
  ///   - values: Parameters that are taken from the responses of such items.
  ///   - lifetime: The longest time that it waits, in place of that of the configuration.
  /// - Returns: Its id.
  /// - Throws: `APIError.Reason.queueFull` beyond the limits, `APIError.Reason.misconfigured` for a type that is not
  ///   registered, what the manager's validation throws, `APIError.Reason.signedOut` if it requires a sign-in and nobody is
  ///   signed in or its user signs out before it is on the disk, and `APIError.Reason.outboxUnusable`.
  @discardableResult public func enqueue<Manager: APIManager>(
    _ manager: Manager, _ parameters: Parameters = [:], lane: String? = nil,
    after parents: [OutboxItemID] = [],
    taking values: [OutboxValue] = [], lifetime: Duration? = nil
  ) async throws(APIError) -> OutboxItemID {
    let call = try manager.makeCall(keeping: parameters, time)
    var draft = try draft(call, of: manager, lane: lane, lifetime: lifetime)
    draft.entry.after = (parents + values.map(\.item)).map(\.rawValue)
    draft.call.fills = values.map {
      QueuedCall.Fill(parameter: $0.parameter, parent: $0.item.rawValue, path: $0.path)
    }
    let keeper = QueueRunner.Keeper(user: draft.entry.user, departures: runner.departures)
    let isStream = if case .stream = draft.body { true } else { false }
    // What was loaded before has its place before.
    guard isStream || keeping.task == nil else { return try await keepInLine(draft, as: call.flightID) }
    // A stream is written by the caller's task, whose cancellation ends it; among the others it would hold them up.
    draft.entry = try await entry(of: draft)
    do throws(APIError) {
      if isStream { try await flushed() } else { try refuseCancelled() }
    } catch {
      await queue.removeSpools([draft.entry.spool])
      throw error
    }
    return OutboxItemID(rawValue: try await runner.keep([draft.entry], of: keeper)[0])
  }

  /// Queues many loads of one manager in one transaction, all or none, and returns once they are on the
  /// disk.
  ///
  /// - Parameters:
  ///   - manager: A manager of a registered type. Its delegate gets the results while this object is attached.
  ///   - each: The parameters of each load, which are reformed and validated as in every load.
  ///   - lane: The lane in place of `APIManager.queueLane`: items of one lane are sent one after
  ///     the other.
  ///   - lifetime: The longest time that they wait, in place of that of the configuration.
  /// - Returns: Their ids, in the order of the parameters.
  /// - Throws: As ``enqueue(_:_:lane:after:taking:lifetime:)``; then nothing is queued.
  @discardableResult public func enqueue<Manager: APIManager>(
    _ manager: Manager, each: [Parameters], lane: String? = nil, lifetime: Duration? = nil
  ) async throws(APIError) -> [OutboxItemID] {
    guard let first = each.first else { return [] }
    let call = try manager.makeCall(keeping: first, time)
    var draft = try draft(call, of: manager, lane: lane, lifetime: lifetime)
    let keeper = QueueRunner.Keeper(user: draft.entry.user, departures: runner.departures)
    var series = QueueStore.Series(of: each.count, like: draft.entry)
    var large: [(position: Int, body: HTTPBody)] = []
    for (position, parameters) in each.enumerated() {
      if position > 0 {
        draft.body = try draft.call.becomeNext(
          of: manager, parameters, like: call, keyField: configuration.idempotencyKeyField)
      }
      if let body = draft.takeBody(Self.inlineBytes) { large.append((position, body)) }
      series.append { draft.call.writeEnveloped(to: &$0) }
    }
    // What was loaded before has its place before.
    try await flushed()
    do throws(APIError) {
      for (position, body) in large { series.files[position] = try await queue.spool(body) }
      try refuseCancelled()
    } catch {
      await queue.removeSpools(series.files.values.map(\.name))
      throw error
    }
    let kept = series
    let ids = try await runner.keep(files: kept.files.values.map(\.name), of: keeper) {
      () async throws(DurableQueue.Fault) in try await self.queue.enqueue(kept)
    }
    return ids.map { OutboxItemID(rawValue: $0) }
  }

  /// Returns when what was loaded before is kept; throws when its task is cancelled meanwhile.
  private func flushed() async throws(APIError) {
    if keeping.task != nil { await flush() }
    try refuseCancelled()
  }

  /// Throws in a cancelled task: what is cancelled before it is in the database is not kept.
  private func refuseCancelled() throws(APIError) {
    if Task.isCancelled { throw APIError(cancelled: .taskCancelled) }
  }

  /// Has a draft kept behind the loads before it. One that is given up meanwhile is not kept.
  private func keepInLine(_ draft: OutboxDraft, as id: FlightID) async throws(APIError) -> OutboxItemID {
    try await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        enqueuers[id] = done
        var draft = draft
        draft.enqueuer = id
        keep(draft)
      }
    } onCancel: {
      MainDelivery.main.put { [weak self] in
        guard let self, let done = enqueuers.removeValue(forKey: id) else { return }
        givenUp.insert(id)
        done.resume(returning: .failure(APIError(cancelled: .taskCancelled)))
      }
    }.get()
  }

  /// What is kept of a load.
  private func draft(
    _ call: APICall, of manager: BaseAPIManager, lane: String? = nil, lifetime: Duration? = nil
  ) throws(APIError) -> OutboxDraft {
    var entry = QueueStore.QueueEntry()
    entry.type = try registry.registration(of: manager, loadingFrom: call.service).name
    entry.recipient = registry.recipient(manager)
    entry.user = try configuration.user(call.terms.signInRule, of: call.service, for: call.managerName)
    entry.setLane(lane ?? manager.child.queueLane)
    entry.lifetime = (lifetime ?? configuration.lifetime)?.inSeconds
    let key = call.terms.headers[configuration.idempotencyKeyField] ?? Nonce.make()
    return OutboxDraft(call: QueuedCall(keeping: call, key: key), entry: entry, body: call.body)
  }

  private func keep(_ draft: OutboxDraft) {
    drafts.append(draft)
    keeping.run { [self] in
      // What is loaded in one turn of the main actor is kept by one commit.
      await Task.yield()
      let batch = drafts
      drafts = []
      await keep(batch)
    } then: { [self] in
      runner.pump()
    }
  }

  private func keep(_ batch: [OutboxDraft]) async {
    var ready: [(draft: OutboxDraft, entry: QueueStore.QueueEntry)] = []
    for draft in batch {
      if let call = draft.enqueuer, givenUp.remove(call) != nil { continue }
      do throws(APIError) { ready.append((draft, try await entry(of: draft))) } catch {
        settle(draft, .failure(error))
      }
    }
    if ready.count > 1, let ids = try? await queue.enqueue(ready.map(\.entry)) {
      for (item, id) in zip(ready, ids) { settle(item.draft, .success(id)) }
      return
    }
    // All of a batch is kept or none: one by one, only what is wrong is refused.
    for (draft, entry) in ready {
      do throws(APIError) { settle(draft, .success(try await runner.keep([entry])[0])) } catch {
        settle(draft, .failure(error))
      }
    }
  }

  /// What is kept of a draft: its content as bytes, and a large body in a file.
  private func entry(of draft: OutboxDraft) async throws(APIError) -> QueueStore.QueueEntry {
    var draft = draft
    if let body = draft.takeBody(Self.inlineBytes) {
      let file = try await spool(body, of: draft).get()
      (draft.entry.spool, draft.entry.spooledBytes) = (file.name, file.count)
    }
    draft.entry.payload = draft.call.enveloped
    return draft.entry
  }

  /// The file of a body, or why there is none.
  typealias Spooled = Result<(name: String, count: Int64), APIError>

  /// Writes a large body to a file. The source of a stream may take any time: a load that is cancelled, or whose user leaves,
  /// does not hold up those behind it.
  private func spool(_ body: HTTPBody, of draft: OutboxDraft) async -> Spooled {
    let queue = queue
    let write: @Sendable () async -> Spooled = {
      do throws(APIError) { return .success(try await queue.spool(body)) } catch { return .failure(error) }
    }
    guard let load = draft.waiter?.id, case .stream = body else { return await write() }
    let task = Task {
      await Task<Spooled, Never>.leavable {
        let spooled = await write()
        // Nobody waits for it any more.
        if Task.isCancelled, let name = try? spooled.get().name { await queue.removeSpools([name]) }
        return spooled
      } ?? .failure(APIError(cancelled: .byCaller))
    }
    spooling = (load, draft.entry.user, task, .byCaller)
    defer { spooling = nil }
    if givenUp.contains(load) { task.cancel() }
    let spooled = await task.value
    guard case .failure(let error) = spooled, error.isCancellation, let spooling else { return spooled }
    return .failure(APIError(cancelled: spooling.end))
  }

  func userLeaves(_ user: String) {
    guard (spooling?.user).equalsExactly(user) else { return }
    spooling?.end = .signedOut
    spooling?.task.cancel()
  }

  /// Tells the caller of the draft how it has ended.
  private func settle(_ draft: OutboxDraft, _ result: Result<Int64, APIError>) {
    if let load = draft.waiter?.id ?? draft.enqueuer, givenUp.remove(load) != nil,
      case .success(let id) = result
    {
      Task { await runner.giveUp(id) }
      return
    }
    let done = draft.enqueuer.flatMap { enqueuers.removeValue(forKey: $0) }
    done?.resume(returning: result.map { OutboxItemID(rawValue: $0) })
    guard let waiter = draft.waiter else { return }
    switch result {
    case .success(let id):
      waiters[id] = waiter
      kept[waiter.id] = id
      guard let manager = waiter.manager, waiter.isWaiting else { return }
      waiter.note("kept as item \(id)")
      manager.delegate?.manager(manager, didQueue: OutboxItemID(rawValue: id), of: waiter.id)
    case .failure(let error): waiter.land(.failure(error))
    }
  }
}
