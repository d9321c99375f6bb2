import APIKit

/// What becomes of a setting in a background session, whose requests the system sends while the process is suspended.
///
/// ``all`` has a row for each member of `TransportConfiguration` and `LoadOptions`; a test fails when one is added and not listed,
/// and another one when `Docs/Transfers.md` says otherwise.
struct BackgroundSetting: Sendable {
  enum Treatment: Sendable, Hashable, CaseIterable {
    /// It holds, also while the process is suspended.
    case inForce
    /// It holds: the system asks the process, which it wakes or launches for that, and the request waits meanwhile.
    case asked
    /// ``BackgroundSessionOptions`` state it for all services; one that is stricter is refused.
    case shared
    /// Where it is stated, the transfer is refused by name when it is enqueued.
    case refused
    /// The system decides.
    case system
    /// It is done above every transport, as for any load.
    case above
  }

  /// What a service states, and the session that is to carry its transfers.
  struct Stated: Sendable {
    var configuration: TransportConfiguration
    /// Those of the service itself.
    var timeouts = HTTPTimeouts()
    /// Those of the service and those of its transport.
    var loadOptions: [LoadOptions] = []
    var isFollowingRedirects = true
    var session = BackgroundSessionOptions()
  }

  /// The member of `TransportConfiguration`; of a struct in it, with its name before a dot.
  let name: String
  let treatment: Treatment
  /// What cannot be done of what is stated; nil where all can.
  let objection: @Sendable (Stated) -> String?

  private init(_ name: String, _ treatment: Treatment, _ objection: @escaping @Sendable (Stated) -> String?) {
    (self.name, self.treatment, self.objection) = (name, treatment, objection)
  }

  /// Throws `APIError.Reason.unsupportedCapability` for the first setting that does not hold.
  static func check(_ stated: Stated) throws(APIError) {
    for setting in all {
      if let objection = setting.objection(stated) { throw refusal(of: objection) }
    }
  }

  static func refusal(of what: String) -> APIError {
    APIError(
      .takeoff, .unsupportedCapability,
      "the background session of the queue of transfers does not support \(what); a queue whose sessionIdentifier is nil has "
        + "the service's own transport")
  }

  // MARK: The table

