import Synchronization

/// One exchange, and a second one at another server when the first takes long.
///
/// ``HedgeMachine`` decides. The completion is called once, with the exchange that counts; the other is cancelled, and
/// nothing of it is used.
final class HedgedExchange: SuspendableOperation {
  typealias Outcome = Result<HTTPResponse, APIError>
  typealias Completion = @Sendable (HedgeMachine.Attempt, Outcome) -> Void

  private struct State {
    var machine = HedgeMachine()
    var operations: [HedgeMachine.Attempt: any CancellableOperation] = [:]
    var outcomes: [HedgeMachine.Attempt: Outcome] = [:]
    var timer: Task<Void, Never>?
    var completion: Completion?
    var isCancelled = false
    var isSuspended = false
  }

  private let transport: any HTTPTransport
  private let second: HTTPExchange
  /// Takes the token of the second one.
  private let draw: @Sendable () -> Bool
  private let began: @Sendable () -> Void
  /// Takes a response that is not good, whether it counts or not.
  private let refused: @Sendable (HedgeMachine.Attempt, HTTPResponse) -> Void
  private let state: Mutex<State>

  init(
    _ transport: any HTTPTransport, second: HTTPExchange, draw: @escaping @Sendable () -> Bool,
    began: @escaping @Sendable () -> Void,
    refused: @escaping @Sendable (HedgeMachine.Attempt, HTTPResponse) -> Void = { _, _ in },
    completion: @escaping Completion
  ) {
    self.transport = transport
    self.second = second
    self.draw = draw
    self.began = began
    self.refused = refused
    state = Mutex(State(completion: completion))
  }

  func start(_ first: HTTPExchange, delay: Duration, _ time: any TimeSource) {
    begin(.first, first)
    let timer = Task.detached { [weak self] in
      do { try await time.sleep(for: delay) } catch { return }
      self?.timeHasCome()
    }
    let isOver = state.withLock { state in
      if state.completion != nil { state.timer = timer }
      return state.completion == nil
    }
    if isOver { timer.cancel() }
  }

  /// What waits for the second one's time.
  var timer: Task<Void, Never>? { state.withLock { $0.timer } }

  func cancel() {
    let operations = state.withLock { state in
      state.isCancelled = true
      return state.operations
    }
    for operation in operations.values { operation.cancel() }
  }

  func suspend() { hold(true) }

  func resume() { hold(false) }

  private func hold(_ isSuspended: Bool) {
    let operations = state.withLock { state in
      state.isSuspended = isSuspended
      return state.operations
    }
    for case let operation as any SuspendableOperation in operations.values {
      if isSuspended { operation.suspend() } else { operation.resume() }
    }
  }

  private func begin(_ attempt: HedgeMachine.Attempt, _ exchange: HTTPExchange) {
    let operation = transport.start(exchange) { self.ended(attempt, $0) }
    let (isUnwanted, isHeld) = state.withLock { state -> (Bool, Bool) in
      // It may have ended already, and the load with it.
      guard state.completion != nil, state.outcomes[attempt] == nil else {
        return (state.completion == nil, false)
      }
      state.operations[attempt] = operation
      return (state.isCancelled, state.isSuspended)
    }
    if isUnwanted { operation.cancel() }
    // Suspended after its time had come and before it could be suspended itself.
    if isHeld, let operation = operation as? any SuspendableOperation {
      operation.suspend()
      if !state.withLock({ $0.isSuspended }) { operation.resume() }
    }
  }

  private func timeHasCome() {
    guard state.withLock({ $0.completion != nil && !$0.isCancelled && !$0.isSuspended }), draw() else {
      return
    }
    let action = state.withLock { state in
      state.isCancelled ? HedgeMachine.Action.nothing : state.machine.timeHasCome()
    }
    guard action == .start else { return }
    began()
    begin(.second, second)
  }

  private func ended(_ attempt: HedgeMachine.Attempt, _ outcome: Outcome) {
    if !Self.isGood(outcome), case .success(let response) = outcome { refused(attempt, response) }
    let end = state.withLock { state -> (HedgeMachine.Attempt, Outcome, Completion, State)? in
      state.outcomes[attempt] = outcome
      state.operations[attempt] = nil
      guard case .finish(let winner) = state.machine.ended(attempt, isGood: Self.isGood(outcome)),
        let outcome = state.outcomes[winner], let completion = state.completion.take()
      else { return nil }
      defer { (state.operations, state.outcomes, state.timer) = ([:], [:], nil) }
      return (winner, outcome, completion, state)
    }
    guard let (winner, outcome, completion, last) = end else { return }
    last.timer?.cancel()
    for operation in last.operations.values { operation.cancel() }
    completion(winner, outcome)
  }

  /// A response of a server that has failed is not the one to land when another may come.
  private static func isGood(_ outcome: Outcome) -> Bool {
    guard case .success(let response) = outcome else { return false }
    return response.status < 500 && response.status != 429
  }
}
