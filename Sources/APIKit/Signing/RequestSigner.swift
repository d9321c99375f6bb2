/// Proves to a server that a request comes from a caller it knows.
///
/// A service names its signer; the flight runs it as the last step before every attempt, with a fresh time
/// and nonce. ``SaltedDigestSigner``, ``RegisteredApplicationSigner`` and ``HMACSigner`` exist, each with a
/// verifier for servers. Write one when a backend has a scheme of its own: `sign` must *replace* what an
/// earlier attempt has set. In a test, sign with a fixed subject and compare the header fields.
///
/// Isolation: called on any thread, many at once; off the main actor unless ``runsInline`` is true.
public protocol RequestSigner: Sendable {
  /// The names of header fields that are credentials: never sent to another origin, never printed.
  var headerNames: Set<String> { get }
  /// The names of query parameters that change with every attempt, or that the signer adds: they are no
  /// part of what identifies a request for caching and joining.
  var volatileParameters: Set<String> { get }
  /// Sets the signature on the request. Run again for every attempt.
  ///
  /// Throws ``APIError/Reason/signingFailed`` when the request cannot be signed.
  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError)

  /// Whether it may run on the main actor and on a transport's thread, for bodies of up to 64 KiB in memory: it takes
  /// microseconds and waits for nothing. The default is false: loads then leave these threads for it.
  var runsInline: Bool { get }
}

extension RequestSigner {
  /// False.
  public var runsInline: Bool { false }
  /// None.
  public var volatileParameters: Set<String> { [] }
}

/// What a signature is about, beside the request itself.
public struct SigningSubject: Sendable {
  /// The API's name as it stands in the path, places of a template filled.
  public var apiName: String
  /// The parameters as sent in the query or the body, the service's common ones included.
  public var parameters: Parameters
  /// The time in whole seconds since 1970, by the server's clock as far as it is known: see ``ServerClock``.
  public var secondsSince1970: Int
  /// A text that no other attempt uses: visible ASCII, without white space.
  public var nonce: String
  /// The attempt, from 1.
  public var attempt: Int

  /// Makes a subject.
  public init(
    apiName: String, parameters: Parameters = Parameters(), secondsSince1970: Int, nonce: String,
    attempt: Int = 1
  ) {
    self.apiName = apiName
    self.parameters = parameters
    self.secondsSince1970 = secondsSince1970
    self.nonce = nonce
    self.attempt = attempt
  }
}

/// Why a server does not accept a signature.
public enum SignatureFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// A field or parameter of the signature is missing or cannot be read; its name.
  case missing(String)
  /// The key is not known, or the application is not registered.
  case unknownKey
  /// The signature is not the one that belongs to this request.
  case mismatched
  /// The request's time is further from the server's than allowed; the difference in seconds, positive when
  /// the request is from the past.
  case outsideWindow(seconds: Int)

  /// A sentence without secrets.
  public var description: String {
    switch self {
    case .missing(let name): "\(name) is missing or cannot be read"
    case .unknownKey: "the key is not known"
    case .mismatched: "the signature does not match the request"
    case .outsideWindow(let seconds): "the request's time is off by \(seconds) s"
    }
  }
}
