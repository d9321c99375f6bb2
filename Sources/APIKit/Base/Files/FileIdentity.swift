package import Foundation

/// What tells a file from the one that it was before.
package struct FileIdentity: Sendable, Hashable {
  let device: UInt64
  package let inode: UInt64
  package let size: Int64
  /// When it was last changed, in seconds and nanoseconds.
  package let seconds: Int64
  package let nanoseconds: Int64

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }

  /// How many seconds ago it was last changed, by the wall clock.
  package var age: Double { WallClock.now - Double(seconds) }

  /// Whether it is the same file as another, though it may have been changed.
  package func isFile(_ other: FileIdentity?) -> Bool { inode == other?.inode && device == other?.device }

  /// That of the plain file at a path, or of the one that a link there leads to, if links are followed; nil for anything else.
  package init?(path: String, followsLinks: Bool = true) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0, status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    self.init(status)
  }
}
