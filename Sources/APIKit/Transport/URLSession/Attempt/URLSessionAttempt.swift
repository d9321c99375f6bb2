import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One attempt of a ``URLSessionTransport``: collects what the session's delegate receives and completes
/// exactly once.
///
/// The delegate's calls come on the session's serial queue; cancellation and time limits come from any
/// thread.
final class URLSessionAttempt: CancellableOperation, URLSessionOperation {
  let task: URLSessionTask
  /// The queue of the session's delegate.
  private let queue: OperationQueue
  let exchange: HTTPExchange
  let terms: Terms
  private let start: ContinuousClock.Instant
  let state: Mutex<AttemptState>

  /// What its transport says.
  struct Terms: Sendable {
    /// The time limits, as far as its request has none of its own.
    var timeouts: HTTPTimeouts
    var maximumDecodedBytes: Int64
    var faults: TrustFaults
    /// Whether the system tells the metrics of a task before its end, also of one that is cancelled.
    var tellsMetrics = URLSessionTransport.capabilities.contains(.metrics)
  }

  struct AttemptState {
    /// Called with the response; nil once it was called.
    var completion: HTTPTransport.Completion?
    /// Whether the attempt has ended.
    var isOver = false
    /// Why it ends, while the system's metrics are waited for.
    var failure: APIError?
    /// Whether further data is ignored.
    var isEnding: Bool { isOver || failure != nil }
    var head: HTTPResponse?
    /// The most bytes of the body, once its head is there.
    var limit = Int64.max
    var bytes: [UInt8] = []
    var file: ResponseFile?
    var pipe: ChunkPipe?
    var pause = StreamPause()
    var progress = TransferProgress()
    var meter = TransferMeter(at: 0)
    var metrics = TransportMetrics()
    /// The protocol over TLS, where the system reports it.
    var version = HTTPVersion.other
    /// How far the request came by the system's own metrics; nil on Linux, which has none.
    var requestProgress: RequestProgress?
    /// The bytes of the body as they are given to the caller, after decoding.
    var decoded: Int64 = 0
    #if !canImport(FoundationNetworking)
      /// The task that meets a challenge.
      var meeting: Task<Void, Never>?
      var isAsking = false
      var trial: LoginTrial?
      var settling: SystemChallenges?
      /// Whether a handler's login or certificate was shown.
      var isPersonal = false
      var body: BoundBody?
    #endif
    var limits: AttemptLimits
    var told: (at: ContinuousClock.Instant, progress: TransferProgress)?
    var watch: Task<Void, Never>?

    /// Whether it waits for this side, so that the server is not idle: while the reader of a stream is behind, and while
    /// the application decides about a challenge.
    var waitsForUs: Bool {
      #if canImport(FoundationNetworking)
        pause.isPaused
      #else
        pause.isPaused || isAsking
      #endif
    }
  }

  /// How many bytes of a stream may be unread before the task is suspended.
  private static let streamMark = 256 * 1024

  init(
    task: URLSessionTask, queue: OperationQueue, exchange: HTTPExchange, terms: Terms,
    start: ContinuousClock.Instant, completion: @escaping HTTPTransport.Completion
  ) {
    self.task = task
    self.queue = queue
    self.exchange = exchange
    self.terms = terms
    self.start = start
    let timeouts = exchange.request.timeouts.filled(from: terms.timeouts)
    var first = AttemptState(completion: completion, limits: AttemptLimits(timeouts, start: start))
    if case .bytes(let bytes) = exchange.request.body { first.progress.totalToSend = Int64(bytes.count) }
    state = Mutex(first)
  }

  var taskIdentifier: Int { task.taskIdentifier }

  /// Starts the task.
  func begin() {
    watchLimits()
    task.resume()
  }

  /// Ends the attempt as cancelled.
  func cancel() { fail(APIError(.transport, .cancelled)) }

  /// Ends the attempt with an error, and cancels its task.
  ///
  /// A failure waits for the system's metrics, which come with the end of the task: soon, and not for longer than a second. A
  /// caller that cancels waits for nothing.
  func fail(_ error: APIError) {
    if terms.tellsMetrics, error.reason != .cancelled, error.reason != .transportStopped {
      let isFirst = state.withLock { state in
        guard !state.isEnding else { return false }
        state.failure = error
        return true
      }
      guard isFirst else { return }
      Task {
        try? await Task.sleep(for: .seconds(1))
        finish(.failure(error))
      }
    } else {
      finish(.failure(error))
    }
    #if canImport(FoundationNetworking)
      // Foundation ends the program when a task is cancelled on another thread while it completes: it looks the task up after
      // it has removed it. This queue is serial and runs the completion as well, so the two cannot overlap.
      queue.addOperation { [task] in task.cancel() }
    #else
      task.cancel()
    #endif
  }

