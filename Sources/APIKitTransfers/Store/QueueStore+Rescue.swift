import APIKit

extension QueueStore {
  /// How a damaged database of a queue is replaced.
  static func rescue(_ path: String, _ schema: SQLiteSchema) -> DatabaseRescue {
    DatabaseRescue(path: path, schema: schema, isWhole: Self.isWhole) { old in
      let kept = Remains(of: old)
      return { (new) throws(SQLiteFailure) in
        guard try schema.prepare(new) == nil else { return }
        try new.transaction { () throws(SQLiteFailure) in try kept.write(to: new) }
      }
    }
  }

  /// Reads all there is.
  private static func isWhole(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Bool {
    for table in ["items", "needs", "landings", "totals", "clock"] {
      let all = try database.prepare("SELECT * FROM \(table)")
      while try all.step() {}
    }
    return try database.isSound()
  }

  /// What can be read of a damaged database. Items whose checksum does not fit are among it, with that checksum, so that
  /// they stay damaged.
  private struct Remains {
    private struct Item {
      var lane: String?
      var state: Int64
      var due: Double
      var owner: String?
      var attempts, deaths, size: Int64
      var expiry: Double?
      var type, recipient, user: String
      var spool, reason: String?
      var payload: [UInt8]
      var checksum: Int64?
    }

    private struct Ended {
      var recipient, user: String
      var payload: [UInt8]
      var checksum: Int64?
    }

    private let items: [(id: Int64, row: Item)]
    private let landings: [(id: Int64, row: Ended)]
    private let needs: [(id: Int64, row: (parent: Int64, child: Int64))]
    private let clock: QueueClock.Anchor?
    private let highest: Int64

    init(of database: SQLiteDatabase) {
      items = DatabaseRescue.rows(
        of: "items",
        "id, lane, state, due, owner, attempts, deaths, size, expiry, type, recipient, user, spool, reason, payload, "
          + "checksum", in: database
      ) { row in
        Item(
          lane: row.text(1), state: row.integer(2), due: row.double(3), owner: row.text(4),
          attempts: row.integer(5),
          deaths: row.integer(6), size: row.integer(7), expiry: row.isNull(8) ? nil : row.double(8),
          type: row.text(9) ?? "", recipient: row.text(10) ?? "", user: row.text(11) ?? "",
          spool: row.text(12),
          reason: row.text(13), payload: row.withBlob(14) { Array($0) },
          checksum: row.isNull(15) ? nil : row.integer(15))
      }
      landings = DatabaseRescue.rows(
        of: "landings", "id, recipient, user, payload, checksum", in: database
      ) { row in
        Ended(
          recipient: row.text(1) ?? "", user: row.text(2) ?? "", payload: row.withBlob(3) { Array($0) },
          checksum: row.isNull(4) ? nil : row.integer(4))
      }
      var needs: [(id: Int64, row: (parent: Int64, child: Int64))] = []
      if let all = try? database.prepare("SELECT parent, child FROM needs") {
        while (try? all.step()) == true { needs.append((0, (all.integer(0), all.integer(1)))) }
      }
      self.needs = needs
      var clock: QueueClock.Anchor?
      if let row = try? database.prepare("SELECT boot, steady, wall, time FROM clock"),
        (try? row.step()) == true
      {
        clock = QueueClock.Anchor(
          boot: row.text(0) ?? "", steady: row.double(1), wall: row.double(2), time: row.double(3))
      }
      let isPlausible = clock.map {
        [$0.steady, $0.wall, $0.time].allSatisfy { $0.isFinite && abs($0) < 1e11 }
      }
      self.clock = isPlausible == true ? clock : nil
      let given = (try? database.number("SELECT highest FROM totals")) ?? 0
      // A damaged count would have no id be free any more.
      highest = max(items.last?.id ?? 0, landings.last?.id ?? 0, (0..<1 << 48).contains(given) ? given : 0)
    }

    func write(to database: SQLiteDatabase) throws(SQLiteFailure) {
      let insert = try database.prepare(
        """
        INSERT INTO items (id, lane, state, head, needs, due, owner, attempts, deaths, size, expiry, type, recipient,
        user, spool, reason, payload, checksum) VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
      for (id, item) in items where id > 0 {
        insert.bind(1, id)
        insert.bind(2, item.lane)
        // One that nobody has on its way waits.
        insert.bind(3, item.state == 1 && item.owner == nil ? 0 : min(max(item.state, 0), 2))
        insert.bind(4, clock == nil || !item.due.isFinite ? 0 : item.due)
        insert.bind(5, item.owner)
        insert.bind(6, item.attempts)
        insert.bind(7, item.deaths)
        insert.bind(8, item.size)
        insert.bind(9, item.expiry)
        insert.bind(10, item.type)
        insert.bind(11, item.recipient)
        insert.bind(12, item.user)
        insert.bind(13, item.spool)
        insert.bind(14, item.reason)
        insert.bind(15, item.payload)
        if let checksum = item.checksum { insert.bind(16, checksum) } else { insert.bindNull(16) }
        try insert.run()
      }
      for (id, landing) in landings {
        let statement = try database.prepare(
          "INSERT INTO landings (id, recipient, user, payload, checksum) VALUES (?, ?, ?, ?, ?)")
        statement.bind(1, id)
        statement.bind(2, landing.recipient)
        statement.bind(3, landing.user)
        statement.bind(4, landing.payload)
        if let checksum = landing.checksum { statement.bind(5, checksum) } else { statement.bindNull(5) }
        try statement.run()
      }
      for (_, need) in needs {
        try database.run(
          "INSERT OR IGNORE INTO needs SELECT ?1, id FROM items WHERE id = \(need.child)", need.parent)
      }
      // An item waits for those that were read; one that was lost is never done.
      try database.execute(
        """
        UPDATE items SET state = 2, reason = 'an item that it waited for was lost in a damaged database'
        WHERE state < 2 AND id IN (SELECT child FROM needs WHERE parent NOT IN (SELECT id FROM items));
        DELETE FROM needs WHERE parent NOT IN (SELECT id FROM items);
        UPDATE items SET needs = (SELECT count(*) FROM needs WHERE child = items.id)
        WHERE id IN (SELECT child FROM needs);
        UPDATE items SET head = 1 WHERE state < 2 AND (lane IS NULL
        OR id IN (SELECT min(id) FROM items WHERE state < 2 AND lane IS NOT NULL GROUP BY lane));
        UPDATE totals SET count = (SELECT count(*) FROM items), bytes = (SELECT coalesce(sum(size), 0) FROM items),
        highest = \(highest);
        """)
      guard let clock else { return }
      let statement = try database.prepare("INSERT OR REPLACE INTO clock VALUES (1, ?, ?, ?, ?)")
      statement.bind(1, clock.boot)
      statement.bind(2, clock.steady)
      statement.bind(3, clock.wall)
      statement.bind(4, clock.time)
      try statement.run()
    }
  }
}
