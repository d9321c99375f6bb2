extension APIError {
  /// The reason of a failure: a stable name and a sentence.
  ///
  /// A struct and not an enum, so that new reasons do not break an application's code. Applications may add
  /// their own for validators and services.
  public struct Reason: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, lower case with dashes: `idle-timeout`. Reasons with the same name are equal.
    public let name: String
    /// The sentence used when an error gives no detail.
    public let text: String

    /// Makes a reason of the application's own.
    ///
    /// - Parameters:
    ///   - name: Lower case with dashes; the last part of ``APIError/label``.
    ///   - text: A sentence without a capital letter or full stop.
    public init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }

    /// The name.
    public var description: String { name }

    /// Compares the names only.
    public static func == (left: Reason, right: Reason) -> Bool { left.name == right.name }

    /// Hashes the name only.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

// MARK: Before the wire

extension APIError.Reason {
  /// The parameters did not validate; nothing was sent.
  public static let invalidParameters = Self("invalid-parameters", "the parameters did not validate")
  /// An earlier load of this manager has not ended, and the takeoff policy refuses new ones.
  public static let alreadyLoading = Self("already-loading", "a load is in the air already")
  /// The last takeoff was less than the throttle interval ago.
  public static let throttled = Self("throttled", "too soon after the last takeoff")
  /// An interceptor refused the takeoff or the landing.
  public static let vetoed = Self("vetoed", "an interceptor vetoed it")
  /// The network gate found no suitable network, or the system reports that there is none.
  public static let noNetwork = Self("no-network", "there is no network")
  /// The host or the API has failed so often that the circuit breaker sends nothing for a while.
  public static let circuitOpen = Self("circuit-open", "the server has failed too often for now")
  /// The client's own rate for the service or the API is used up, and the load may not wait; see ``RequestRate``.
  public static let rateLimited = Self("rate-limited", "too many requests for the client's own rate")
  /// A service's error hook made loads whose failures called the hook again, and the detail names the managers; or
  /// one that was queued behind the load whose failure the hook resolves.
  public static let resolutionCycle = Self("resolution-cycle", "the error hook goes in a circle")
  /// The manager, its service or a setting is inconsistent; the detail says what to change.
  public static let misconfigured = Self("misconfigured", "the configuration is not valid")
  /// The transport lacks a capability that the request needs; the detail names it.
  public static let unsupportedCapability = Self(
    "unsupported-capability", "the transport cannot do what was asked")
  /// A URL or a part of one is not valid.
  public static let invalidURL = Self("invalid-url", "the URL is not valid")
  /// The transport does not support the URL's scheme.
  public static let unsupportedScheme = Self("unsupported-scheme", "the URL's scheme is not served")
  /// A header field's name or value contains a character that RFC 9110 forbids.
  public static let invalidHeader = Self("invalid-header", "a header field is not valid")
  /// A method is not a token by RFC 9110.
  public static let invalidMethod = Self("invalid-method", "the method is not valid")
  /// A parameter cannot be represented in the chosen encoding.
  public static let unencodableParameter = Self("unencodable-parameter", "a parameter cannot be encoded")
  /// The file or stream of a request body cannot be read.
  public static let unreadableBody = Self("unreadable-body", "the request body cannot be read")
  /// The signer failed.
  public static let signingFailed = Self("signing-failed", "the request could not be signed")
  /// A member of a group or a link of a chain could not be built, or failed with an error that is not an
  /// ``APIError``.
  public static let memberFailed = Self("member-failed", "a member failed")
  /// Fewer members of a group succeeded than its policy requires.
  public static let quorumMissed = Self("quorum-missed", "not enough members succeeded")
  /// The load was cancelled before it landed.
  public static let cancelled = Self("cancelled", "it was cancelled")
}

// MARK: On the wire