  // MARK: Callbacks of the delegate

  /// Takes status and header fields; false when the body must not be read.
  @discardableResult
  func receive(head system: URLResponse) -> Bool {
    guard state.withLock({ $0.head == nil && !$0.isEnding }) else { return true }
    guard let system = system as? HTTPURLResponse else {
      fail(APIError(.transport, .malformedResponse, "the response is not HTTP"))
      return false
    }
    // Linux reports 1xx heads; the final one follows.
    guard system.statusCode >= 200 else { return true }
    exchange.phaseObserver?.reached(.firstByte, microsecondsAgo: 0)
    let headers = URLSessionTransport.headers(of: system)
    let head = HTTPResponse(status: system.statusCode, headers: headers, url: exchange.request.url)
    let expected = system.expectedContentLength
    let limit: Int64
    let file: ResponseFile?
    do throws(APIError) {
      try check(head)
      let becomes = exchange.file(status: head.status, headers)
      limit = becomes == nil ? self.limit(for: head.status) : terms.maximumDecodedBytes
      try checkLength(of: head, limit: limit)
      file = try (becomes ?? path(for: head.status)).map { (path) throws(APIError) in
        try ResponseFile(path: path)
      }
    } catch {
      fail(error)
      return false
    }
    let pipe = makePipe()
    let (completion, response) = state.withLock { state -> (HTTPTransport.Completion?, HTTPResponse?) in
      guard !state.isEnding else {
        if var file { file.discard() }
        return (nil, nil)
      }
      state.head = head
      state.limit = limit
      state.file = file
      state.pipe = pipe
      state.limits.noteActivity(at: .now)
      if expected > 0 {
        state.progress.totalToReceive = expected
        if file == nil, pipe == nil {
          state.bytes.reserveCapacity(Int(min(expected, limit)))
        }
      }
      guard pipe != nil else { return (nil, nil) }
      return (state.completion.take(), makeResponse(&state))
    }
    #if !canImport(FoundationNetworking)
      settleLogin(head)
    #endif
    if let completion, let response { completion(.success(response)) }
    return true
  }

  /// Takes a piece of the body.
  func receive(_ data: Data) {
    // After a 1xx head Linux reports no further one; see ``receive(head:)``.
    if state.withLock({ $0.head == nil }), let response = task.response { receive(head: response) }
    var failure: APIError?
    let (pipe, report) = state.withLock { state -> (ChunkPipe?, TransferProgress?) in
      guard !state.isEnding else { return (nil, nil) }
      state.limits.noteActivity(at: .now)
      state.decoded += Int64(data.count)
      #if canImport(FoundationNetworking)
        state.progress.received = state.decoded
      #else
        state.progress.received = task.countOfBytesReceived
      #endif
      guard state.decoded <= state.limit else {
        failure = APIError(bodyLargerThan: state.limit, evidence: state.head?.evidence)
        return (nil, nil)
      }
      if state.file != nil {
        do { try data.withUnsafeBytes { try state.file?.write($0) } } catch {
          failure = error as? APIError ?? APIError(.transport, .fileFailed, underlying: error)
        }
      } else if state.pipe == nil {
        data.withUnsafeBytes { state.bytes.append(contentsOf: $0) }
      }
      return (state.pipe, dueReport(&state))
    }
    if let failure { return fail(failure) }
    if let report { exchange.tell(report) }
    guard let pipe else { return }
    switch data.withUnsafeBytes({ bytes in Result { () throws(APIError) in try pipe.write(bytes) } }) {
    case .success(false): break
    // Suspended under the lock, so that a resume of the reader comes before or after it as a whole.
    case .success(true): state.withLock { if $0.pause.filled() { task.suspend() } }
    case .failure(let error): fail(error)
    }
  }

  /// Takes the number of bytes sent and the total, which is 0 or less when it is not known.
  func sent(_ count: Int64, of total: Int64) {
    let report = state.withLock { state -> TransferProgress? in
      state.limits.noteActivity(at: .now)
      state.progress.sent = count
      if total > 0 { state.progress.totalToSend = total }
      return dueReport(&state)
    }
    if let report { exchange.tell(report) }
    if count == total { exchange.phaseObserver?.reached(.requestSent, microsecondsAgo: 0) }
  }

  /// Takes the end of the task.
  func complete(_ error: (any Error)?) {
    // Linux does not report the head of a 3xx without a Location to the delegate.
    if error == nil, let response = task.response { receive(head: response) }
    if let failure = state.withLock({ $0.failure }) { return finish(.failure(failure)) }
    if let error { return finish(.failure(translate(error))) }
    if isCutToNothing {
      return finish(
        .failure(
          APIError(.transport, .truncatedBody, "the compressed body was cut before its first byte")))
    }
    var file = state.withLock { state -> ResponseFile? in
      defer { state.file = nil }
      return state.isOver ? nil : state.file
    }
    do throws(APIError) { try file?.commit() } catch { return finish(.failure(error)) }
    finish(.success(file))
  }

