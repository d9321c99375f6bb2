import Foundation

/// Says on the disk that what is beside it is to be erased. Should the process end before that is done, or the disk be full,
/// whoever opens it next erases it.
///
/// An empty file, which needs no room on a full disk.
package struct ErasureMark: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var isSet: Bool { PrivateFile.exists(path) }

  /// Sets it and waits for the disk. Where its folder does not exist there is nothing to erase.
  package func set() throws(PrivateFile.Fault) {
    let parent = (path as NSString).deletingLastPathComponent
    let folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0, errno == ENOENT { return }
    guard folder >= 0 else { throw .system("opened") }
    defer { close(folder) }
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("made") }
    close(file)
    guard fsync(folder) == 0 else { throw .system("written to the disk") }
  }

  package func clear() { unlink(path) }
}
