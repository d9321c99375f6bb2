/// Why a signature is refused.
public enum SignatureFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// A header field or parameter of the signature is missing or cannot be read; its name.
  case missing(String)
  /// A header field is not what its syntax asks for; its name.
  case unreadable(String)
  /// The signature has an unknown or a repeated part; its name.
  case unknown(String)
  /// The key is not known, or the application is not registered.
  case unknownKey
  /// The message says another algorithm than the key's.
  case otherAlgorithm
  /// The signature does not cover a component that is required; its identifier.
  case notCovered(String)
  /// The signature does not match the request.
  case mismatched
  /// The body is not the one that was signed.
  case otherBody
  /// The request's time differs from the server's by more than allowed; the difference in seconds, positive
  /// when the request is from the past.
  case outsideWindow(seconds: Int)

  /// A sentence, which contains no secrets.
  public var description: String {
    switch self {
    case .missing(let name): "\(name) is missing or cannot be read"
    case .unreadable(let name): "\(name) is not a structured field of its kind"
    case .unknown(let what): "the signature has \(what)"
    case .unknownKey: "the key is not known"
    case .otherAlgorithm: "the signature names another algorithm than its key has"
    case .notCovered(let name): "the signature does not cover \(name)"
    case .mismatched: "the signature does not match the message"
    case .otherBody: "the body does not have the digest that was signed"
    case .outsideWindow(let seconds): "the time of the message is off by \(seconds) s"
    }
  }
}