  static let all: [Self] = [
    holds("headers", .inForce),
    refused("timeouts.connect", "a limit for the connection alone (timeouts.connect)") {
      let limit = $0.configuration.timeouts.connect ?? .zero
      return limit != .zero && limit != HTTPTimeouts.standard.connect
        || ($0.timeouts.connect ?? .zero) != .zero
    },
    holds("timeouts.idle", .system),
    // No transfer has the limit of its service's loads.
    holds("timeouts.total", .shared),
    // What a flight notes in its requests.
    holds("timeouts.ceiling", .above),
    holds("timeouts.spentMilliseconds", .above),
    shared("connections.perHost", by: "connectionsPerHost") {
      $0.session.connectionsPerHost <= $0.configuration.connections.perHost
    },
    refused("connections.total", "a limit of connections in all (connections.total)") {
      $0.configuration.connections.total != nil
    },
    shared("proxy", by: "proxy") { $0.session.proxy == $0.configuration.proxy },
    // What `proxy` comes to.
    holds("proxyTable", .shared),
    shared("tls.minimumVersion", by: "minimumTLS") {
      $0.session.minimumTLS >= $0.configuration.tls.minimumVersion
    },
    holds("tls.trust", .asked),
    holds("tls.pinning", .asked),
    holds("tls.identity", .asked),
    holds("tls.allowsInvalidCertificates", .asked),
    holds("tls.skipsHostValidation", .asked),
    holds("cleartext", .inForce),
    refused("challenges", "asking the application about authentication challenges (challenges)") {
      $0.configuration.challenges != nil
    },
    // They serve `challenges`, and nothing without.
    holds("logins", .refused),
    holds("interfaces.allowsCellular", .inForce),
    holds("interfaces.allowsExpensive", .inForce),
    holds("interfaces.allowsConstrained", .inForce),
    holds("interfaces.serviceType", .inForce),
    shared("interfaces.isDiscretionary", by: "isDiscretionary") {
      $0.session.isDiscretionary || !$0.configuration.interfaces.isDiscretionary
    },
    refused("dnsOverHTTPS", "look-ups over HTTPS (dnsOverHTTPS)") { $0.configuration.dnsOverHTTPS != nil },
    refused("unixSocketPath", "Unix-domain sockets (unixSocketPath)") {
      $0.configuration.unixSocketPath != nil
    },
    holds("maximumDecodedBytes", .inForce),
    Self("versions", .inForce) {
      switch $0.configuration.versions {
      case .upToHTTP2, .upToHTTP3: nil
      case .http1Only, .http2PriorKnowledge: "a choice of HTTP versions (versions)"
      }
    },
    holds("persistence", .above),
    holds("ignoresCaches", .above),
    holds("cacheFollowsNetwork", .above),
    holds("storageKey", .above),
    // A mark of where the configuration comes from.
    holds("isForDebugging", .above),

    // Of HTTPClient.
    refused("redirects", "a policy for redirects other than to follow them (redirects)") {
      !$0.isFollowingRedirects
    },

    // The place of the response's body is the transfer's.
    option("destination", "responses to a file (destination)") {
      if case .file = $0.destination { true } else { false }
    },
    option("login", "logins (login)") { $0.login != nil },
    option("connectTo", "connecting to a given address (connectTo)") { $0.connectTo != nil },
    option("compressesBody", "compressed bodies (compressesBody)") { $0.compressesBody == true },
    option("inspectHead", "refusing a response at its head (inspectHead)") { $0.inspectHead != nil },
    option("fileAtHead", "turning a response into a file at its head (fileAtHead)") { $0.fileAtHead != nil },
    holds("loadOptions.allowsCellular", .inForce),
    holds("loadOptions.allowsExpensive", .inForce),
    holds("loadOptions.allowsConstrained", .inForce),
    holds("loadOptions.serviceType", .inForce),
    holds("loadOptions.usesCookies", .above),
    holds("loadOptions.cookieDocument", .above),
    option("challenges", "asking the application about authentication challenges (challenges)") {
      $0.challenges != nil
    },
    option("connect", "a limit for the connection alone (timeouts.connect)") {
      ($0.timeouts.connect ?? .zero) != .zero
    },
    holds("loadOptions.idle", .system),
    holds("loadOptions.total", .shared),
    option("expectsContinue", "asking before a body is sent (expectsContinue)") {
      $0.expectsContinue == true
    },
    // What the framework itself states for a load of a queue.
    holds("loadOptions.isOwn", .above),
    holds("loadOptions.owner", .above),
    holds("loadOptions.binding", .above),
    holds("loadOptions.location", .above),
    holds("loadOptions.rule", .above),
  ]

  private static func holds(_ name: String, _ treatment: Treatment) -> Self {
    Self(name, treatment) { _ in nil }
  }

  private static func refused(
    _ name: String, _ what: String, where isStated: @escaping @Sendable (Stated) -> Bool
  ) -> Self {
    Self(name, .refused) { isStated($0) ? what : nil }
  }

  private static func option(
    _ name: String, _ what: String, where isStated: @escaping @Sendable (LoadOptions) -> Bool
  ) -> Self {
    refused("loadOptions.\(name)", what) { $0.loadOptions.contains(where: isStated) }
  }

  /// - Parameter option: Its name in the options of the session.
  private static func shared(
    _ name: String, by option: String, where holds: @escaping @Sendable (Stated) -> Bool
  ) -> Self {
    Self(name, .shared) { stated in
      holds(stated)
        ? nil : "\(name) of the service's transport: the options of the session have another \(option)"
    }
  }
}
