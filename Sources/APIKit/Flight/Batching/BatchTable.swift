/// Which loads gather for which call, and which call is still waited for: a state machine without
/// time, tasks or sockets.
///
/// Legal moves of a batch: gathering → flying (its window is over, the one before it has landed, or it is full) → done;
/// from both to given up, when the last of its loads leaves.
struct BatchTable<Key: Hashable> {
  enum Role: Equatable {
    /// The first of a batch: its window begins.
    case open(Int)
    /// One more of a batch.
    case joined(Int)
    /// The first of a batch that is made when the one in the air has landed.
    case waiting(Int)
    /// The last of a batch: its call is made at once.
    case filled(Int)
  }

  private struct Batch {
    let key: Key
    var members: [FlightID]
    /// Whether later loads gather while it is in the air.
    let letsGather: Bool
    var isFlying = false
  }

  private var batches: [Int: Batch] = [:]
  private var gathering: [Key: Int] = [:]
  /// The latest batch in the air for each key, where later loads gather meanwhile.
  private var flying: [Key: Int] = [:]
  /// Which batch is made when one in the air has landed.
  private var successors: [Int: Int] = [:]
  private var lastNumber = 0

  /// How many gather or fly.
  var count: Int { batches.count }

  /// Whether a batch gathers or flies.
  func contains(_ number: Int) -> Bool { batches[number] != nil }

  /// A load comes.
  mutating func enter(_ flight: FlightID, _ key: Key, most: Int, whileFlying: Bool = false) -> Role {
    guard let number = gathering[key] else {
      lastNumber += 1
      batches[lastNumber] = Batch(key: key, members: [flight], letsGather: whileFlying)
      guard most > 1 else { return .filled(lastNumber) }
      gathering[key] = lastNumber
      guard whileFlying, let ahead = flying[key] else { return .open(lastNumber) }
      successors[ahead] = lastNumber
      return .waiting(lastNumber)
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
    if batch.letsGather { flying[batch.key] = number }
    return batch.members
  }

  /// A batch has landed or was given up. Returns the one that is to be made now; nil where there is none.
  mutating func successor(of number: Int) -> Int? { successors.removeValue(forKey: number) }

  /// A load waits no longer. True when it was the last of its batch.
  mutating func leave(_ flight: FlightID, _ number: Int) -> Bool {
    guard let index = batches[number]?.members.lastIndex(of: flight) else { return false }
    batches[number]?.members.remove(at: index)
    guard let batch = batches[number], batch.members.isEmpty else { return false }
    if gathering[batch.key] == number { gathering[batch.key] = nil }
    forget(number)
    return true
  }

  /// The call of a batch is done. Returns who still waits for it.
  mutating func finish(_ number: Int) -> [FlightID] {
    defer { forget(number) }
    return batches[number]?.members ?? []
  }

  private mutating func forget(_ number: Int) {
    guard let batch = batches.removeValue(forKey: number) else { return }
    if flying[batch.key] == number { flying[batch.key] = nil }
  }
}
