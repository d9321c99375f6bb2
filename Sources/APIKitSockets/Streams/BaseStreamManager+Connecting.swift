import APIKit

/// The life of one stream: opens it by a load, reads it in a task, opens it again when it is lost, and ends once.
extension BaseStreamManager {
  /// Opens, or ends first what is open.
  ///
  /// - Parameter user: The user of its loads.
  func begin(_ parameters: Parameters, _ policy: ReconnectPolicy, for user: LoadUser) {
    guard !state.isActive, !isEnding, pendingOpens.isEmpty else {
      pendingOpens.add((parameters, policy, user))
      if state.isActive { finish(StreamClosing(.cancelled)) }
      return
    }
    if cycle.userObjection != nil { beginsAnew() }
    cycle.restart(policy, for: user)
    retry = .zero
    self.parameters = parameters
    connections = 0
    connect()
  }

  private func connect() {
    state = .connecting
    let number = cycle.number
    do throws(APIError) {
      let opening = try opening { [weak self] isWaiting in
        MainDelivery.main.put { [weak self] in
          // The opening has the next number. One that was given up says nothing about a later one.
          guard let self, cycle.number == number + 1 else { return }
          if state == (isWaiting ? .connecting : .waiting) { state = isWaiting ? .waiting : .connecting }
        }
      }
      // The statements of the manager and its service are code of the application.
      guard cycle.number == number else { return }
      network = opening.call.network
      if opening.call.waits { state = .waiting }
      let (transport, parser) = (opening.transport, opening.parser)
      cycle.open(opening.call, sharing: .shared, abandoned: { _ = transport.takeBody() }) {
        [weak self] result in
        self?.landed(result, transport.takeBody(), parser: parser)
      }
    } catch {
      MainDelivery.main.put { [weak self] in
        guard let self, cycle.number == number else { return }
        finish(StreamClosing(.failed, error: error))
      }
    }
  }

  private func landed(
    _ result: Result<APIResponse, APIError>, _ body: ResponseStream?, parser: any StreamParser<Item>
  ) {
    do throws(APIError) {
      let landed = try result.get()
      let response = landed.http
      source = landed.source
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
      connections += 1
      didOpen(with: response)
    } catch {
      let retryAfter = error.retryAfter(now: time.wallClock)
      lost(.failed(error, retryAfter: retryAfter), StreamClosing(.failed, error: error))
    }
  }

  private func read(_ body: ResponseStream, _ parser: any StreamParser<Item>) {
    let inbox = Inbox(limit: 1024)
    // Taken one by one: a callback may release the manager, and then nothing more is delivered.
    inbox.onItems = { [weak self] inbox in while self?.handleNext(of: inbox) == true {} }
    self.inbox = inbox
    cycle.hold(Task.detached { await BaseStreamManager.read(body, parser, into: inbox) }) { inbox.release() }
  }

  /// How much is parsed at once.
  private nonisolated static var pieceBytes: Int { 64 << 10 }

  /// Reads to the end, off the main actor.
  private nonisolated static func read(
    _ body: ResponseStream, _ parser: any StreamParser<Item>, into inbox: Inbox
  ) async {
    var parser = parser
    var place = parser.resumesAt
    var failure: APIError?
    do throws(APIError) {
      var chunks = body.makeAsyncIterator()
      while let chunk = try await chunks.next() {
        // A decoded chunk may be large: it becomes items only as far as there is room for them.
        for start in stride(from: 0, to: chunk.count, by: Self.pieceBytes) {
          try await parse(chunk[start..<min(start + Self.pieceBytes, chunk.count)], &parser, into: inbox)
        }
        if let next = parser.resumesAt, next != place {
          place = next
          await inbox.putAndWait([.place(next)])
        }
        if Task.isCancelled { return }
      }
      try await parse(nil, &parser, into: inbox)
    } catch {
      failure = error
    }
    await inbox.putAndWait([.ended(failure, retry: parser.retry)])
  }

