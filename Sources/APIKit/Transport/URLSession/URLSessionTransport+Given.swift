#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLSessionTransport {
  /// Makes a transport over a session of the application, such as a session whose delegate decides about servers, or one
  /// with a `URLProtocol` for tests.
  ///
  /// Each task of the transport has a delegate of its own for the work of a transport: redirects, bodies, progress,
  /// metrics, responses and their end; nothing is kept in the session's cache. Everything else remains the session's, by its
  /// configuration and delegate: trust, logins, client certificates, proxies, connections, and time limits beside those of
  /// the transport. The transport lacks the capabilities for these, so a setting that needs one is refused by name;
  /// ``HTTPTransport/capabilities`` tells.
  ///
  /// The session remains the application's. The transport holds it and never invalidates it: call ``finish()`` or
  /// ``shutdown()`` first, because the system ends a program that begins a task in a session that is invalid.
  ///
  /// - Parameters:
  ///   - session: The session; not one for the background. Its delegate queue must be serial and not the main one.
  ///   - configuration: The settings of the transport itself, such as its header fields and limits.
  /// - Throws: ``APIError/Reason/misconfigured`` for a session with another queue, or with header fields of its own: it would
  ///   add them to requests to any origin. ``APIError/Reason/unsupportedCapability`` for one for the background, for a
  ///   setting of the configuration that is the session's to make, and for any session on Linux, where tasks have no
  ///   delegates of their own.
  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/urlsessiontask/delegate>
  public convenience init(
    session: URLSession, configuration: TransportConfiguration = .standard
  ) throws(APIError) {
    #if canImport(FoundationNetworking)
      // FoundationNetworking lets a task's delegate decide about redirects, and gives responses to that of the session.
      throw APIError(
        unsupported: "a session that it is given on Linux, where tasks have no delegates of their own")
    #else
      let given = GivenSession(session)
      try given.check()
      try configuration.validate(for: given.capabilities)
      // Challenges are for the session's delegate.
      self.init(session, URLSessionBridge(nil), configuration, given.capabilities)
    #endif
  }
}

/// What decides about a session that is given to a transport.
struct GivenSession: Equatable {
  var isForBackground = false
  var hasSerialQueue = true
  var hasMainQueue = false
  /// The names of the header fields that it adds.
  var fields: [String] = []
  /// Whether it permits every interface, so that a request decides.
  var permitsAllInterfaces = true

  /// Throws why a transport cannot use the session.
  func check() throws(APIError) {
    guard !isForBackground else {
      throw APIError(
        unsupported:
          "a session for the background, whose tasks have no delegates; TransferQueue has such a session")
    }
    guard hasSerialQueue, !hasMainQueue else {
      throw Self.misconfigured(
        "its delegateQueue must be serial, and not the main one: give the session nil for a queue of its own")
    }
    let own = fields.filter { !HTTPHeaders.describesClient($0) }
    guard own.isEmpty else {
      throw Self.misconfigured(
        "it adds \(own.sorted().joined(separator: ", ")) to every request, also to one that a redirect leads to another "
          + "origin: state them in the headers of the transport's configuration")
    }
  }

  /// What a transport over the session can do.
  var capabilities: TransportCapabilities {
    var capabilities = URLSessionTransport.capabilities.subtracting(Self.ofSession)
    if !permitsAllInterfaces { capabilities.remove(.interfaceControl) }
    return capabilities
  }

  /// What the session's configuration and its delegate decide.
  static let ofSession: TransportCapabilities = [
    .minimumTLS, .customTrust, .pinning, .insecureTLS, .clientIdentity, .proxy, .login, .challenges,
    .connectionLimits,
  ]

  private static func misconfigured(_ detail: String) -> APIError {
    TransportConfiguration.misconfigured("the session cannot be given to a transport: \(detail)")
  }
}

extension GivenSession {
  init(_ session: URLSession) {
    let configuration = session.configuration
    self.init(
      isForBackground: configuration.identifier != nil,
      hasSerialQueue: session.delegateQueue.maxConcurrentOperationCount == 1,
      hasMainQueue: session.delegateQueue === OperationQueue.main,
      fields: configuration.httpAdditionalHeaders?.keys.map { "\($0.base)" } ?? [])
    #if !canImport(FoundationNetworking)
      permitsAllInterfaces =
        configuration.allowsCellularAccess && configuration.allowsExpensiveNetworkAccess
        && configuration.allowsConstrainedNetworkAccess
    #endif
  }
}
