import APIKit

/// The decisions about the tasks of a background session, which live on while the process does not: event in, actions out,
/// without a session, files or time.
///
/// Each exchange has a name, which its task carries as its description; so a task that an earlier launch has made is found
/// again. A name is `KEY` of its transfer, a space, and what tells the requests of that transfer apart. A transfer has one request
/// after the other: once it asks for one, those of its others that nobody waits for are left over.
struct BackgroundTasks: Sendable {
  /// What is to be done, in order.
  enum Action: Sendable, Equatable {
    /// A task is made for the exchange of this name.
    case make(String)
    /// A task that an earlier launch has made begins: that launch ended before it could.
    case resume(task: Int)
    /// The exchange of this name is given what its task, with this number, has brought.
    case give(String, task: Int)
    /// A task is cancelled, and what it has brought removed.
    case cancel(task: Int)
    /// A challenge is decided as the exchange of this name has it.
    case meet(challenge: Int, String)
    /// A challenge is refused: nobody wants its task.
    case refuse(challenge: Int)
    /// The system's completion handler is called on the main actor; nothing follows until the next events.
    case callHandler
  }

  /// A task that the system has at launch.
  struct SystemTask: Sendable {
    var number: Int
    var name: String?
    /// Whether it was made and has not begun.
    var isSuspended = false
  }

  /// Where the task of a name is; none is there before it is made, and after what it brought was given.
  private enum TaskPhase: Sendable, Equatable {
    /// → ended, or gone when it is cancelled
    case running(task: Int)
    /// It has ended before it was asked for. → gone when it is given, or not wanted
    case ended(task: Int)

    var task: Int {
      switch self {
      case .running(let task), .ended(let task): task
      }
    }
  }

  private var phases: [String: TaskPhase] = [:]
  /// The exchanges that wait, in the order in which they asked.
  private var waiting: [String] = []
  /// Whether the tasks that the system has are known; until then nothing is made, or there would be two of one name.
  private var isListed = false
  /// The keys of the transfers that there are; nil until the queue has said it.
  private var keys: Set<String>?
  /// The keys of the transfers that have asked. The queue's word may be older than they are.
  private var askedKeys: Set<String> = []
  /// The tasks that were cancelled, and whose end the system has still to tell.
  private var dropped: Set<Int> = []
  /// The challenges of tasks that nobody has asked for yet.
  private var challenges: [String: [Int]] = [:]
  /// How many transfers are under way; nil until the queue has said it.
  private var underWay: Int?
  private var hasHandler = false
  /// Whether the system has given all events of this launch.
  private var areEventsOver = false

  /// The keys of the transfers whose files stay; nil until the queue has said it.
  var keptKeys: Set<String>? { keys?.union(waiting.compactMap(Self.key)) }

  /// Whether an exchange of this name waits.
  func isAwaited(_ name: String) -> Bool { waiting.contains(name) }

  /// Whether a task is still to be made for a name: its load may have been cancelled meanwhile, or another one have come whose
  /// task is there.
  func isToBeMade(_ name: String) -> Bool { waiting.contains(name) && phases[name] == nil }

  /// What tasks of an earlier launch had brought; before ``listed(_:)``.
  mutating func tookUp(_ outcomes: [(name: String, task: Int)]) -> [Action] {
    var actions: [Action] = []
    for (name, task) in outcomes {
      guard phases[name] == nil else {
        actions.append(.cancel(task: task))
        continue
      }
      phases[name] = .ended(task: task)
      if waiting.contains(name) { actions += give(name, task) }
    }
    return actions + sweep()
  }

  /// The tasks that the system has at launch.
  mutating func listed(_ tasks: [SystemTask]) -> [Action] {
    guard !isListed else { return [] }
    isListed = true
    var actions: [Action] = []
    for task in tasks {
      // One without a name is not ours, and of two of a name the second brings nothing new.
      guard let name = task.name, phases[name].map({ $0.task == task.number }) ?? true else {
        actions.append(drop(task.number))
        continue
      }
      if phases[name] == nil { phases[name] = .running(task: task.number) }
    }
    actions += sweep()
    for task in tasks where task.isSuspended {
      if let name = task.name, phases[name] == .running(task: task.number) {
        actions.append(.resume(task: task.number))
      }
    }
    for name in waiting where phases[name] == nil { actions.append(.make(name)) }
    return actions + last()
  }