  #if !canImport(FoundationNetworking)
    func receive(metrics: URLSessionTaskMetrics) {
      guard let measured = TransportMetrics(metrics) else { return }
      state.withLock { state in
        state.metrics = measured
        state.requestProgress = RequestProgress(metrics)
        state.version = measured.version ?? .other
      }
    }
  #endif

  // MARK: The end

  /// Completes the attempt, or ends its stream when it has completed at its head. Only the first call has
  /// an effect.
  private func finish(_ end: Result<ResponseFile?, APIError>) {
    var (last, progress): (TransferProgress?, RequestProgress?)
    var metrics = TransportMetrics()
    let (completion, result, pipe) = state.withLock {
      state -> (HTTPTransport.Completion?, Result<HTTPResponse, APIError>?, ChunkPipe?) in
      guard !state.isOver else { return (nil, nil, nil) }
      state.isOver = true
      state.watch?.cancel()
      state.watch = nil
      #if !canImport(FoundationNetworking)
        state.meeting?.cancel()
        state.meeting = nil
        state.body?.stop()
        state.body = nil
      #endif
      state.file?.discard()
      state.file = nil
      if case .success = end, state.progress != state.told?.progress {
        last = state.meter.completing(state.progress, at: age)
      }
      measure(&state)
      metrics = state.metrics
      progress = requestProgress(state)
      if let pipe = state.pipe { return (nil, nil, pipe) }
      let result = end.flatMap { file -> Result<HTTPResponse, APIError> in
        guard var response = makeResponse(&state) else {
          return .failure(APIError(.transport, .malformedResponse, "the connection ended without a response"))
        }
        if let file { response.body = .file(path: file.path, count: file.count) }
        return .success(response)
      }
      return (state.completion.take(), result, nil)
    }
    func measured(_ error: APIError) -> APIError {
      var error = error
      error.metrics = metrics
      if error.requestProgress == nil { error.requestProgress = progress }
      return error
    }
    if let last { exchange.tell(last) }
    pipe?.finish(end.map { _ in }.mapError(measured), metrics: metrics)
    if let result { completion?(result.mapError(measured)) }
  }

  /// How far the request came; nil where the system does not say.
  private func requestProgress(_ state: borrowing AttemptState) -> RequestProgress? {
    if state.head != nil { return .responseBegan }
    return state.progress.sent > 0 ? max(state.requestProgress ?? .sent, .partlySent) : state.requestProgress
  }

  private func makeResponse(_ state: inout AttemptState) -> HTTPResponse? {
    guard var response = state.head else { return nil }
    measure(&state)
    response.metrics = state.metrics
    #if !canImport(FoundationNetworking)
      response.isPersonal = state.isPersonal
    #endif
    response.version = exchange.request.url.scheme == "http" ? .http1_1 : state.version
    if let pipe = state.pipe {
      response.body = .stream(pipe.stream)
    } else {
      response.body = .bytes(state.bytes)
      state.bytes = []
    }
    return response
  }

  private func measure(_ state: inout AttemptState) {
    state.metrics.total = max(state.metrics.total, age)
    state.metrics.bytesSent = max(state.progress.sent, state.metrics.bytesSent)
    // Apple's session counts before decoding.
    if state.metrics.bytesReceived == 0 { state.metrics.bytesReceived = state.progress.received }
    if state.metrics.bytesDecoded == 0 { state.metrics.bytesDecoded = state.decoded }
  }

  // MARK: Streams and progress

  private func makePipe() -> ChunkPipe? {
    guard case .stream = exchange.destination else { return nil }
    return ChunkPipe(mark: Self.streamMark) { [weak self] in
      self?.goOn()
    } onCancel: { [weak self] in
      self?.fail(APIError(.transport, .cancelled))
    }
  }

  private func goOn() {
    state.withLock { state in
      state.limits.noteActivity(at: .now)
      if state.pause.drained() { task.resume() }
    }
  }

  private func dueReport(_ state: inout AttemptState) -> TransferProgress? {
    guard exchange.tellsProgress else { return nil }
    let now = ContinuousClock.now
    if let told = state.told, now - told.at < .milliseconds(100) { return nil }
    state.told = (now, state.progress)
    return state.meter.completing(state.progress, at: age)
  }

  /// The time since it began, in microseconds.
  private var age: Int64 { (ContinuousClock.now - start).microseconds }
}
