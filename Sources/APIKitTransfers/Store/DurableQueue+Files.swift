import APIKit
import Foundation

/// What a queue has beside its database: the bodies of items, and notes of users who leave.
extension DurableQueue {
  /// The path of an item's file.
  nonisolated func spoolPath(_ name: String) -> String { "\(folder)/spool/\(name)" }

  /// A file for the body of an item that is about to be kept: its name and length, once its bytes are on the disk.
  func spool(_ body: HTTPBody) async throws(APIError) -> (name: String, count: Int64) {
    do { return try await write(body) } catch let error as PrivateFile.Fault {
      let reason: APIError.Reason = error.reason == .storageFull ? .storageFull : .outboxUnusable
      throw APIError(.takeoff, reason, "the body cannot be kept: its file \(error)", underlying: error)
    } catch let fault as Fault {
      throw APIError(fault, of: "queue", in: folder, limits)
    } catch {
      throw error as? APIError
        ?? APIError(.takeoff, .unreadableBody, "the body cannot be kept: \(error)", underlying: error)
    }
  }

  private func write(_ body: HTTPBody) async throws -> (name: String, count: Int64) {
    // More than there may be in all is not copied first.
    func check(_ count: Int64) throws(Fault) { guard count <= limits.bytes else { throw .full } }
    try check(body.knownLength ?? 0)
    try TransferFolder.make(folder)
    try TransferFolder.make(spoolFolder)
    // A file that no item names is removed once its owner has ended.
    try takePresence()
    let name = "\(owner).\(Nonce.make())"
    let path = spoolPath(name)
    var file = try FileDraft(path)
    do {
      switch body {
      case .empty: break
      case .bytes(let bytes): try file.write(bytes)
      case .file(let path, let offset):
        let source = try FileChunks(path: path, offset: offset)
        while let chunk = try source.next() { try file.write(chunk) }
        try source.checkUnchanged()
      case .stream(let stream):
        let next = try stream.open()
        while let chunk = try await next() {
          try check(file.count + Int64(chunk.count))
          try file.write(chunk)
        }
      }
      // The row has the name, and a checksum of its own.
      let named = "\(name).\(try Self.checksum(ofFile: path))"
      try file.commit(as: spoolPath(named), .power)
      return (named, file.count)
    } catch {
      file.discard()
      throw error
    }
  }

  /// What is wrong with the file of an item; nil when it is as it was kept.
  nonisolated func objection(toSpool name: String?) async -> String? {
    guard let name, FileIdentity(path: spoolPath(name)) != nil else {
      return "the file with its body is gone"
    }
    // A file of an earlier version has no checksum in its name.
    let parts = name.split(separator: ".")
    guard parts.count == 3 else { return nil }
    let checksum = try? Self.checksum(ofFile: spoolPath(name))
    return checksum.map { "\($0)" } == String(parts[2])
      ? nil : "the file with its body was damaged on the disk"
  }

  private static func checksum(ofFile path: String) throws -> UInt64 {
    let source = try FileChunks(path: path, offset: 0)
    var checksum: UInt64 = 0
    while let chunk = try source.next() { checksum = Checksum.combined(checksum, Checksum.of(chunk)) }
    return checksum
  }

  /// Removes files that no item names: of items that were never kept, or that went when the process ended.
  func removeSpools(_ names: [String?]) {
    for case let name? in names { unlink(spoolPath(name)) }
  }

  func sweepSpools(_ store: QueueStore) throws(SQLiteFailure) {
    let names = PrivateFile.names(in: spoolFolder)
    guard !names.isEmpty else { return }
    let used = Set(try store.database.texts("SELECT spool FROM items WHERE spool IS NOT NULL"))
    for name in names where !used.contains(name) {
      // Its owner may be about to keep the item of it. Its age says nothing: the clock may have been set.
      let maker = name.split(separator: ".").first.map(String.init) ?? name
      if maker != owner, isGone(maker) { unlink(spoolPath(name)) }
    }
  }

