extension APIService {
  /// Measures how long it takes to connect to each server of the service's pool (``AdmissionOptions/hosts``), TCP and TLS
  /// without a request, and returns their state; empty if the service has no pool.
  ///
  /// Call it at launch, and the first load already goes to the fastest server. While loads are made the pool measures by
  /// itself. Concurrent calls share one round. Servers that cannot be reached
  /// count as failed, and throw nothing.
  /// - Throws: ``APIError/Reason/misconfigured`` without a base URL for the environment, and
  ///   ``APIError/Reason/unsupportedCapability`` if the transport opens no connections in advance:
  ///   `URLSessionTransport` does not.
  @discardableResult
  public func measureHosts() async throws(APIError) -> [HostPool.Status] {
    guard let pool = admission.hosts else { return [] }
    try pool.checkName()
    guard let url = environments.selection().baseURL else {
      throw APIError(
        .assembly, .misconfigured, "\(name) has no base URL for the environment \(environments.current)")
    }
    let (time, request) = (pool.time, HTTPRequest(url: url))
    guard let connect = wire.client.transport.connecting(for: request, keeping: false) else {
      throw APIError(unsupported: "opening connections ahead (prewarming)")
    }
    if pool.need(time) == .read { pool.readKept(time) }
    if pool.need(time) != .nothing { await pool.wait(upTo: HostListing.patience, time) }
    await pool.measure(time, connect)
    return pool.status(time.now)
  }
}