  /// Makes items of the next bytes; nil for the end. Items that were complete before a failure are delivered before it.
  private nonisolated static func parse(
    _ bytes: ArraySlice<UInt8>?, _ parser: inout any StreamParser<Item>, into inbox: Inbox
  ) async throws(APIError) {
    var items: [Item] = []
    var failure: APIError?
    do throws(APIError) {
      if let bytes {
        try bytes.withUnsafeBufferPointer { (bytes) throws(APIError) in
          try parser.take(UnsafeRawBufferPointer(bytes), into: &items)
        }
      } else {
        try parser.finish(into: &items)
      }
    } catch {
      failure = error
    }
    await inbox.putAndWait(items.map { .item($0, bytes: parser.size(of: $0)) })
    if let failure { throw failure }
  }

  private func handleNext(of inbox: Inbox) -> Bool {
    guard inbox === self.inbox, readers.haveRoom(), let brought = inbox.take() else { return false }
    switch brought {
    case .item(let item, let bytes):
      let isLast = isLast(item)
      // That was code of the application, which may have ended the stream.
      guard inbox === self.inbox else { return false }
      guard !isLast else {
        finish(StreamClosing(.complete))
        return false
      }
      readers.put(item, bytes: bytes)
      didReceive(item)
    case .place(let place): goesOn(behind: place)
    case .ended(let error, let retry):
      self.inbox = nil
      // It holds until the server names another one.
      if let retry { self.retry = retry }
      let closing = error.map { StreamClosing(.failed, error: $0) } ?? StreamClosing(.finished)
      if error == nil, !endIsLoss { finish(closing) } else { lost(error, closing) }
    }
    return true
  }

  /// A sequence of the items from now on.
  func items() -> StreamItems<Item> {
    readers.sequence { [weak self] in
      self?.inbox?.deliver()
      return self != nil
    }
  }

  private func lost(_ error: APIError?, _ closing: StreamClosing) {
    // An open stream is reopened for the same errors as one that failed to open.
    if let error, cycle.machine.policy.table.row(for: error)?.isOn != true {
      return finish(closing)
    }
    lost(.lost(openSince: openedAt, codes: []), closing)
  }

  private func lost(_ loss: ReconnectMachine.Loss, _ closing: StreamClosing) {
    guard closing.error?.isCancellation != true, connections > 0 || retriesFirstConnection else {
      return finish(closing)
    }
    guard let wait = cycle.machine.ended(loss, now: time.now, floor: retry, jitter: jitter()) else {
      return finish(closing)
    }
    if let objection = cycle.userObjection { return finish(StreamClosing(.failed, error: objection)) }
    let wasOpen = state == .open
    state = .reconnecting
    cycle.wait(wait, time, for: network) { [weak self] in self?.connectAgain() }
    if wasOpen { didDisconnect(with: named(closing), retryAfter: wait) }
  }

  /// With the names of its endpoint in an error that is not that of the load.
  private func named(_ closing: StreamClosing) -> StreamClosing {
    guard let source, closing.error?.context.apiName == nil else { return closing }
    var closing = closing
    closing.error?.context.manager = String(describing: type(of: self))
    closing.error?.context.service = source.serviceName
    closing.error?.context.apiName = source.apiName
    closing.error?.context.method = source.method?.rawValue
    return closing
  }

  private func connectAgain() {
    guard let objection = cycle.userObjection else { return connect() }
    finish(StreamClosing(.failed, error: objection))
  }

  func finish(_ closing: StreamClosing) {
    let closing = named(closing)
    cycle.stop()
    cycle.letGo()
    inbox?.release()
    inbox = nil
    state = .closed
    let error = closing.end == .cancelled ? APIError(cancelled: .byCaller) : closing.error
    readers.end(error)
    isEnding = false
    lastClosing = closing
    didClose(with: closing)
    openNext()
  }

  /// Serves the calls of `open` that came meanwhile, one after the other.
  private func openNext() {
    guard !state.isActive, !isEnding, let (next, refusal) = pendingOpens.next() else { return }
    guard refusal != nil else { return begin(next.parameters, next.policy, for: next.user) }
    // Not within the callback for the one before: a delegate that opens in `didCloseWith` would be called without end.
    isEnding = true
    MainDelivery.main.put { [weak self] in self?.finish(StreamClosing(.cancelled)) }
  }
}
