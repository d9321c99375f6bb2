import APIKit

extension Span {
  /// Says which server was asked, and how.
  ///
  /// - Parameter url: The URL that was asked, secrets masked and without its query; nil where the record does not have it.
  mutating func describe(_ method: HTTPMethod, url: String?, host: String, _ metrics: TransportMetrics?) {
    attributes["http.request.method"] = .text(method.isKnownToConventions ? method.rawValue : "_OTHER")
    if !method.isKnownToConventions { attributes["http.request.method_original"] = .text(method.rawValue) }
    attributes["server.address"] = .text(host)
    if let url {
      attributes["url.full"] = .text(url)
      // A mask in the path is no part of a URL.
      let origin = Self.origin(of: url).flatMap { try? HTTPURL($0) }
      if let origin {
        attributes["server.address"] = .text(origin.host)
        attributes["url.scheme"] = .text(origin.scheme)
        attributes["server.port"] = origin.effectivePort.map { .number(Int64($0)) }
      }
    } else if let metrics, metrics.proxy == nil, let port = metrics.remotePort {
      attributes["server.port"] = .number(Int64(port))
    }
    guard let metrics else { return }
    attributes["network.peer.address"] = metrics.remoteAddress.map { .text($0) }
    attributes["network.peer.port"] = metrics.remotePort.map { .number(Int64($0)) }
    if let version = metrics.version, version != .other {
      attributes["network.protocol.name"] = .text("http")
      attributes["network.protocol.version"] = .text(String(version.rawValue.dropFirst("HTTP/".count)))
    }
    attributes["http.request.body.size"] = .number(metrics.bytesSent)
    attributes["http.response.body.size"] = .number(metrics.bytesReceived)
  }

  private static func origin(of url: String) -> String? {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[1].isEmpty else { return nil }
    return String(url[..<parts[2].endIndex])
  }
}

extension HTTPMethod {
  /// Others than these have one name, so that the names of spans stay few.
  fileprivate var isKnownToConventions: Bool {
    ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"].contains(rawValue)
  }

  /// What the name of a request's span begins with.
  var spanName: String { isKnownToConventions ? rawValue : "HTTP" }
}

extension FlightEvent {
  /// The name of what happened, as an event of the load's span; nil for what the spans themselves say.
  var spanEventName: String? {
    switch self {
    case .cache: "cache"
    case .batched: "batched"
    case .joined: "joined"
    case .network: "network"
    case .held: "held"
    case .paced: "paced"
    case .breaker: "breaker"
    case .downgraded: "downgraded"
    case .routed: "routed"
    case .serverFailed: "server-failed"
    case .retry: "retry"
    case .gaveUp: "gave-up"
    case .learnedClock: "learned-clock"
    case .waiting: "waiting"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .refused: "refused"
    case .note: "note"
    default: nil
    }
  }
}
