/// What a server must prove before a request is sent to it, and what the client proves in turn.
///
/// The default trusts the system's authorities, checks the host's name and demands TLS 1.2. A policy
/// belongs to a transport: every connection of that transport is made under it, so a connection that was
/// opened under a laxer policy is never used under a stricter one.
public struct TLSPolicy: Sendable {
  /// The oldest version of TLS that is spoken; the default is TLS 1.2.
  ///
  /// A server below it fails with ``APIError/Reason/tlsVersionTooOld``.
  public var minimumVersion: TLSVersion = .tls1_2
  /// Whose signature under a certificate counts; the default is the system's authorities.
  public var trust: Trust = .system
  /// Which keys or certificates a host may show besides being trusted; the default is any.
  public var pinning: Pinning = .none
  /// What the client shows to a server that asks for a certificate; nothing by default.
  public var identity: ClientIdentity?
  /// Accepts expired, self-signed and untrusted certificates; the default is false.
  ///
  /// The host's name is still checked, and pins still count: with pins this is safe for a server that
  /// signs its own certificate, without them it protects against nobody.
  public var allowsInvalidCertificates = false
  /// Accepts a certificate made out to another host; the default is false.
  public var skipsHostValidation = false

  /// The default policy.
  public init() {}

  /// The authorities whose certificates are trusted.
  public enum Trust: Sendable, Hashable {
    /// Those the operating system trusts.
    case system
    /// Those in a PEM file, and no others. Read when a connection is made; a file that cannot be read
    /// fails with ``APIError/Reason/trustStoreUnreadable``.
    case bundle(path: String)
    /// Those in PEM text held in memory, and no others.
    case certificates(pem: [UInt8])
  }

  /// What is pinned.
  public enum Pinning: Sendable {
    /// Nothing: trust alone decides.
    case none
    /// SHA-256 digests of public keys (SPKI). A renewed certificate with the old key stays valid.
    case publicKey(PinSet)
    /// SHA-256 digests of whole certificates. Each renewal needs a new pin.
    case certificate(PinSet)

    /// The pins, whatever they are of.
    public var pins: PinSet? {
      switch self {
      case .none: nil
      case .publicKey(let pins), .certificate(let pins): pins
      }
    }
  }

  /// Throws ``APIError/Reason/misconfigured`` when the policy contradicts itself or is incomplete.
  public func validate() throws(APIError) {
    switch trust {
    case .system: break
    case .bundle(let path):
      guard !path.isEmpty else { throw Self.misconfigured("the path of the CA bundle is empty") }
    case .certificates(let pem):
      guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN ") else {
        throw Self.misconfigured("the trusted certificates hold no PEM block (-----BEGIN CERTIFICATE-----)")
      }
    }
    if let pins = pinning.pins { try pins.validate() }
    if let identity { try identity.validate() }
  }

  static func misconfigured(_ detail: String) -> APIError {
    APIError(.transport, .misconfigured, "the TLS policy is not valid: \(detail)")
  }
}

/// A version of TLS.
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// TLS 1.0, broken; most systems refuse it whatever is asked.
  case tls1_0 = 10
  /// TLS 1.1, deprecated (RFC 8996).
  case tls1_1 = 11
  /// TLS 1.2.
  case tls1_2 = 12
  /// TLS 1.3.
  case tls1_3 = 13

  /// Older versions are less.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// `TLS 1.2` and the like.
  public var description: String { "TLS \(rawValue / 10).\(rawValue % 10)" }
}
