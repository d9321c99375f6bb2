/// A transport that opens connections ahead of the requests that go over them.
///
/// A class, because connections belong to one transport and to no copy of it.
protocol ConnectingTransport: AnyObject, HTTPTransport {
  /// Opens a connection as the exchange would, to the address that its request names, with everything that is checked of
  /// a server, and sends nothing.
  ///
  /// Fails like an exchange whose connection fails. Cancelling the task ends it.
  /// - Parameters:
  ///   - exchange: The exchange that the connection is for.
  ///   - keeping: Whether it stays open for the next exchange of this kind.
  /// - Returns: How long TCP and TLS took, without the look-up of a name; nil where `keeping` found a connection that was
  ///   open.
  func connect(for exchange: HTTPExchange, keeping: Bool) async throws(APIError) -> Duration?
}
