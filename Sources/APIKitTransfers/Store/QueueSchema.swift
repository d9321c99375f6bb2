import APIKit

extension SQLiteSchema {
  /// The tables of a durable queue: `APKQ`.
  static let queue = SQLiteSchema(migrations: [first, second], application: 0x4150_4B51, settings: durable)

  /// The settings of every connection. FULL: what was committed has left the machine's memory. WAL needs one sync for a
  /// commit, and lets others read meanwhile. What is deleted is overwritten, for it may be of a user who has left.
  static let durable = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    """

  /// `head` marks the earliest item of a lane that is not parked, `needs` counts the items that must be done before; the
  /// index `items_ready` so has exactly what may be sent, and finding the next costs the same with any number of items. A
  /// lane that is NULL is the item's own. All times are those of ``QueueClock``. Ids are never given twice, so a lower id
  /// than the highest that is not there is of an item that is done. Nothing is counted by triggers: the counts are written
  /// once for many items.
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
