#if os(Linux)
  import CAPIKit
  import Glibc

  extension PrivateFile {
    /// Takes room on the disk for bytes of an open file and leaves its length as it is. False where the file system cannot.
    package static func reserve(_ descriptor: Int32, at offset: Int64, _ count: Int64) -> Bool {
      apikit_reserve(descriptor, off_t(offset), off_t(count)) == 0
    }
  }
#endif
