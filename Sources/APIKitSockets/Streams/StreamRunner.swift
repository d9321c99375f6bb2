public import APIKit
import Synchronization

/// How a stream ended.
public struct StreamClosing: Sendable {
  /// Which end it was.
  public enum End: String, Sendable, Hashable {
    /// The caller has cancelled it.
    case cancelled
    /// The server has ended it in order: the end of its body, or status 204.
    case finished
    /// What the manager waits for has come; see ``EventStreamManager/ends(at:)``.
    case complete
    /// It failed, or could not be opened.
    case failed
  }

  /// Which end it was.
  public var end: End
  /// What failed; nil for the other ends.
  public var error: APIError?

  /// Makes a closing; for tests.
  public init(_ end: End, error: APIError? = nil) {
    self.end = end
    self.error = error
  }
}

/// The life of one stream: opens it by a load, reads it in a task, opens it again when it is lost, and ends once.
@MainActor final class StreamRunner<Item: Sendable> {
  /// What a manager states about the next connection.
  struct Opening {
    var call: OpeningCall
    var transport: StreamTransport
    var parser: any StreamParser<Item>
  }

  /// What is told, in order.
  enum Notice {
    case opened(HTTPResponse)
    case item(Item)
    case lost(StreamClosing, wait: Duration)
    case ended(StreamClosing)
  }

  private enum Brought: Sendable {
    case item(Item)
    /// What the next connection goes on behind has changed.
    case place(String)
    case ended(APIError?, retry: Duration?)
  }

  private(set) var state = SocketState.idle
  var time: any TimeSource = SystemTime()
  var jitter: () -> Double = { .random(in: 0...1) }
  /// Makes what the next connection needs.
  var prepare: (_ onPlace: @escaping @Sendable (_ isWaiting: Bool) -> Void) throws(APIError) -> Opening = {
    (_) throws(APIError) in
    throw APIError(.takeoff, .misconfigured, "a stream is prepared by its manager")
  }
  /// Whether a response may be read; throws when it ends the stream.
  var check: (HTTPResponse) throws(APIError) -> Void = { (_) throws(APIError) in }
  var tell: (Notice) -> Void = { _ in }
  /// Called with what the next connection goes on behind, whenever that has changed.
  var onResumePoint: (String) -> Void = { _ in }
  /// Whether an item only says that the stream is complete; it is not delivered.
  var isLast: (Item) -> Bool = { _ in false }
  /// Whether the orderly end of a body is a loss, as with server-sent events.
  var endIsLoss = false
  var readers: [WeakReader<Item>] = []

  private let cycle = ConnectionCycle()
  /// Whose stream it is; nil before the first connection.
  var user: LoadUser? { cycle.user }
  /// What is opened when the present stream has ended.
  private var following = FollowingOpens<(policy: ReconnectPolicy, user: LoadUser, begin: () -> Void)>()
  /// Whether an end is to be told yet.
  private var isEnding = false
  private var inbox: StreamInbox<Brought>?
  private var reading: Task<Void, Never>?
  private var network: NetworkMonitor = .shared
  private var openedAt = Duration.zero
  private var retry = Duration.zero
  private nonisolated let held = Mutex<(task: Task<Void, Never>?, inbox: StreamInbox<Brought>?)>((nil, nil))
  private nonisolated let isReleased = Atomic(false)

  /// Opens, or ends first what is open.
  ///
  /// - Parameters:
  ///   - user: Whose it is.
  ///   - begin: Called when it begins.
  func open(_ policy: ReconnectPolicy, for user: LoadUser, _ begin: @escaping () -> Void) {
    guard !state.isActive, !isEnding, following.isEmpty else {
      following.add((policy, user, begin))
      if state.isActive { finish(StreamClosing(.cancelled)) }
      return
    }
    cycle.restart(policy, for: user)
    retry = .zero
    begin()
    connect()
  }

  func cancel() {
    following.refuse(because: .byCaller)
    if state.isActive { finish(StreamClosing(.cancelled)) }
  }

