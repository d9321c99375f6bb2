import APIKit
import Foundation

/// A queue on the disk that outlives the process: what is kept is there after a crash and a power failure, and goes only when
/// it is done.
///
/// Several processes, and several objects of one process, may share a folder. An actor, since a commit waits for the disk.
actor DurableQueue {
  /// Why an operation failed, in words of the queue.
  enum Fault: Error, Sendable {
    /// There would be more than the limits allow.
    case full
    /// The items would wait for one another; the positions on the way.
    case cycle([Int])
    /// An item names one that was never given.
    case unknown(Int64)
    /// The database belongs to a later version or to others.
    case unusable(String)
    case failed(SQLiteFailure)
  }

  let folder: String
  let limits: QueueStore.Limits
  private let time: any TimeSource
  private let boot: String
  /// Removes what an item that is given up has beside its row and its file.
  private let discard: @Sendable (QueueStore.Row) -> Void
  /// The name of this object among the owners of items, and the lock that says that it is there.
  let owner = Nonce.make()
  private var presence: FolderLock?
  private let seal: QueueSeal
  private let database: DurableDatabase<QueueStore>
  /// Called with the copies of damaged databases when there is a new one.
  private var onDamage: @Sendable ([String]) -> Void = { _ in }

  init(
    folder: String, limits: QueueStore.Limits = QueueStore.Limits(), schema: SQLiteSchema = .queue,
    time: any TimeSource = SystemTime(), boot: String = QueueClock.machineBoot, seal: QueueSeal = QueueSeal(),
    discard: @escaping @Sendable (QueueStore.Row) -> Void = { _ in }
  ) {
    self.folder = folder
    self.limits = limits
    database = DurableDatabase("queue.sqlite", in: folder, schema, remains: .queue, sealedBy: seal)
    self.time = time
    self.boot = boot
    self.seal = seal
    self.discard = discard
  }

  deinit { unlink(Self.presencePath(folder, owner)) }

  var spoolFolder: String { "\(folder)/spool" }
  static func presencePath(_ folder: String, _ owner: String) -> String {
    "\(folder)/owner-\(owner).lock"
  }

  // MARK: Items

  /// Keeps items and returns once they are on the disk. All are kept, or none.
  func enqueue(_ entries: [QueueStore.QueueEntry]) throws(Fault) -> [Int64] {
    if let cycle = QueueOrder.cycle(in: entries) { throw .cycle(cycle) }
    var unknown: Int64?
    let ids = try write { (store) throws(SQLiteFailure) -> [Int64]? in
      let highest = try entries.contains { !$0.after.isEmpty } ? store.totals().highest : 0
      unknown = entries.lazy.flatMap(\.after).first { $0 > highest || $0 <= 0 }
      guard unknown == nil else { return [] }
      return try store.enqueue(entries, limits)
    }
    if let unknown { throw .unknown(unknown) }
    guard let ids else { throw .full }
    return ids
  }

  /// Keeps a series and returns once it is on the disk. All of it is kept, or nothing.
  func enqueue(_ series: QueueStore.Series) throws(Fault) -> [Int64] {
    let ids = try write { (store) throws(SQLiteFailure) in try store.enqueue(series, limits) }
    guard let ids else { throw .full }
    return ids
  }

  /// Takes what may be sent now, the earliest first.
  func claim(atMost limit: Int) throws(Fault) -> [QueueStore.Row] {
    let owner = owner
    return try write { (store) throws(SQLiteFailure) in try store.claim(owner, atMost: limit) }
  }

  /// An item is done, and how it ended is kept until ``forgetLanding(_:)``. Both or none.
  ///
  /// - Parameters:
  ///   - fill: Changes the payload of an item that waited for it; nil has that one parked, for the reason given.
  ///   - tidy: Called once that is on the disk.
  func finish(
    _ id: Int64, landing: [UInt8]?,
    filling fill: @Sendable (QueueStore.Row) -> (payload: [UInt8]?, fault: String)? = { _ in nil },
    then tidy: @Sendable () -> Void = {}
  ) throws(Fault) {
    let spool = try write { (store) throws(SQLiteFailure) -> String? in
      if let landing, let row = try store.row(id) { try store.keep(QueueStore.Landing(of: row, landing)) }
      let children = try store.children(of: id)
      let spool = try store.finish(id)
      for child in children {
        guard let row = try store.row(child), let filled = fill(row) else { continue }
        if let payload = filled.payload {
          try store.replacePayload(of: row, with: payload)
        } else {
          try store.park(child, filled.fault)
        }
      }
      return spool
    }
    tidy()
    removeSpools([spool])
  }

  /// An item that was taken goes back, to be sent after a wait; nil waits for ``wake(_:)``.
  func putBack(_ id: Int64, after wait: Duration?, isAttempt: Bool) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in
      try store.putBack(id, after: wait?.inSeconds ?? QueueStore.never, isAttempt: isAttempt)
    }
  }

  /// Records that a running item is about to be sent to a server that cannot detect a duplicate; written to disk when this
  /// returns.
  func noteCrossing(_ id: Int64) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in try store.noteCrossing(id) }
  }

  func park(_ id: Int64, _ reason: String) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in try store.park(id, reason) }
  }

  func unpark(_ id: Int64) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in try store.unpark(id) }
  }

  /// Gives up an item. What waited for it is parked. Nil when it was not there.
  @discardableResult func drop(_ id: Int64) throws(Fault) -> QueueStore.Row? {
    let dropped = try write { (store) throws(SQLiteFailure) in
      let row = try store.row(id)
      try store.drop(id)
      return row
    }
    guard let dropped else { return nil }
    removeSpools([dropped.spool])
    try emptyLog()
    return dropped
  }

  /// Gives up all of a user: items, landings, files, and what the log still has of them.
  func drop(user: String) throws(Fault) -> [QueueStore.Row] {
    // Without a database nothing is kept, unless a process ended while it was mended.
    if database.opened == nil, !PrivateFile.exists(database.path), try !database.hasUnfinishedCopy() {
      try database.removeCopies()
      leaveMark(of: user).clear()
      return []
    }
    do throws(Fault) {
      return try use { (store) throws(SQLiteFailure) in try drop(leaveMark(of: user), store) }
    } catch {
      // The next use begins with it: later it would take what the user has queued after another sign-in.
      database.close()
      throw error
    }
  }

  /// Makes items ready that wait for a sign-in: those of one user, or all.
  func wake(_ user: String? = nil) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in try store.wake(user) }
  }

  /// Items that wait for the time need not.
  func makeDue(_ ids: Set<Int64>) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in
      for id in ids { try store.makeDue(id) }
    }
  }

  // MARK: Other times

  /// Ends items that are too old, and takes back those of processes that have ended. Called at launch and from time to time.
  ///
  /// - Parameter landing: What is kept of an item whose time is over.
  /// - Returns: The items whose time is over, which are gone.
  func tidy(landing: @Sendable (QueueStore.Row) -> [UInt8]) throws(Fault) -> [QueueStore.Row] {
    let others = try use { (store) throws(SQLiteFailure) in try store.owners() }.filter { $0 != owner }
    // The lock of a process that has ended is free.
    let dead = others.filter { Self.hasEnded(Self.presencePath(folder, $0)) }
    let expired = try write { (store) throws(SQLiteFailure) -> [QueueStore.Row] in
      try store.takeBackLost()
      for owner in dead { try store.buryItems(of: owner) }
      let expired = try store.expired()
      for row in expired {
        for child in try store.children(of: row.id) {
          try store.park(child, "item \(row.id), which it waited for, was not sent in time")
        }
        try store.keep(QueueStore.Landing(of: row, landing(row)))
        try store.finish(row.id)
      }
      return expired
    }
    sweepPresences()
    removeFiles(of: expired)
    return expired
  }

  /// Whether an owner has ended. An owner without a lock file has.
  func isGone(_ owner: String) -> Bool {
    let path = Self.presencePath(folder, owner)
    return !PrivateFile.exists(path) || Self.hasEnded(path)
  }

  static func hasEnded(_ path: String) -> Bool { (try? FileLock(ifFree: path)) != nil }

  /// Removes the lock files of processes that have ended.
  private func sweepPresences() {
    for name in PrivateFile.names(in: folder)
    where name.hasPrefix("owner-") && name != "owner-\(owner).lock" {
      let path = "\(folder)/\(name)"
      guard let lock = try? FileLock(ifFree: path) else { continue }
      unlink(path)
      withExtendedLifetime(lock) {}
    }
  }

  /// Reads all pages: a damaged one may hide items, or hold them up, without any read that fails. Once a launch, when items are
  /// on their way.
  func checkWhole() throws(Fault) {
    try use { (store) throws(SQLiteFailure) in
      try store.database.snapshot { () throws(SQLiteFailure) in
        guard try store.database.isSound(withIndexes: true), try store.addsUp() else {
          throw .damage("items are missing, or pages do not fit")
        }
      }
    }
  }

  /// How long until an item may be sent or its time is over; nil when none waits for the time.
  func nextWait() throws(Fault) -> Duration? {
    try use { (store) throws(SQLiteFailure) in try store.nextWait() }.map { .seconds($0) }
  }

  // MARK: Reading

  /// All items in order, or those of a state.
  func rows(_ state: QueueStore.ItemState? = nil) throws(Fault) -> [QueueStore.Row] {
    try use { (store) throws(SQLiteFailure) in
      guard let state else { return try store.rows("ORDER BY id") }
      return try store.rows("WHERE state = ? ORDER BY id", state.rawValue)
    }
  }

  func totals() throws(Fault) -> (count: Int64, bytes: Int64, highest: Int64) {
    try use { (store) throws(SQLiteFailure) in try store.totals() }
  }

  func landings(of recipient: String) throws(Fault) -> [QueueStore.Landing] {
    try use { (store) throws(SQLiteFailure) in try store.landings(of: recipient) }
  }

  func forgetLanding(_ id: Int64) throws(Fault) {
    try write { (store) throws(SQLiteFailure) in try store.forgetLanding(id) }
  }

  // MARK: The database

  func removeFiles(of rows: [QueueStore.Row]) {
    removeSpools(rows.map(\.spool))
    for row in rows { discard(row) }
  }

  /// Empties the log, in which what was dropped may stand still.
  func emptyLog() throws(Fault) {
    try use { (store) throws(SQLiteFailure) in
      // Another process that reads keeps the log for a moment; the next drop or close empties it.
      do throws(SQLiteFailure) { try store.database.emptyLog() } catch { if error.isMisfit { throw error } }
    }
  }

  @discardableResult private func write<Value>(
    _ work: (QueueStore) throws(SQLiteFailure) -> Value
  ) throws(Fault) -> Value {
    try use { (store) throws(SQLiteFailure) in
      try store.write { () throws(SQLiteFailure) in try work(store) }
    }
  }

  private func use<Value>(_ work: (QueueStore) throws(SQLiteFailure) -> Value) throws(Fault) -> Value {
    database.closeIfRemoved()
    if database.opened == nil {
      try database.makeFolder()
      // Its file may be gone with the database.
      if presence?.holds(Self.presencePath(folder, owner)) == false { presence = nil }
      try takePresence()
      if (try? Self.leaveMarks(in: folder))?.isEmpty == false { giveUpReserve() }
    } else if presence?.retake() == false {
      // While the process was suspended another one has swept it.
      presence = nil
      try takePresence()
    }
    return try database.use(work) { (database) throws(SQLiteFailure) in
      let store = try QueueStore(database, time, boot: boot, seal: seal)
      try store.checkOlderRows()
      try finishLeaves(store)
      try sweepSpools(store)
      makeReserve()
      return store
    } onDamage: { _, _ in
      onDamage(damagedDatabases)
    }
  }

  /// The copies of damaged databases, of earlier launches too.
  var damagedDatabases: [String] { database.copies }

  /// Removes the copies, unless the items of one are in no database yet.
  func forgetDamage() { try? removeCopies() }

  func removeCopies() throws(Fault) { if try !database.hasUnfinishedCopy() { try database.removeCopies() } }

  /// Calls `tell` with the copies that there are, if any, and when there is a new one.
  func tellOfDamage(_ tell: @escaping @Sendable ([String]) -> Void) {
    onDamage = tell
    if !damagedDatabases.isEmpty { tell(damagedDatabases) }
  }

  func takePresence() throws(Fault) {
    let path = Self.presencePath(folder, owner)
    for attempt in 0..<100 where presence == nil {
      // Another process looks whether it is free, and removes it: that takes a moment where the machine is busy.
      if attempt > 0 { usleep(2_000) }  // 200 ms in all: a look at a lock takes microseconds
      do { presence = try FolderLock(ifFree: path) } catch {
        throw .unusable("the folder \(folder) takes no lock: \(error.localizedDescription)")
      }
    }
    guard presence != nil else { throw .unusable("the folder \(folder) takes no lock") }
  }
}