  // MARK: Users who leave

  /// Notes that a user leaves, before the items are dropped: should the process end in between, whoever opens the queue next
  /// drops them. Waits for the disk.
  ///
  /// - Parameter folder: That of the queue, which need not be open.
  static func noteLeave(of user: String, in folder: String) {
    do { try leaveMark(ofDigest: Crypto.digest(of: [user]), in: folder).set() } catch {
      DeveloperNotice.give("the sign-out cannot be noted in \(folder): its mark \(error)")
    }
  }

  /// The mark of a user who leaves; its name does not say who that is.
  nonisolated func leaveMark(of user: String) -> ErasureMark {
    Self.leaveMark(ofDigest: Crypto.digest(of: [user]), in: folder)
  }

  static func leaveMark(ofDigest digest: String, in folder: String) -> ErasureMark {
    ErasureMark(path: "\(folder)/\(leavePrefix)\(digest)")
  }

  private static let leavePrefix = "leaving-"

  /// The marks of users who have left.
  static func leaveMarks(in folder: String) throws(PrivateFile.Fault) -> [ErasureMark] {
    try PrivateFile.list(folder).filter { $0.hasPrefix(leavePrefix) && !$0.hasSuffix(".new") }
      .map { ErasureMark(path: "\(folder)/\($0)") }
  }

  /// Drops what belongs to users who left when a process ended.
  func finishLeaves(_ store: QueueStore) throws(SQLiteFailure) {
    let marks: [ErasureMark]
    do throws(PrivateFile.Fault) { marks = try Self.leaveMarks(in: folder) } catch {
      throw .refused("who has left is unknown: \(error)")
    }
    for mark in marks { _ = try drop(mark, store) }
  }

  /// Drops what belongs to the user of a mark, and clears the mark. On a full disk it is done item by item, with the room of
  /// the reserve.
  func drop(_ mark: ErasureMark, _ store: QueueStore) throws(SQLiteFailure) -> [QueueStore.Row] {
    let digest = String((mark.path as NSString).lastPathComponent.dropFirst(Self.leavePrefix.count))
    giveUpReserve()
    let users = try store.users(withDigest: digest)
    let rows = try store.rows(of: users)
    // The files first: should the process end here, the rows still name them.
    removeFiles(of: rows)
    do throws(SQLiteFailure) {
      try drop(rows, of: users, store)
    } catch {
      guard error.isFull else { throw error }
      // The log is emptied after each, so that its room can be used again.
      for row in rows {
        try drop([row], of: [], store)
        try store.database.emptyLog()
      }
      try drop([], of: users, store)
    }
    // Another process that reads keeps the log for a moment; the next drop or close empties it.
    do throws(SQLiteFailure) { try store.database.emptyLog() } catch { if !error.isBusy { throw error } }
    // The copies hold data of the user, too.
    do throws(Fault) { try removeCopies() } catch {
      throw .refused("copies of a damaged database may be left")
    }
    mark.clear()
    makeReserve()
    return rows
  }

  private func drop(
    _ rows: [QueueStore.Row], of users: Set<String>, _ store: QueueStore
  ) throws(SQLiteFailure) {
    try store.write { () throws(SQLiteFailure) in
      for row in rows { try store.drop(row.id) }
      for user in users { try store.forgetLandings(of: user) }
    }
  }

  // MARK: Room on a full disk

  /// A file of the length of what a commit takes at most that deletes one item. It is removed before a user's items are
  /// deleted, so that there is room for that.
  private var reserve: String { "\(folder)/reserve" }
  private static let reserveLength = 256 << 10

  func makeReserve() {
    guard !PrivateFile.exists(reserve) else { return }
    // If the disk is full, the next process tries again.
    try? PrivateFile.replace(reserve, with: [UInt8](repeating: 0xFF, count: Self.reserveLength))
  }

  func giveUpReserve() { try? PrivateFile.remove(reserve) }
}
