public import APIKit

/// Signs with a digest of a shared key, the API's name and its sorted parameters, salted and repeated.
///
/// It shows a server that the caller is the application, as long as the key stays secret. It has neither
/// time nor nonce, so a request that is intercepted can be sent again; ``HMACSigner`` prevents that. The
/// text that is digested has five lines, joined by line feeds:
///
///     key
///     API name
///     parameters as a query: percent-encoded by RFC 3986, sorted by the bytes of their encoded names
///     salt
///     key
///
/// The API's name is the path below base URL and version as it is sent, without the slash before it. Each further round
/// digests the bytes of the round before, followed by salt and key. The key is at both ends so that a signed text cannot
/// be extended. The signature is written in hexadecimal digits, lower case. `Docs/Signing.md` has the whole
/// specification, with vectors.
public struct SaltedDigestSigner: RequestSigner, FixedCallerSigner {
  /// A digest.
  public enum Algorithm: Sendable, Hashable {
    /// MD5 (RFC 1321). Insecure for documents; only for servers that support nothing else.
    case md5
    /// SHA-1. Insecure for documents; only for servers that support nothing else.
    case sha1
    /// SHA-256.
    case sha256
  }

  /// Where a signature is placed.
  public enum Placement: Sendable, Hashable {
    /// In the header field with this name.
    case header(String)
    /// In the query parameter with this name.
    case query(String)

    var name: String {
      switch self {
      case .header(let name), .query(let name): name
      }
    }
  }

  /// The digest; the default is ``Algorithm/sha256``.
  public let algorithm: Algorithm
  /// How many times the digest is applied, at least once; the default is 2.
  public let rounds: Int
  /// Where the signature is placed; the default is the header field `X-Signature`.
  public let placement: Placement
  /// How parameters are written in the signed text. If they are sent in a query or a form, this must be the
  /// style of that query, because the server receives no other form.
  public let style: QueryStyle

  /// A digest of the key and the salt.
  public let caller: String?

  var key: SecretKey
  private let salt: SecretKey

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - key: The secret known to both sides.
  ///   - salt: A text known to both sides that separates this use of the key from others; the default is
  ///     none.
  ///   - algorithm: The digest.
  ///   - rounds: How many times the digest is applied; less than one counts as one.
  ///   - placement: Where the signature is placed.
  ///   - style: How parameters are written in the signed text.
  public init(
    key: SecretKey, salt: String = "", algorithm: Algorithm = .sha256, rounds: Int = 2,
    placement: Placement = .header("X-Signature"), style: QueryStyle = QueryStyle()
  ) {
    self.key = key
    self.salt = SecretKey(salt)
    caller = Crypto.digest(of: ["SaltedDigestSigner", key.digest, salt])
    self.algorithm = algorithm
    self.rounds = max(rounds, 1)
    self.placement = placement
    self.style = style
    SecretNames.add(fields: volatileParameters)
    if case .header(let name) = placement { SecretNames.add(fields: [name]) }
  }

  /// True.
  public var runsInline: Bool { true }

  /// The query parameter of the signature, if it is placed in one.
  public var volatileParameters: Set<String> { if case .query(let name) = placement { [name] } else { [] } }

  /// Sets the signature, which replaces that of an earlier attempt.
  ///
  /// Throws what ``signature(apiName:parameters:)`` throws.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    let signature = try signature(apiName: subject.apiName, parameters: subject.parameters)
    switch placement {
    case .header(let name): request.headers[name] = signature
    case .query(let name): request.url.setQueryPair(name, signature)
    }
  }

  /// The signature of a call in hexadecimal digits, lower case.
  ///
  /// The parameter that contains the signature itself is left out. Throws
  /// `APIError.Reason.unencodableParameter` for a value that a query cannot express, and
  /// `APIError.Reason.signingFailed` for an empty key or a digest that the system's policy forbids.
  public func signature(apiName: String, parameters: Parameters) throws(APIError) -> String {
    try key.requireBytes()
    let pairs = try SortedPairs.bytes(of: parameters.removing(volatileParameters), style: style)
    return try signature(apiName: apiName, sortedPairs: pairs)
  }

  private func signature(apiName: String, sortedPairs: [UInt8]) throws(APIError) -> String {
    var text = key.bytes
    text.reserveCapacity(2 * key.bytes.count + apiName.utf8.count + sortedPairs.count + 64)
    for line in [Array(apiName.utf8), sortedPairs, salt.bytes, key.bytes] {
      text.append(UInt8(ascii: "\n"))
      text += line
    }
    var digest = try run(text)
    for _ in 1..<rounds { digest = try run(digest + salt.bytes + key.bytes) }
    return Hex.encode(digest)
  }

  private func run(_ bytes: [UInt8]) throws(APIError) -> [UInt8] {
    let digest: [UInt8]? =
      switch algorithm {
      case .md5: Crypto.md5(bytes)
      case .sha1: Crypto.sha1(bytes)
      case .sha256: Crypto.sha256(bytes)
      }
    guard let digest else {
      throw APIError(.signing, .signingFailed, "this machine's policy forbids \(algorithm); use sha256")
    }
    return digest
  }
}

extension SaltedDigestSigner {
  /// Verifies a signature that a server received, with the query or the form body as received.
  ///
  /// - Parameters:
  ///   - signature: The text received; nil when there was none.
  ///   - apiName: The path as received, below base URL and version.
  ///   - query: The pairs, percent-encoded; the pair of the signature itself is ignored.
  public func verify(_ signature: String?, apiName: String, query: String) throws(SignatureFault) {
    try compare(signature) { () throws(APIError) in
      guard let pairs = SortedPairs.bytes(ofQuery: query, without: volatileParameters) else { return nil }
      return try self.signature(apiName: apiName, sortedPairs: pairs)
    }
  }

  /// Verifies a signature that a server received, with parameters that it has decoded.
  ///
  /// - Parameters:
  ///   - signature: The text received; nil when there was none.
  ///   - apiName: The path as received, below base URL and version.
  ///   - parameters: The parameters received, as text or typed: both are written in the same way.
  public func verify(_ signature: String?, apiName: String, parameters: Parameters) throws(SignatureFault) {
    try compare(signature) { () throws(APIError) in
      try self.signature(apiName: apiName, parameters: parameters)
    }
  }

  /// Compares a signature with the one that a closure returns; a request that cannot be signed does not
  /// match.
  private func compare(
    _ signature: String?, with make: () throws(APIError) -> String?
  ) throws(SignatureFault) {
    guard let signature else { throw .missing(placement.name) }
    var expected: String?
    do throws(APIError) {
      expected = try make()
    } catch {
      throw .mismatched
    }
    guard let expected, Crypto.constantTimeEquals(expected.utf8, signature.utf8) else { throw .mismatched }
  }
}

extension SaltedDigestSigner: CustomStringConvertible {
  /// The scheme, without key and salt.
  public var description: String { "salted digest, \(algorithm), \(rounds) rounds" }
}

extension HTTPURL {
  /// Sets the pair with this name, which replaces all others with the name.
  fileprivate mutating func setQueryPair(_ name: String, _ value: String) {
    let name = PercentEncoding.component.encode(name)
    let kept = (query ?? "").split(separator: "&").filter { $0 != name && !$0.hasPrefix(name + "=") }
    query = kept.isEmpty ? nil : kept.joined(separator: "&")
    append(query: "\(name)=\(PercentEncoding.component.encode(value))")
  }
}
