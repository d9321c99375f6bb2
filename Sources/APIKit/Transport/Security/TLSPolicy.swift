import Foundation

/// TLS trust, certificate pinning, client certificate and minimum version of a transport.
///
/// The default trusts the system's authorities, checks the host's name and requires TLS 1.2. A policy
/// belongs to a transport and applies to all of its connections, so a connection opened under a weaker
/// policy is never used under a stricter one.
public struct TLSPolicy: Sendable {
  /// The oldest version of TLS to accept; the default is TLS 1.2.
  ///
  /// The attempt fails with ``APIError/Reason/tlsVersionTooOld`` if the server supports only older ones.
  public var minimumVersion: TLSVersion = .tls1_2
  /// The authorities whose certificates are accepted; the default is those of the system.
  public var trust: Trust = .system
  /// Which keys or certificates a host must present in addition to being trusted; by default none are
  /// required.
  public var pinning: Pinning = .none
  /// The certificate and key for a server that requests them; none by default.
  public var identity: ClientIdentity?
  /// Whether expired, self-signed and untrusted certificates of every host are accepted; the default is false.
  ///
  /// For debugging: configurations that do not come from ``TransportConfiguration/debug`` refuse it, because it opens
  /// every host to forgery. For one server whose certificate no authority has signed, state pins that replace its
  /// chain (``PinSet/Host/replacesChain``). The host's name and the pins are still checked.
  public var allowsInvalidCertificates = false
  /// Whether a certificate for another host is accepted; the default is false. For debugging, as
  /// ``allowsInvalidCertificates``.
  public var skipsHostValidation = false

  /// The default policy.
  public init() {}

  /// The authorities that are trusted.
  public indirect enum Trust: Sendable, Hashable {
    /// Those of the operating system.
    case system
    /// Those of the operating system, and those of another trust as well: `.systemAnd(.bundle(path: "…"))`. Read when
    /// the transport is made, which throws ``APIError/Reason/trustStoreUnreadable`` for a file that cannot be read.
    case systemAnd(Trust)
    /// Those in a PEM file, and no others. Read when a connection is made; a file that cannot be read fails
    /// the attempt with ``APIError/Reason/trustStoreUnreadable``.
    case bundle(path: String)
    /// Those in PEM text in memory, and no others.
    case certificates(pem: [UInt8])
  }

  /// The pinned keys or certificates.
  public enum Pinning: Sendable {
    /// Nothing: every trusted certificate is accepted.
    case none
    /// SHA-256 digests of public keys (SPKI). A renewed certificate with the same key still matches.
    case publicKey(PinSet)
    /// SHA-256 digests of whole certificates. Every renewal needs a new pin.
    case certificate(PinSet)

    /// The pins of either kind; nil for none.
    public var pins: PinSet? {
      switch self {
      case .none: nil
      case .publicKey(let pins), .certificate(let pins): pins
      }
    }
  }

  /// Throws ``APIError/Reason/misconfigured`` when the policy is incomplete or not valid.
  public func validate() throws(APIError) {
    try trust.validate()
    if let pins = pinning.pins { try pins.validate() }
    if let identity { try identity.validate() }
  }

  /// Who decides about a server, on systems that can decide by themselves.
  enum Judge {
    /// The system alone, so that its pinned domains and the exceptions of its App Transport Security count.
    case system
    /// The system, and the policy as well, which is only stricter.
    case both
    /// The policy, which may accept what the system refuses.
    case policy
  }

  /// Who decides about a host.
  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/performing-manual-server-trust-authentication>
  func judge(of host: String, at now: Date) -> Judge {
    let entry = pinning.pins?.entry(for: host, at: now)
    if trust != .system || allowsInvalidCertificates || skipsHostValidation || entry?.replacesChain == true {
      return .policy
    }
    return entry == nil ? .system : .both
  }

  static func misconfigured(_ detail: String) -> APIError {
    APIError(.transport, .misconfigured, "the TLS policy is not valid: \(detail)")
  }
}

extension TLSPolicy.Trust {
  fileprivate func validate() throws(APIError) {
    switch self {
    case .system: break
    case .systemAnd(let others): try others.validate()
    case .bundle(let path):
      guard !path.isEmpty else { throw TLSPolicy.misconfigured("the path of the CA bundle is empty") }
    case .certificates(let pem):
      guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN ") else {
        throw TLSPolicy.misconfigured(
          "the trusted certificates hold no PEM block (-----BEGIN CERTIFICATE-----)")
      }
    }
  }
}

/// A version of TLS.
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// TLS 1.0, insecure (RFC 8996); most systems refuse it regardless of this policy.
  case tls1_0 = 10
  /// TLS 1.1, deprecated (RFC 8996).
  case tls1_1 = 11
  /// TLS 1.2.
  case tls1_2 = 12
  /// TLS 1.3.
  case tls1_3 = 13

  /// Older versions are smaller.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// `TLS 1.2` and the like.
  public var description: String { "TLS \(rawValue / 10).\(rawValue % 10)" }
}
