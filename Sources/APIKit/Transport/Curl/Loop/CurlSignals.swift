#if os(Linux)
  import Glibc

  /// Keeps a write to a connection that the server has closed from ending the process: libcurl suppresses
  /// the signal for plain sockets, OpenSSL does not.
  enum CurlSignals {
    /// Blocks SIGPIPE on the calling thread.
    static func blockBrokenPipes() {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
  }
#endif
