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

  /// The head is one who waits; the space of those who left is taken back in one go now and then.
  private mutating func tidy() {
    while head < waiters.count, !waiting.contains(waiters[head].flight) { head += 1 }
    guard waiters.count > 64, waiters.count > waiting.count * 2 else { return }
    waiters = waiters[head...].filter { waiting.contains($0.flight) }
    head = 0
  }
}
