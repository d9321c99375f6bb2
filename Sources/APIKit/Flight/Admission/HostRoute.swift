/// The way of one load through the servers of a pool.
///
/// A part of its flight's ``FlightRun``.
final class HostRoute {
  let pool: HostPool
  /// Where the attempt under way goes; nil where the system looks the name up.
  var server: PooledHost?
  /// Where the attempt before went.
  var last: PooledHost?
  /// How long the attempt's race of connections took.
  var raced = Duration.zero
  /// Servers that have failed in this load.
  var tried: [PooledHost] = []
  /// Whether another server is asked within the same attempt.
  var isFailover = false
  /// Whether a redirect was followed: the request has been sent then.
  var isRedirected = false
  /// The error when all servers fail: a certificate that is not accepted tells more than a server that was not reached.
  var refusal: APIError?
  /// The breaker's permit of an attempt that failed. The next attempt goes with it, and the breaker is told of the failure if
  /// the load ends with it.
  var owed: (CircuitBreaker.Permit, key: Breakers.BreakerKey)?
  /// How long it takes to connect to the server; nil before it was measured, and where there is no other.
  var cost: Duration?
  /// The API whose time is taken, and the start, where slow reads get a second attempt.
  var timed: (key: HedgeStore.HedgeKey, since: Duration)?
  /// Whether the load has had its second attempt.
  var isHedged = false

  init(_ pool: HostPool) { self.pool = pool }

  /// A server was tried, and failed.
  func failed(_ server: PooledHost, _ error: APIError) {
    if !tried.contains(server) { tried.append(server) }
    if refusal == nil, error.refusesServer { refusal = error }
  }

  /// Prepares the first request of an exchange with the server. Its address is set on what continues the wire, which is a
  /// copy with other fields anyway (``Flight/prepare(_:for:)``). Where other servers are left, it gives up sooner on one
  /// that does not let it connect.
  func direct(_ request: inout HTTPRequest, to server: PooledHost) {
    if case .origin = server { server.direct(&request) }
    guard let cost, pool.hasMore(than: tried + [server]) else { return }
    let limit = max(Self.shortestLimit, cost * 4)
    let own = request.timeouts.connect
    request.timeouts.connect = own.map { $0 == .zero ? limit : min($0, limit) } ?? limit
  }

  /// The shortest time in which a server that responded a moment ago must let a load connect.
  private static let shortestLimit = Duration.seconds(1)
}
