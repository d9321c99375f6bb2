#if os(Linux)
  import Glibc

  /// A limit for the length of files of this process, in bytes: larger than what other tests write.
  struct FileSizeLimit {
    private let before: rlimit
    private let handler = signal(SIGXFSZ, SIG_IGN)

    init(_ bytes: UInt) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      before = limit
      limit.rlim_cur = rlim_t(bytes)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    func remove() {
      var before = before
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
      signal(SIGXFSZ, handler)
    }
  }
#endif
