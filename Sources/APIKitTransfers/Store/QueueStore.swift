import APIKit

/// The operations on the database of a queue: one connection and its statements.
///
/// Not locked: ``DurableQueue`` uses it from one place at a time. Each method is to be called within a transaction, which
/// ``write(_:)`` makes; what it does is then on the disk, or has not happened.
final class QueueStore {
  /// An item that is to be kept.
  struct QueueEntry: Sendable {
    /// Items of one lane go one after the other; nil for a lane of its own.
    var lane: String?
    /// The manager's type.
    var type = ""
    /// Whose delegate is told of it.
    var recipient = ""
    /// The user whose item it is; empty for none.
    var user = ""
    var payload: [UInt8] = []
    /// The file with its body, and how many bytes that has.
    var spool: String?
    var spooledBytes: Int64 = 0
    /// How long it may wait, in seconds; nil for ever.
    var lifetime: Double?
    /// The items that must be done before.
    var after: [Int64] = []
    /// The entries of the same call that must be done before, by their positions.
    var afterEntries: [Int] = []

    var size: Int64 { Int64(payload.count) + spooledBytes }

    /// Puts it in a lane of its user: nobody waits for another user's items.
    mutating func setLane(_ name: String?) { lane = name.map { "\(user)\u{1F}\($0)" } }
  }

  /// An item as it is read.
  struct Row: Sendable {
    var id: Int64 = 0
    var state = ItemState.waiting
    var type = ""
    var recipient = ""
    var user = ""
    var attempts = 0
    var spool: String?
    var reason: String?
    var payload: [UInt8] = []
    var lane: String?
    var size: Int64 = 0
    var expiry: Double?
    /// Whether its bytes are not those that were kept: it must not be sent.
    var isDamaged = false
  }

  enum ItemState: Int64, Sendable {
    case waiting = 0
    case running = 1
    case parked = 2
  }

  /// How much there may be.
  struct Limits: Sendable, Hashable {
    var count: Int64 = 100_000
    var bytes: Int64 = 1 << 30
  }

  /// The due time of an item that waits for something else than the time.
  static let never = 1e300
  /// How many landings are kept that no delegate has taken.
  static let maximumLandings = 10_000

  static let columns =
    "id, state, type, recipient, user, attempts, spool, reason, payload, lane, size, expiry, checksum"

  /// What may be sent now, the earliest first.
  static let readyQuery = """
    SELECT \(columns) FROM items
    WHERE state = 0 AND head = 1 AND needs = 0 AND due <= ? ORDER BY due, id LIMIT ?
    """

  let database: SQLiteDatabase
  let seal: QueueSeal
  private(set) var clock: QueueClock
  /// Whether rows of an earlier version are read, which have no checksum. At any other time one without is damaged.
  var isCheckingOlderRows = false
  /// Insert one row, and many; made when they are first needed.
  var insertions: [Int: SQLiteStatement] = [:]

  init(
    _ database: SQLiteDatabase, _ time: any TimeSource, boot: String, seal: QueueSeal
  ) throws(SQLiteFailure) {
    self.database = database
    self.seal = seal
    // Tables that do not fit are found now, and mended before anything is kept in them.
    for sql in [Self.readyQuery, "SELECT owner, parent, child FROM items, needs"] {
      _ = try database.prepare(sql)
    }
    var anchor = try database.all("SELECT boot, steady, wall, time FROM clock") { row in
      QueueClock.Anchor(
        boot: row.text(0) ?? "", steady: row.double(1), wall: row.double(2), time: row.double(3))
    }.first
    var isDamaged = false
    if var kept = anchor {
      isDamaged = !QueueClock.isWhole(&kept, at: boot)
      anchor = isDamaged ? nil : kept
    }
    clock = QueueClock(time, boot: boot, from: anchor)
    guard clock.anchor != anchor else { return }
    try write { () throws(SQLiteFailure) in
      // Times count only with their clock.
      if isDamaged { try database.run("UPDATE items SET due = 0 WHERE due < ?", Self.never) }
      try keep(clock.anchor)
    }
  }