extension APIError.Reason {
  /// The host's name could not be resolved.
  public static let unknownHost = Self("unknown-host", "the host's name cannot be resolved")
  /// No server listens at the address, or a firewall rejects the connection.
  public static let connectionRefused = Self("connection-refused", "the connection was refused")
  /// The connection, including TLS, was not established in time.
  public static let connectTimeout = Self("connect-timeout", "no connection in time")
  /// No byte was sent or received for longer than the idle limit.
  public static let idleTimeout = Self("idle-timeout", "no bytes in time")
  /// The attempt took longer than its total limit.
  public static let totalTimeout = Self("total-timeout", "not finished in time")
  /// The deadline over all attempts of the load has passed.
  public static let deadlineExceeded = Self("deadline-exceeded", "not finished before its deadline")
  /// The connection broke while in use.
  public static let connectionLost = Self("connection-lost", "the connection was lost")
  /// The body ended before its declared length, or its framing or compression was cut off.
  public static let truncatedBody = Self("truncated-body", "the response was cut in the middle")
  /// The response is not valid HTTP.
  public static let malformedResponse = Self("malformed-response", "the response is not valid HTTP")
  /// The body is larger than its limit.
  public static let responseTooLarge = Self("response-too-large", "the response is larger than its limit")
  /// The inspection of status and header fields refused the response.
  public static let refusedAtHeaders = Self("refused-at-headers", "the response was refused at its headers")
  /// A content coding could not be decoded.
  public static let undecodableContent = Self("undecodable-content", "the content coding is damaged")
  /// There were more redirects than the limit.
  public static let tooManyRedirects = Self("too-many-redirects", "too many redirects")
  /// A redirect leads back to a request that was made before.
  public static let redirectLoop = Self("redirect-loop", "the redirects go in a circle")
  /// The policy refused a redirect, or its target cannot be used.
  public static let redirectRefused = Self("redirect-refused", "the redirect was refused")
  /// The proxy could not be reached or refused the tunnel.
  public static let proxyFailed = Self("proxy-failed", "the proxy failed")
  /// The file of a `file:` URL or a download's target cannot be opened, read or written.
  public static let fileFailed = Self("file-failed", "a file cannot be read or written")
  /// The disk is full, a quota is used up, or the file would be larger than the file system or a limit allows.
  public static let storageFull = Self("storage-full", "there is no room for the file")
  /// A file that was downloaded has another digest than it should have.
  public static let digestMismatch = Self("digest-mismatch", "the file has another digest")
  /// An FTP server does not have the file or folder, or does not permit reading it. FTP tells the two apart
  /// only in the reply's text, which is in the detail.
  public static let remoteFileUnavailable = Self(
    "remote-file-unavailable", "the server has no such file, or does not give it")
  /// An FTP server does not accept a file: no permission, no space, or a file that must not be replaced.
  public static let remoteFileRefused = Self("remote-file-refused", "the server does not take the file")
  /// The server refused the credentials of the transport's own authentication (FTP, proxy).
  public static let loginDenied = Self("login-denied", "the server denied the login")
  /// The transport was stopped during the attempt.
  public static let transportStopped = Self("transport-stopped", "the transport was stopped")
  /// The server did not open a WebSocket as RFC 6455 demands; the detail says what was wrong.
  public static let socketHandshakeFailed = Self(
    "socket-handshake-failed", "the server opened no WebSocket")
  /// The server broke the protocol of an open WebSocket; the detail says how.
  public static let socketProtocolBroken = Self("socket-protocol-broken", "the server broke the protocol")
  /// The socket is not open, so nothing can be sent, or there is nothing to close.
  public static let socketNotOpen = Self("socket-not-open", "the socket is not open")
  /// More bytes than the limit wait to be sent.
  public static let sendQueueFull = Self("send-queue-full", "too much waits to be sent")
  /// A failure of the transport without a reason of its own; the detail has its code.
  public static let transportFailed = Self("transport-failed", "the transport failed")
}

// MARK: TLS

