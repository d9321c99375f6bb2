/// The transport of this platform: `CurlTransport` on Linux, `URLSessionTransport` on Apple's.
public enum DefaultTransport {
  /// One for all who need no configuration of their own, made when it is first asked for.
  public static let shared: any HTTPTransport = {
    #if os(Linux)
      return CurlTransport.shared
    #else
      do throws(APIError) {
        return try URLSessionTransport()
      } catch {
        preconditionFailure(error.description)  // The standard configuration is valid everywhere.
      }
    #endif
  }()

  /// One with a configuration of its own.
  ///
  /// Throws ``APIError/Reason/unsupportedCapability`` when this platform's transport cannot honour it: there
  /// is no falling back to another one, which would drop the setting in silence.
  public static func make(_ configuration: TransportConfiguration) throws(APIError) -> any HTTPTransport {
    #if os(Linux)
      return try CurlTransport(configuration)
    #else
      return try URLSessionTransport(configuration)
    #endif
  }
}
