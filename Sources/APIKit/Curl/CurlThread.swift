#if os(Linux)
  import CAPIKit
  import Glibc

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