  /// Does all of the work, or none of it when it throws.
  func write<Value>(_ work: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value {
    try database.transaction { () throws(SQLiteFailure) in
      if let anchor = clock.renewedAnchor() { try keep(anchor) }
      return try work()
    }
  }

  private func keep(_ anchor: QueueClock.Anchor) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO clock VALUES (1, ?, ?, ?, ?)", QueueClock.text(of: anchor), anchor.steady,
      anchor.wall, anchor.time)
  }

  // MARK: Items in

  /// Keeps items, in order; nil when there would be too much.
  func enqueue(_ entries: [QueueEntry], _ limits: Limits) throws(SQLiteFailure) -> [Int64]? {
    let bytes = entries.reduce(0) { $0 + $1.size }
    guard let ids = try freeIDs(entries.count, bytes: bytes, within: limits) else { return nil }
    /// Lanes of which something waits.
    var taken: Set<String> = []
    for (entry, id) in zip(entries, ids) {
      var isHead = entry.lane.map { taken.insert($0).inserted } ?? true
      if isHead, let lane = entry.lane { isHead = try isEmpty(lane) }
      try insert(Series(of: entry), from: id, isHead: isHead)
    }
    for (entry, id) in zip(entries, ids) where !entry.after.isEmpty || !entry.afterEntries.isEmpty {
      try require(entry.after + entry.afterEntries.map { ids[$0] }, before: id)
    }
    try count(Int64(entries.count), bytes, given: Int64(entries.count))
    return ids
  }

  /// The ids of so many further items; nil when there would be too much.
  func freeIDs(_ number: Int, bytes: Int64, within limits: Limits) throws(SQLiteFailure) -> [Int64]? {
    let totals = try totals()
    // A flipped bit makes any number of a count.
    let possible = 0...Int64.max / 2
    guard possible.contains(totals.count), possible.contains(totals.bytes), possible.contains(totals.highest)
    else { throw .damage("its counts are damaged") }
    guard totals.count + Int64(number) <= limits.count, totals.bytes + bytes <= limits.bytes else {
      return nil
    }
    return Array(totals.highest + 1..<totals.highest + 1 + Int64(number))
  }

  func isEmpty(_ lane: String) throws(SQLiteFailure) -> Bool {
    try database.all("SELECT 1 FROM items WHERE lane = ? AND state < 2 LIMIT 1", lane) { _ in }.isEmpty
  }

  /// Parents that are not in the table are done.
  private func require(_ parents: [Int64], before child: Int64) throws(SQLiteFailure) {
    var parked: Int64?
    for parent in Set(parents) {
      guard let row = try row(parent) else { continue }
      try database.run("INSERT OR IGNORE INTO needs (parent, child) VALUES (?, ?)", parent, child)
      try database.run("UPDATE items SET needs = needs + 1 WHERE id = ?", child)
      if row.state == .parked { parked = parent }
    }
    if let parked { try park(child, Self.waitsForParked(parked), blame: parked) }
  }

  // MARK: Items out

  /// Takes what may be sent now, the earliest first; no other process takes it.
  func claim(_ owner: String, atMost limit: Int) throws(SQLiteFailure) -> [Row] {
    let rows = try database.all(Self.readyQuery, clock.now, Int64(limit), read: read)
    for row in rows {
      try database.run("UPDATE items SET state = 1, owner = ? WHERE id = ?", owner, row.id)
    }
    return rows
  }

  /// How long until the next item may be sent, in seconds; nil when none waits for the time.
  func nextWait() throws(SQLiteFailure) -> Double? {
    let due = try database.all(
      "SELECT due FROM items WHERE state = 0 AND head = 1 AND needs = 0 ORDER BY due, id LIMIT 1"
    ) { $0.double(0) }.filter { $0 < Self.never }
    let expiry = try database.all(
      "SELECT min(expiry) FROM items WHERE expiry IS NOT NULL AND state = 0"
    ) { $0.isNull(0) ? nil : $0.double(0) }.compactMap { $0 }
    // Not longer than a year: no `Duration` holds what a flipped bit makes of a time.
    return (due + expiry).min().map { min(max(0, $0 - clock.now), 31_536_000) }
  }

  /// An item is done: its lane continues, and those that waited for it may go.
  ///
  /// - Returns: Its file; nil when it has none. Nothing happens when it is not there.
  @discardableResult func finish(_ id: Int64) throws(SQLiteFailure) -> String? { try take(id).spool }

  /// An item is given up: those that waited for it are parked.
  func drop(_ id: Int64) throws(SQLiteFailure) {
    for child in try take(id).children { try park(child, "item \(id), which it waited for, was given up") }
  }

  /// Takes an item out. Its lane continues, and what waited for it waits for one less.
  private func take(_ id: Int64) throws(SQLiteFailure) -> (spool: String?, children: [Int64]) {
    let children = try children(of: id)
    guard let (lane, size, spool) = try place(of: id) else { return (nil, []) }
    try database.run("DELETE FROM items WHERE id = ?", id)
    try database.run("DELETE FROM needs WHERE parent = ?1 OR child = ?1", id)
    try count(-1, -size)
    try goOn(lane)
    for child in children { try database.run("UPDATE items SET needs = needs - 1 WHERE id = ?", child) }
    return (spool, children)
  }

  /// An item that was taken goes back, and is due after so many seconds.
  func putBack(_ id: Int64, after wait: Double, isAttempt: Bool) throws(SQLiteFailure) {
    let due = wait >= Self.never ? Self.never : clock.now + wait
    try database.run(
      """
      UPDATE items SET state = 0, owner = NULL, reason = NULL, due = ?, attempts = attempts + ?
      WHERE id = ? AND state = 1
      """, due, Int64(isAttempt ? 1 : 0), id)
  }

  /// Makes items ready that wait for a sign-in: those of one user, or all.
  func wake(_ user: String?) throws(SQLiteFailure) {
    try database.run(
      """
      UPDATE items SET due = 0 WHERE state = 0 AND head = 1 AND needs = 0 AND due >= ?1
      AND (user = ?2 OR ?2 IS NULL)
      """, Self.never, user)
  }

  /// Makes an item ready that waits for the time.
  func makeDue(_ id: Int64) throws(SQLiteFailure) {
    try database.run("UPDATE items SET due = 0 WHERE id = ? AND state = 0 AND due < ?", id, Self.never)
  }

  // MARK: Parking

  static func waitsForParked(_ parent: Int64) -> String { "it waits for item \(parent), which is parked" }

  /// Parks an item until the application decides about it; its lane continues, and those that wait for it are parked too.
  func park(_ id: Int64, _ reason: String, blame: Int64? = nil) throws(SQLiteFailure) {
    // Not by recursion: a chain of items may be as long as the queue.
    var next = [(id: id, reason: reason, blame: blame)]
    while let item = next.popLast() {
      let lane = try place(of: item.id)?.lane
      try database.run(
        "UPDATE items SET state = 2, head = 0, owner = NULL, due = 0, reason = ?, blame = ? WHERE id = ? AND state < 2",
        item.reason, item.blame, item.id)
      guard database.changes > 0 else { continue }
      try goOn(lane)
      for child in try children(of: item.id).reversed() {
        next.append((child, Self.waitsForParked(item.id), item.id))
      }
    }
  }

  /// Takes an item back into its lane, at its old place, with those that were parked because of it.
  func unpark(_ id: Int64) throws(SQLiteFailure) {
    var next = [id]
    while let id = next.popLast() {
      guard try unparkAlone(id) else { continue }
      next += try database.all("SELECT id FROM items WHERE blame = ? ORDER BY id DESC", id) { $0.integer(0) }
    }
  }

  /// False when it was not parked.
  private func unparkAlone(_ id: Int64) throws(SQLiteFailure) -> Bool {
    let parked = try database.all("SELECT lane FROM items WHERE id = ? AND state = 2", id) { $0.text(0) }
    guard let lane = parked.first else { return false }
    // An item of its lane that has not begun gives it the place back.
    if let lane {
      try database.run(
        "UPDATE items SET head = 0 WHERE lane = ?2 AND state = 0 AND head = 1 AND id > ?1", id, lane)
    }
    try database.run(
      "UPDATE items SET state = 0, reason = NULL, blame = NULL, attempts = 0, deaths = 0, due = 0 WHERE id = ?",
      id)
    if let lane {
      let hasHead = "SELECT EXISTS (SELECT 1 FROM items WHERE lane = ? AND state < 2 AND head = 1)"
      if try database.number(hasHead, lane) == 0 { try goOn(lane) }
    } else {
      try database.run("UPDATE items SET head = 1 WHERE id = ?", id)
    }
    return true
  }

  /// Nil for an item that is not there.
  private func place(of id: Int64) throws(SQLiteFailure) -> (lane: String?, size: Int64, spool: String?)? {
    try database.all("SELECT lane, size, spool FROM items WHERE id = ?", id) {
      ($0.text(0), $0.integer(1), $0.text(2))
    }.first
  }

  private func goOn(_ lane: String?) throws(SQLiteFailure) {
    guard let lane else { return }
    try database.run(
      "UPDATE items SET head = 1 WHERE id = (SELECT min(id) FROM items WHERE lane = ? AND state < 2)", lane)
  }

  func children(of id: Int64) throws(SQLiteFailure) -> [Int64] {
    try database.all("SELECT child FROM needs WHERE parent = ?", id) { $0.integer(0) }
  }

  // MARK: Counts

  /// How many items there are, their bytes, and the highest id that was given.
  func totals() throws(SQLiteFailure) -> (count: Int64, bytes: Int64, highest: Int64) {
    try database.all("SELECT count, bytes, highest FROM totals") {
      ($0.integer(0), $0.integer(1), $0.integer(2))
    }.first ?? (0, 0, 0)
  }

  func count(_ items: Int64, _ bytes: Int64, given ids: Int64 = 0) throws(SQLiteFailure) {
    try database.run(
      "UPDATE totals SET count = count + ?, bytes = bytes + ?, highest = highest + ?", items, bytes, ids)
  }

  // MARK: Reading

  func row(_ id: Int64) throws(SQLiteFailure) -> Row? { try rows("WHERE id = ?", id).first }

  func rows<each Value: SQLiteValue>(
    _ condition: String, _ values: repeat each Value
  ) throws(SQLiteFailure) -> [Row] {
    try database.all("SELECT \(Self.columns) FROM items \(condition)", repeat each values, read: read)
  }

  private func read(_ statement: SQLiteStatement) -> Row {
    var row = Row()
    row.id = statement.integer(0)
    row.state = ItemState(rawValue: statement.integer(1)) ?? .parked
    row.type = statement.text(2) ?? ""
    row.recipient = statement.text(3) ?? ""
    row.user = statement.text(4) ?? ""
    row.attempts = Int(statement.integer(5))
    row.spool = statement.text(6)
    row.reason = statement.text(7)
    row.payload = statement.withBlob(8) { Array($0) }
    row.lane = statement.text(9)
    row.size = statement.integer(10)
    row.expiry = statement.isNull(11) ? nil : statement.double(11)
    return opened(row, checksum: statement.isNull(12) ? nil : statement.integer(12))
  }
}
