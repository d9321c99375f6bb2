public import APIKit

extension ExchangeStore {
  /// The number of exchanges that are opened at once. A search can be cancelled in between.
  private static let step = 64

  /// The exchanges that match a query, the newest first. Waiting exchanges are written before.
  ///
  /// - Throws: `APIError.Reason.fileFailed` when the database cannot be used, `cancelled` when the task is cancelled.
  public func find(_ query: ExchangeQuery = ExchangeQuery()) async throws(APIError) -> [KeptExchange] {
    await flush()
    let now = time.wallClock
    guard let text = query.text?.lowercased(), !text.isEmpty else {
      return try await read { (connection) throws(SQLiteFailure) in
        try connection.find(query, limit: query.limit, now: now)
      }
    }
    let candidates = try await read { (connection) throws(SQLiteFailure) in
      try connection.find(query, limit: query.openedAtMost, now: now)
    }
    var found: [KeptExchange] = []
    try await open(candidates) { exchange, entry in
      if entry.contains(text) { found.append(exchange) }
      return found.count < query.limit
    }
    return found
  }

  /// Exchanges with head and body, in the order in which they were kept, to be written as HAR
  /// (``HTTPArchive/harBytes()``), as a tape (`Tape`), as commands (``HTTPArchive/Request/curlCommand``) or to be played back
  /// by a stub (`StubTransport(replaying:)`). Exchanges that were removed meanwhile, or are under another key, are not in it.
  ///
  /// - Throws: As ``find(_:)``.
  public func archive(of exchanges: [KeptExchange]) async throws(APIError) -> HTTPArchive {
    var archive = HTTPArchive()
    try await open(exchanges.sorted { $0.id < $1.id }) { _, entry in
      archive.entries.append(entry)
      return true
    }
    return archive
  }

  // MARK: Erasing

  /// Removes all exchanges from the database and its log, the waiting ones too, and the copy of a damaged database: when the user
  /// turns the setting off, for example. Those under way are not kept. On a full disk the database is removed as a whole.
  ///
  /// - Throws: As ``find(_:)``.
  public func erase() async throws(APIError) {
    let epoch = epoch.add(1)
    state.withLock { state in
      state.erased = epoch
      (state.waiting, state.waitingBytes) = ([], 0)
    }
    try await erase(nil)
  }

  /// Notes on the disk that the exchanges of users are to be erased; called by `UserData`.
  ///
  /// - Throws: An error when that cannot be noted.
  public func markErasure(of users: Set<String?>) throws {
    forget(users)
    for user in users { try ExchangeDatabase.mark(of: KeptExchange.tag(of: user), at: path).set() }
  }

  /// Removes the exchanges of users, with the copy of a damaged database; called by `UserData`. Nil stands for exchanges that name
  /// no user, such as those of an earlier version and of loads without a credential.
  ///
  /// - Throws: As ``find(_:)``.
  public func erase(of users: Set<String?>) async throws(APIError) {
    // Once more: a load may have begun between the mark and the end of the credential.
    forget(users)
    try await erase(Set(users.map { KeptExchange.tag(of: $0) }))
  }

  /// Keeps nothing of the exchanges of users that have begun by now.
  private func forget(_ users: Set<String?>) {
    let (users, epoch) = (Set(users.map { $0.map(ExactText.init) }), epoch.add(1))
    state.withLock { state in
      for user in users { state.forgotten[user] = epoch }
      state.waiting.removeAll { users.contains($0.user.map(ExactText.init)) }
      state.waitingBytes = state.waiting.reduce(0) { $0 + $1.bytes }
    }
  }

  private func erase(_ users: Set<String>?) async throws(APIError) {
    await flush()
    try await BlockingWork.run { () throws(APIError) in
      do throws(ExchangeDatabase.Fault) {
        try self.database.withLock { (database) throws(ExchangeDatabase.Fault) in try database.erase(users) }
      } catch {
        throw error.told
      }
    }
  }

  /// Opens exchanges one after the other, until `take` returns false.
  private func open(
    _ exchanges: [KeptExchange], _ take: (KeptExchange, HTTPArchive.Entry) -> Bool
  ) async throws(APIError) {
    for start in stride(from: 0, to: exchanges.count, by: Self.step) {
      guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
      let part = exchanges[start..<min(start + Self.step, exchanges.count)]
      let entries = try await read { (connection) throws(SQLiteFailure) in
        try connection.contents(of: part).map { content in
          content.flatMap { try? HTTPArchive.Entry(RawData(parsing: $0), 0) }
        }
      }
      for (exchange, entry) in zip(part, entries) {
        guard var entry else { continue }
        entry.launch = exchange.launch
        if !take(exchange, entry) { return }
      }
    }
  }

  private func read<Value: Sendable>(
    _ work: @escaping @Sendable (ExchangeDatabase.Connection) throws(SQLiteFailure) -> Value
  ) async throws(APIError) -> Value {
    try await BlockingWork.run { () throws(APIError) in
      do throws(ExchangeDatabase.Fault) { return try self.use(work) } catch { throw error.told }
    }
  }
}
