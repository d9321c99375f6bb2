/// A redirect that was followed before a response: its request and its metrics.
public struct HTTPRedirect: Sendable, Hashable {
  /// The URL that was redirected.
  public let url: HTTPURL
  /// The status of the redirect.
  public let status: Int
  /// The times and sizes of this hop alone.
  public let metrics: TransportMetrics

  /// Makes a redirect.
  public init(url: HTTPURL, status: Int, metrics: TransportMetrics = TransportMetrics()) {
    self.url = url
    self.status = status
    self.metrics = metrics
  }
}
