import APIKit
import Foundation

/// What the journal of a download says before the complete file gets its name, until the queue has written that the transfer has
/// ended: a process may end in between, and the next launch would find a file in the way of its own.
struct JournaledEnd: Codable {
  /// The key of the transfer.
  var key: String
  /// The name that the file gets.
  var path: String
  var sha256: String?
  /// Of the file.
  var inode: UInt64
  var count: Int64

  /// The file, if it has its name.
  private var file: DownloadedFile? {
    guard let found = FileIdentity(path: path, followsLinks: false), found.inode == inode, found.size == count
    else { return nil }
    return DownloadedFile(path: path, count: count, sha256: sha256)
  }

  /// The file of a transfer that has its name already; nil where there is none.
  static func file(of key: String, at place: String) -> DownloadedFile? { end(of: key, at: place)?.file }

  /// The queue has written how a transfer has ended, or it was given up: the journal goes, and the first name of its file.
  static func forget(_ key: String, at place: String) {
    guard end(of: key, at: place) != nil else { return }
    let path = place + PartialFile.ending
    let journal = PartialFile.journal(of: path)
    // The lock would make the file once more, and a process that ends then would leave it.
    guard PrivateFile.exists(path) else { return journal.remove() }
    // Another download may have begun at this place.
    guard let lock = try? FileLock(ifFree: path), end(of: key, at: place) != nil else { return }
    unlink(path)
    journal.remove()
    withExtendedLifetime(lock) {}
  }

  /// The same for transfers of which the queue has kept that they have ended with these files.
  static func forget(_ files: Set<String>) {
    for folder in Set(files.map { PrivateFile.folder(of: $0) }) {
      for name in PrivateFile.names(in: folder) where name.hasSuffix(PartialFile.journalEnding) {
        let place = "\(folder)/\(name.dropLast(PartialFile.journalEnding.count))"
        guard let end = (try? PartialFile.journal(of: place + PartialFile.ending).read())?.end,
          files.contains(end.path)
        else { continue }
        forget(end.key, at: place)
      }
    }
  }

  private static func end(of key: String, at place: String) -> Self? {
    guard let journal = try? PartialFile.journal(of: place + PartialFile.ending).read() else { return nil }
    return journal.end.flatMap { $0.key == key ? $0 : nil }
  }
}
