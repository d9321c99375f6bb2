import CAPIKit
import Foundation

/// Runs work that calls itself for each level of a nested value, on a thread with a larger stack where the present one
/// has too little: threads of Swift concurrency on Apple platforms and of Dispatch have 512 KiB.
///
/// Only what is nested deeper than ``shallowDepth`` is concerned. The work runs while the caller waits, without its
/// task-local values.
package enum DeepStack {
  /// The depth that fits any thread.
  package static let shallowDepth = 16

  /// The stack of one level at most, in a debug build: writing plain values, or decoding a type of the application.
  private static let bytesPerLevel = 16 << 10

  /// The stack of the callers and of the work itself.
  private static let reserve = 64 << 10

  /// Runs work that goes to a depth.
  package static func run<Value, Failure: Error>(
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

  /// Work of a caller that waits for it: only one thread has it at a time, which is why it may be sent.
  private final class Work: @unchecked Sendable {
    private var work: (() -> Void)?
    init(_ work: @escaping () -> Void) { self.work = work }

    /// Runs it and lets it go: the caller's closure must not outlive the call, and the thread keeps its block for a while.
    func run() {
      work?()
      work = nil
    }
  }

  /// Runs work on a thread of its own and waits for it.
  private static func onThread(stackSize: Int, _ work: @escaping () -> Void) {
    let (work, done) = (Work(work), DispatchSemaphore(value: 0))
    let thread = Thread {
      work.run()
      done.signal()
    }
    // In pages of any size that there is.
    thread.stackSize = (stackSize + 0xFFFF) & ~0xFFFF
    thread.start()
    done.wait()
  }

  /// The bytes of the thread's stack that are not in use.
  private static var bytesLeft: Int { Int(capikit_stack_left()) }
}
