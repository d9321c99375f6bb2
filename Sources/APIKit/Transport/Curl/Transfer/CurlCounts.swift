#if os(Linux)
  /// What a loop holds, for tests that look for leaks.
  struct CurlCounts: Sendable, Equatable {
    var active: Int
    var waiting: Int
    var pooledHandles: Int
    var handlesMade: Int
    var openSockets: Int
  }
#endif