  /// Only transfers with these keys are in the queue.
  mutating func keep(only keys: Set<String>) -> [Action] {
    self.keys = keys.union(askedKeys)
    return sweep() + last()
  }

  /// A transfer was given up.
  mutating func forgot(_ key: String) -> [Action] {
    askedKeys.remove(key)
    keys?.remove(key)
    return sweep() + last()
  }

  /// A load wants the response of this name.
  mutating func asked(_ name: String) -> [Action] {
    if let key = Self.key(of: name) {
      askedKeys.insert(key)
      keys?.insert(key)
    }
    waiting.append(name)
    let actions = sweep()
    switch phases[name] {
    case .ended(let task): return actions + give(name, task) + last()
    case .running:
      let held = challenges.removeValue(forKey: name) ?? []
      return actions + held.map { .meet(challenge: $0, name) } + last()
    case nil: return isListed ? actions + [.make(name)] : actions
    }
  }

  /// A task was made for a name.
  mutating func made(_ name: String, task: Int) -> [Action] {
    // Its load may have been cancelled in between, and another one have come.
    guard waiting.contains(name), phases[name] == nil else { return [drop(task)] }
    phases[name] = .running(task: task)
    return last()
  }

  /// A task has ended, well or not.
  mutating func ended(_ name: String?, task: Int) -> [Action] {
    // Cancelled, or not the one that the name has now.
    guard dropped.remove(task) == nil, let name, isWanted(name),
      phases[name].map({ $0.task == task }) ?? true
    else { return [.cancel(task: task)] }
    let held = refuseChallenges(of: name)
    if waiting.contains(name) { return held + give(name, task) + last() }
    phases[name] = .ended(task: task)
    return held
  }

  /// A task must prove something, or its server has.
  mutating func challenged(_ name: String?, task: Int, challenge: Int) -> [Action] {
    guard let name, !dropped.contains(task), isWanted(name) else { return [.refuse(challenge: challenge)] }
    if waiting.contains(name) { return [.meet(challenge: challenge, name)] }
    challenges[name, default: []].append(challenge)
    return []
  }

  /// A load does not want its response any more.
  mutating func gaveUp(_ name: String) -> [Action] {
    waiting.removeAll { $0 == name }
    guard case .running(let task) = phases[name] else { return last() }
    phases[name] = nil
    return refuseChallenges(of: name) + [drop(task)] + last()
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

  private mutating func drop(_ task: Int) -> Action {
    dropped.insert(task)
    return .cancel(task: task)
  }

  private mutating func refuseChallenges(of name: String) -> [Action] {
    (challenges.removeValue(forKey: name) ?? []).map { .refuse(challenge: $0) }
  }

  /// Whether somebody waits for it, or may ask for it.
  private func isWanted(_ name: String) -> Bool {
    guard let keys, !waiting.contains(name) else { return true }
    return Self.key(of: name).map(keys.contains) ?? false
  }

  /// Ends what belongs to no transfer, or to one that has another request now; never what somebody waits for.
  private mutating func sweep() -> [Action] {
    let busy = Set(waiting.compactMap(Self.key))
    var actions: [Action] = []
    for (name, phase) in phases.sorted(by: { $0.key < $1.key }) where !waiting.contains(name) {
      let isLeftOver = Self.key(of: name).map(busy.contains) ?? false
      guard isLeftOver || isListed && !isWanted(name) else { continue }
      phases[name] = nil
      actions += refuseChallenges(of: name)
      switch phase {
      case .running(let task): actions.append(drop(task))
      case .ended(let task): actions.append(.cancel(task: task))
      }
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