extension APIError.Reason {
  /// The application cancelled at an authentication challenge; see ``ChallengeAnswer/cancel``.
  public static let challengeCancelled = Self(
    "challenge-cancelled", "the application cancelled at an authentication challenge")
  /// The application rejects the server's certificate; see ``ChallengeAnswer/reject``.
  public static let certificateRejected = Self(
    "certificate-rejected", "the application rejects the certificate")
  /// The TLS handshake failed, without a more specific reason.
  public static let tlsHandshakeFailed = Self("tls-handshake-failed", "the TLS handshake failed")
  /// The server supports only TLS versions below the minimum.
  public static let tlsVersionTooOld = Self("tls-version-too-old", "the server's TLS version is too old")
  /// The certificate has expired.
  public static let certificateExpired = Self("certificate-expired", "the certificate has expired")
  /// The certificate is not valid yet.
  public static let certificateNotYetValid = Self(
    "certificate-not-yet-valid", "the certificate is not valid yet")
  /// The certificate is for another host, or has no subjectAltName.
  public static let certificateHostMismatch = Self(
    "certificate-host-mismatch", "the certificate is for another host")
  /// The certificate is self-signed and not trusted.
  public static let certificateSelfSigned = Self("certificate-self-signed", "the certificate is self-signed")
  /// The certificate's issuer is not trusted.
  public static let certificateUntrusted = Self("certificate-untrusted", "the issuer is not trusted")
  /// The certificate was revoked.
  public static let certificateRevoked = Self("certificate-revoked", "the certificate was revoked")
  /// No pin of the host matches the server's certificate.
  public static let pinMismatch = Self("pin-mismatch", "no pin matches the server's certificate")
  /// The trust store (CA bundle, pins) cannot be loaded.
  public static let trustStoreUnreadable = Self("trust-store-unreadable", "the trust store cannot be loaded")
  /// The client's own certificate or key cannot be loaded.
  public static let clientIdentityUnreadable = Self(
    "client-identity-unreadable", "the client certificate cannot be loaded")
  /// The certificate, or one above it, may not be used for a server: it has another purpose, or its issuer is not
  /// an authority.
  public static let certificateUnsuitable = Self(
    "certificate-unsuitable", "the certificate may not be used for this")
  /// The key or the digest of the certificate, or of one above it, is weaker than what is accepted.
  public static let certificateTooWeak = Self("certificate-too-weak", "the certificate is too weak")
  /// The server requires a client certificate, and the client has presented none.
  public static let clientCertificateRequired = Self(
    "client-certificate-required", "the server wants a client certificate")
  /// The server refuses the presented client certificate.
  public static let clientCertificateRefused = Self(
    "client-certificate-refused", "the server refuses the client certificate")
  /// The server refuses the presented client certificate, because it has expired.
  public static let clientCertificateExpired = Self(
    "client-certificate-expired", "the client certificate has expired")
}

// MARK: After the wire

extension APIError.Reason {
  /// The status code is not one that the manager accepts.
  public static let unacceptableStatus = Self("unacceptable-status", "the status is not acceptable")
  /// The content type is not one that the manager accepts.
  public static let unacceptableContentType = Self(
    "unacceptable-content-type", "the content type is not acceptable")
  /// The body is empty, but the manager requires one.
  public static let emptyBody = Self("empty-body", "the body is empty")
  /// The signature of the response is missing, or does not verify; see ``ServiceIdentity/verifier``.
  public static let unverifiedResponse = Self(
    "unverified-response", "the signature of the response does not verify")
  /// The service's byte transform (decryption) failed.
  public static let undecipherableBody = Self("undecipherable-body", "the body cannot be deciphered")
  /// The body is not valid in its format; the detail names line, column and byte offset.
  public static let malformedBody = Self("malformed-body", "the body is not valid in its format")
  /// The body is nested deeper or is larger than the decoder's limits.
  public static let bodyLimitExceeded = Self("body-limit-exceeded", "the body exceeds the decoder's limits")
  /// The body lacks a declared key path, or has a value of the wrong kind there.
  public static let unexpectedShape = Self("unexpected-shape", "the body does not have the declared shape")
  /// The response of a common call contains nothing for this load; see ``BatchPlan``.
  public static let missingFromBatch = Self("missing-from-batch", "the common call's response lacks it")
  /// The response reports an error in the service's own form.
  public static let businessError = Self("business-error", "the service reported an error")
  /// The manager's validator refused the response.
  public static let invalidResponse = Self("invalid-response", "the response did not validate")
  /// A value is missing or not of the requested kind.
  public static let unexpectedValue = Self("unexpected-value", "a value is not what was expected")
  /// A reformer could not produce its output.
  public static let reformFailed = Self("reform-failed", "the data could not be reformed")
}
