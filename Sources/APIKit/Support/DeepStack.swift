import Foundation

#if os(Linux)
  import CAPIKit
#endif

/// Runs work that calls itself for each level of a nested value, on a thread with a larger stack where the present one
/// has too little: threads of Swift concurrency on Apple platforms and of Dispatch have 512 KiB.
///
/// Only what is nested deeper than ``shallowDepth`` is concerned. The work runs while the caller waits, without its
/// task-local values.
enum DeepStack {
  /// The depth that fits any thread.
  static let shallowDepth = 16

  /// What one level takes at most, in a debug build: writing plain values, or decoding a type of the application.
  private static let bytesPerLevel = 16 << 10

  /// What the callers and the work itself take.
  private static let reserve = 64 << 10

  /// Runs work that goes to a depth.
  static func run<Value, Failure: Error>(
    depth: Int, _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard depth > shallowDepth else { return try work() }
    let needed = depth * bytesPerLevel + reserve
    guard bytesLeft < needed else { return try work() }
    var result: Result<Value, Failure>?
    withoutActuallyEscaping(
      { do throws(Failure) { result = .success(try work()) } catch { result = .failure(error) } }
    ) { onThread(stackSize: needed + reserve, $0) }
    guard let result else { preconditionFailure("the thread was joined, so its work was done") }
    return try result.get()
  }

  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Runs work on a thread of its own and waits for it.
  private static func onThread(stackSize: Int, _ work: @escaping () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    let passed = Unmanaged.passRetained(Work(work))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
          return nil
        }, passed.toOpaque())
      if code == 0, let thread { pthread_join(thread, nil) }
    #else
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run() }
          return nil
        }, passed.toOpaque())
      if code == 0 { pthread_join(thread, nil) }
    #endif
    guard code != 0 else { return }
    // No thread is to be had: the present stack may still do, and there is no error that all callers could throw.
    passed.takeRetainedValue().run()
  }

  /// The bytes of the thread's stack that are not in use.
  private static var bytesLeft: Int {
    #if canImport(Darwin)
      var here: UInt8 = 0
      let place = withUnsafePointer(to: &here) { Int(bitPattern: $0) }
      let top = Int(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      return place - (top - pthread_get_stacksize_np(pthread_self()))
    #else
      return Int(capikit_stack_left())
    #endif
  }
}
