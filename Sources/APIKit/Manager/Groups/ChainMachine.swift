/// Which link of a chain runs, and when the chain is over: a state machine without tasks or time.
///
/// Events go in, actions come out, to be carried out in their order. Links are numbered from 0. What the links
/// land with is none of its business.
struct ChainMachine {
  enum End: Equatable {
    case succeeded
    case failed(at: Int)
    case timedOut(at: Int)
    case cancelled(at: Int)
  }

  enum Action: Equatable {
    /// Build this link of what the one before has landed with, and run it.
    case start(Int)
    case cancel(Int)
    /// The last action of a run.
    case finish(End)
  }

  /// Legal moves: ready → running(0) → running(1) → … → ended; from anywhere to ended.
  enum State: Equatable {
    case ready
    case running(Int)
    case ended(End)
  }

  let count: Int
  private(set) var state = State.ready

  /// The links of a chain; at least one.
  init(count: Int) { self.count = max(1, count) }

  /// The link it is at; nil before the start and after the end.
  var position: Int? { if case .running(let link) = state { link } else { nil } }

  mutating func start() -> [Action] {
    guard state == .ready else { return [] }
    return run(0)
  }

  /// A link has landed. Nothing follows when it is not the one that runs: its chain is over, or it landed before.
  mutating func landed(_ link: Int) -> [Action] {
    guard position == link else { return [] }
    return link == count - 1 ? finish(.succeeded) : run(link + 1)
  }

  /// A link could not be built, or has failed.
  mutating func failed(_ link: Int) -> [Action] {
    guard position == link else { return [] }
    return finish(.failed(at: link))
  }

  /// The deadline of the run has passed.
  mutating func timeUp() -> [Action] {
    guard let position else { return [] }
    return [.cancel(position)] + finish(.timedOut(at: position))
  }

  mutating func cancel() -> [Action] {
    guard let position else { return [] }
    return [.cancel(position)] + finish(.cancelled(at: position))
  }

  /// How far the chain has come when a link has come so far, from 0 to 1; nil when the link does not run.
  func fraction(of link: Int, at part: Double) -> Double? {
    guard position == link else { return nil }
    return (Double(link) + min(1, max(0, part))) / Double(count)
  }

  private mutating func run(_ link: Int) -> [Action] {
    state = .running(link)
    return [.start(link)]
  }

  private mutating func finish(_ end: End) -> [Action] {
    state = .ended(end)
    return [.finish(end)]
  }
}
