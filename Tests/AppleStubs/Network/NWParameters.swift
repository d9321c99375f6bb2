// swift-format-ignore-file
// The interface of the module Network, https://developer.apple.com/documentation/network/nwparameters
public import Security

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public final class NWParameters {
  /// https://developer.apple.com/documentation/network/nwparameters/serviceclass-swift.enum
  public enum ServiceClass: Sendable { case bestEffort, background, interactiveVideo, interactiveVoice, responsiveData, signaling }
  /// https://developer.apple.com/documentation/network/nwparameters/privacycontext
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  public final class PrivacyContext {
    public init(description: String) { fatalError() }
    /// https://developer.apple.com/documentation/network/nwparameters/privacycontext/proxyconfigurations
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public var proxyConfigurations: [ProxyConfiguration] { get { fatalError() } set { fatalError() } }
  }

  public convenience init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = .init()) { fatalError() }
  public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? { get { fatalError() } set { fatalError() } }
  public var prohibitExpensivePaths: Bool { get { fatalError() } set { fatalError() } }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
  public var prohibitConstrainedPaths: Bool { get { fatalError() } set { fatalError() } }
  public var serviceClass: ServiceClass { get { fatalError() } set { fatalError() } }
  /// https://developer.apple.com/documentation/network/nwparameters/prefernoproxies
  public var preferNoProxies: Bool { get { fatalError() } set { fatalError() } }
  /// https://developer.apple.com/documentation/network/nwparameters/setprivacycontext(_:)
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  public func setPrivacyContext(_ privacyContext: PrivacyContext) { fatalError() }
}

/// https://developer.apple.com/documentation/network/nwprotocoltcp/options
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public enum NWProtocolTCP {
  public final class Options {
    public init() { fatalError() }
    public var noDelay: Bool { get { fatalError() } set { fatalError() } }
    public var enableKeepalive: Bool { get { fatalError() } set { fatalError() } }
    public var keepaliveIdle: Int { get { fatalError() } set { fatalError() } }
    public var keepaliveInterval: Int { get { fatalError() } set { fatalError() } }
  }
}

/// https://developer.apple.com/documentation/network/nwprotocoltls/options
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public enum NWProtocolTLS {
  public final class Options {
    public init() { fatalError() }
    public var securityProtocolOptions: sec_protocol_options_t { fatalError() }
  }
}

/// https://developer.apple.com/documentation/network/proxyconfiguration
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public struct ProxyConfiguration {
  public init(httpCONNECTProxy: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) { fatalError() }
  public init(socksv5Proxy: NWEndpoint) { fatalError() }
  public var allowFailover: Bool { get { fatalError() } set { fatalError() } }
  public func applyCredential(username: String, password: String) { fatalError() }
}
