#if os(Linux)
  import Glibc

  /// The Public Suffix List of libpsl, which libcurl loads into the process where it was built with it.
  ///
  /// Looked up by name, so that APIKit needs neither its header nor its package.
  /// - SeeAlso: <https://rockdaboot.github.io/libpsl/>
  final class SystemSuffixList: @unchecked Sendable {
    // Unchecked because of the pointer: the list is never changed after it was made, and libpsl allows reading it from
    // many threads.
    private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias IsSuffix = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?

    /// Nil where libpsl is not in the process or has no list.
    static let shared = SystemSuffixList()

    /// The library's version.
    let version: String
    private let list: OpaquePointer
    private let isSuffix: IsSuffix

    private init?() {
      guard let latest = dlsym(nil, "psl_latest"), let isSuffix = dlsym(nil, "psl_is_public_suffix"),
        let version = dlsym(nil, "psl_get_version"),
        // The newer of the library's own list and the system's; kept until the process ends.
        let list = unsafeBitCast(latest, to: Latest.self)(nil)
      else { return nil }
      self.list = list
      self.isSuffix = unsafeBitCast(isSuffix, to: IsSuffix.self)
      self.version = unsafeBitCast(version, to: Version.self)().map { String(cString: $0) } ?? ""
    }

    /// Whether a domain, in lower case and ASCII, is a public suffix.
    func contains(_ domain: String) -> Bool { domain.withCString { isSuffix(list, $0) != 0 } }
  }
#endif
