// What only Apple's session has. Not compiled on Linux, where the project is built and tested.
#if !canImport(FoundationNetworking)
  import Foundation
  import Security

  extension TransportMetrics {
    /// The system's metrics of one transaction, in microseconds since the task began.
    init(_ system: URLSessionTaskTransactionMetrics, since start: Date) {
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
      firstByte = time(system.responseStartDate)
      total = time(system.responseEndDate)
      bytesSent = system.countOfRequestBodyBytesSent
      bytesReceived = system.countOfResponseBodyBytesReceived
      isReused = system.isReusedConnection
      remoteAddress = system.remoteAddress
      remotePort = system.remotePort
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

  extension InterfacePolicy.ServiceType {
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