  /// The manager is gone: nothing is told any more. From any thread.
  nonisolated func release() {
    isReleased.store(true, ordering: .relaxed)
    cycle.release()
    let (task, inbox) = held.withLock { $0 }
    task?.cancel()
    inbox?.release()
  }

  private func connect() {
    state = .connecting
    let number = cycle.number
    do throws(APIError) {
      let opening = try prepare { [weak self] isWaiting in
        MainDelivery.main.put { [weak self] in
          guard let self else { return }
          if state == (isWaiting ? .connecting : .waiting) { state = isWaiting ? .waiting : .connecting }
        }
      }
      // What the manager and its service state is code of the application.
      guard cycle.number == number else { return }
      network = opening.call.network
      if opening.call.waits { state = .waiting }
      let (transport, parser) = (opening.transport, opening.parser)
      cycle.open(opening.call, .shared, abandoned: { _ = transport.takeBody() }) { [weak self] result in
        self?.landed(result, transport.takeBody(), parser)
      }
    } catch {
      MainDelivery.main.put { [weak self] in
        guard let self, cycle.number == number else { return }
        finish(StreamClosing(.failed, error: error))
      }
    }
  }

  private func landed(
    _ result: Result<APIResponse, APIError>, _ body: ResponseStream?, _ parser: any StreamParser<Item>
  ) {
    do throws(APIError) {
      let response = try result.get().http
      if response.status == 204 { return finish(StreamClosing(.finished)) }
      guard response.status == 200 else {
        var error = APIError(
          .response, .unacceptableStatus, "status \(response.status)", evidence: response.evidence)
        error.context.status = response.status
        throw error
      }
      try check(response)
      guard let body else {
        throw APIError(
          .transport, .unsupportedCapability, "the transport gave no stream of the response's body")
      }
      read(body, parser)
      state = .open
      openedAt = time.now
      tell(.opened(response))
    } catch {
      let retryAfter = error.retryAfter(now: time.wallClock)
      lost(.failed(error, retryAfter: retryAfter), StreamClosing(.failed, error: error))
    }
  }

  private func read(_ body: ResponseStream, _ parser: any StreamParser<Item>) {
    let inbox = StreamInbox<Brought>()
    inbox.onItems = { [weak self] inbox in
      while let self, !isReleased.load(ordering: .relaxed), handleNext(of: inbox) {}
    }
    self.inbox = inbox
    let reading = Task.detached { await Self.read(body, parser, inbox) }
    self.reading = reading
    held.withLock { $0 = (reading, inbox) }
    if isReleased.load(ordering: .relaxed) { release() }
  }

  /// How much is parsed at once.
  private nonisolated static var pieceBytes: Int { 64 << 10 }

  /// Reads to the end, off the main actor.
  private nonisolated static func read(
    _ body: ResponseStream, _ parser: any StreamParser<Item>, _ inbox: StreamInbox<Brought>
  ) async {
    var parser = parser
    var place = parser.resumesAt
    var failure: APIError?
    // Of what was read no item has come yet.
    var pending = 0
    do throws(APIError) {
      var chunks = body.makeAsyncIterator()
      while let chunk = try await chunks.next() {
        // What a chunk has unpacked to becomes items only as far as there is room for them.
        for start in stride(from: 0, to: chunk.count, by: Self.pieceBytes) {
          let piece = chunk[start..<min(start + Self.pieceBytes, chunk.count)]
          pending += piece.count
          try await bring(inbox, &pending) { (items) throws(APIError) in
            try piece.withUnsafeBufferPointer { (bytes) throws(APIError) in
              try parser.take(UnsafeRawBufferPointer(bytes), into: &items)
            }
          }
        }
        if let next = parser.resumesAt, next != place {
          place = next
          await inbox.put([.place(next)], bytes: 0)
        }
        if Task.isCancelled { return }
      }
      try await bring(inbox, &pending) { (items) throws(APIError) in try parser.finish(into: &items) }
    } catch {
      failure = error
    }
    await inbox.put([.ended(failure, retry: parser.retry)], bytes: 0)
  }

