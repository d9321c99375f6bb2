/// The transport of this platform: `CurlTransport` on Linux, `URLSessionTransport` on Apple platforms.
public enum DefaultTransport {
  /// A transport of the standard configuration, made at its first use.
  public static let shared: any HTTPTransport = {
    #if os(Linux)
      return CurlTransport.shared
    #else
      do throws(APIError) {
        return try URLSessionTransport()
      } catch {
        fatalError(error.description)  // The standard configuration is valid everywhere.
      }
    #endif
  }()

  /// Makes a transport with a configuration of its own.
  ///
  /// Throws ``APIError/Reason/unsupportedCapability`` when this platform's transport cannot honour it, and
  /// ``APIError/Reason/misconfigured`` when a value is not valid. No other transport is used instead, for
  /// that would ignore the setting.
  public static func make(_ configuration: TransportConfiguration) throws(APIError) -> any HTTPTransport {
    #if os(Linux)
      return try CurlTransport(configuration)
    #else
      return try URLSessionTransport(configuration)
    #endif
  }
}
