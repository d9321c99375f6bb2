public import Foundation

extension APIError: LocalizedError {
  /// The text of `localizedDescription`: one sentence for the user of the application, in English.
  ///
  /// If the backend or the application has a text of its own (a business error, a ``ValidationError``, any
  /// `LocalizedError` that a validator or reformer throws), this is that text. Otherwise it is the sentence of the
  /// status or the ``Reason/sentence`` of the reason. For logs use ``description``, which has the stage and the
  /// reason.
  public var errorDescription: String? {
    if Self.saidByOthers.contains(reason), let said = (underlying as? any LocalizedError)?.errorDescription,
      !said.isEmpty
    {
      return said
    }
    if reason == .unacceptableStatus, let status {
      return Self.sentence(ofStatus: status)
    }
    return reason.sentence
  }

  /// The technical reason: ``detail``.
  public var failureReason: String? { detail }

  /// The reasons under which the words of a backend or of the application travel.
  private static let saidByOthers: Set<Reason> = [
    .businessError, .unacceptableStatus, .invalidParameters, .invalidResponse, .reformFailed, .memberFailed,
  ]

  private static func sentence(ofStatus status: Int) -> String {
    switch status {
    case 401, 407: "You need to sign in."
    case 403: "You are not allowed to do this."
    case 404, 410: "What you asked for does not exist."
    case 408, 504: "The server took too long."
    case 409, 412, 423: "Someone else has changed this in the meantime."
    case 413: "What you sent is too large."
    case 426: "This version of the application is too old for the server."
    case 429: "There were too many requests. Try again later."
    case 503: "The server is not available for a while. Try again later."
    case 500...599: "The server has a problem. Try again later."
    default: "The server did not accept the request."
    }
  }
}

extension APIError.Reason {
  /// The reason for the user of the application, in English. Of a reason of the application's own it is ``text`` with a
  /// capital letter and a full stop.
  public var sentence: String {
    if let sentence = Self.sentences[name] { return sentence }
    return text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  private static let sentences: [String: String] = {
    let lines = [
      "Something you entered is not valid.": "invalid-parameters unencodable-parameter",
      "This is being loaded already.": "already-loading",
      "That was too soon. Try again in a moment.":
        "throttled rate-limited queue-full send-queue-full oauth-slow-down",
      "This was not carried out.": "vetoed",
      "You are not connected to the internet.": "no-network",
      "The server is not available for a while. Try again later.":
        "circuit-open oauth-temporarily-unavailable",
      "The application is not set up correctly.":
        "resolution-cycle misconfigured cleartext-refused unsupported-capability invalid-url "
        + "unsupported-scheme invalid-header invalid-method signing-failed trust-store-unreadable "
        + "sign-in-cycle oauth-invalid-request oauth-invalid-client oauth-unauthorized-client "
        + "oauth-unsupported-grant-type oauth-unsupported-response-type oauth-invalid-scope",
      "The file to send cannot be read.": "unreadable-body",
      "Not everything could be loaded.": "member-failed quorum-missed missing-from-batch",
      "This was cancelled.": "cancelled sign-in-cancelled transport-stopped challenge-cancelled",
      "The server cannot be found. Check your connection.": "unknown-host",
      "The server cannot be reached. Try again later.": "connection-refused",
      "The server took too long. Check your connection, or try again later.":
        "connect-timeout idle-timeout total-timeout deadline-exceeded",
      "The connection was lost. Try again.":
        "connection-lost truncated-body transport-failed socket-not-open",
      "The server's response cannot be read.":
        "malformed-response socket-handshake-failed socket-protocol-broken undecodable-content "
        + "too-many-redirects redirect-loop redirect-refused unacceptable-content-type empty-body "
        + "undecipherable-body unverified-response malformed-body unexpected-shape invalid-response "
        + "unexpected-value reform-failed paging-broken link-refused oauth-malformed-response "
        + "refused-at-headers",
      "The server's response is too large.": "response-too-large body-limit-exceeded",
      "The proxy cannot be reached or refuses the connection.": "proxy-failed",
      "A file cannot be read or written.": "file-failed outbox-unusable",
      "What was kept cannot be read or written.": "unwritable-form unreadable-form",
      "There is not enough room for the file.": "storage-full",
      "The file arrived damaged.": "digest-mismatch",
      "What you asked for does not exist.": "remote-file-unavailable no-such-page",
      "The server does not accept the file.": "remote-file-refused upload-vanished",
      "The user name or the password is not correct.": "login-denied",
      "No secure connection to the server can be made.":
        "tls-handshake-failed tls-version-too-old certificate-expired certificate-not-yet-valid "
        + "certificate-host-mismatch certificate-self-signed certificate-untrusted certificate-revoked "
        + "certificate-unsuitable certificate-too-weak certificate-rejected pin-mismatch "
        + "oauth-state-mismatch oauth-issuer-mismatch",
      "The server does not accept this device's certificate.":
        "client-identity-unreadable client-certificate-required client-certificate-refused "
        + "client-certificate-expired",
      "The server did not accept the request.": "unacceptable-status",
      "The server reported a problem.": "business-error oauth-server-error oauth-error",
      "You need to sign in again.":
        "credential-refused refresh-failed signed-out oauth-invalid-grant oauth-expired-token",
      "You could not be signed in.": "sign-in-failed sign-in-page-failed oauth-access-denied",
      "Your sign-in cannot be stored on this device.": "credential-store-failed",
      "The sign-in is not finished yet.": "oauth-authorization-pending",
      "This has not been stored for use without a connection.": "not-cached",
    ]
    var sentences: [String: String] = [:]
    for (sentence, names) in lines {
      for name in names.split(separator: " ") { sentences[String(name)] = sentence }
    }
    return sentences
  }()
}

extension APIError {
  /// The status of the response that the failed load received; nil when there was none.
  package var status: Int? { context.status ?? evidence?.status }
}
