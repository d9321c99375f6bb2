import APIKit

extension SQLiteSchema {
  /// The tables of a durable queue: `APKQ`.
  static let queue = SQLiteSchema(migrations: [first, second], application: 0x4150_4B51, settings: durable)

  /// FULL: what was committed has left the machine's memory; WAL needs one sync for that. What is deleted is overwritten, for
  /// it may be of a user who has left.
  static let durable = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"

  /// `head` marks the earliest item of a lane that is not parked, `needs` counts the items that must be done before; the
  /// index `items_ready` so has exactly what may be sent, and finding the next costs the same with any number of items. A
  /// lane that is NULL is the item's own. All times are those of ``QueueClock``. Ids are never given twice, so a lower id
  /// than the highest that is not there is of an item that is done. Nothing is counted by triggers: the counts are written
  /// once for many items. `reason` says why an item is parked, or would be if its process ended now.
  private static let first = """
    CREATE TABLE items (
      id INTEGER PRIMARY KEY, lane TEXT, state INTEGER NOT NULL, head INTEGER NOT NULL,
      needs INTEGER NOT NULL, due REAL NOT NULL, owner TEXT, attempts INTEGER NOT NULL,
      deaths INTEGER NOT NULL, size INTEGER NOT NULL, expiry REAL, type TEXT NOT NULL,
      recipient TEXT NOT NULL, user TEXT NOT NULL, spool TEXT, reason TEXT, blame INTEGER,
      payload BLOB NOT NULL);
    CREATE INDEX items_ready ON items (due, id) WHERE state = 0 AND head = 1 AND needs = 0;
    CREATE INDEX items_lane ON items (lane, id) WHERE state < 2 AND lane IS NOT NULL;
    CREATE INDEX items_owner ON items (owner) WHERE state = 1;
    CREATE INDEX items_expiry ON items (expiry) WHERE expiry IS NOT NULL;
    CREATE INDEX items_spool ON items (spool) WHERE spool IS NOT NULL;
    CREATE INDEX items_blame ON items (blame) WHERE blame IS NOT NULL;
    CREATE TABLE needs (
      parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
    CREATE INDEX needs_child ON needs (child);
    CREATE TABLE landings (
      id INTEGER PRIMARY KEY, recipient TEXT NOT NULL, user TEXT NOT NULL, payload BLOB NOT NULL);
    CREATE INDEX landings_recipient ON landings (recipient);
    CREATE TABLE totals (
      id INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, highest INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0);
    CREATE TABLE clock (
      id INTEGER PRIMARY KEY, boot TEXT NOT NULL, steady REAL NOT NULL, wall REAL NOT NULL,
      time REAL NOT NULL);
    """

  /// A checksum of what a row keeps, NULL in rows of an earlier version until `unchecked` is 0.
  private static let second = """
    ALTER TABLE items ADD COLUMN checksum INTEGER;
    ALTER TABLE landings ADD COLUMN checksum INTEGER;
    ALTER TABLE totals ADD COLUMN unchecked INTEGER NOT NULL DEFAULT 1;
    """
}

extension DatabaseRescue.Remains {
  /// Items whose checksum does not fit stay damaged. One that nobody has on its way waits; times count only with their clock. An
  /// item waits for those that were read: one that was lost is never done. A damaged count would have no id be free any more.
  static let queue = DatabaseRescue.Remains(
    tables: ["items", "needs", "landings", "totals", "clock"],
    repair: """
      DELETE FROM items WHERE id <= 0;
      DELETE FROM totals WHERE id <> 1;
      DELETE FROM clock WHERE id <> 1 OR NOT (abs(steady) < 1e11 AND abs(wall) < 1e11 AND abs(time) < 1e11);
      UPDATE items SET head = 0, needs = 0,
      state = CASE WHEN state = 1 AND owner IS NULL THEN 0 ELSE min(max(state, 0), 2) END,
      due = CASE WHEN EXISTS (SELECT 1 FROM clock) AND abs(due) < 9e999 THEN due ELSE 0 END;
      UPDATE items SET state = 2, reason = 'an item that it waited for was lost in a damaged database'
      WHERE state < 2 AND id IN (SELECT child FROM needs WHERE parent NOT IN (SELECT id FROM items));
      DELETE FROM needs WHERE parent NOT IN (SELECT id FROM items) OR child NOT IN (SELECT id FROM items);
      UPDATE items SET needs = (SELECT count(*) FROM needs WHERE child = items.id)
      WHERE id IN (SELECT child FROM needs);
      UPDATE items SET head = 1 WHERE state < 2 AND (lane IS NULL
      OR id IN (SELECT min(id) FROM items WHERE state < 2 AND lane IS NOT NULL GROUP BY lane));
      UPDATE totals SET count = (SELECT count(*) FROM items), bytes = (SELECT coalesce(sum(size), 0) FROM items),
      highest = max(iif(highest BETWEEN 0 AND 281474976710655, highest, 0),
      (SELECT coalesce(max(id), 0) FROM items), (SELECT coalesce(max(id), 0) FROM landings));
      """)
}
