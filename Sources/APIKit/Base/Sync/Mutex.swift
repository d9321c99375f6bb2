#if canImport(Darwin)
  import os
#else
  // For inlinable code of a struct that other modules of the package use; no public declaration names it.
  public import Synchronization
#endif

/// A value that one thread at a time uses: the one lock of the project.
///
/// It is `Synchronization.Mutex`, but on Apple's systems, where that begins with iOS 18, an unfair lock and the value in
/// one allocation, as in `OSAllocatedUnfairLock`, which takes no values that cannot be copied.
/// `@unchecked Sendable`: the value is reached with the lock held only, and none of its references leaves the closure, for it is
/// `sending`.
/// - SeeAlso: <https://developer.apple.com/documentation/os/osallocatedunfairlock>
@usableFromInline package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  #if canImport(Darwin)
    private struct Guarded: ~Copyable {
      var lock = os_unfair_lock()
      var value: Value
    }

    private let guarded: UnsafeMutablePointer<Guarded>

    package init(_ value: consuming sending Value) {
      guarded = .allocate(capacity: 1)
      guarded.initialize(to: Guarded(value: value))
    }

    deinit {
      guarded.deinitialize(count: 1)
      guarded.deallocate()
    }

    /// Runs a closure on the value while no other thread uses it; not within another one of the same mutex.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      os_unfair_lock_lock(&guarded.pointee.lock)
      defer { os_unfair_lock_unlock(&guarded.pointee.lock) }
      return try body(&guarded.pointee.value)
    }
  #else
    @usableFromInline let lock: Synchronization.Mutex<Value>

    @inlinable package init(_ value: consuming sending Value) { lock = Synchronization.Mutex(value) }

    /// Runs a closure on the value while no other thread uses it; not within another one of the same mutex.
    @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try lock.withLock(body)
    }
  #endif
}
