import APIKit

/// Telling how items have ended: to their own user only, and once.
extension QueueRunner {
  /// Tells how an item has ended, and forgets it when `tell` says that a delegate heard of it.
  func deliver(_ row: QueueStore.Row, _ tell: @MainActor () -> Bool) async {
    // A manager that was attached in between may have been told.
    guard !told.contains(row.id), tell() else { return }
    await report { () async throws(DurableQueue.Fault) in try await self.forgetLanding(of: row.id) }
  }

  /// Writes how an item has ended, and tells it. Where the disk fails, a waiter is told at once; the end is written
  /// later, lest the item be sent again.
  ///
  /// - Parameter write: Takes the landing, or nil where somebody was told.
  func finish(
    _ row: QueueStore.Row, landing: [UInt8],
    write: @escaping @MainActor ([UInt8]?) async throws(DurableQueue.Fault) -> Void,
    tell: @escaping @MainActor () -> Bool
  ) async {
    if await report({ () async throws(DurableQueue.Fault) in try await write(landing) }) {
      return await deliver(row, tell)
    }
    let isTold = tell()
    owe(row.id) { [weak self] () async throws(DurableQueue.Fault) in
      try await write(isTold ? nil : landing)
      if !isTold { await self?.deliver(row, tell) }
    }
  }

  /// Nobody is told of the item again while this is written, nor in this process when that fails.
  private func forgetLanding(of id: Int64) async throws(DurableQueue.Fault) {
    told.insert(id)
    try await queue.forgetLanding(id)
    told.remove(id)
  }

  /// Tells who is attached under a name what has ended meanwhile. What is another user's stays until that user is back.
  func deliverKept(to name: String) { Task { await tellKept(to: name) } }

  private func tellKept(to name: String) async {
    var begun: Int
    repeat {
      begun = departures
      await report { () async throws(DurableQueue.Fault) in
        let landings = try await self.queue.landings(of: name)
        self.owner?.endedBefore(landings)
        for landing in landings where !self.holds(landing.id) {
          // Asked again for each landing: a delegate may have attached another manager, or signed the user out.
          guard begun == self.departures, let recipient = self.owner?.attached(name) else { return }
          guard self.isPresent(landing.user, recipient.authenticator()), !self.told.contains(landing.id)
          else { continue }
          recipient.land(
            QueuedLanding(enveloped: landing.payload)
              ?? QueuedLanding(
                APIError(
                  .takeoff, .outboxUnusable,
                  "item \(landing.id) has ended, and how is damaged on the disk")))
          try await self.forgetLanding(of: landing.id)
        }
      }
    } while begun != departures
  }
}
