#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Large bodies in files beside the database.
///
/// A file is written under a temporary name and renamed when it is complete; the row with its name is
/// written after that. A process that dies in between leaves a file without a row, never a row without its
/// file. Such files are removed when the cache is opened.
struct BodyFiles: Sendable {
  let folder: String

  /// Writes a body and returns the name of its file.
  ///
  /// A loss of power may leave a file without its bytes; the row has their length and checksum.
  func write(_ bytes: [UInt8]) -> Result<String, PrivateFile.Fault> {
    // 128 random bits, so that the names of two processes do not collide.
    let name = Hex.encode(Crypto.random(16))
    do throws(PrivateFile.Fault) {
      try FileDraft.write(bytes, as: path(name), by: path(name) + ".partial", .process)
      return .success(name)
    } catch {
      return .failure(error)
    }
  }

  /// The bytes of a file; nil when it does not exist or has another length.
  func read(_ name: String, count: Int) -> [UInt8]? {
    // A pipe in its place would be waited for.
    let file = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int(status.st_size) == count else { return nil }
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      while filled < count {
        let got = systemRead(file, target.baseAddress! + filled, count: count - filled)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
      isWhole = true
    }
    return isWhole ? bytes : nil
  }

  func remove(_ name: String) { unlink(path(name)) }

  /// Removes the files that no row names and that are older than `age` seconds. A younger one may belong to
  /// another process that has not yet written the row.
  ///
  /// Throws where it cannot be known that all of them are gone.
  func sweep(keeping names: Set<String>, olderThan age: Double) throws(PrivateFile.Fault) {
    var fault: PrivateFile.Fault?
    for name in try PrivateFile.list(folder) where !name.hasPrefix(".") && !names.contains(name) {
      var status = stat()
      guard stat(path(name), &status) == 0, WallClock.now - status.modified >= age,
        status.st_mode & S_IFMT != S_IFDIR, unlink(path(name)) != 0, errno != ENOENT
      else { continue }
      fault = .system("removed")
    }
    if let fault { throw fault }
  }

  private func path(_ name: String) -> String { folder + "/" + name }
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
  read(file, bytes, count)
}

extension stat {
  /// When the file was last written, in seconds since 1970.
  fileprivate var modified: Double {
    #if canImport(Darwin)
      Double(st_mtimespec.tv_sec)
    #else
      Double(st_mtim.tv_sec)
    #endif
  }
}
