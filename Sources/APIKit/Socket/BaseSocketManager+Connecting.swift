/// The life of a socket: its connections, one after the other, and its one end.
extension BaseSocketManager {
  /// Opens, or closes first what is open.
  func begin(_ parameters: Parameters, waiter: OpenWaiter? = nil) {
    guard !state.isActive else {
      following?.waiter?.resume(returning: .failure(APIError(cancelled: .superseded)))
      following = (parameters, waiter)
      return endByCaller(.normal, "")
    }
    if let waiter { openWaiters.append(waiter) }
    (isClosedByCaller, isMuted, connections, kept) = (false, false, 0, [])
    cycle.machine = ReconnectMachine(child.reconnection)
    asked = (parameters, HTTPHeaders())
    connect()
  }

  /// Opens one connection by a load of its own.
  private func connect() {
    let child = child
    state = .connecting
    serviceName = child.service.name
    do throws(APIError) {
      try child.checkStatements()
      let (options, offer, time) = (child.options, child.offer, time)
      try WebSocketHandshake.validate(offer)
      let onStart: @Sendable () -> Void = { [weak self] in
        MainDelivery.main.put { [weak self] in if self?.state == .waiting { self?.state = .connecting } }
      }
      var upgrade: UpgradeTransport?
      let call = try child.makeCall(asked.parameters, adding: asked.headers) { base in
        let transport = UpgradeTransport(base, options, offer, time: time, onStart: onStart)
        upgrade = transport
        return transport
      }
      guard let upgrade else { preconditionFailure("a call is made with a transport") }
      packing = options
      network = call.admission.network
      if call.waits { state = .waiting }
      cycle.open(call, sharedState, abandoned: { upgrade.takeLink()?.release() }) { [weak self] result in
        self?.landed(result, upgrade.takeLink())
      }
    } catch {
      // Not before `open` has returned.
      MainDelivery.main.put { [weak self] in
        guard let self, state == .connecting, link == nil else { return }
        finish(Self.neverOpen(error))
      }
    }
  }

  private func landed(_ result: Result<APIResponse, APIError>, _ link: (any SocketLink)?) {
    switch result {
    case .success(let response):
      guard let link else {
        let error = APIError(
          .transport, .socketHandshakeFailed, "the response with status 101 left no connection behind")
        return lost(.failed(error, retryAfter: nil), Self.neverOpen(error), unsent: [])
      }
      open(link, response.http)
    case .failure(let error):
      link?.release()
      let retryAfter = error.response.flatMap { RetryAfter.wait(in: $0.headers, now: time.wallClock) }
      lost(.failed(error, retryAfter: retryAfter), Self.neverOpen(error), unsent: [])
    }
  }

  private func open(_ link: any SocketLink, _ response: HTTPResponse) {
    let inbox = SocketInbox(link)
    // Taken one by one: a callback may release the manager, and then nothing more is delivered.
    inbox.onItems = { [weak self] inbox in while self?.handleNext(of: inbox) == true {} }
    (self.link, self.inbox) = (link, inbox)
    state = .open
    openedAt = time.now
    connections += 1
    let accepted = link.accepted
    let opening = SocketOpening(
      subprotocol: accepted.subprotocol, isCompressed: accepted.deflate != nil, response: response,
      number: connections)
    self.opening = opening
    lifeline.hold(link, watchNetwork(link))
    link.begin(inbox)
    let unsent = kept
    kept = []
    for message in unsent { link.send(message.message, packs: message.packs) }
    for waiter in openWaiters { waiter.resume(returning: .success(opening)) }
    openWaiters = []
    delegate?.socket(self, didOpenWith: opening)
  }

  /// A change of the network may have cut the connection without a word.
  private func watchNetwork(_ link: any SocketLink) -> Task<Void, Never> {
    let changes = network.changes()
    return Task.detached {
      var isFirst = true
      for await _ in changes {
        if !isFirst { link.ping(token: nil) }
        isFirst = false
      }
    }
  }

  // MARK: What comes

  /// Handles the next item of a connection. False when there is none, or a reader has no room.
  private func handleNext(of inbox: SocketInbox) -> Bool {
    readers.removeAll { $0.reader == nil }
    // What came before the end is in memory already, so that nothing has to be waited for.
    guard inbox.hasEnded || readers.allSatisfy({ $0.reader?.hasRoom ?? true }), let item = inbox.take()
    else { return false }
    let isPresent = inbox === self.inbox
    switch item {
    case .message(let message):
      inbox.delivered(messages: 1, bytes: message.byteCount)
      guard isPresent, !isMuted else { return true }
      for reader in readers { reader.reader?.put(message) }
      delegate?.socket(self, didReceive: message)
    case .pong(let token, let time):
      if isPresent { roundTrip = time }
      if let token { pingWaiters.removeValue(forKey: token)?.resume(returning: .success(time)) }
    case .closing: if isPresent, state == .open { state = .closing }
    case .drained: resumeRoomWaiters()
    case .unsent(let message): tell(unsent: [message])
    case .ended(let closing, let unsent):
      inbox.letGo()
      guard isPresent else { return true }
      (link, self.inbox, opening) = (nil, nil, nil)
      lifeline.letGo()
      var closing = closing
      // It was not the server that has ended it.
      if isMuted { closing.error = APIError(cancelled: .byCaller) }
      let codes = [closing.code] + (closing.sentCode.map { [$0] } ?? [])
      lost(.lost(openSince: openedAt, codes: codes), closing, unsent: unsent)
    }
    return true
  }

