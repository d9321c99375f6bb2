/// The random numbers of a run, which its seed repeats (SplitMix64).
struct SoakRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Numbers that are independent of these.
  mutating func split() -> SoakRandom { SoakRandom(seed: next()) }

  /// True so many times in a hundred.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// Why the soak could not run.
struct SoakFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A fault of the soak's own, put in on purpose: it must be found, or the soak would find nothing.
enum Plant: String, CaseIterable, Sendable {
  /// A load is delivered twice.
  case doubleLanding = "double-landing"
  /// A load is not delivered.
  case lostLanding = "lost-landing"
  /// A response is that of another user.
  case otherUser = "other-user"
  /// A response is that of another request.
  case otherRequest = "other-request"
  /// Every round leaves a descriptor open.
  case descriptors
  /// Every round keeps memory.
  case memory
  /// A load is left in the air.
  case registry
  /// A server reads a request twice.
  case readTwice = "read-twice"
  /// A server reads a request of one user under the other.
  case readUnderOther = "read-under-other"
  /// A load lands after its user has signed out.
  case lateLanding = "late-landing"
  /// A socket calls its delegate after it has closed.
  case lateCallback = "late-callback"
  /// A queued load is neither sent nor told of.
  case lostItem = "lost-item"
  /// A byte of a downloaded file is wrong.
  case wrongByte = "wrong-byte"
}
