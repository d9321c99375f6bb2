import APIKit

extension ExchangeDatabase {
  /// One connection and its statements.
  final class Connection {
    let database: SQLiteDatabase
    private let key: StorageKey
    private let limits: ExchangeLimits

    private static let envelope = Envelope(kind: .keptExchange)
    private static let columns =
      "id, launch, number, begun, took, flight, service, api, method, host, path, status, failure, sent, received, user"

    init(_ database: SQLiteDatabase, key: StorageKey, limits: ExchangeLimits) {
      (self.database, self.key, self.limits) = (database, key, limits)
    }

    // MARK: Writing

    /// Keeps exchanges, and makes room for them.
    func insert(_ rows: [ExchangeRow], now: Double) throws(SQLiteFailure) {
      try database.transaction { () throws(SQLiteFailure) in
        for row in rows {
          guard let content = Self.envelope.seal(row.content, under: key, at: row.exchange.place.utf8) else {
            // SQLITE_INTERNAL.
            throw SQLiteFailure(code: 2, message: "the exchange cannot be sealed")
          }
          try insert(row.exchange, size: content.count + ExchangeRow.overhead)
          try database.run("INSERT INTO contents (id, content) VALUES (?, ?)", database.lastRow, content)
        }
        try makeRoom(now)
      }
    }

    private func insert(_ exchange: KeptExchange, size: Int) throws(SQLiteFailure) {
      try database.run(
        """
        INSERT INTO exchanges (launch, number, begun, took, flight, service, api, method, host, path, status,
        failure, sent, received, size, user) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, exchange.launch, exchange.number, exchange.secondsSince1970, exchange.duration / .seconds(1),
        Int64(clamping: exchange.flight?.rawValue ?? 0), exchange.service ?? "", exchange.apiName ?? "",
        exchange.method.rawValue, exchange.host, exchange.path, Int64(exchange.status ?? 0),
        exchange.failure ?? "", exchange.bytesSent ?? -1, exchange.bytesReceived ?? -1, Int64(size),
        exchange.user)
    }

    private func makeRoom(_ now: Double) throws(SQLiteFailure) {
      let times = times(now)
      try database.run("DELETE FROM exchanges WHERE begun < ? OR begun > ?", times.oldest, times.newest)
      let most = max(0, limits.maximumBytes)
      let excess = max(0, try database.number("SELECT bytes FROM totals")) - most
      guard excess > 0 else { return }
      let sizes = try database.statement("SELECT id, size FROM exchanges ORDER BY id")
      var (last, freed): (Int64, Int64) = (0, 0)
      while freed < excess, try sizes.step() {
        last = sizes.integer(0)
        freed += min(max(0, sizes.integer(1)), most)
      }
      sizes.reset()
      try database.run("DELETE FROM exchanges WHERE id <= ?", last)
    }

    /// Between which times an exchange may have begun. One from further ahead was kept under a clock that was wrong, and would
    /// otherwise stay until that time has come.
    private func times(_ now: Double) -> (oldest: Double, newest: Double) {
      let age = max(.zero, limits.maximumAge) / .seconds(1)
      return (now - age, now + age)
    }

    /// Removes rows with a size that none has, and corrects the sum where it is not that of the rows: with a wrong one nothing
    /// would be kept, or nothing removed.
    func checkSizes() throws(SQLiteFailure) {
      let most = 1 << 32
      let isRight = try database.number(
        """
        SELECT total(size) = (SELECT bytes FROM totals) AND coalesce(min(size), 0) >= 0
        AND coalesce(max(size), 0) < \(most) FROM exchanges
        """)
      guard isRight == 0 else { return }
      try database.transaction { () throws(SQLiteFailure) in
        try database.execute(
          """
          UPDATE totals SET bytes = 0;
          DELETE FROM exchanges WHERE size < 0 OR size >= \(most);
          DELETE FROM totals;
          INSERT INTO totals SELECT 1, CAST(total(size) AS INTEGER) FROM exchanges;
          """)
      }
    }

    /// Removes the exchanges of users, or all of them, also from the log.
    ///
    /// - Parameter users: What stands for them; nil for all.
    func erase(_ users: Set<String>?) throws(SQLiteFailure) {
      try database.transaction { () throws(SQLiteFailure) in
        // Of a damaged one the rows that are not seen would stay: it is emptied as a whole.
        guard try database.isSound() else { throw .damage("its pages are damaged") }
        guard let users else { return try database.execute("DELETE FROM exchanges") }
        for user in users { try database.run("DELETE FROM exchanges WHERE user = ?", user) }
      }
      try database.emptyLog()
    }

    // MARK: Reading

    /// The exchanges that a query means, the newest first.
    func find(_ query: ExchangeQuery, limit: Int, now: Double) throws(SQLiteFailure) -> [KeptExchange] {
      let times = times(now)
      let condition = query.condition(from: times.oldest, to: times.newest)
      let statement = try database.prepare(
        "SELECT \(Self.columns) FROM exchanges WHERE \(condition.sql) ORDER BY id DESC LIMIT ?")
      let values = condition.values + [Int64(max(0, limit))]
      for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index + 1)) }
      return try statement.all { KeptExchange($0) }
    }

    /// The contents of exchanges, opened; nil for one that is gone, was changed or is sealed under another key.
    func contents(of exchanges: ArraySlice<KeptExchange>) throws(SQLiteFailure) -> [[UInt8]?] {
      try exchanges.map { exchange throws(SQLiteFailure) in
        try database.all("SELECT content FROM contents WHERE id = ?", exchange.id) { row in
          row.withBlob(0) { Array($0) }
        }.first.flatMap { try? Self.envelope.open($0, under: key, at: exchange.place.utf8) }
      }
    }
  }
}
