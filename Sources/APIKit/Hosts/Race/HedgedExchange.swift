/// One exchange, and a second one at another server when the first takes long.
///
/// ``HedgeMachine`` decides. The completion is called once, with the exchange that counts; the other is cancelled, and
/// nothing of it is used.
final class HedgedExchange: SuspendableOperation {
  typealias Outcome = Result<HTTPResponse, APIError>
  typealias Completion = @Sendable (HedgeMachine.Attempt, Outcome) -> Void

  private struct HedgedExchangeState {
    var machine = HedgeMachine()
    var outcomes: [HedgeMachine.Attempt: Outcome] = [:]
    var timer: Task<Void, Never>?
    var completion: Completion?
  }

  private let transport: any HTTPTransport
  private let second: HTTPExchange
  private let firstAttempt = Cancellation()
  private let secondAttempt = Cancellation()
  /// Takes the token of the second one.
  private let draw: @Sendable () -> Bool
  private let began: @Sendable () -> Void
  /// Takes a response that is not good, whether it counts or not.
  private let refused: @Sendable (HedgeMachine.Attempt, HTTPResponse) -> Void
  private let state: Mutex<HedgedExchangeState>

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
    state = Mutex(HedgedExchangeState(completion: completion))
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

  /// The task that waits for the time of the second exchange.
  var timer: Task<Void, Never>? { state.withLock { $0.timer } }

  func cancel() {
    firstAttempt.cancel()
    secondAttempt.cancel()
  }

  func suspend() {
    firstAttempt.hold()
    secondAttempt.hold()
  }

  func resume() {
    firstAttempt.resume()
    secondAttempt.resume()
  }

  private func begin(_ attempt: HedgeMachine.Attempt, _ exchange: HTTPExchange) {
    let start = { self.transport.start(exchange) { self.ended(attempt, $0) } }
    let isBegun = attempt == .first ? firstAttempt.begin(start) : secondAttempt.begin(start)
    if !isBegun { ended(attempt, .failure(APIError(.transport, .cancelled).unsent)) }
  }

  private func timeHasCome() {
    guard state.withLock({ $0.completion != nil }), !firstAttempt.isCancelled, !firstAttempt.isHeld, draw(),
      state.withLock({ $0.machine.timeHasCome() }) == .start
    else { return }
    began()
    begin(.second, second)
  }

  private func ended(_ attempt: HedgeMachine.Attempt, _ outcome: Outcome) {
    if !Self.isGood(outcome), case .success(let response) = outcome { refused(attempt, response) }
    if attempt == .first { firstAttempt.clear() } else { secondAttempt.clear() }
    let end = state.withLock { state -> (winner: HedgeMachine.Attempt, Outcome, HedgedExchangeState)? in
      state.outcomes[attempt] = outcome
      guard case .finish(let winner) = state.machine.ended(attempt, isGood: Self.isGood(outcome)),
        let outcome = state.outcomes[winner], state.completion != nil
      else { return nil }
      defer { (state.outcomes, state.timer, state.completion) = ([:], nil, nil) }
      return (winner, outcome, state)
    }
    guard let (winner, outcome, last) = end else { return }
    last.timer?.cancel()
    // The other one, if it is under way.
    cancel()
    last.completion?(winner, outcome)
  }

  /// A response of a server that has failed is not the one to land when another may come.
  private static func isGood(_ outcome: Outcome) -> Bool {
    guard case .success(let response) = outcome else { return false }
    return response.status < 500 && response.status != 429
  }
}
