import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the system is told of a request besides its URL, its method and its header fields.
///
/// A value, because Linux's `URLRequest` has no property for some of it: what is told is tested everywhere, and set in one
/// place. The system takes the stricter word of a request and its session, so the session states none of this, and each
/// request all of it: only so can a load permit what its configuration forbids.
/// - SeeAlso: <https://developer.apple.com/documentation/foundation/urlsessionconfiguration>
package struct SystemRequestTerms: Equatable, Sendable {
  var allowsCellular: Bool
  var allowsExpensive: Bool
  var allowsConstrained: Bool
  var serviceType: NetworkServiceType
  /// Whether the server is asked by HTTP/3 before it has said that it speaks it.
  var assumesHTTP3: Bool
  /// Of its task, from 0 to 1.
  package let priority: Float

  /// - Parameters:
  ///   - options: The load's own word, which goes before the configuration's.
  ///   - interfaces: That of the configuration.
  ///   - versions: That of the configuration.
  package init(
    _ options: HTTPRequestOptions, interfaces: InterfacePolicy = InterfacePolicy(),
    versions: HTTPVersionPolicy = .upToHTTP2
  ) {
    allowsCellular = options.allowsCellular ?? interfaces.allowsCellular
    allowsExpensive = options.allowsExpensive ?? interfaces.allowsExpensive
    allowsConstrained = options.allowsConstrained ?? interfaces.allowsConstrained
    serviceType = options.serviceType ?? interfaces.serviceType
    assumesHTTP3 = versions == .upToHTTP3
    // The system's own numbers for low, normal and high: `URLSessionTask.lowPriority` and so on.
    priority =
      switch options.priority {
      case .background: 0
      case .low: 0.25
      case .normal: 0.5
      case .high: 0.75
      }
  }

  init(_ request: HTTPRequest, _ configuration: TransportConfiguration) {
    self.init(request.options, interfaces: configuration.interfaces, versions: configuration.versions)
  }
}

extension TransportConfiguration {
  /// Throws ``APIError/Reason/unsupportedCapability`` for what the system cannot do.
  package func systemTerms() throws(APIError) -> SystemSessionTerms { try SystemSessionTerms(self) }
}

/// What the system's session is told.
package struct SystemSessionTerms: Equatable, Sendable {
  var connectionsPerHost: Int
  var proxies: ProxySettings
  var minimumTLS: TLSVersion

  /// Throws ``APIError/Reason/unsupportedCapability`` for what the system cannot do.
  package init(_ configuration: TransportConfiguration) throws(APIError) {
    if configuration.connections.total != nil {
      // The system limits connections per host only.
      try TransportCapabilities().require(.connectionLimits, "a limit of connections in all")
    }
    connectionsPerHost = configuration.connections.perHost
    proxies = try ProxySettings(configuration.proxy)
    minimumTLS = configuration.tls.minimumVersion
  }
}

extension URLRequest {
  /// Sets what its properties can say.
  mutating func set(_ terms: SystemRequestTerms) {
    allowsCellularAccess = terms.allowsCellular
    #if !canImport(FoundationNetworking)
      networkServiceType = terms.serviceType.networkServiceType
      allowsExpensiveNetworkAccess = terms.allowsExpensive
      allowsConstrainedNetworkAccess = terms.allowsConstrained
      assumesHTTP3Capable = terms.assumesHTTP3
    #endif
  }
}

extension URLSessionConfiguration {
  /// Sets what its properties can say, and switches off what the layers above do.
  package func set(_ terms: SystemSessionTerms) {
    httpCookieStorage = nil
    httpShouldSetCookies = false
    httpCookieAcceptPolicy = .never
    urlCache = nil
    urlCredentialStorage = nil
    requestCachePolicy = .reloadIgnoringLocalCacheData
    httpMaximumConnectionsPerHost = terms.connectionsPerHost
    // The transport's own timers end attempts; the system's must not fire before them.
    timeoutIntervalForRequest = URLSessionTransport.systemTimeout
    timeoutIntervalForResource = URLSessionTransport.systemTimeout
    #if !canImport(FoundationNetworking)
      waitsForConnectivity = false
      connectionProxyDictionary = terms.proxies.dictionary
      tlsMinimumSupportedProtocolVersion = terms.minimumTLS.protocolVersion
    #endif
  }
}
