import APIKit

/// The life of a socket: its connections, one after the other, and its one end.
extension BaseSocketManager {
  /// Opens, or closes first what is open.
  ///
  /// - Parameter user: The user of its loads; nil for the present one.
  func begin(_ parameters: Parameters, opener: UInt64? = nil, for user: LoadUser? = nil) {
    let user = user ?? child.presentUser
    guard !state.isActive, !isEnding, pendingOpens.isEmpty else {
      pendingOpens.add((parameters, opener, user))
      if state.isActive { endByCaller(.normal, "") }
      return
    }
    // Code of the application, which may end what it finds.
    let policy = child.reconnection
    state = .connecting
    self.opener = opener
    (isClosedByCaller, isMuted, connections, kept, keptBytes) = (false, false, 0, [], 0)
    asked = (parameters, HTTPHeaders())
    cycle.restart(policy, for: user)
    connect()
  }

  /// Whoever waited for an `open` does not any longer: it is cancelled.
  func giveUpOpening(of opener: UInt64) {
    if self.opener == opener { return cancel() }
    pendingOpens.refuse(because: .byCaller) { $0.opener == opener }
  }

  /// Opens one connection by a load of its own.
  private func connect() {
    let child = child
    state = .connecting
    let number = cycle.number
    connectedService = child.service.name
    do throws(APIError) {
      try child.checkStatements()
      let (options, offer, time) = (child.options, child.offer, time)
      try WebSocketHandshake.validate(offer)
      let onStart: @Sendable () -> Void = { [weak self] in
        MainDelivery.main.put { [weak self] in
          // The opening has the next number. One that was given up says nothing about a later one.
          guard let self, cycle.number == number + 1, state == .waiting else { return }
          state = .connecting
        }
      }
      let (call, upgrade) = try child.opening(asked, of: cycle.user) {
        UpgradeTransport($0, options: options, offer: offer, time: time, onStart: onStart)
      }
      // The statements of the manager and its service are code of the application.
      guard cycle.number == number else { return }
      packing = options
      network = call.network
      if call.waits { state = .waiting }
      var stranded: [SocketUnsent] = []
      // They belong to the server for which they were sent.
      if cycle.isSwitched(to: call.call.baseURL) {
        stranded = kept
        (kept, keptBytes) = ([], 0)
      }
      cycle.open(call, sharing: sharedState, abandoned: { upgrade.takeChannel()?.release() }) {
        [weak self] result in
        self?.landed(result, upgrade.takeChannel())
      }
      tell(unsent: stranded)
    } catch {
      // Not before `open` has returned.
      MainDelivery.main.put { [weak self] in
        guard let self, cycle.number == number else { return }
        finish(Self.neverOpen(error))
      }
    }
  }

  private func landed(_ result: Result<APIResponse, APIError>, _ channel: (any SocketChannel)?) {
    switch result {
    case .success(let response):
      guard let channel else {
        let error = APIError(
          .transport, .socketHandshakeFailed, "the response with status 101 left no connection behind")
        return lost(.failed(error, retryAfter: nil), Self.neverOpen(error), unsent: [])
      }
      open(channel, response.http)
    case .failure(let error):
      channel?.release()
      let retryAfter = error.retryAfter(now: time.wallClock)
      lost(.failed(error, retryAfter: retryAfter), Self.neverOpen(error), unsent: [])
    }
  }

  private func open(_ channel: any SocketChannel, _ response: HTTPResponse) {
    let inbox = SocketInbox(channel)
    // Taken one by one: a callback may release the manager, and then nothing more is delivered.
    inbox.onItems = { [weak self] inbox in while self?.handleNext(of: inbox) == true {} }
    (self.channel, self.inbox) = (channel, inbox)
    state = .open
    openedAt = time.now
    connections += 1
    let accepted = channel.accepted
    let opening = SocketOpening(
      subprotocol: accepted.subprotocol, isCompressed: accepted.deflate != nil, response: response,
      number: connections)
    self.opening = opening
    cycle.hold(watchNetwork(channel)) { channel.release() }
    channel.begin(inbox)
    let unsent = kept
    (kept, keptBytes) = ([], 0)
    for message in unsent { channel.send(message.message, packs: message.packs) }
    tellOpener(.success(opening))
    delegate?.socket(self, didOpenWith: opening)
  }

  /// A change of the network may have cut the connection without a FIN: a ping finds out.
  private func watchNetwork(_ channel: any SocketChannel) -> Task<Void, Never> {
    let changes = network.changes()
    return Task.detached {
      var isFirst = true
      for await _ in changes {
        if !isFirst { channel.ping(token: nil) }
        isFirst = false
      }
    }
  }

  // MARK: Items of the inbox

  /// Handles the next item of a connection. False when there is none, or a reader has no room.
  private func handleNext(of inbox: SocketInbox) -> Bool {
    // The items before the end are in memory already, so waiting would save nothing.
    guard readers.haveRoom() || inbox.hasEnded, let item = inbox.take() else { return false }
    let isPresent = inbox === self.inbox
    switch item {
    case .message(let message):
      guard isPresent, !isMuted else { return true }
      readers.put(message, bytes: message.byteCount)
      delegate?.socket(self, didReceive: message)
    case .pong(let token, let time):
      if isPresent { roundTrip = time }
      if let token { pingers.resume(token, .success(time)) }
    case .closing:
      guard isPresent, state == .open else { return true }
      state = .closing
      sendWaiting()
    case .drained: if isPresent { sendWaiting() }
    case .unsent(let message):
      guard isPresent else { return true }
      if ended == nil { tell(unsent: [message]) } else { ended?.unsent.append(message) }
    case .ended(let closing, let unsent):
      guard isPresent, let channel else { return true }
      // Messages that were sent meanwhile come back first.
      ended = (closing, unsent)
      state = .closing
      channel.settle()
    case .settled:
      inbox.letGo()
      guard isPresent, let ended else { return true }
      (channel, self.inbox, opening, self.ended) = (nil, nil, nil, nil)
      cycle.letGo()
      var closing = ended.closing
      if isMuted { (closing.end, closing.error) = (.aborted, APIError(cancelled: .byCaller)) }
      let codes = [closing.code] + (closing.sentCode.map { [$0] } ?? [])
      lost(.lost(openSince: openedAt, codes: codes), closing, unsent: ended.unsent)
    }
    return true
  }

