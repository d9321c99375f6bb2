import APIKit

/// The loads that wait to be exported, and the one task that sends them.
final class SpanQueue: Sendable {
  static let capacity = 2048
  static let batch = 256
  /// How long a load waits for others at most.
  static let delay = Duration.seconds(5)
  static let attempts = 4
  private static let backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
  /// A collector that asks for a longer wait is asked again after this one.
  private static let longestWait = Duration.seconds(60)
  /// The statuses after which the protocol has a client send again.
  private static let repeated: Set<Int> = [429, 502, 503, 504]

  fileprivate struct QueueState {
    var waiting: [FlightRecord] = []
    var isSending = false
    var isTimed = false
    var counts = SpanExporter.Counts()
    /// How many loads were ever added, and of how many the sending has ended.
    var added = 0
    var ended = 0
    /// Who waits for the end of so many.
    var flushers: [(added: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(QueueState())
  private let request: HTTPRequest
  private let document: SpanDocument
  private let transport: any HTTPTransport
  private let time: any TimeSource
  private let onFailure: @Sendable (APIError) -> Void

  init(
    _ request: HTTPRequest, _ document: SpanDocument, over transport: any HTTPTransport, time: any TimeSource,
    onFailure: @escaping @Sendable (APIError) -> Void
  ) {
    (self.request, self.document, self.transport) = (request, document, transport)
    (self.time, self.onFailure) = (time, onFailure)
  }

  var counts: SpanExporter.Counts { state.withLock { $0.counts } }

  private enum Action { case nothing, send, wait }

  /// Adds a load. Returns at once.
  func append(_ record: FlightRecord) {
    if record.trace?.isSampled == false { return }
    let action = state.withLock { state -> Action in
      guard state.waiting.count < Self.capacity else {
        state.counts.dropped += 1
        return .nothing
      }
      state.waiting.append(record)
      state.added += 1
      guard !state.isSending else { return .nothing }
      if state.waiting.count >= Self.batch {
        state.isSending = true
        return .send
      }
      defer { state.isTimed = true }
      return state.isTimed ? .nothing : .wait
    }
    switch action {
    case .nothing: break
    case .send: Task.detached { await self.drain() }
    case .wait:
      Task.detached {
        try? await self.time.sleep(for: Self.delay)
        let mustSend = self.state.withLock { state in
          state.isTimed = false
          return state.beginsSending()
        }
        if mustSend { await self.drain() }
      }
    }
  }

  /// Sends the loads that wait at the call, and returns when the last attempt has ended.
  func flush() async {
    if state.withLock({ $0.beginsSending() }) { Task.detached { await self.drain() } }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.ended < state.added { state.flushers.append((state.added, continuation)) }
        return state.ended == state.added
      }
      if isOver { continuation.resume() }
    }
  }

  private func drain() async {
    while true {
      let batch = state.withLock { state in
        let batch = Array(state.waiting.prefix(Self.batch))
        state.waiting.removeFirst(batch.count)
        if batch.isEmpty { state.isSending = false }
        return batch
      }
      if batch.isEmpty { return }
      await export(batch)
      let (flushers, isDone) = state.withLock { state in
        state.ended += batch.count
        // Before a flush returns: what is added after it waits for others.
        if state.waiting.isEmpty { state.isSending = false }
        let (over, rest) = (
          state.flushers.filter { $0.added <= state.ended }, state.flushers.filter { $0.added > state.ended }
        )
        state.flushers = rest
        return (over, !state.isSending)
      }
      for flusher in flushers { flusher.continuation.resume() }
      if isDone { return }
    }
  }

  // MARK: One batch

  private func export(_ batch: [FlightRecord]) async {
    var request = request
    var document = document
    document.spans = batch.flatMap(Span.spans)
    request.body = .bytes(document.bytes)
    for attempt in 1... {
      let failure: APIError
      var wait = Self.backoff.wait(before: attempt, jitter: .random(in: 0...1))
      do throws(APIError) {
        let response = try await transport.send(request)
        if (200..<300).contains(response.status) { return taken(batch.count, document.spans.count, response) }
        failure = APIError(
          .response, .unacceptableStatus,
          "the collector of spans responded with the status \(response.status)",
          evidence: response.evidence)
        guard Self.repeated.contains(response.status) else { return failed(batch.count, failure) }
        if let asked = response.retryAfter(now: time.wallClock) { wait = min(asked, Self.longestWait) }
      } catch {
        failure = error
      }
      guard attempt < Self.attempts else { return failed(batch.count, failure) }
      try? await time.sleep(for: wait)
    }
  }

  /// The collector has taken a batch, perhaps without some of its spans.
  private func taken(_ count: Int, _ spans: Int, _ response: HTTPResponse) {
    let partial = (try? RawData(parsing: response.bytes))?.partialSuccess
    // No more than were sent, whatever the collector says.
    let refused = min(max(0, partial?.rejectedSpans.lenientInt ?? 0), spans)
    state.withLock { state in
      state.counts.exported += count
      state.counts.refusedSpans += refused
    }
    guard refused > 0 else { return }
    onFailure(
      APIError(
        .response, .invalidResponse, "the collector refused \(refused) spans",
        quote: partial?.errorMessage.string,
        evidence: response.evidence))
  }

  private func failed(_ count: Int, _ error: APIError) {
    state.withLock { $0.counts.failed += count }
    var error = error
    error.detail += "; \(count) loads were not exported"
    onFailure(error)
  }
}

extension SpanQueue.QueueState {
  /// Whether the caller must send: something waits, and nobody sends.
  fileprivate mutating func beginsSending() -> Bool {
    guard !waiting.isEmpty, !isSending else { return false }
    isSending = true
    return true
  }
}
