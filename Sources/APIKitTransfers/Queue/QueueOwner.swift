import APIKit

/// What an ``Outbox`` and a ``TransferQueue`` do alike with an item that their runner gives them. How it is sent, and who is told,
/// is their own.
@MainActor protocol QueueOwner: AnyObject, Sendable {
  /// What is kept of an item.
  associatedtype Content: QueuedItemContent
  /// How an item ends well.
  associatedtype End: QueuedEnd
  /// What sends the items of a registered type.
  associatedtype Work

  var runner: QueueRunner { get }
  var registry: QueueRegistry<Work> { get }
  var onDamage: (@MainActor ([String]) -> Void)? { get }

  /// Sends an item, whose user is there.
  ///
  /// - Parameter body: The body that the item has in a file; nil where it has none there.
  func send(
    _ row: QueueStore.Row, _ content: Content, by work: Work, body: HTTPBody?,
    as identity: QueueRunner.Identity
  ) async -> Result<End, APIError>
  /// Whether an item that has failed so may be sent again at all. By default it may.
  func mayGoAgain(after error: APIError) -> Bool
  /// Tells how an item has ended, or why it was parked. False when nobody heard of it, be it that its user has left.
  @discardableResult func tell(_ row: QueueStore.Row, _ result: Result<End, APIError>) -> Bool
  /// An item was given up because its user has left.
  func dropped(_ row: QueueStore.Row, because error: APIError)
  /// Puts the values of a response into an item that waited for it: the new payload, or why there is none. Nil for no change.
  nonisolated static func fill(
    _ child: QueueStore.Row, from parent: Int64, _ end: End
  ) -> (payload: [UInt8]?, fault: String)?
  /// How an item has ended is on the disk: what it has there beside its row and its file goes. Not called on the main actor.
  nonisolated static func ended(_ row: QueueStore.Row)
  /// Items have ended in processes that may have ended themselves before ``ended(_:)``.
  nonisolated static func ended(_ landings: [QueueStore.Landing])
  /// Returns when all that was given to it so far is on the disk, or refused; whether its task is cancelled or not.
  func allKept() async
  /// A user leaves whose items are dropped: what is being kept of the user is not waited for.
  func userLeaves(_ user: String)
}

/// What is kept of an item that is to be sent.
protocol QueuedItemContent: QueueContent {
  /// What is sent, but for a file.
  var call: QueuedCall { get }
  /// Whether its body is in a file of the queue.
  var isSpooled: Bool { get }
  /// Why it is not sent any more: what it was made of has changed. Nil where it has not.
  var objection: String? { get }
}

/// How an item has ended well.
protocol QueuedEnd: Sendable {
  var landing: QueuedLanding { get }
}

extension QueueOwner {
  var queue: DurableQueue { runner.queue }
  var attachedNames: Set<String> { registry.attachedNames }

  func attached(_ name: String) -> QueueAttachment? { registry.attached(name) }

  nonisolated static func fill(
    _ child: QueueStore.Row, from parent: Int64, _ end: End
  ) -> (payload: [UInt8]?, fault: String)? { nil }

  nonisolated static func ended(_ row: QueueStore.Row) {}

  func mayGoAgain(after error: APIError) -> Bool { true }

  nonisolated static func ended(_ landings: [QueueStore.Landing]) {}

  func allKept() async {}

  func userLeaves(_ user: String) {}

  func endedBefore(_ landings: [QueueStore.Landing]) {
    if !landings.isEmpty { Task.detached { Self.ended(landings) } }
  }

  /// Looks through what has ended and was not told, once at launch: it need not have a manager that is attached.
  func lookThroughLandings() {
    let (queue, names) = (queue, registry.names)
    Task.detached {
      for name in names { if let landings = try? await queue.landings(of: name) { Self.ended(landings) } }
    }
  }

  // MARK: One item

  func send(_ row: QueueStore.Row) async {
    guard let content = Self.content(of: row) else {
      return await park(row, "its bytes on the disk were damaged")
    }
    guard let registration = registry[row.type] else {
      return await park(row, "the \(runner.configuration.name) does not know the manager type \(row.type)")
    }
    let (service, environment) = (registration.service, ServiceEnvironment(content.call.environment))
    guard service.environments[environment] != nil else {
      return await park(row, "\(service.name) has no environment \(environment)")
    }
    let authenticator = service.identity.authenticator
    guard let identity = await runner.identity(of: row, authenticator) else { return }
    var body: HTTPBody?
    if content.isSpooled {
      if let objection = await queue.objection(toSpool: row.spool) { return await park(row, objection) }
      body = row.spool.map { .file(path: queue.spoolPath($0)) }
    }
    if let objection = content.objection { return await park(row, objection) }
    switch await send(row, content, by: registration.work, body: body, as: identity) {
    case .success(let end): await finish(row, end)
    case .failure(let error):
      let mayGoAgain = mayGoAgain(after: error)
      if await runner.fail(row, error, mayGoAgain: mayGoAgain, signedInBy: authenticator) {
        tell(row, .failure(error))
      }
    }
  }

  private func finish(_ row: QueueStore.Row, _ end: End) async {
    let queue = queue
    await runner.finish(row, landing: end.landing.enveloped) { (landing) async throws(DurableQueue.Fault) in
      try await queue.finish(row.id, landing: landing) { child in
        Self.fill(child, from: row.id, end)
      } then: {
        Self.ended(row)
      }
    } tell: { [weak self] in
      self?.tell(row, .success(end)) ?? false
    }
  }

  /// Sets an item aside. Its delegate hears of the failure; the item stays, and may be sent again.
  private func park(_ row: QueueStore.Row, _ reason: String) async {
    await runner.park(row, reason)
    let item = runner.configuration.names.item
    tell(row, .failure(APIError(.takeoff, .misconfigured, "\(item) \(row.id) is parked: \(reason)")))
  }

  func expired(_ row: QueueStore.Row, _ error: APIError) async {
    await runner.deliver(row) { tell(row, .failure(error)) }
  }

  func damaged(_ copies: [String]) { onDamage?(copies) }

  /// Whether an item's user is there.
  func isPresent(_ row: QueueStore.Row) -> Bool {
    runner.isPresent(row.user, registry[row.type]?.service.identity.authenticator)
  }

  // MARK: Looking

  /// The content of an item; nil when it cannot be read.
  nonisolated static func content(of row: QueueStore.Row) -> Content? {
    row.isDamaged ? nil : Content(enveloped: row.payload)
  }

  /// All items in order; those whose content cannot be read are marked as damaged.
  func contents() async throws(APIError) -> [(row: QueueStore.Row, content: Content?)] {
    let rows = try await runner.named { () async throws(DurableQueue.Fault) in try await self.queue.rows() }
    return rows.map { row in
      let content = Self.content(of: row)
      var row = row
      row.isDamaged = content == nil
      return (row, content)
    }
  }
}