  /// Tells of messages that were not sent, then continues, unless the callback has ended what was under way or has released
  /// the manager.
  private func tell(
    unsent: [SocketUnsent],
    then proceed: @escaping @MainActor @Sendable (BaseSocketManager) -> Void = { _ in }
  ) {
    guard !unsent.isEmpty, !isMuted, let delegate else { return proceed(self) }
    let number = cycle.number
    delegate.socket(self, didNotSend: unsent)
    MainDelivery.main.put { [weak self] in
      guard let self, cycle.number == number else { return }
      proceed(self)
    }
  }

  // MARK: Losses and the end

  /// A connection has ended, or could not be opened: another follows, or the socket is closed.
  private func lost(_ loss: ReconnectMachine.Loss, _ closing: SocketClosing, unsent: [SocketUnsent]) {
    let isGivenUp = isClosedByCaller || closing.error?.isCancellation == true
    var closing = closing
    var wait: Duration?
    if !isGivenUp { wait = cycle.machine.ended(loss, now: time.now, jitter: jitter()) }
    if wait != nil, let objection = cycle.userObjection {
      wait = nil
      closing.error = objection
    }
    pingers.resumeAll(.failure(closing.error ?? Self.closedError))
    guard let wait else { return finish(closing, unsent: unsent) }
    state = .reconnecting
    lastClosing = closing
    // Those that wait for room were given to `send` later, so they are kept behind.
    let dropped = keep(unsent)
    sendWaiting()
    var isTold = false
    if case .lost = loss { isTold = true }
    tell(unsent: dropped) { [isTold] manager in manager.reconnect(closing, after: wait, isTold: isTold) }
  }

  private func reconnect(_ closing: SocketClosing, after wait: Duration, isTold: Bool) {
    let number = cycle.number
    var next = SocketReconnection(
      parameters: asked.parameters, headers: asked.headers, lastClosing: closing,
      failures: cycle.machine.failures)
    child.prepare(&next)
    guard cycle.number == number else { return }
    asked = (next.parameters, next.headers)
    cycle.wait(wait, time, for: network) { [weak self] in self?.connectAgain() }
    if isTold { delegate?.socket(self, didDisconnectWith: closing, retryAfter: wait) }
  }

  private func connectAgain() {
    guard let objection = cycle.userObjection else { return connect() }
    finish(Self.neverOpen(objection))
  }

  /// Keeps messages for the next connection as the policy says, and returns the others.
  private func keep(_ unsent: [SocketUnsent]) -> [SocketUnsent] {
    guard case .keep(let limit) = cycle.machine.policy.unsent else { return unsent }
    var bytes = keptBytes
    var dropped: [SocketUnsent] = []
    // None overtakes one that is dropped.
    for message in unsent {
      if !message.hasBegun { bytes += WebSocketFrame.size(of: message.message) }
      if message.hasBegun || bytes > limit {
        dropped.append(message)
      } else {
        kept.append(message)
        keptBytes = bytes
      }
    }
    return dropped
  }

  /// Ends the socket by the caller's wish: in order where it is open.
  func endByCaller(_ code: SocketCloseCode, _ reason: String) {
    isClosedByCaller = true
    guard let channel else { return finish(Self.neverOpen(APIError(cancelled: .byCaller))) }
    if state == .open {
      state = .closing
      sendWaiting()
      channel.close(code, reason)
    }
  }

  private func tellOpener(_ outcome: Result<SocketOpening, APIError>) {
    if let opener { openers?.resume(opener, outcome) }
    opener = nil
    if openers?.first == nil { openers = nil }
  }

  /// The one end of an `open`.
  func finish(_ closing: SocketClosing, unsent: [SocketUnsent] = []) {
    cycle.stop()
    (state, isEnding) = (.closed, true)
    lastClosing = closing
    let unsent = kept + unsent
    (kept, keptBytes) = ([], 0)
    let error = closing.error ?? Self.closedError
    pingers.resumeAll(.failure(error))
    tellOpener(.failure(error))
    sendWaiting()
    readers.end(closing.error)
    tell(unsent: unsent) { manager in
      manager.isEnding = false
      manager.delegate?.socket(manager, didCloseWith: closing)
      manager.openNext()
    }
  }

  /// Serves the calls of `open` that came meanwhile, one after the other.
  private func openNext() {
    guard !state.isActive, !isEnding, let (next, refusal) = pendingOpens.next() else { return }
    guard let refusal else {
      return begin(next.parameters, opener: next.opener, for: next.user)
    }
    // Not within the callback for the one before: a delegate that opens in `didClose` would be called without end.
    isEnding = true
    MainDelivery.main.put { [weak self] in
      guard let self else { return }
      opener = next.opener
      finish(Self.neverOpen(APIError(cancelled: refusal)))
    }
  }

  private static var closedError: APIError { APIError(.transport, .socketNotOpen, "the socket was closed") }
}

extension SocketManager {
  fileprivate var offer: WebSocketHandshake.Offer {
    WebSocketHandshake.Offer(subprotocols: subprotocols, deflateBits: options.compressionBits)
  }
}
