import APIKit

extension ExchangeDatabase {
  /// One connection and its statements.
  final class Connection {
    let database: SQLiteDatabase
    private let key: StorageKey
    private let limits: ExchangeLimits
    private let insertion: SQLiteStatement
    private let filling: SQLiteStatement
    private let reading: SQLiteStatement

    private static let envelope = Envelope(kind: .keptExchange)
    private static let columns =
      "id, launch, number, begun, took, flight, service, api, method, host, path, status, failure, sent, received, user"

    init(_ database: SQLiteDatabase, key: StorageKey, limits: ExchangeLimits) throws(SQLiteFailure) {
      (self.database, self.key, self.limits) = (database, key, limits)
      insertion = try database.prepare(
        """
        INSERT INTO exchanges (launch, number, begun, took, flight, service, api, method, host, path, status,
        failure, sent, received, size, user) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
      filling = try database.prepare("INSERT INTO contents (id, content) VALUES (?, ?)")
      reading = try database.prepare("SELECT content FROM contents WHERE id = ?")
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
          bind(row.exchange, size: content.count + ExchangeRow.overhead)
          try insertion.run()
          filling.bind(1, database.lastRow)
          filling.bind(2, content)
          try filling.run()
        }
        try makeRoom(now)
      }
    }

    private func bind(_ exchange: KeptExchange, size: Int) {
      insertion.bind(1, exchange.launch)
      insertion.bind(2, exchange.number)
      insertion.bind(3, exchange.secondsSince1970)
      insertion.bind(4, exchange.duration / .seconds(1))
      insertion.bind(5, Int64(clamping: exchange.flight?.rawValue ?? 0))
      insertion.bind(6, exchange.service ?? "")
      insertion.bind(7, exchange.apiName ?? "")
      insertion.bind(8, exchange.method.rawValue)
      insertion.bind(9, exchange.host)
      insertion.bind(10, exchange.path)
      insertion.bind(11, Int64(exchange.status ?? 0))
      insertion.bind(12, exchange.failure ?? "")
      insertion.bind(13, exchange.bytesSent ?? -1)
      insertion.bind(14, exchange.bytesReceived ?? -1)
      insertion.bind(15, Int64(size))
      insertion.bind(16, exchange.user)
    }

    private func makeRoom(_ now: Double) throws(SQLiteFailure) {
      let expired = try database.prepare("DELETE FROM exchanges WHERE begun < ? OR begun > ?")
      let times = times(now)
      expired.bind(1, times.oldest)
      expired.bind(2, times.newest)
      try expired.run()
      let most = max(0, limits.maximumBytes)
      let excess = max(0, try database.number("SELECT bytes FROM totals")) - most
      guard excess > 0 else { return }
      let sizes = try database.prepare("SELECT id, size FROM exchanges ORDER BY id")
      var (last, freed): (Int64, Int64) = (0, 0)
      while freed < excess, try sizes.step() {
        last = sizes.integer(0)
        freed += min(max(0, sizes.integer(1)), most)
      }
      sizes.reset()
      let removal = try database.prepare("DELETE FROM exchanges WHERE id <= ?")
      removal.bind(1, last)
      try removal.run()
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
        let removal = try database.prepare("DELETE FROM exchanges WHERE user = ?")
        for user in users {
          removal.bind(1, user)
          try removal.run()
        }
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
      var index: Int32 = 0
      for value in condition.values {
        index += 1
        switch value {
        case .text(let text): statement.bind(index, text)
        case .number(let number): statement.bind(index, number)
        case .real(let number): statement.bind(index, number)
        }
      }
      statement.bind(index + 1, Int64(max(0, limit)))
      var found: [KeptExchange] = []
      while try statement.step() { found.append(KeptExchange(statement)) }
      return found
    }

    /// The contents of exchanges, opened; nil for one that is gone, was changed or is sealed under another key.
    func contents(of exchanges: ArraySlice<KeptExchange>) throws(SQLiteFailure) -> [[UInt8]?] {
      var contents: [[UInt8]?] = []
      for exchange in exchanges {
        defer { reading.reset() }
        reading.bind(1, exchange.id)
        let sealed: [UInt8]? = try reading.step() ? reading.withBlob(0) { Array($0) } : nil
        contents.append(
          sealed.flatMap { try? Self.envelope.open($0, under: key, at: exchange.place.utf8) })
      }
      return contents
    }
  }
}
