#if canImport(Darwin)
  import CAPIKit
#else
  public import Synchronization
#endif

/// A number that threads read and change without a lock. A read sees what was written before the store that it reads.
///
/// It is `Synchronization.Atomic`, but on Apple's systems, where that begins with iOS 18, an allocated word with the
/// operations of C11. `@unchecked Sendable`: nothing else reads or writes the word.
@usableFromInline package struct AtomicInt: ~Copyable, @unchecked Sendable {
  #if canImport(Darwin)
    private let word: UnsafeMutablePointer<Int>

    @usableFromInline package init(_ value: Int = 0) {
      word = .allocate(capacity: 1)
      word.initialize(to: value)
    }

    deinit { word.deallocate() }

    @usableFromInline package func load() -> Int { apikit_atomic_load(word) }
    @usableFromInline package func store(_ value: Int) { apikit_atomic_store(word, value) }
    /// Returns the value before. In one order with all other exchanges.
    @usableFromInline @discardableResult package func exchange(_ value: Int) -> Int {
      apikit_atomic_exchange(word, value)
    }
    /// Returns the sum, which wraps.
    @usableFromInline @discardableResult package func add(_ number: Int) -> Int {
      apikit_atomic_add(word, number)
    }
  #else
    @usableFromInline let word: Atomic<Int>

    @inlinable package init(_ value: Int = 0) { word = Atomic(value) }

    @inlinable package func load() -> Int { word.load(ordering: .acquiring) }
    @inlinable package func store(_ value: Int) { word.store(value, ordering: .releasing) }
    /// Returns the value before. In one order with all other exchanges.
    @inlinable @discardableResult package func exchange(_ value: Int) -> Int {
      word.exchange(value, ordering: .sequentiallyConsistent)
    }
    /// Returns the sum, which wraps.
    @inlinable @discardableResult package func add(_ number: Int) -> Int {
      word.wrappingAdd(number, ordering: .acquiringAndReleasing).newValue
    }
  #endif
}

/// A flag that threads read and change without a lock; see ``AtomicInt``.
@usableFromInline package struct AtomicFlag: ~Copyable, Sendable {
  @usableFromInline let word: AtomicInt

  /// False at first.
  @inlinable package init() { word = AtomicInt(0) }

  @inlinable package func load() -> Bool { word.load() != 0 }
  @inlinable package func store(_ value: Bool) { word.store(value ? 1 : 0) }
  /// Returns the value before. In one order with all other exchanges.
  @inlinable @discardableResult package func exchange(_ value: Bool) -> Bool {
    word.exchange(value ? 1 : 0) != 0
  }
}
