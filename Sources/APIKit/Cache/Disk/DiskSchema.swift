extension SQLiteSchema {
  /// The tables of the disk cache: `APKC`. Its version is raised with every change that older code cannot work with.
  static let cache = SQLiteSchema(
    migrations: ["", "", removal + tables], application: 0x4150_4B43, settings: settings)

  /// NORMAL may lose the last responses in a power failure, which is only a miss. The page cache of 8 MiB is
  /// allocated as needed and holds the indexes of 100,000 responses. The file is not mapped into memory: if it were
  /// truncated, an access would end the process.
  private static let settings = "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;"

  /// `key` and `variant` are the first words of their digests, which keeps the indexes small; the record
  /// has the whole key. Times of use have a table of their own, so that writing one changes only a small
  /// row. Triggers maintain `totals`, so that the bound holds for all processes; it also has the counts of
  /// all processes.
  private static let tables = """
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, key INTEGER NOT NULL, variant INTEGER NOT NULL, url INTEGER NOT NULL,
      partition INTEGER NOT NULL, expiry REAL NOT NULL, size INTEGER NOT NULL,
      expired INTEGER NOT NULL, sealed INTEGER NOT NULL, file TEXT, checksum INTEGER NOT NULL,
      record BLOB NOT NULL);
    CREATE UNIQUE INDEX entries_key ON entries (key, variant);
    CREATE INDEX entries_url ON entries (url);
    CREATE INDEX entries_expiry ON entries (expiry);
    CREATE TABLE uses (entry INTEGER PRIMARY KEY, used REAL NOT NULL);
    CREATE INDEX uses_used ON uses (used);
    CREATE TABLE tags (tag TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (tag, entry)) WITHOUT ROWID;
    CREATE INDEX tags_entry ON tags (entry);
    CREATE TABLE totals (
      id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, count INTEGER NOT NULL, clock REAL NOT NULL,
      hits INTEGER NOT NULL, misses INTEGER NOT NULL, stores INTEGER NOT NULL, evictions INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, 0, 0);
    CREATE TRIGGER entries_in AFTER INSERT ON entries BEGIN
      UPDATE totals SET bytes = bytes + new.size, count = count + 1; END;
    CREATE TRIGGER entries_out AFTER DELETE ON entries BEGIN
      UPDATE totals SET bytes = bytes - old.size, count = count - 1;
      DELETE FROM uses WHERE entry = old.id;
      DELETE FROM tags WHERE entry = old.id; END;
    """

  /// Removes the tables of an earlier version: a cache's responses are not migrated. Their body files are removed later as
  /// files without a row.
  private static let removal = """
    DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS uses; DROP TABLE IF EXISTS tags;
    DROP TABLE IF EXISTS totals;
    """
}
