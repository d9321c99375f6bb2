/// Flights in the order in which they came, each with a note. Any of them may leave; neither that, nor the next one's turn, nor a
/// look at the note of one takes longer where many wait.
struct FlightLine<Note> {
  private struct Waiter {
    let flight: FlightID
    let note: Note
  }

  /// In order from `head` on, those who have left among them.
  private var waiters: [Waiter] = []
  private var head = 0
  private var waiting: [FlightID: Note] = [:]

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }
  /// Those who wait, in order.
  var flights: [FlightID] { first(count) }

  /// A flight comes, for the first time.
  mutating func append(_ flight: FlightID, _ note: Note) {
    waiting[flight] = note
    waiters.append(Waiter(flight: flight, note: note))
  }

  /// A flight waits no longer. False when it does not wait.
  @discardableResult mutating func remove(_ flight: FlightID) -> Bool {
    guard waiting.removeValue(forKey: flight) != nil else { return false }
    tidy()
    return true
  }

  /// The note of the first flight; nil when none waits.
  var first: Note? { head < waiters.count ? waiters[head].note : nil }

  /// So many of them from the first on.
  func first(_ count: Int) -> [FlightID] {
    Array(waiters[head...].lazy.map(\.flight).filter { waiting[$0] != nil }.prefix(count))
  }

  /// Takes out the first one.
  mutating func takeFirst() -> FlightID? {
    guard head < waiters.count else { return nil }
    let flight = waiters[head].flight
    remove(flight)
    return flight
  }

  /// The note of one who waits; nil where it does not.
  func note(of flight: FlightID) -> Note? { waiting[flight] }

  /// A flight comes from another line, behind those that `isBefore` says of, which are the first ones.
  mutating func insert(_ flight: FlightID, _ note: Note, behind isBefore: (Note) -> Bool) {
    var (place, end) = (head, waiters.endIndex)
    while place < end {
      let middle = (place + end) / 2
      if isBefore(waiters[middle].note) { place = middle + 1 } else { end = middle }
    }
    waiting[flight] = note
    waiters.insert(Waiter(flight: flight, note: note), at: place)
  }

  /// The head is one who waits; the space of those who left is taken back in one go now and then.
  private mutating func tidy() {
    while head < waiters.count, waiting[waiters[head].flight] == nil { head += 1 }
    guard waiters.count > 64, waiters.count > waiting.count * 2 else { return }
    waiters = waiters[head...].filter { waiting[$0.flight] != nil }
    head = 0
  }
}
