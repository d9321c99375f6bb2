import Synchronization

/// The transport of the load that opens a stream: a response with status 200 leaves its body behind, to be read as it
/// comes; of any other as much is collected as an error needs.
final class StreamTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let idleLimit: Duration
  private let openLimit: Duration
  private let onStart: @Sendable () -> Void
  private let body = Mutex<ResponseStream?>(nil)

  init(
    _ base: any HTTPTransport, idleLimit: Duration, openLimit: Duration,
    onStart: @escaping @Sendable () -> Void
  ) {
    self.openLimit = openLimit
    self.base = base
    self.idleLimit = idleLimit
    self.onStart = onStart
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
    onStart()
    let head = Head(completion)
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
      let head = response
      Task.detached {
        var refusal = head
        refusal.body = .bytes(await Self.beginning(of: stream))
        completion(.success(refusal))
      }
    }
    head.watch(operation, within: openLimit)
    return operation
  }

  /// The head of a response that is waited for: it comes, or its time passes.
  private final class Head: Sendable {
    private let state: Mutex<(completion: Completion?, timer: Task<Void, Never>?)>

    init(_ completion: @escaping Completion) { state = Mutex((completion, nil)) }

    /// Passes on what has come first.
    func complete(_ result: Result<HTTPResponse, APIError>) {
      let (completion, timer) = state.withLock { state in
        defer { state = (nil, nil) }
        return state
      }
      timer?.cancel()
      completion?(result)
    }

    func watch(_ operation: any CancellableOperation, within limit: Duration) {
      guard limit > .zero else { return }
      let timer = Task.detached { [weak self] in
        do { try await Task.sleep(for: limit) } catch { return }
        self?.complete(
          .failure(
            APIError(.transport, .connectTimeout, "the response has not begun after \(limit.shortText)")))
        operation.cancel()
      }
      let isOver = state.withLock { state in
        if state.completion != nil { state.timer = timer }
        return state.completion == nil
      }
      if isOver { timer.cancel() }
    }
  }

  /// At most 64 KiB of a body.
  private static func beginning(of stream: ResponseStream) async -> [UInt8] {
    var bytes: [UInt8] = []
    var iterator = stream.makeAsyncIterator()
    while bytes.count < 64 << 10, let chunk = try? await iterator.next() { bytes += chunk }
    return Array(bytes.prefix(64 << 10))
  }
}
