// What only Apple's session has. Not compiled on Linux, where the project is built and tested.
#if !canImport(FoundationNetworking)
  import Foundation
  import Security

  extension TransportMetrics {
    /// The system's metrics of a task: those of its last transaction, with the ones before it beside them.
    init?(_ system: URLSessionTaskMetrics) {
      let all = system.transactionMetrics.map { Self($0, since: system.taskInterval.start) }
      guard let last = all.last else { return nil }
      self = last
      earlier = Array(all.dropLast())
    }

    /// The system's metrics of one transaction, in microseconds since the task began.
    private init(_ system: URLSessionTaskTransactionMetrics, since start: Date) {
      self.init()
      var last: Int64 = 0
      func time(_ date: Date?) -> Int64 {
        if let date { last = max(last, Int64(date.timeIntervalSince(start) * 1_000_000)) }
        return last
      }
      queued = time(system.fetchStartDate)
      nameLookup = time(system.domainLookupEndDate)
      connect = time(system.secureConnectionStartDate ?? system.connectEndDate)
      tls = time(system.secureConnectionEndDate)
      requestSent = time(system.requestEndDate)
      firstByte = time(system.responseStartDate)
      total = time(system.responseEndDate)
      bytesSent = system.countOfRequestBodyBytesSent
      bytesReceived = system.countOfResponseBodyBytesReceived
      bytesDecoded = system.countOfResponseBodyBytesAfterDecoding
      headBytesSent = system.countOfRequestHeaderBytesSent
      headBytesReceived = system.countOfResponseHeaderBytesReceived
      isReused = system.isReusedConnection
      remoteAddress = system.remoteAddress
      remotePort = system.remotePort
      localPort = system.localPort
      if system.isProxyConnection { proxy = "proxy" }
      if system.response != nil { version = HTTPVersion(networkProtocolName: system.networkProtocolName) }
      if let protocolVersion = system.negotiatedTLSProtocolVersion {
        // The suites have no names in the system; these are their numbers at IANA.
        let suite = system.negotiatedTLSCipherSuite.map { "0x" + String($0.rawValue, radix: 16) }
        tlsProtocol = [Self.name(of: protocolVersion), suite].compactMap { $0 }.joined(separator: " ")
      }
    }

    private static func name(of version: tls_protocol_version_t) -> String {
      switch version {
      case .TLSv10: "TLSv1"
      case .TLSv11: "TLSv1.1"
      case .TLSv12: "TLSv1.2"
      case .TLSv13: "TLSv1.3"
      default: "0x" + String(version.rawValue, radix: 16)
      }
    }
  }

  extension HTTPVersion {
    /// The version of an ALPN name: `h2`, `http/1.1`.
    init(networkProtocolName name: String?) {
      switch name {
      case "h2": self = .http2
      case "h3": self = .http3
      case "http/1.0": self = .http1_0
      default: self = .http1_1
      }
    }
  }

  extension NetworkServiceType {
    /// The system's value for it.
    var networkServiceType: URLRequest.NetworkServiceType {
      switch self {
      case .standard: .default
      case .background: .background
      case .responsiveData: .responsiveData
      case .video: .video
      case .voice: .voice
      }
    }
  }

  extension TLSVersion {
    /// The system's value for it.
    var protocolVersion: tls_protocol_version_t {
      switch self {
      case .tls1_0: .TLSv10
      case .tls1_1: .TLSv11
      case .tls1_2: .TLSv12
      case .tls1_3: .TLSv13
      }
    }
  }
#endif
