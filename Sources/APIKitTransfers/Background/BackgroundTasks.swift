import APIKit

/// The decisions about the tasks of a background session, which live on while the process does not: event in, actions out,
/// without a session, files or time.
///
/// Each exchange has a name, which its task carries as its description; so a task that an earlier launch has made is found
/// again. A name is `KEY` of its transfer, a space, and what tells the requests of that transfer apart.
struct BackgroundTasks: Sendable {
  /// What is to be done, in order.
  enum Action: Sendable, Equatable {
    /// A task is made for the exchange of this name.
    case make(String)
    /// The exchange of this name is given what its task, with this number, has brought.
    case give(String, task: Int)
    /// A task is cancelled, and what it has brought removed.
    case cancel(task: Int)
    /// The system's completion handler is called on the main actor; nothing follows until the next events.
    case callHandler
  }

  /// Where the task of a name is; none is there before it is made, and after what it brought was given.
  private enum TaskPhase: Sendable, Equatable {
    /// → ended, or gone when it is cancelled
    case running(task: Int)
    /// It has ended before it was asked for. → gone when it is given, or not wanted
    case ended(task: Int)
  }

  private var phases: [String: TaskPhase] = [:]
  /// The exchanges that wait, in the order in which they asked.
  private var waiting: [String] = []
  /// Whether the tasks that the system has are known; until then nothing is made, or there would be two of one name.
  private var isListed = false
  /// The keys of the transfers that there are; nil until the queue has said it.
  private var keys: Set<String>?
  /// How many transfers are under way; nil until the queue has said it.
  private var underWay: Int?
  private var hasHandler = false
  /// Whether the system has given all events of this launch.
  private var areEventsOver = false

  /// The tasks that the system has at launch, by their numbers.
  mutating func listed(_ tasks: [(task: Int, name: String?)]) -> [Action] {
    guard !isListed else { return [] }
    isListed = true
    var actions: [Action] = []
    for (task, name) in tasks {
      // One without a name is not ours, and of two of a name the second brings nothing new.
      if let name, phases[name] == nil || phases[name] == .ended(task: task) {
        if phases[name] == nil { phases[name] = .running(task: task) }
      } else if name.map({ phases[$0] != .running(task: task) }) ?? true {
        actions.append(.cancel(task: task))
      }
    }
    actions += sweep()
    for name in waiting where phases[name] == nil { actions.append(.make(name)) }
    return actions + last()
  }

  /// Only transfers with these keys are in the queue.
  mutating func keep(only keys: Set<String>) -> [Action] {
    self.keys = keys
    return sweep() + last()
  }

  /// A load wants the response of this name.
  mutating func asked(_ name: String) -> [Action] {
    if let key = Self.key(of: name) { keys?.insert(key) }
    waiting.append(name)
    guard isListed || phases[name] != nil else { return [] }
    switch phases[name] {
    case .ended(let task): return give(name, task) + last()
    case .running: return last()
    case nil: return [.make(name)]
    }
  }

  /// A task was made for a name.
  mutating func made(_ name: String, task: Int) -> [Action] {
    // Its load may have been cancelled in between.
    guard waiting.contains(name) else { return [.cancel(task: task)] }
    phases[name] = .running(task: task)
    return last()
  }

  /// A task has ended, well or not.
  mutating func ended(_ name: String?, task: Int) -> [Action] {
    guard let name, keys.map({ keys in Self.key(of: name).map(keys.contains) ?? false }) ?? true else {
      return [.cancel(task: task)]
    }
    if waiting.contains(name) { return give(name, task) + last() }
    phases[name] = .ended(task: task)
    return []
  }

  /// A load does not want its response any more.
  mutating func gaveUp(_ name: String) -> [Action] {
    waiting.removeAll { $0 == name }
    guard case .running(let task) = phases[name] else { return last() }
    phases[name] = nil
    return [.cancel(task: task)] + last()
  }

  /// The queue has taken all that it can for the moment, and so many transfers are under way.
  mutating func settled(underWay count: Int) -> [Action] {
    underWay = count
    return last()
  }

  /// The system has given a completion handler.
  mutating func tookHandler() -> [Action] {
    hasHandler = true
    return last()
  }

  /// The system has given all its events.
  mutating func eventsEnded() -> [Action] {
    areEventsOver = true
    return last()
  }

  // MARK: Insides

  private mutating func give(_ name: String, _ task: Int) -> [Action] {
    waiting.removeAll { $0 == name }
    phases[name] = nil
    return [.give(name, task: task)]
  }

  /// Ends what belongs to no transfer.
  private mutating func sweep() -> [Action] {
    guard isListed, let keys else { return [] }
    var actions: [Action] = []
    for (name, phase) in phases.sorted(by: { $0.key < $1.key })
    where Self.key(of: name).map({ !keys.contains($0) }) ?? true {
      switch phase {
      case .running(let task), .ended(let task): actions.append(.cancel(task: task))
      }
      phases[name] = nil
    }
    return actions
  }

  /// The handler comes last: when all events have come, nothing that ended lies about, and each transfer under way waits for a
  /// task of the system.
  private mutating func last() -> [Action] {
    guard hasHandler, areEventsOver, isListed, keys != nil, let underWay, waiting.count >= underWay,
      waiting.allSatisfy({ phases[$0] != nil }),
      !phases.values.contains(where: { if case .ended = $0 { true } else { false } })
    else { return [] }
    (hasHandler, areEventsOver) = (false, false)
    return [.callHandler]
  }

  private static func key(of name: String) -> String? {
    name.split(separator: " ").first.map(String.init)
  }
}

extension HTTPRequest {
  /// What tells it from the other requests of its transfer.
  func backgroundName(key: String) -> String {
    let place = headers["Upload-Offset"] ?? headers["Range"] ?? ""
    return "\(key) \(method.rawValue) \(url.path) \(place)"
  }
}
