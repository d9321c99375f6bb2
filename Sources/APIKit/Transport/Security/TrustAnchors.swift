import Foundation

/// The authorities of a policy, read.
struct TrustAnchors: Sendable {
  /// Whether those of the system count.
  private(set) var includesSystem = false
  /// Those of the policy, in DER.
  private(set) var roots: [[UInt8]] = []

  /// Reads them. Throws ``APIError/Reason/trustStoreUnreadable`` for a file that cannot be read and for PEM without a
  /// certificate.
  init(_ trust: TLSPolicy.Trust) throws(APIError) { try add(trust) }

  private mutating func add(_ trust: TLSPolicy.Trust) throws(APIError) {
    switch trust {
    case .system: includesSystem = true
    case .systemAnd(let others):
      includesSystem = true
      try add(others)
    case .certificates(let pem): try add(pem)
    case .bundle(let path):
      guard let data = FileManager.default.contents(atPath: path) else {
        throw APIError(.transport, .trustStoreUnreadable, "the CA bundle \(path) cannot be read")
      }
      try add([UInt8](data))
    }
  }

  private mutating func add(_ pem: [UInt8]) throws(APIError) {
    let found = Certificate.blocks(ofPEM: pem)
    guard !found.isEmpty else {
      throw APIError(.transport, .trustStoreUnreadable, "the trusted authorities hold no certificate")
    }
    roots += found
  }
}
