/// Signs with a digest of a shared key, the API's name and its sorted parameters, salted and repeated.
///
/// It tells a server that the caller is the application itself, as long as the key stays inside it. It has
/// neither time nor nonce: whoever sees a request can send it again; ``HMACSigner`` prevents that. The text
/// that is digested is
///
///     key ⏎ API name ⏎ sorted parameters as a query ⏎ salt ⏎ key
///
/// and each further round digests the bytes before it, followed by salt and key. The key stands at both ends
/// so that nobody can lengthen a signed text.
public struct SaltedDigestSigner: RequestSigner {
  /// A digest.
  public enum Algorithm: Sendable, Hashable {
    /// MD5 (RFC 1321). Broken for documents; for servers that know nothing else.
    case md5
    /// SHA-1. Broken for documents; for servers that know nothing else.
    case sha1
    /// SHA-256.
    case sha256
  }

  /// Where a signature goes.
  public enum Placement: Sendable, Hashable {
    /// Into the header field of this name.
    case header(String)
    /// Into the query parameter of this name.
    case query(String)
  }

  /// The digest; the default is ``Algorithm/sha256``.
  public let algorithm: Algorithm
  /// How often the digest runs, at least once; the default is 2.
  public let rounds: Int
  /// Where the signature goes; the default is the header field `X-Signature`.
  public let placement: Placement
  /// How parameters are written in the signed text; names are always sorted. Where both sides sign what
  /// stands in a query, this is the style of that query.
  public let style: QueryStyle

  private let key: SigningKey
  private let salt: SigningKey

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - key: The secret that both sides know.
  ///   - salt: A text that both sides know and that sets this use of the key apart; the default is none.
  ///   - algorithm: The digest.
  ///   - rounds: How often the digest runs; less than one counts as one.
  ///   - placement: Where the signature goes.
  ///   - style: How parameters are written in the signed text.
  public init(
    key: SigningKey, salt: String = "", algorithm: Algorithm = .sha256, rounds: Int = 2,
    placement: Placement = .header("X-Signature"), style: QueryStyle = QueryStyle()
  ) {
    self.key = key
    self.salt = SigningKey(salt)
    self.algorithm = algorithm
    self.rounds = max(rounds, 1)
    self.placement = placement
    var style = style
    style.sortsKeys = true
    style.spaces = .percent
    self.style = style
  }

  /// The field of the signature, if that is where it goes.
  public var headerNames: Set<String> { if case .header(let name) = placement { [name] } else { [] } }

  /// The parameter of the signature, if that is where it goes.
  public var volatileParameters: Set<String> { if case .query(let name) = placement { [name] } else { [] } }

  /// Sets the signature in place of one of an earlier attempt.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    let signature = try signature(apiName: subject.apiName, parameters: subject.parameters)
    switch placement {
    case .header(let name): request.headers[name] = signature
    case .query(let name): request.url.setQueryPair(name, signature)
    }
  }

  /// The signature of a call in hexadecimal digits.
  ///
  /// A parameter that carries the signature itself is left out. Throws
  /// ``APIError/Reason/unencodableParameter`` for a value that has no words in a query.
  public func signature(apiName: String, parameters: Parameters) throws(APIError) -> String {
    let query = try QueryEncoder(style).encode(parameters.removing(volatileParameters))
    return Hex.encode(digest(apiName: apiName, sortedQuery: query))
  }

  private func digest(apiName: String, sortedQuery: String) -> [UInt8] {
    var text = key.bytes
    text.reserveCapacity(2 * key.bytes.count + apiName.utf8.count + sortedQuery.utf8.count + 64)
    for part in [Array(apiName.utf8), Array(sortedQuery.utf8), salt.bytes, key.bytes] {
      text.append(UInt8(ascii: "\n"))
      text += part
    }
    var digest = run(text)
    for _ in 1..<rounds { digest = run(digest + salt.bytes + key.bytes) }
    return digest
  }

  private func run(_ bytes: [UInt8]) -> [UInt8] {
    switch algorithm {
    case .md5: Crypto.md5(bytes)
    case .sha1: Crypto.sha1(bytes)
    case .sha256: Crypto.sha256(bytes)
    }
  }
}

extension SaltedDigestSigner {
  /// Checks a signature that a server received, with the parameters that came with it.
  ///
  /// - Parameters:
  ///   - signature: The text received; nil when there was none.
  ///   - apiName: The API's name as the client states it.
  ///   - parameters: The parameters received, as text or typed: both are written alike.
  public func verify(
    _ signature: String?, apiName: String, parameters: Parameters
  ) throws(SignatureFault) {
    guard let signature else {
      switch placement {
      case .header(let name), .query(let name): throw .missing(name)
      }
    }
    let expected: String
    do {
      expected = try self.signature(apiName: apiName, parameters: parameters)
    } catch {
      throw .mismatched
    }
    guard Crypto.constantTimeEquals(expected.utf8, signature.utf8) else { throw .mismatched }
  }
}

extension SaltedDigestSigner: CustomStringConvertible {
  /// The scheme, never key or salt.
  public var description: String { "salted digest, \(algorithm), \(rounds) rounds" }
}

extension HTTPURL {
  /// Sets the one pair of this name, in place of any that stand in the query.
  mutating func setQueryPair(_ name: String, _ value: String) {
    let name = PercentEncoding.component.encode(name)
    let kept = (query ?? "").split(separator: "&").filter { !($0.hasPrefix(name + "=") || $0 == name) }
    query = (kept.map { String($0) } + ["\(name)=\(PercentEncoding.component.encode(value))"])
      .joined(separator: "&")
  }
}
