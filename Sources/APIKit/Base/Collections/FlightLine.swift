/// Flights in the order in which they came, each with a note. Any of them may leave; neither that nor the next one's turn takes
/// longer where many wait.
struct FlightLine<Note> {
  private struct Waiter {
    let flight: FlightID
    let note: Note
  }

  /// In order from `head` on, those who have left among them.
  private var waiters: [Waiter] = []
  private var head = 0
  private var waiting: Set<FlightID> = []

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }
  /// Those who wait, in order.
  var flights: [FlightID] { first(count) }

  /// A flight comes, for the first time.
  mutating func append(_ flight: FlightID, _ note: Note) {
    waiting.insert(flight)
    waiters.append(Waiter(flight: flight, note: note))
  }

  /// A flight waits no longer. False when it does not wait.
  @discardableResult mutating func remove(_ flight: FlightID) -> Bool {
    guard waiting.remove(flight) != nil else { return false }
    tidy()
    return true
  }

  /// The note of the first flight; nil when none waits.
  var first: Note? { head < waiters.count ? waiters[head].note : nil }

  /// So many of them from the first on.
  func first(_ count: Int) -> [FlightID] {
    Array(waiters[head...].lazy.map(\.flight).filter { waiting.contains($0) }.prefix(count))
  }

  /// Takes out the first one.
  mutating func takeFirst() -> FlightID? {
    guard head < waiters.count else { return nil }
    let flight = waiters[head].flight
    remove(flight)
    return flight
  }

  /// The note of one who waits, however long that takes to find; nil where it does not.
  func note(of flight: FlightID) -> Note? {
    waiting.contains(flight) ? waiters[head...].first { $0.flight == flight }?.note : nil
  }

  /// A flight comes from another line, behind those that `isBefore` says of.
  mutating func insert(_ flight: FlightID, _ note: Note, behind isBefore: (Note) -> Bool) {
    let place = waiters[head...].firstIndex { !isBefore($0.note) } ?? waiters.endIndex
    waiting.insert(flight)
    waiters.insert(Waiter(flight: flight, note: note), at: place)
  }

  /// The head is one who waits; the space of those who left is taken back in one go now and then.
  private mutating func tidy() {
    while head < waiters.count, !waiting.contains(waiters[head].flight) { head += 1 }
    guard waiters.count > 64, waiters.count > waiting.count * 2 else { return }
    waiters = waiters[head...].filter { waiting.contains($0.flight) }
    head = 0
  }
}
