/// In which order, and when, connections of a race are begun: a state machine without time, tasks or sockets.
///
/// One after another: the next begins when the one before has had its time, or at once when one fails. The first that
/// stands wins, and the others are given up.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8305#section-5>
struct RacePlan {
  enum Action: Equatable {
    /// A connection to the nth server is begun.
    case connect(Int)
    /// ``timeHasCome(now:)`` is to be called then, unless an event comes before.
    case wake(at: Duration)
    /// One has won, or all have failed.
    case end
  }

  /// How long a connection has before the next is begun beside it.
  static let stagger = Duration.milliseconds(250)

  private let count: Int
  private var begun = 0
  private var failed = 0
  private var isOver = false
  private var next = Duration.zero

  init(count: Int) { self.count = count }

  mutating func begin(now: Duration) -> [Action] { count > 0 ? advance(now) : end() }

  mutating func timeHasCome(now: Duration) -> [Action] {
    guard !isOver, begun < count, now >= next else { return [] }
    return advance(now)
  }

  mutating func stands() -> [Action] { isOver ? [] : end() }

  mutating func failed(now: Duration) -> [Action] {
    guard !isOver else { return [] }
    failed += 1
    if begun < count { return advance(now) }
    return failed == count ? end() : []
  }

  private mutating func advance(_ now: Duration) -> [Action] {
    begun += 1
    guard begun < count else { return [.connect(begun - 1)] }
    next = now + Self.stagger
    return [.connect(begun - 1), .wake(at: next)]
  }

  private mutating func end() -> [Action] {
    isOver = true
    return [.end]
  }
}
