public import Foundation

/// The decision about a server's certificates on its own, as a transport with the same policy makes it: for tests, for
/// tools, and for certificates that do not come from a TLS connection.
///
/// ```swift
/// let evaluation = try TrustEvaluation(configuration.tls)
/// try evaluation.evaluate(chain: [own, intermediate], host: "api.example.com")
/// ```
///
/// The chain is verified by OpenSSL on Linux and by the system on Apple platforms, where that may take long and fetch
/// intermediate certificates. Revocation is not checked. Safe on any thread; it blocks.
public struct TrustEvaluation: Sendable {
  private let policy: TLSPolicy
  private let anchors: TrustAnchors

  /// Makes an evaluation, and reads the authorities of the policy.
  ///
  /// Throws ``APIError/Reason/misconfigured`` and ``APIError/Reason/trustStoreUnreadable``.
  public init(_ policy: TLSPolicy) throws(APIError) {
    try policy.validate()
    self.policy = policy
    anchors = try TrustAnchors(policy.trust)
  }

  /// Returns when a server with these certificates is trusted, and throws why it is not otherwise.
  ///
  /// The reasons are those of a load: ``APIError/Reason/certificateExpired``, ``APIError/Reason/pinMismatch`` and so on.
  ///
  /// - Parameters:
  ///   - chain: The certificates in DER as the server sends them, its own first.
  ///   - host: The name or the address of the server.
  ///   - now: The time; the default is now.
  public func evaluate(chain: [[UInt8]], host: String, at now: Date = Date()) throws(APIError) {
    let verdict = ChainVerifier.verify(chain, anchors, at: now)
    try ServerTrust(policy: policy).check(verdict.chain, fault: verdict.fault, host: host, at: now)
  }
}
