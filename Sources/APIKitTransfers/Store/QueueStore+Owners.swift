import APIKit

/// What several processes and several launches need: whose an item is, what died with its process, what has landed.
extension QueueStore {
  /// How often a process may end with an item on its way before the item is parked.
  static let maximumDeaths = 3

  /// The processes that have items on their way.
  func owners() throws(SQLiteFailure) -> [String] {
    let statement = try database.prepare("SELECT DISTINCT owner FROM items WHERE state = 1")
    var owners: [String] = []
    while try statement.step() { if let owner = statement.text(0) { owners.append(owner) } }
    return owners
  }

  /// Takes back what a process had on its way when it ended; what has seen too many of them is parked.
  func buryItems(of owner: String) throws(SQLiteFailure) {
    let buried = try database.prepare(
      """
      UPDATE items SET state = 0, owner = NULL, deaths = deaths + 1 WHERE state = 1 AND owner = ?
      RETURNING id, deaths
      """)
    buried.bind(1, owner)
    var poisoned: [Int64] = []
    while try buried.step() {
      if buried.integer(1) >= Int64(Self.maximumDeaths) { poisoned.append(buried.integer(0)) }
    }
    for id in poisoned {
      try park(id, "the process ended \(Self.maximumDeaths) times while it was on its way")
    }
  }

  /// Items that are under way without an owner, or wait longer than any server may ask, have a damaged row: they wait anew.
  func takeBackLost() throws(SQLiteFailure) {
    try database.run("UPDATE items SET state = 0 WHERE state = 1 AND owner IS NULL AND id > ?", 0)
    let statement = try database.prepare(
      "UPDATE items SET due = 0 WHERE state = 0 AND head = 1 AND needs = 0 AND due > ? AND due < ?")
    statement.bind(1, clock.now + Self.longestWait)
    statement.bind(2, Self.never)
    try statement.run()
  }

  /// Two days, in seconds: an item waits a day at most.
  private static let longestWait = 172_800.0

  /// The items whose time is over, and that are not on their way.
  func expired() throws(SQLiteFailure) -> [Row] {
    let now = clock.now
    return try rows("WHERE expiry IS NOT NULL AND expiry <= ? AND state <> 1 ORDER BY id") { $0.bind(1, now) }
  }

  /// The users with this digest who have items, or landings that nobody has taken.
  func users(withDigest digest: String) throws(SQLiteFailure) -> Set<String> {
    let statement = try database.prepare("SELECT user FROM items UNION SELECT user FROM landings")
    var users: Set<String> = []
    while try statement.step() { if let user = statement.text(0) { users.insert(user) } }
    return users.filter { Crypto.digest(of: [$0]) == digest }
  }

  /// The items of users. Of a damaged one nothing says any more whose it is: it counts as theirs.
  func rows(of users: Set<String>) throws(SQLiteFailure) -> [Row] {
    try rows("ORDER BY id").filter { users.contains($0.user) || $0.isDamaged }
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

    fileprivate var checksum: Int64 {
      RowChecksum(nil, "", recipient, user, nil).value(id: id, spool: nil, size: 0, payload: payload)
    }
  }

  /// Keeps how an item ended. Of more than ``maximumLandings`` the oldest go.
  func keep(_ landing: Landing) throws(SQLiteFailure) {
    var landing = landing
    guard let payload = seal.close(landing.payload, .queuedLanding, of: landing.user) else {
      throw QueueSeal.failure
    }
    landing.payload = payload
    let statement = try database.prepare(
      "INSERT OR REPLACE INTO landings (id, recipient, user, payload, checksum) VALUES (?, ?, ?, ?, ?)")
    statement.bind(1, landing.id)
    statement.bind(2, landing.recipient)
    statement.bind(3, landing.user)
    statement.bind(4, landing.payload)
    statement.bind(5, landing.checksum)
    try statement.run()
    try database.execute(
      """
      DELETE FROM landings WHERE id <=
      (SELECT id FROM landings ORDER BY id DESC LIMIT 1 OFFSET \(Self.maximumLandings))
      """)
  }

  /// What has ended for one recipient, or for all, in the order of the items.
  func landings(of recipient: String?) throws(SQLiteFailure) -> [Landing] {
    let statement = try database.prepare(
      "SELECT id, recipient, user, payload, checksum FROM landings WHERE recipient = ?1 OR ?1 IS NULL ORDER BY id"
    )
    statement.bind(1, recipient)
    var landings: [Landing] = []
    while try statement.step() {
      var landing = Landing(
        id: statement.integer(0), recipient: statement.text(1) ?? "", user: statement.text(2) ?? "",
        payload: statement.withBlob(3) { Array($0) })
      landing.isDamaged = !statement.isNull(4) && statement.integer(4) != landing.checksum
      if let content = seal.open(landing.payload, .queuedLanding, of: landing.user), !landing.isDamaged {
        landing.payload = content
      } else {
        (landing.isDamaged, landing.payload) = (true, [])
      }
      landings.append(landing)
    }
    return landings
  }

  /// The delegate was told.
  func forgetLanding(_ id: Int64) throws(SQLiteFailure) {
    try database.run("DELETE FROM landings WHERE id = ?", id)
  }

  /// Forgets what has ended of a user.
  func forgetLandings(of user: String) throws(SQLiteFailure) {
    try database.run("DELETE FROM landings WHERE user = ?", text: user)
  }

  /// The names of the files that items have.
  func spools() throws(SQLiteFailure) -> Set<String> {
    let statement = try database.prepare("SELECT spool FROM items WHERE spool IS NOT NULL")
    var names: Set<String> = []
    while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
    return names
  }
}

extension SQLiteDatabase {
  /// Runs a statement with a number, and a text as the second parameter.
  func run(_ sql: String, _ number: Int64, _ text: String? = nil) throws(SQLiteFailure) {
    let statement = try prepare(sql)
    statement.bind(1, number)
    if let text { statement.bind(2, text) }
    try statement.run()
  }

  /// Runs a statement with a text.
  func run(_ sql: String, text: String) throws(SQLiteFailure) {
    let statement = try prepare(sql)
    statement.bind(1, text)
    try statement.run()
  }
}

extension SQLiteStatement {
  /// The first column of all rows as numbers; resets it.
  func integers() throws(SQLiteFailure) -> [Int64] {
    defer { reset() }
    var numbers: [Int64] = []
    while try step() { numbers.append(integer(0)) }
    return numbers
  }
}
