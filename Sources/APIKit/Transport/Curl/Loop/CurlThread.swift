#if os(Linux)
  import CAPIKit
  import Glibc

  /// A loop that has a thread and a multi handle of its own.
  protocol CurlTurns: AnyObject, Sendable {
    /// At most 15 bytes.
    static var threadName: String { get }
    var multi: UnsafeMutableRawPointer { get }
    /// The time of this turn, in microseconds.
    var now: Int64 { get }
    /// When libcurl is to be called next.
    var timer: Int64 { get set }
    /// Sleeps until an event, then does everything that needs no waiting. False after a stop message.
    func turn() -> Bool
    /// What is done when there is no further turn.
    func stop()
  }

  extension CurlTurns {
    /// Starts the thread, which keeps the loop alive until a stop message.
    func start() throws(APIError) {
      try CurlThread.start(Self.threadName) {
        CurlSignals.blockBrokenPipes()
        while self.turn() {}
        self.stop()
      }
    }

    /// Has libcurl serve a socket, or its timer.
    func act(_ socket: Int32, _ what: Int32) {
      if socket == CURL_SOCKET_TIMEOUT { timer = .max }
      var running: Int32 = 0
      curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Called by libcurl with the time after which to call it again, in milliseconds; -1 for never.
    func setTimer(_ milliseconds: Int) {
      timer = milliseconds < 0 ? .max : now &+ Int64(milliseconds) &* 1000
    }
  }

  /// Starts the threads of the transport.
  enum CurlThread {
    private final class Work {
      let name: String
      let run: @Sendable () -> Void
      init(_ name: String, _ run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
    }

    /// Runs work on a thread of its own, which ends with it.
    static func start(_ name: String, _ work: @escaping @Sendable () -> Void) throws(APIError) {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      pthread_attr_setstacksize(&attributes, 512 << 10)
      defer { pthread_attr_destroy(&attributes) }
      var thread = pthread_t()
      let passed = Unmanaged.passRetained(Work(name, work))
      let code = pthread_create(
        &thread, &attributes,
        { @Sendable pointer in
          guard let pointer else { return nil }
          let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
          capikit_name_thread(work.name)
          work.run()
          return nil
        }, passed.toOpaque())
      guard code == 0 else {
        passed.release()
        throw CurlErrors.system("pthread_create", code)
      }
    }
  }
#endif
