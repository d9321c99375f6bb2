/// Signs requests, so that a server can verify their sender.
///
/// A service names its signer in ``ServiceIdentity/signer``. The flight calls it as the last step before
/// every attempt and every followed redirect within the origin, with a new time and nonce. The product
/// `APIKitSigning` has common schemes, each with a verifier for servers. Write one for another scheme of a backend: `sign` must *replace* what an earlier attempt has
/// set. In a test, sign with a fixed subject and compare the header fields.
///
/// Isolation: called on any thread and concurrently; off the main actor unless ``runsInline`` is true.
public protocol RequestSigner: Sendable {
  /// The identity of the signer: a text that is the same in every process, equal for the same keys only, and holds
  /// no secret, such as the id of a key or a digest of it. The default is nil.
  ///
  /// Loads share requests and stored responses only if it is equal. If it is nil, a load shares no stored response,
  /// and shares requests only with loads that the same object signs.
  var caller: String? { get }
  /// The names of the query parameters that ``sign(_:_:)`` adds. They are left out when the link to a next
  /// page becomes the parameters of a load. The default is none.
  var volatileParameters: Set<String> { get }
  /// Sets the signature on the request. Called for every attempt.
  ///
  /// Throws ``APIError/Reason/signingFailed`` when the request cannot be signed.
  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError)

  /// Whether the signer may run on the main actor or a transport's thread, for bodies of up to 64 KiB in
  /// memory. It must then take only microseconds and never wait. The default, false, runs it in a task.
  var runsInline: Bool { get }
}

extension RequestSigner {
  /// Nil.
  public var caller: String? { nil }
  /// False.
  public var runsInline: Bool { false }
  /// None.
  public var volatileParameters: Set<String> { [] }
}

/// A signer whose ``RequestSigner/caller`` is always the same one.
package protocol FixedCallerSigner: RequestSigner {}

/// The subject of a signature besides the request.
public struct SigningSubject: Sendable {
  /// The API's name as it is in the path: placeholders replaced, percent-encoded, without a slash before it. A followed
  /// redirect keeps it.
  public var apiName: String
  /// The parameters sent in the query or the body, including the service's common ones, by the names that are sent. Where
  /// ``ParameterEncoding/named(_:)`` gives two the same name, they have their own.
  public var parameters: Parameters
  /// The time in whole seconds since 1970, by the service's ``ServerClock`` or else the device's clock.
  public var secondsSince1970: Int
  /// A text that no other attempt uses: visible ASCII without white space.
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
