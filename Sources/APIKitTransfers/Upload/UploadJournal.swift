import APIKit
import Foundation

/// Where an upload is at the server, on the disk; with a lock that keeps other processes away.
final class UploadJournal {
  /// After which time a draft is no longer being written, in seconds.
  private static let oldestDraft: Double = 24 * 3600
  private static let ending = ".upload"

  private let file: TransferJournal<UploadState>
  private let lock: FolderLock

  /// - Throws: `APIError.Reason.alreadyLoading` when another upload of the same content to the same place is under way.
  init(_ path: String) throws(APIError) {
    file = Self.file(path)
    do {
      let folder = PrivateFile.folder(of: path)
      try TransferFolder.make(folder, isOwn: folder == Self.folder(TusOptions()))
      guard let lock = try FolderLock(ifFree: path + Self.lockEnding) else {
        throw APIError(
          .takeoff, .alreadyLoading, "the same is being uploaded to the same place, maybe by another process")
      }
      self.lock = lock
      Self.sweep(folder, lockedPath: path)
    } catch {
      let code = (error as? PrivateFile.Fault)?.code ?? (error as? POSIXError)?.code.rawValue ?? 0
      throw error as? APIError
        ?? APIError(
          .takeoff, PrivateFile.Fault.reason(ofCode: code),
          "the journal \(path.debugDescription) cannot be made", underlying: error)
    }
  }

  /// Removes the drafts that processes have left which ended while they wrote a journal: those of the path, and old ones.
  private static func sweep(_ folder: String, lockedPath: String) {
    let own = (lockedPath as NSString).lastPathComponent
    for name in PrivateFile.names(in: folder)
    where name.contains(ending + ".") && name.hasSuffix(TransferJournal<UploadState>.draftEnding) {
      let path = "\(folder)/\(name)"
      guard let file = FileIdentity(path: path, followsLinks: false),
        name.hasPrefix(own) || file.age > oldestDraft
      else { continue }
      unlink(path)
    }
  }

  /// Where the journal of an upload is.
  static func path(_ options: TusOptions, of place: [String?], fingerprint: String) -> String {
    "\(folder(options))/\(Crypto.digest(of: place + [fingerprint]))\(ending)"
  }

  static func file(_ path: String) -> TransferJournal<UploadState> { TransferJournal(path, .uploadJournal) }

  /// How far the upload of a journal is; nil where there is none that can be read.
  static func progress(inJournal path: String) -> TransferProgress? {
    guard let state = try? file(path).read() else { return nil }
    return TransferProgress(sent: state.offset, totalToSend: state.total)
  }

  /// What was kept; nil when there is nothing.
  ///
  /// - Throws: `APIError.Reason.fileFailed` for a damaged journal, which is removed: the upload may be complete at the
  ///   server, so that it begins anew only when it is called again.
  func read() throws(APIError) -> UploadState? {
    do { return try file.read() } catch {
      file.remove()
      throw APIError(
        .takeoff, .fileFailed,
        "the journal \(file.path.debugDescription) cannot be read: \(error). The server may have the upload, in part or as a "
          + "whole. The next call begins it anew",
        underlying: error)
    }
  }

  func write(_ state: UploadState) throws(APIError) {
    // If somebody has removed the journals, none may appear again.
    guard lock.holds(lockPath) else { return }
    guard state.location != nil else {
      // An upload that is created anew has no URL yet, and the earlier one does not count any more.
      return file.remove()
    }
    try file.write(state)
  }

  func remove() {
    file.remove()
    unlink(lockPath)
  }

  /// The queue has written how a transfer has ended: what it has left goes.
  static func forget(_ key: String, at path: String) {
    // Another upload of the same may have begun.
    guard (try? file(path).read())?.ended == key, let journal = try? UploadJournal(path),
      (try? journal.read())?.ended == key
    else { return }
    journal.remove()
  }

  /// Removes what an upload has left that was given up; of one that is under way elsewhere the journal alone.
  static func discard(_ path: String) {
    guard [path, path + lockEnding].contains(where: PrivateFile.exists) else { return }
    if let journal = try? UploadJournal(path) { journal.remove() } else { file(path).remove() }
  }

  private var lockPath: String { file.path + Self.lockEnding }
  private static let lockEnding = ".lock"

  /// Removes all journals, also those of uploads under way: nothing of them stays when these end.
  static func removeAll(_ options: TusOptions) throws(PrivateFile.Fault) {
    for ending in [ending + lockEnding, ending] {
      try PrivateFile.removeAll(in: folder(options), endingWith: ending)
    }
  }

  private static func folder(_ options: TusOptions) -> String {
    options.journalFolder ?? StandardFolder.state.path + "/uploads"
  }
}
