import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An error of a connection of Apple's Network framework, as a value.
/// - SeeAlso: <https://developer.apple.com/documentation/network/nwerror>
enum NetworkFault: Equatable, Sendable {
  /// A number of `errno`.
  case posix(Int32)
  /// A `DNSServiceErrorType`, of `dns_sd.h`.
  case dns(Int32)
  /// A status of TLS, of `SecBase.h`.
  case tls(Int32)
  /// One of another kind, in the system's words.
  case other(String)

  /// What is known of the connection besides.
  struct Circumstances: Equatable, Sendable {
    /// Whether the configuration names a proxy for it.
    var isThroughProxy = false
    /// Whether the configuration has a client certificate for it.
    var hasIdentity = false
    /// Whether the server has asked for one.
    var wasAskedForCertificate = false
  }

  /// Whether TLS has ended without a close_notify: `errSSLClosedNoNotify`.
  var isTruncation: Bool { self == .tls(-9816) }

  /// Why a connection could not be opened.
  func opening(_ circumstances: Circumstances) -> APIError {
    error(openingReason(circumstances), circumstances)
  }

  /// Why an open connection broke.
  ///
  /// Under TLS 1.3 the client is done before the server has looked at its certificate, so a refusal comes here.
  func breaking(_ circumstances: Circumstances) -> APIError {
    error(
      circumstances.wasAskedForCertificate ? refusal(circumstances) ?? .connectionLost : .connectionLost,
      circumstances)
  }

  private func openingReason(_ circumstances: Circumstances) -> APIError.Reason {
    switch self {
    case .posix where circumstances.isThroughProxy: return .proxyFailed
    case .posix(let number): return Self.reason(ofPOSIX: number)
    // kDNSServiceErr_PolicyDenied: the user or a profile forbids it, such as the local network.
    case .dns(-65570): return .noNetwork
    case .dns: return .unknownHost
    case .tls(let status):
      if circumstances.wasAskedForCertificate, let reason = refusal(circumstances) { return reason }
      return Self.reasonsOfTLS[status] ?? .tlsHandshakeFailed
    case .other: return .transportFailed
    }
  }

  private static func reason(ofPOSIX number: Int32) -> APIError.Reason {
    switch POSIXErrorCode(rawValue: number) {
    case .ECONNREFUSED, .EHOSTUNREACH, .EHOSTDOWN: .connectionRefused
    // No interface is up, or none may be used; on a watch also where the system permits no connections of this kind.
    case .ENETDOWN, .ENETUNREACH, .EADDRNOTAVAIL: .noNetwork
    case .ETIMEDOUT: .connectTimeout
    case .ECONNRESET, .ECONNABORTED, .EPIPE, .ENOTCONN: .connectionLost
    default: .transportFailed
    }
  }

  /// The statuses with which the system refuses a server, and those of a server that wants another version.
  private static let reasonsOfTLS: [Int32: APIError.Reason] = [
    // errSSLXCertChainInvalid, errSSLBadCert, errSSLUnknownRootCert, errSSLNoRootCert
    -9807: .certificateUntrusted, -9808: .certificateUntrusted, -9812: .certificateUntrusted,
    -9813: .certificateUntrusted,
    // errSSLCertExpired, errSSLCertNotYetValid, errSSLHostNameMismatch
    -9814: .certificateExpired, -9815: .certificateNotYetValid, -9843: .certificateHostMismatch,
    // errSSLPeerProtocolVersion
    -9836: .tlsVersionTooOld,
  ]

  /// What the alert of a server that has asked for a certificate means; nil for another fault.
  private func refusal(_ circumstances: Circumstances) -> APIError.Reason? {
    guard case .tls(let status) = self else { return nil }
    switch status {
    // errSSLPeerCertExpired
    case -9828 where circumstances.hasIdentity: return .clientCertificateExpired
    // errSSLPeerHandshakeFail to errSSLPeerCertUnknown, errSSLPeerUnknownCA, errSSLPeerAccessDenied
    case -9829 ... -9824, -9832, -9831:
      return circumstances.hasIdentity ? .clientCertificateRefused : .clientCertificateRequired
    default: return nil
    }
  }

  private func error(_ reason: APIError.Reason, _ circumstances: Circumstances) -> APIError {
    let asked = circumstances.wasAskedForCertificate ? "; the server had asked for a client certificate" : ""
    return APIError(.transport, reason, "\(reason.text)\(asked) (\(text))")
  }

  private var text: String {
    switch self {
    case .posix(let number): "Network: \(String(cString: strerror(number)))"
    case .dns(let number): "Network: DNS \(number)"
    case .tls(let status): "Network: TLS \(status)"
    case .other(let text): "Network: \(text)"
    }
  }
}
