import Foundation

/// A mark on the disk: the files beside it are to be erased. When the process ends before that, or the disk is full, the next
/// process that opens the folder erases them.
///
/// An empty file, which needs no room on a full disk.
package struct ErasureMark: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var isSet: Bool { PrivateFile.exists(path) }

  /// Sets the mark and waits for the disk. Without its folder there is nothing to erase.
  package func set() throws(PrivateFile.Fault) {
    let folder = open(PrivateFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0, errno == ENOENT { return }
    guard folder >= 0 else { throw .system("opened") }
    defer { close(folder) }
    // What has the name is the mark, whatever it is; opening a FIFO would wait for a reader.
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 || errno == EEXIST else { throw .system("made") }
    if file >= 0 { close(file) }
    guard fsync(folder) == 0 else { throw .system("written to the disk") }
  }

  package func clear() { unlink(path) }
}
