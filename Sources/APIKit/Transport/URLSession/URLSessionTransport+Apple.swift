// What only Apple's session has. Not compiled on Linux, where the project is built and tested.
#if !canImport(FoundationNetworking)
  import Foundation
  import Security

  extension TransportMetrics {
    /// The system's metrics of a task: those of its last transaction, with the ones before it beside them.
    init?(_ system: URLSessionTaskMetrics) {
      let start = system.taskInterval.start
      let all = system.transactionMetrics.map { Self($0, TransactionTimes($0, since: start)) }
      guard let last = all.last else { return nil }
      self = last
      earlier = Array(all.dropLast())
    }

    /// The system's metrics of one transaction, in microseconds since the task began.
    private init(_ system: URLSessionTaskTransactionMetrics, _ times: TransactionTimes) {
      self = times.metrics
      bytesSent = system.countOfRequestBodyBytesSent
      // Before decoding; for a body of 500,000 bytes that travels as 519, it is 519.
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
    }
  }

  extension TransactionTimes {
    fileprivate init(_ system: URLSessionTaskTransactionMetrics, since start: Date) {
      self.init(
        start: start, fetch: system.fetchStartDate, domainLookupEnd: system.domainLookupEndDate,
        connectEnd: system.connectEndDate, secureConnectionStart: system.secureConnectionStartDate,
        secureConnectionEnd: system.secureConnectionEndDate, requestStart: system.requestStartDate,
        requestEnd: system.requestEndDate, responseStart: system.responseStartDate,
        responseEnd: system.responseEndDate, tlsVersion: system.negotiatedTLSProtocolVersion?.rawValue,
        cipherSuite: system.negotiatedTLSCipherSuite?.rawValue)
    }
  }

  extension RequestProgress {
    /// How far the request of a task came, on any of its connections.
    init(_ system: URLSessionTaskMetrics) {
      let start = system.taskInterval.start
      self = system.transactionMetrics.map { TransactionTimes($0, since: start).progress }.max() ?? .unsent
    }
  }

  extension ProxySettings {
    /// Nil for the system's own proxies.
    var dictionary: [AnyHashable: Any]? {
      values?.reduce(into: [:]) { all, pair in
        switch pair.value {
        case .number(let number): all[pair.key] = number
        case .text(let text): all[pair.key] = text
        case .list(let list): all[pair.key] = list
        }
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
