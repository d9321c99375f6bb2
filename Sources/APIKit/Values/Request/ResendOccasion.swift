/// What is known of a request that was sent or tried, for the decision whether it may be sent again.
struct TriedRequest {
  /// How far it came at most, on any connection.
  var progress: RequestProgress
  var isSafe = false
  /// By its method, or because it carries an idempotency key.
  var isIdempotent: Bool
  var isBodyReplayable: Bool
  /// Whether the server's response says that it has not acted on the request.
  var isUnprocessed = false
  /// How often a transport has sent it again by itself.
  var resends = 0
}

extension TriedRequest {
  /// - Parameters:
  ///   - progress: Nil where the transport cannot tell: the request counts as sent.
  ///   - isKeyed: Whether it carries an idempotency key.
  init(_ request: HTTPRequest, _ progress: RequestProgress?, isKeyed: Bool = false) {
    self.init(
      progress: progress ?? .sent, isSafe: request.method.isSafe,
      isIdempotent: request.method.isIdempotent || isKeyed, isBodyReplayable: request.body.isReplayable)
  }

  /// A request whose response says that the server has not acted on it.
  init(refused request: HTTPRequest) {
    self.init(request, .responseBegan)
    isUnprocessed = true
  }
}

/// A reason to send a request again. Whatever sends one twice has its case here and asks ``objection(to:)``, which alone
/// decides; `FlightPath.swift` lists the places.
enum ResendOccasion: CaseIterable {
  // Within an attempt.
  /// A kept connection ended before a response, and the transport has another one.
  case connectionEnded
  /// The server could not be reached, and the pool has another one.
  case failover
  /// The server said that it is the wrong one (421, RFC 9110, 15.5.20).
  case misdirected
  /// The server or the proxy asks for a login, or the handshake for a decision.
  case challenge
  /// The server is slow, and another one is asked beside it.
  case hedge
  /// The call that several loads shared ended at the deadline of one of them.
  case sharedCallEnded
  /// A stored response does not pass the rules of its load.
  case storedRefused
  // By a remedy.
  /// The signature was refused for its time.
  case clock
  /// The credential was refused.
  case signIn
  /// The retry policy wants another attempt.
  case retry
  /// The service's error hook has said `replay`.
  case hook

  /// Why the request may not be sent again; nil when it may.
  func objection(to request: TriedRequest) -> ResendObjection? {
    guard request.isBodyReplayable else { return .bodyIsUsedUp }
    if request.progress == .unsent || request.isUnprocessed { return nil }
    switch self {
    // Once: two connections that end alike are no accident.
    case .connectionEnded where request.resends > 0: return .sentTwice
    case .hedge, .sharedCallEnded, .storedRefused: return request.isSafe ? nil : .mayHaveActed
    case .connectionEnded, .failover, .misdirected, .challenge, .clock, .signIn, .retry, .hook:
      return request.isIdempotent ? nil : .mayHaveActed
    }
  }
}

/// Why a request is not sent again.
enum ResendObjection {
  case bodyIsUsedUp
  case mayHaveActed
  case sentTwice

  /// For records.
  var text: String {
    switch self {
    case .bodyIsUsedUp: "the body cannot be sent a second time"
    case .mayHaveActed: "the method is not idempotent and no idempotency key is sent"
    case .sentTwice: "it was sent twice"
    }
  }

  /// The failure of a request whose connection ended without a response, and which does not go again for this reason.
  func connectionLost(_ cause: APIError? = nil) -> APIError {
    APIError(
      .transport, .connectionLost,
      "the connection ended before a response; the server may have acted on the request, which is not sent again: "
        + (self == .mayHaveActed ? "the method is not idempotent" : text)
        + (cause.map { "; \($0.detail)" } ?? ""), underlying: cause)
  }
}

extension APIError {
  /// Whether a request that has failed so may be sent again with a body that can be read anew.
  ///
  /// - Parameters:
  ///   - isIdempotent: By its method, or because the server can tell a repetition.
  ///   - isUnprocessed: Whether the response says that the server has not acted on it.
  package func allowsRetry(isIdempotent: Bool, isUnprocessed: Bool) -> Bool {
    var tried = TriedRequest(
      progress: requestProgress ?? .sent, isIdempotent: isIdempotent, isBodyReplayable: true)
    tried.isUnprocessed = isUnprocessed
    return ResendOccasion.retry.objection(to: tried) == nil
  }
}
