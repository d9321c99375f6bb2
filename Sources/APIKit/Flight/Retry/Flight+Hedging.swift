/// A second attempt at another server, for a read that takes long.
extension Flight {
  /// A second attempt that is ready to go.
  struct Hedge {
    let server: PooledHost
    let delay: Duration
    let hops: ClientExchange
    let outgoing: HTTPExchange
  }

  /// The second attempt of the exchange that is about to be sent; nil where it gets none.
  func hedge(_ outgoing: HTTPExchange) -> Hedge? {
    guard call.terms.retryPolicy.hedgesSlowReads, let way = run.way, let server = way.server, !way.isHedged,
      !way.isRedirected, let request = run.request,
      ResendOccasion.hedge.objection(to: TriedRequest(request, .sent)) == nil,
      case .memory = outgoing.destination, outgoing.fileAtHead == nil, !call.terms.wantsProgress,
      let exchange = run.exchange
    else { return nil }
    let now = call.time.now
    let key = HedgeStore.HedgeKey(
      service: call.service.name, method: call.method.rawValue, api: call.apiName)
    way.timed = (key, now)
    guard let (delay, other) = way.pool.hedge(key, beside: server, except: way.tried, now) else { return nil }
    // Signed on its own, with another nonce: a server that has seen both must not take one for a replay.
    var hops = exchange.redirecting { next in
      next.url = request.url
      next.timeouts = request.timeouts
      if case .origin = other { other.direct(&next) }
    }
    guard
      var second = try? hops.outgoing(
        authorize: attachCredential, { request throws(APIError) in try prepare(&request, for: other) })
    else { return nil }
    // It begins later, and is over when the first one must be.
    second.request.timeouts.spend(delay)
    second.request.timeouts.ceiling = outgoing.request.timeouts.ceiling.map {
      max(.milliseconds(1), $0 - delay)
    }
    return Hedge(server: other, delay: delay, hops: hops, outgoing: second)
  }

  /// Has the transport carry the exchange, and the second one when the first takes long. From here on the completion has
  /// the load: nothing of it may be touched.
  func send(_ outgoing: HTTPExchange, _ hedge: Hedge) {
    let (time, transport) = (call.time, call.wire.client.transport)
    guard let way = run.way, let server = way.server, let key = way.timed?.key else { return }
    let pool = way.pool
    let (call, user, host) = (call, run.user, outgoing.request.url.host)
    ownership.release()
    let isBegun = cancellation.begin { number in
      let operation = HedgedExchange(transport, second: hedge.outgoing) {
        call.objection(to: user, host: host) == nil && pool.withHedges { $0.draw(key, now: time.now) }
      } began: {
        call.recorder.record(.routed(to: hedge.server.description, because: ServerSelector.Reason.hedge.text))
      } refused: { attempt, response in
        guard HedgeStore.isOverload(response.status) else { return }
        pool.withHedges { $0.pause(now: time.now) }
        guard let asked = response.retryAfter(now: time.wallClock) else { return }
        pool.withSelector {
          $0.leave(attempt == .first ? server : hedge.server, for: asked, now: time.now)
        }
      } completion: { attempt, outcome in
        if attempt == .second { self.went(by: hedge) }
        self.received(outcome, of: number)
      }
      operation.start(outgoing, delay: hedge.delay, time)
      return operation
    }
    if !isBegun { received(.failure(APIError(.transport, .cancelled).unsent)) }
  }

  /// The second attempt is the one that counts.
  private func went(by hedge: Hedge) {
    ownership.take()
    run.way?.server = hedge.server
    run.way?.isHedged = true
    run.exchange = hedge.hops
    run.sent = hedge.outgoing.request
  }
}
