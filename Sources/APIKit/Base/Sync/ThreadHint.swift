import CAPIKit

/// What the calling thread remembers without a lock, as a guess: it may come from another document.
enum ThreadHint {
  /// The place in an object after the member that was found last, from 0.
  @inline(__always)
  static var nextMember: Int {
    get { Int(capikit_next_member()) }
    set { capikit_set_next_member(UInt32(truncatingIfNeeded: newValue)) }
  }
}
