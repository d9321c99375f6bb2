#if os(Linux)
  import CAPIKit
  import Glibc

  /// Keeps a write to a connection that the server has closed from ending the process: libcurl spares plain
  /// sockets the signal, OpenSSL does not.
  enum CurlSignals {
    private static let brokenPipe: sigset_t = {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      return signals
    }()

    /// For a thread of our own.
    static func blockBrokenPipes() {
      var signals = brokenPipe
      pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// For a thread of somebody else, which has its signals back afterwards.
    static func sparingBrokenPipes(_ work: () -> Void) {
      var signals = brokenPipe
      var before = sigset_t()
      pthread_sigmask(SIG_BLOCK, &signals, &before)
      work()
      if sigismember(&before, SIGPIPE) == 0 {
        var pending = sigset_t()
        sigpending(&pending)
        if sigismember(&pending, SIGPIPE) == 1 {
          var now = timespec()
          sigtimedwait(&signals, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
      }
    }
  }
#endif
