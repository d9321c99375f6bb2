/// Lasting removals: noted on the disk before they are written, so that they happen even if the process ends or the disk is
/// full.
extension DiskCache {
  /// Set while a removal of this object is not written. The next process that opens the folder then removes everything.
  var mark: ErasureMark { ErasureMark(path: "\(configuration.folder)/\(Self.markPrefix)\(process)") }

  private static let markPrefix = "removing-"

  /// The marks in a folder.
  static func marks(in folder: String) throws(PrivateFile.Fault) -> [ErasureMark] {
    try PrivateFile.list(folder).filter { $0.hasPrefix(markPrefix) }
      .map { ErasureMark(path: "\(folder)/\($0)") }
  }

  /// Notes a removal and adds it to the writer's work.
  func removeLastingly(_ work: DiskBacklog.Work) {
    // Where the mark cannot be written, the removal goes on without it; only a kill would then leave something.
    do throws(PrivateFile.Fault) { try mark.set() } catch {
      report(CacheFault(kind: .unusable, detail: "a removal cannot be noted: its mark \(error)"))
    }
    enqueue(work)
  }

  /// Ends the lasting removals of a written batch: after the removal of everything no file holds old content, and the mark
  /// is cleared unless newer removals wait.
  func settleRemovals(of batch: DiskBacklog, _ store: DiskStore) throws(SQLiteFailure) {
    guard batch.removesLastingly else { return }
    if batch.removesAll {
      // Deleted content remains in free pages and in the log.
      try store.database.execute("VACUUM")
      try store.database.emptyLog()
      let files = try store.files()
      guard (try? bodies.sweep(keeping: files, olderThan: -.infinity)) != nil else { return noteUnerased() }
    }
    clearMarks(of: batch)
  }

  /// Files are left, such as those of a folder that cannot be listed: the mark stays, or is set where it could not be before.
  private func noteUnerased() {
    try? mark.set()
    state.withLock { $0.isUnerased = true }
  }

  private func clearMarks(of batch: DiskBacklog) {
    if batch.removesAll { for mark in leftMarks ?? [] { mark.clear() } }
    // Under the lock, which a removal takes after it has set the mark.
    state.withLock { state in
      state.isUnerased = false
      if !state.next.removesLastingly { mark.clear() }
    }
  }

  /// Removes the files of the database: the disk is too full to write that something is removed.
  ///
  /// Another process that has them open continues with files that no other process sees, until it ends: with a full disk it
  /// could store nothing either.
  func removeFiles(_ connection: inout Connection, for batch: DiskBacklog) {
    connection.close()
    reader.withLock { $0.close() }
    let path = connection.owner.path
    let isRemoved = remakes.withLock { _ in (try? SQLiteDatabase.removeFiles(of: path)) != nil }
    let isSwept = (try? bodies.sweep(keeping: [], olderThan: -.infinity)) != nil
    if isRemoved, isSwept { clearMarks(of: batch) } else { noteUnerased() }
  }
}

extension DiskBacklog {
  /// Whether it removes everything.
  var removesAll: Bool { changes.isCleared }

  /// Whether it has removals that must last.
  var removesLastingly: Bool { changes.isCleared || !changes.partitions.isEmpty }
}

extension ResponseCache {
  /// The folder from which a removal is still to be erased; nil where none is.
  package var unerasedFolder: String? {
    disk.flatMap { disk in
      disk.mark.isSet || disk.state.withLock { $0.isUnerased } ? disk.configuration.folder : nil
    }
  }
}
