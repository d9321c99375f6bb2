/// Work that is done once for all who want it while it is under way: a state machine without time, tasks or sockets.
///
/// The first waiter for a key leads, and an operation is made for it; the others follow. A waiter may leave. With the last one
/// the work is given up, unless it is wanted without a waiter too. An event takes constant time, however many wait.
struct SingleFlightMachine<Key: Hashable & Sendable, Waiter: Sendable, Operation: Sendable>: Sendable {
  enum Role: Sendable {
    /// The waiter is the first. The operation was made for it.
    case leads(Operation)
    /// The work is under way; the first who waits for it has this id.
    case follows(UInt64)
  }

  struct Work: Sendable {
    let number: Int
    let key: Key
    fileprivate(set) var operation: Operation
    /// In the order in which they came, with those who have left.
    fileprivate var members: [UInt64]
    /// The place of the one who leads: the first who has not left.
    fileprivate var first = 0
    fileprivate var waiting: Int
    fileprivate var isWanted = false
    fileprivate var isSuspended = false

    fileprivate mutating func join(_ id: UInt64) -> UInt64 {
      members.append(id)
      waiting += 1
      return members[first]
    }
  }

  private var works: [Int: Work] = [:]
  /// The work that a newcomer joins.
  private var open: [Key: Int] = [:]
  private var waiters: [UInt64: (work: Int, waiter: Waiter)] = [:]
  private var lastNumber = 0

  /// How many works are under way.
  var count: Int { works.count }
  /// How many wait for any of them.
  var waiterCount: Int { waiters.count }

  subscript(waiter id: UInt64) -> Waiter? {
    get { waiters[id]?.waiter }
    set { if let newValue { waiters[id]?.waiter = newValue } }
  }

  /// The operation that a waiter waits for.
  func operation(of id: UInt64) -> Operation? { waiters[id].flatMap { works[$0.work]?.operation } }

  /// Work is wanted, whether anyone waits for it or not.
  mutating func begin(_ key: Key, operation: (_ number: Int) -> Operation) {
    works[open[key] ?? add(key, members: [], operation).number]?.isWanted = true
  }

  /// A waiter comes. Its id is unique among the waiters.
  ///
  /// - Parameter operation: Makes the operation where no work for the key is under way.
  mutating func enter(
    _ id: UInt64, _ key: Key, waiter: Waiter, operation: (_ number: Int) -> Operation
  ) -> Role {
    if let number = open[key], let leader = works[number]?.join(id) {
      waiters[id] = (number, waiter)
      return .follows(leader)
    }
    let work = add(key, members: [id], operation)
    waiters[id] = (work.number, waiter)
    return .leads(work.operation)
  }

  /// A waiter leaves. Returns it, the work that is given up with it, and, where it led others, the one who leads now; nil when it
  /// does not wait.
  mutating func leave(_ id: UInt64) -> (
    waiter: Waiter, abandoned: Work?, heir: (waiter: Waiter, work: Work)?
  )? {
    guard let (number, waiter) = waiters.removeValue(forKey: id) else { return nil }
    guard var work = works[number] else { return (waiter, nil, nil) }
    work.waiting -= 1
    if work.waiting == 0, !work.isWanted { return (waiter, remove(number), nil) }
    let led = work.members.indices.contains(work.first) && work.members[work.first] == id
    // Each place is passed once, so that an event takes constant time on the average.
    while work.first < work.members.count, waiters[work.members[work.first]]?.work != number {
      work.first += 1
    }
    works[number] = work
    let heir = led && work.waiting > 0 ? waiters[work.members[work.first]]?.waiter : nil
    return (waiter, nil, heir.map { ($0, work) })
  }

  /// Work is done. Returns it, and its waiters in the order in which they came; nil when it was given up before.
  mutating func finish(_ number: Int) -> (work: Work, waiters: [Waiter])? {
    guard let work = remove(number) else { return nil }
    var waiting: [Waiter] = []
    waiting.reserveCapacity(work.waiting)
    for id in work.members {
      guard let index = waiters.index(forKey: id), waiters.values[index].work == number else { continue }
      waiting.append(waiters.remove(at: index).value.waiter)
    }
    return (work, waiting)
  }

  private mutating func add(
    _ key: Key, members: [UInt64], _ operation: (_ number: Int) -> Operation
  ) -> Work {
    lastNumber += 1
    let work = Work(
      number: lastNumber, key: key, operation: operation(lastNumber), members: members,
      waiting: members.count)
    (works[lastNumber], open[key]) = (work, lastNumber)
    return work
  }

  private mutating func remove(_ number: Int) -> Work? {
    guard let work = works.removeValue(forKey: number) else { return nil }
    if open[work.key] == number { open[work.key] = nil }
    return work
  }
}

/// Work that takes no newcomers from some moment on, while its waiters wait: a call that loads gather for.
extension SingleFlightMachine {
  /// How many wait for the work that a waiter waits for, and the number of that.
  func work(of id: UInt64) -> (number: Int, waiterCount: Int)? {
    waiters[id].flatMap { waiter in works[waiter.work].map { ($0.number, $0.waiting) } }
  }

  /// The next who comes begins other work. Returns this one, and its waiters; nil when it was closed or given up before.
  mutating func close(_ number: Int) -> (work: Work, waiters: [Waiter])? {
    guard let work = works[number], open[work.key] == number else { return nil }
    open[work.key] = nil
    return (work, waiters(of: work))
  }

  /// Whether work that is under way takes no newcomers.
  func isClosed(_ work: Work) -> Bool { open[work.key] != work.number }

  /// Replaces the operation of work that is under way.
  mutating func replaceOperation(of number: Int, with operation: Operation) {
    works[number]?.operation = operation
  }
}

/// Work that itself waits for something, with all who wait for it.
extension SingleFlightMachine {
  /// Whether the work that a waiter waits for is suspended.
  func isSuspended(_ id: UInt64) -> Bool {
    waiters[id].flatMap { works[$0.work]?.isSuspended } ?? false
  }

  /// The work for which this waiter came, who may have left, is suspended or continues. Returns those who wait for it.
  mutating func suspend(_ isSuspended: Bool, workOf id: UInt64) -> [Waiter] {
    let number = waiters[id]?.work ?? works.first { $0.value.members.contains(id) }?.key
    guard let number, let work = works[number] else { return [] }
    works[number]?.isSuspended = isSuspended
    return waiters(of: work)
  }

  /// Those who wait for work, in the order in which they came.
  private func waiters(of work: Work) -> [Waiter] {
    work.members.compactMap { waiters[$0]?.work == work.number ? waiters[$0]?.waiter : nil }
  }
}
