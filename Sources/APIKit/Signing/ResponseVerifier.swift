/// Checks the signature of a response before anything else uses it.
///
/// A service names its verifier in ``ServiceIdentity/verifier``. The flight calls it for every response of the network,
/// also for those that confirm a stored one (304) and those with a refused status: before the body is deciphered and
/// decoded, and before the cache sees it. The product `APIKitSigning` has one.
///
/// Isolation: called on any thread and concurrently; off the main actor, and off the transports' threads unless
/// ``runsInline`` is true.
public protocol ResponseVerifier: Sendable {
  /// Throws when the response is not to be trusted; the load then fails with ``APIError/Reason/unverifiedResponse``.
  ///
  /// - Parameters:
  ///   - response: As received. ``HTTPResponse/codedBytes`` has the body before content decoding.
  ///   - request: The request as it was sent.
  ///   - secondsSince1970: The time, by the service's ``ServerClock`` or else the device's clock.
  func verify(
    _ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int
  ) throws(SignatureFault)

  /// Whether it may run on a transport's thread, for bodies of up to 64 KiB in memory. It must then take only
  /// microseconds and never wait. The default, false, runs it in a task.
  var runsInline: Bool { get }
}

extension ResponseVerifier {
  /// False.
  public var runsInline: Bool { false }
}