  private func tell(unsent: [SocketUnsent]) {
    guard !unsent.isEmpty, !isMuted else { return }
    delegate?.socket(self, didNotSend: unsent)
  }

  private func resumeRoomWaiters() {
    let waiters = roomWaiters
    roomWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Losses and the end

  /// A connection has ended, or could not be opened: another follows, or the socket is closed.
  private func lost(_ loss: ReconnectMachine.Loss, _ closing: SocketClosing, unsent: [SocketUnsent]) {
    let isGivenUp = isClosedByCaller || closing.error?.isCancellation == true
    let verdict =
      isGivenUp
      ? .giveUp(because: "the caller has closed")
      : cycle.machine.ended(loss, now: time.now, jitter: jitter())
    failPings(closing)
    guard case .wait(let wait, _) = verdict else { return finish(closing, unsent: kept + unsent) }
    state = .reconnecting
    lastClosing = closing
    keep(unsent)
    var next = SocketReconnection(
      parameters: asked.parameters, headers: asked.headers, lastClosing: closing,
      failures: cycle.machine.failures)
    child.prepare(&next)
    asked = (next.parameters, next.headers)
    cycle.wait(wait, time, network) { [weak self] in self?.connect() }
    resumeRoomWaiters()
    if case .lost = loss { delegate?.socket(self, didDisconnectWith: closing, retryAfter: wait) }
  }

  /// Keeps messages for the next connection as the policy says, and tells of the others.
  private func keep(_ unsent: [SocketUnsent]) {
    guard case .keep(let limit) = cycle.machine.policy.unsent else { return tell(unsent: unsent) }
    var bytes = kept.reduce(0) { $0 + $1.message.byteCount }
    var dropped: [SocketUnsent] = []
    // None overtakes one that is dropped.
    for message in unsent {
      if !message.hasBegun { bytes += message.message.byteCount }
      if message.hasBegun || bytes > limit { dropped.append(message) } else { kept.append(message) }
    }
    tell(unsent: dropped)
  }

  /// Ends the socket by the caller's wish: in order where it is open.
  func endByCaller(_ code: SocketCloseCode, _ reason: String) {
    isClosedByCaller = true
    guard let link else { return finish(Self.neverOpen(APIError(cancelled: .byCaller))) }
    if state == .open {
      state = .closing
      link.close(code, reason)
    }
  }

  /// The one end of an `open`.
  func finish(_ closing: SocketClosing, unsent: [SocketUnsent] = []) {
    cycle.stop()
    state = .closed
    lastClosing = closing
    kept = []
    failPings(closing)
    let next = following
    following = nil
    let error = closing.error ?? APIError(.transport, .socketNotOpen, "the socket was closed")
    for waiter in openWaiters { waiter.resume(returning: .failure(error)) }
    openWaiters = []
    resumeRoomWaiters()
    for reader in readers { reader.reader?.end(closing.error) }
    readers = []
    tell(unsent: unsent)
    delegate?.socket(self, didCloseWith: closing)
    guard let next else { return }
    guard !state.isActive else {
      // Opened from the callback.
      next.waiter?.resume(returning: .failure(APIError(cancelled: .superseded)))
      return
    }
    begin(next.parameters, waiter: next.waiter)
  }

  private func failPings(_ closing: SocketClosing) {
    let waiters = pingWaiters.values
    pingWaiters = [:]
    let error = closing.error ?? APIError(.transport, .socketNotOpen, "the socket was closed before the pong")
    for waiter in waiters { waiter.resume(returning: .failure(error)) }
  }
}

extension SocketManager {
  fileprivate var offer: WebSocketHandshake.Offer {
    WebSocketHandshake.Offer(subprotocols: subprotocols, deflateBits: options.compressionBits)
  }
}

extension APICall {
  /// Whether its load waits for the network or for a credential before it begins.
  var waits: Bool {
    let gate = terms.networkGate
    if gate.rule != .fly, gate.objection(to: admission.network.condition) != nil { return true }
    return terms.signInRule == .required && identity.authenticator?.isSignedIn == false
  }
}
