import APIKit

/// What several processes and several launches need: whose an item is, what died with its process, what has landed.
extension QueueStore {
  /// How often a process may end with an item on its way before the item is parked.
  static let maximumDeaths = 3

  /// The processes that have items on their way.
  func owners() throws(SQLiteFailure) -> [String] {
    try database.texts("SELECT DISTINCT owner FROM items WHERE state = 1 AND owner IS NOT NULL")
  }

  /// Marks a running item to be parked if its process ends: it is about to be sent to a server that cannot detect a duplicate.
  func noteCrossing(_ id: Int64) throws(SQLiteFailure) {
    try database.run(
      "UPDATE items SET reason = ? WHERE id = ? AND state = 1",
      "the process ended while it was on its way; the server may have acted on it, and could not tell a repetition",
      id)
  }

  /// Takes back what a process had on its way when it ended; what has seen too many of them is parked, and what may not go again.
  func buryItems(of owner: String) throws(SQLiteFailure) {
    let buried = try database.all(
      """
      UPDATE items SET state = 0, owner = NULL, deaths = deaths + 1 WHERE state = 1 AND owner = ?
      RETURNING id, deaths, reason
      """, owner
    ) { (id: $0.integer(0), deaths: $0.integer(1), reason: $0.text(2)) }
    for item in buried where item.reason != nil || item.deaths >= Self.maximumDeaths {
      try park(
        item.id, item.reason ?? "the process ended \(Self.maximumDeaths) times while it was on its way")
    }
  }

  /// Items that are under way without an owner, or wait longer than any server may ask, have a damaged row: they wait anew.
  func takeBackLost() throws(SQLiteFailure) {
    try database.execute("UPDATE items SET state = 0 WHERE state = 1 AND owner IS NULL AND id > 0")
    try database.run(
      "UPDATE items SET due = 0 WHERE state = 0 AND head = 1 AND needs = 0 AND due > ? AND due < ?",
      clock.now + Self.longestWait, Self.never)
  }

  /// Two days, in seconds: an item waits a day at most.
  private static let longestWait = 172_800.0

  /// The items whose time is over, and that are not on their way.
  func expired() throws(SQLiteFailure) -> [Row] {
    try rows("WHERE expiry IS NOT NULL AND expiry <= ? AND state <> 1 ORDER BY id", clock.now)
  }

  /// The users with this digest who have items, or landings that nobody has taken.
  func users(withDigest digest: String) throws(SQLiteFailure) -> Set<String> {
    let users = try database.texts("SELECT user FROM items UNION SELECT user FROM landings")
    return Set(users.filter { Crypto.digest(of: [$0]) == digest })
  }

  /// The items of users. Of a damaged one nothing says any more whose it is: it counts as theirs.
  func rows(of users: Set<String>) throws(SQLiteFailure) -> [Row] {
    try rows("ORDER BY id").filter { users.containsExactly($0.user) || $0.isDamaged }
  }

  // MARK: Landings

  /// How an item ended, until its delegate was told.
  struct Landing: Sendable {
    var id: Int64
    var recipient: String
    var user: String
    var payload: [UInt8]
    /// Whether its bytes are not those that were kept.
    var isDamaged = false

    init(of row: Row, _ payload: [UInt8]) {
      (id, recipient, user, self.payload) = (row.id, row.recipient, row.user, payload)
    }

    /// - Parameter isOlder: Whether it may have been kept without a checksum.
    fileprivate init(_ row: SQLiteStatement, isOlder: Bool) {
      (id, recipient, user) = (row.integer(0), row.text(1) ?? "", row.text(2) ?? "")
      payload = row.withBlob(3) { Array($0) }
      isDamaged = row.isNull(4) ? !isOlder : row.integer(4) != checksum
    }

    fileprivate var checksum: Int64 {
      RowChecksum(recipient: recipient, user: user).value(id: id, spool: nil, size: 0, payload: payload)
    }
  }

  /// Keeps how an item ended. Of more than ``maximumLandings`` the oldest go.
  func keep(_ landing: Landing) throws(SQLiteFailure) {
    var landing = landing
    landing.payload = try seal.close(landing.payload, .queuedLanding, of: landing.user)
    try database.run(
      "INSERT OR REPLACE INTO landings (id, recipient, user, payload, checksum) VALUES (?, ?, ?, ?, ?)",
      landing.id, landing.recipient, landing.user, landing.payload, landing.checksum)
    try database.execute(
      """
      DELETE FROM landings WHERE id <=
      (SELECT id FROM landings ORDER BY id DESC LIMIT 1 OFFSET \(Self.maximumLandings))
      """)
  }

  /// What has ended for one recipient, or for all, in the order of the items.
  func landings(of recipient: String?) throws(SQLiteFailure) -> [Landing] {
    try database.all(
      "SELECT id, recipient, user, payload, checksum FROM landings WHERE recipient = ?1 OR ?1 IS NULL ORDER BY id",
      recipient
    ) { row in
      var landing = Landing(row, isOlder: isCheckingOlderRows)
      if let content = seal.open(landing.payload, .queuedLanding, of: landing.user), !landing.isDamaged {
        landing.payload = content
      } else {
        (landing.isDamaged, landing.payload) = (true, [])
      }
      return landing
    }
  }

  /// The delegate was told.
  func forgetLanding(_ id: Int64) throws(SQLiteFailure) {
    try database.run("DELETE FROM landings WHERE id = ?", id)
  }

  /// Forgets what has ended of a user.
  func forgetLandings(of user: String) throws(SQLiteFailure) {
    try database.run("DELETE FROM landings WHERE user = ?", user)
  }
}
