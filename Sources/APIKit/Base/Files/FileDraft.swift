import Foundation

/// A file that gets its name when it is complete: it is written as a draft in the same folder, then renamed, so that a reader
/// sees the file that was there before or the whole new one. A draft that is not committed must be discarded.
///
/// Used by one thread at a time.
package struct FileDraft {
  /// What a file that has its name outlives.
  package enum Durability {
    /// The end of the process. A loss of power may leave it without its bytes: for what can be had again.
    case process
    /// A loss of power, too: the bytes are on the disk before the file gets its name, and then the name is.
    case power
  }

  /// Bytes written.
  package private(set) var count: Int64 = 0
  private let path: String
  private var descriptor: Int32

  /// Makes the draft, of which there must be none.
  ///
  /// - Parameter isPrivate: Whether other users cannot open it, from the start; else it has the rights of any file that the
  ///   application makes.
  package init(_ path: String, isPrivate: Bool = true) throws(PrivateFile.Fault) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, isPrivate ? 0o600 : 0o666)
    guard descriptor >= 0 else { throw .system("made") }
  }

  /// Appends bytes.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PrivateFile.Fault) {
    var rest = bytes
    while !rest.isEmpty {
      let written = systemWrite(descriptor, rest.baseAddress, count: rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .system("written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
    count += Int64(bytes.count)
  }

  /// Appends bytes.
  package mutating func write(_ bytes: [UInt8]) throws(PrivateFile.Fault) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(PrivateFile.Fault) in
      try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes a whole file by way of a draft.
  static func write(
    _ bytes: [UInt8], as name: String, by draft: String, _ durability: Durability
  ) throws(PrivateFile.Fault) {
    var file = try FileDraft(draft)
    do throws(PrivateFile.Fault) { try file.write(bytes) } catch {
      file.discard()
      throw error
    }
    try file.commit(as: name, durability)
  }

  /// Gives the file its name, in the place of one that has it. A draft for which that fails is removed.
  package mutating func commit(as name: String, _ durability: Durability) throws(PrivateFile.Fault) {
    do throws(PrivateFile.Fault) {
      if durability == .power, fsync(descriptor) != 0 { throw .system("written to the disk") }
      // Closing reports a full disk.
      defer { descriptor = -1 }
      guard close(descriptor) == 0 else { throw .system("written") }
      guard rename(path, name) == 0 else { throw .system("replaced") }
      if durability == .power { PrivateFile.syncFolder(of: name) }
    } catch {
      discard()
      throw error
    }
  }

  /// Removes the draft.
  package mutating func discard() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    unlink(path)
  }
}

// The system call whose name the type uses for a function of its own.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, count: Int) -> Int {
  write(file, bytes, count)
}
