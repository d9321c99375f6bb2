#if os(Linux)
  import Glibc

  /// A limit of this process, until it is removed.
  struct ProcessLimit {
    private let resource: __rlimit_resource_t
    private let before: rlimit

    /// Nothing can be opened: for the calls that are tested alone.
    static var noDescriptors: Self { Self(RLIMIT_NOFILE, 0) }

    init(_ resource: __rlimit_resource, _ most: UInt) {
      self.resource = __rlimit_resource_t(resource.rawValue)
      var limit = rlimit()
      getrlimit(self.resource, &limit)
      before = limit
      limit.rlim_cur = rlim_t(most)
      setrlimit(self.resource, &limit)
    }

    func remove() {
      var before = before
      setrlimit(resource, &before)
    }
  }

  /// A limit for the length of files of this process, in bytes: larger than what other tests write.
  struct FileSizeLimit {
    private let limit: ProcessLimit
    private let handler = signal(SIGXFSZ, SIG_IGN)

    init(_ bytes: UInt) { limit = ProcessLimit(RLIMIT_FSIZE, bytes) }

    func remove() {
      limit.remove()
      signal(SIGXFSZ, handler)
    }
  }
#endif
