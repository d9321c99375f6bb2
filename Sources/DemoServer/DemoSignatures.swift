import APIKit
import APIKitSigning
import Foundation

/// The signatures that the three services require.
///
/// Each check returns nil when the signature is valid and a sentence when it is not. For an invalid one the
/// Sacramento service sends a business error with status 200, the Ames and new-homes services send 401.
public struct DemoSignatures: Sendable {
  /// Checks a request on the server's thread; returns nil when its signature is valid.
  public typealias Check = @Sendable (DemoRequest) -> String?

  /// The check of the Sacramento service; nil when it accepts unsigned requests.
  public var sacramento: Check?
  /// The check of the Ames service; nil when it accepts unsigned requests.
  public var ames: Check?
  /// The check of the new-homes service; nil when it accepts unsigned requests.
  public var newHomes: Check?

  /// All services accept unsigned requests.
  public static let none = DemoSignatures()

  /// Makes a set of checks; a service without one accepts unsigned requests.
  public init(sacramento: Check? = nil, ames: Check? = nil, newHomes: Check? = nil) {
    self.sacramento = sacramento
    self.ames = ames
    self.newHomes = newHomes
  }
}

extension DemoSignatures {
  /// The keys of the demo's services. They are not secret: the demo shows how signing works.
  public enum Keys {
    /// The key of the Sacramento service.
    public static let sacramento = "sacramento demo key"
    /// The salt of the Sacramento service.
    public static let sacramentoSalt = "2008"
    /// The id of the key of the Ames service.
    public static let amesID = "ames-demo"
    /// The key of the Ames service.
    public static let ames = "ames demo key"
  }

  /// The checks of the demo: Sacramento verifies a salted digest, Ames an HMAC with time and nonce, new
  /// homes nothing.
  ///
  /// The Ames service accepts each request once: the checks of one value share a list of the nonces they
  /// have seen.
  public static func standard() -> DemoSignatures {
    DemoSignatures(sacramento: saltedDigest(), ames: hmac())
  }

  private static func saltedDigest() -> Check {
    let signer = SaltedDigestSigner(key: SecretKey(Keys.sacramento), salt: Keys.sacramentoSalt)
    return { request in
      // The API's name is the part of the path after service and version.
      let name = request.path.split(separator: "/").dropFirst(2).joined(separator: "/")
      let parameters = Parameters(request.query.map { ($0.name, .string($0.value)) })
      do throws(SignatureFault) {
        try signer.verify(request.headers["X-Signature"], apiName: name, parameters: parameters)
        return nil
      } catch {
        return error.description
      }
    }
  }

  private static func hmac() -> Check {
    let signer = HMACSigner(key: SecretKey(Keys.ames), keyID: Keys.amesID)
    let nonces = NonceStore()
    return { request in
      guard let host = request.headers["Host"], let url = try? HTTPURL("http://\(host)\(request.target)")
      else {
        return "the request names no host"
      }
      let received = HTTPRequest(
        method: request.method, url: url, headers: request.headers,
        body: request.body.isEmpty ? .empty : .bytes(request.body))
      let now = Int(Date().timeIntervalSince1970)
      do throws(SignatureFault) {
        let nonce = try signer.verify(received, now: now)
        return nonces.isNew(nonce, now: now) ? nil : "the request was received before"
      } catch {
        return error.description
      }
    }
  }
}

/// The nonces of the last ten minutes, the signer's time window in both directions.
private final class NonceStore: Sendable {
  private let seen = Mutex<[String: Int]>([:])

  func isNew(_ nonce: String, now: Int) -> Bool {
    seen.withLock { seen in
      if seen.count > 50_000 { seen = seen.filter { now - $0.value <= 600 } }
      return seen.updateValue(now, forKey: nonce) == nil
    }
  }
}