  /// What was complete before a failure is delivered before it.
  ///
  /// - Parameter pending: How many bytes were read since the last item; what comes of them counts as many.
  private nonisolated static func bring(
    _ inbox: StreamInbox<Brought>, _ pending: inout Int, _ parse: (inout [Item]) throws(APIError) -> Void
  ) async throws(APIError) {
    var items: [Item] = []
    var failure: APIError?
    do throws(APIError) { try parse(&items) } catch { failure = error }
    if !items.isEmpty {
      await inbox.put(items.map { .item($0) }, bytes: pending)
      pending = 0
    }
    if let failure { throw failure }
  }

  private func handleNext(of inbox: StreamInbox<Brought>) -> Bool {
    guard inbox === self.inbox else { return false }
    if !readers.isEmpty {
      readers.removeAll { $0.reader == nil }
      guard readers.allSatisfy({ $0.reader?.hasRoom ?? true }) else { return false }
    }
    guard let brought = inbox.take() else { return false }
    switch brought {
    case .item(let item):
      let isLast = isLast(item)
      // That was code of the application, which may have ended the stream.
      guard inbox === self.inbox, !isReleased.load(ordering: .relaxed) else { return false }
      guard !isLast else {
        finish(StreamClosing(.complete))
        return false
      }
      for reader in readers { reader.reader?.put(item) }
      tell(.item(item))
    case .place(let place): onResumePoint(place)
    case .ended(let error, let retry):
      self.inbox = nil
      // It holds until the server names another one.
      if let retry { self.retry = retry }
      let closing = error.map { StreamClosing(.failed, error: $0) } ?? StreamClosing(.finished)
      if error == nil, !endIsLoss { finish(closing) } else { lost(error, closing) }
    }
    return true
  }

  /// Goes on after a reader has made room.
  func readOn() { inbox?.deliver() }

  private func lost(_ error: APIError?, _ closing: StreamClosing) {
    // What an open stream fails with is worth another one as if it had failed to open.
    if let error, cycle.machine.policy.table.row(for: error)?.isOn != true {
      return finish(closing)
    }
    lost(.lost(openSince: openedAt, codes: []), closing)
  }

  private func lost(_ loss: ReconnectMachine.Loss, _ closing: StreamClosing) {
    guard closing.error?.isCancellation != true else { return finish(closing) }
    let verdict = cycle.machine.ended(loss, now: time.now, floor: retry, jitter: jitter())
    if case .wait = verdict, let objection = cycle.userObjection {
      return finish(StreamClosing(.failed, error: objection))
    }
    guard case .wait(let wait, _) = verdict else { return finish(closing) }
    let wasOpen = state == .open
    state = .reconnecting
    cycle.wait(wait, time, network) { [weak self] in self?.connect() }
    if wasOpen { tell(.lost(closing, wait: wait)) }
  }

  private func finish(_ closing: StreamClosing) {
    cycle.stop()
    reading?.cancel()
    reading = nil
    inbox?.release()
    inbox = nil
    held.withLock { $0 = (nil, nil) }
    state = .closed
    let error = closing.end == .cancelled ? APIError(cancelled: .byCaller) : closing.error
    for reader in readers { reader.reader?.end(error) }
    readers = []
    isEnding = false
    tell(.ended(closing))
    openNext()
  }

  /// Opens what was asked for meanwhile, one call after the other.
  private func openNext() {
    guard !state.isActive, !isEnding, let (next, refusal) = following.next() else { return }
    guard refusal != nil else { return open(next.policy, for: next.user, next.begin) }
    // Not within the callback for the one before: a delegate that opens in `didCloseWith` would be called without end.
    isEnding = true
    MainDelivery.main.put { [weak self] in self?.finish(StreamClosing(.cancelled)) }
  }
}
