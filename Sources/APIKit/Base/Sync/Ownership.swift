/// The thread or task that has an object which one at a time uses without a lock.
///
/// An owner releases the object before it gives it to the next one, through a lock or by starting a task. Debug builds trap
/// where anyone else uses it; in others there is nothing left of this. The child of a task is not the task.
struct Ownership: ~Copyable {
  #if DEBUG
    private let owner = AtomicInt()

    private static var caller: Int {
      withUnsafeCurrentTask { task in task.map(\.hashValue) } ?? MainDelivery.thread
    }
  #endif

  /// The caller has it from here on.
  func take() {
    #if DEBUG
      let before = owner.exchange(Self.caller)
      assert(before == 0 || before == Self.caller, "taken from an owner who has not released it")
    #endif
  }

  /// The next one may take it.
  func release() {
    #if DEBUG
      check()
      owner.store(0)
    #endif
  }

  /// Traps where the caller does not have it.
  func check() {
    #if DEBUG
      assert(owner.load() == Self.caller, "used by another than its owner")
    #endif
  }
}
