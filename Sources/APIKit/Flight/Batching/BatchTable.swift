/// Which loads gather for which call, and which call is still waited for: a state machine without
/// time, tasks or sockets.
///
/// Legal moves of a batch: gathering → flying (its window is over, or it is full) → done; from both to given
/// up, when the last of its loads leaves.
struct BatchTable<Key: Hashable> {
  enum Role: Equatable {
    /// The first of a batch: its window begins.
    case open(Int)
    /// One more of a batch.
    case joined(Int)
    /// The last of a batch: its call is made at once.
    case filled(Int)
  }

  private struct Batch {
    let key: Key
    var members: [FlightID]
    var isFlying = false
  }

  private var batches: [Int: Batch] = [:]
  private var gathering: [Key: Int] = [:]
  private var lastNumber = 0

  /// How many gather or fly.
  var count: Int { batches.count }

  /// Whether a batch gathers or flies.
  func contains(_ number: Int) -> Bool { batches[number] != nil }

  /// A load comes.
  mutating func enter(_ flight: FlightID, _ key: Key, most: Int) -> Role {
    guard let number = gathering[key] else {
      lastNumber += 1
      batches[lastNumber] = Batch(key: key, members: [flight])
      guard most > 1 else { return .filled(lastNumber) }
      gathering[key] = lastNumber
      return .open(lastNumber)
    }
    batches[number]?.members.append(flight)
    return (batches[number]?.members.count ?? 0) >= most ? .filled(number) : .joined(number)
  }

  /// The call of a batch is to be made. Returns its loads, in the order they came; none when it flies
  /// already or was given up.
  mutating func launch(_ number: Int) -> [FlightID] {
    guard let batch = batches[number], !batch.isFlying else { return [] }
    batches[number]?.isFlying = true
    if gathering[batch.key] == number { gathering[batch.key] = nil }
    return batch.members
  }

  /// A load waits no longer. True when it was the last of its batch.
  mutating func leave(_ flight: FlightID, _ number: Int) -> Bool {
    guard let index = batches[number]?.members.lastIndex(of: flight) else { return false }
    batches[number]?.members.remove(at: index)
    guard let batch = batches[number], batch.members.isEmpty else { return false }
    if gathering[batch.key] == number { gathering[batch.key] = nil }
    batches[number] = nil
    return true
  }

  /// The call of a batch is done. Returns who still waits for it.
  mutating func finish(_ number: Int) -> [FlightID] { batches.removeValue(forKey: number)?.members ?? [] }
}
