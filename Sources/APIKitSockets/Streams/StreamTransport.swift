import APIKit

/// The transport of the load that opens a stream: a response with status 200 leaves its body behind, to be read as it
/// comes; of any other as much is collected as an error needs.
final class StreamTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let idleLimit: Duration
  private let openLimit: Duration
  private let time: any TimeSource
  private let onSlot: @Sendable (_ isWaiting: Bool) -> Void
  private let body = Mutex<ResponseStream?>(nil)

  /// - Parameter onSlot: Called with false when a connection begins to open, and with true when it must wait for its place.
  init(
    _ base: any HTTPTransport, idleLimit: Duration, openLimit: Duration, time: any TimeSource,
    onSlot: @escaping @Sendable (_ isWaiting: Bool) -> Void
  ) {
    self.openLimit = openLimit
    self.time = time
    self.base = base
    self.idleLimit = idleLimit
    self.onSlot = onSlot
  }

  var capabilities: TransportCapabilities { base.capabilities }
  var headers: HTTPHeaders { base.headers }
  var caller: String { base.caller }

  /// The body that the load has left behind, once.
  func takeBody() -> ResponseStream? { body.withLock { $0.take() } }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    var exchange = exchange
    exchange.destination = .stream
    exchange.request.timeouts.idle = idleLimit
    exchange.request.timeouts.total = .zero
    onSlot(false)
    let head = Head(completion, within: openLimit, by: time)
    exchange.onSlot = { [onSlot] isWaiting in
      onSlot(isWaiting)
      // The time in which the response must begin is that of the connection.
      if isWaiting { head.rest() } else { head.watch() }
    }
    let operation = base.start(exchange) { result in
      let completion = head.complete
      guard case .success(var response) = result, case .stream(let stream) = response.body else {
        return completion(result)
      }
      response.body = .bytes([])
      if response.status == 200 {
        self.body.withLock { $0 = stream }
        return completion(.success(response))
      }
      head.refused(response)
      Task.detached {
        var chunks = stream.makeAsyncIterator()
        while let chunk = try? await chunks.next(), head.take(chunk) {}
        head.completeRefusal()
      }
    }
    head.watch(operation)
    return operation
  }

  /// The head of a response that is waited for: it comes, or its time passes.
  private final class Head: Sendable {
    private struct HeadState {
      var completion: Completion?
      var operation: (any CancellableOperation)?
      var timer: Task<Void, Never>?
      var isResting = false
      /// A response with another status, and as much of its body as has come.
      var refusal: HTTPResponse?
      var body: [UInt8] = []
    }

    private static let keptBodyBytes = 64 << 10

    private let state: Mutex<HeadState>
    private let limit: Duration
    private let time: any TimeSource

    init(_ completion: @escaping Completion, within limit: Duration, by time: any TimeSource) {
      state = Mutex(HeadState(completion: completion))
      (self.limit, self.time) = (limit, time)
    }

    /// Passes on what has come first.
    func complete(_ result: Result<HTTPResponse, APIError>) {
      let last = state.withLock { state in
        defer { state = HeadState() }
        return state
      }
      last.timer?.cancel()
      last.completion?(result)
    }

    /// The head of a response with another status has come.
    func refused(_ response: HTTPResponse) {
      state.withLock { if $0.completion != nil { $0.refusal = response } }
    }

    /// Bytes of its body have come. Whether there is room for more.
    func take(_ chunk: [UInt8]) -> Bool {
      state.withLock { state in
        state.body += chunk.prefix(Self.keptBodyBytes - state.body.count)
        return state.completion != nil && state.body.count < Self.keptBodyBytes
      }
    }

    /// Passes it on with what has come of its body. False where there is none.
    @discardableResult func completeRefusal() -> Bool {
      let (refusal, body) = state.withLock { ($0.refusal, $0.body) }
      guard var refusal else { return false }
      refusal.body = .bytes(body)
      complete(.success(refusal))
      return true
    }

    /// The operation is under way, or waits for its place.
    func watch(_ operation: any CancellableOperation) {
      state.withLock { if $0.completion != nil { $0.operation = operation } }
      begin()
    }

    /// It waits for its place: no time passes.
    func rest() {
      state.withLock { state in
        state.isResting = true
        state.timer?.cancel()
        state.timer = nil
      }
    }

    /// It has its place.
    func watch() {
      state.withLock { $0.isResting = false }
      begin()
    }

    private func begin() {
      guard limit > .zero else { return }
      state.withLock { state in
        guard state.completion != nil, !state.isResting, state.timer == nil, let operation = state.operation
        else { return }
        state.timer = Task.detached { [weak self, limit, time] in
          do { try await time.sleep(running: limit) } catch { return }
          if self?.completeRefusal() == false {
            self?.complete(
              .failure(
                APIError(.transport, .connectTimeout, "the response has not begun after \(limit.shortText)")))
          }
          operation.cancel()
        }
      }
    }
  }
}
