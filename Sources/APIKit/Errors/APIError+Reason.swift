extension APIError {
  /// Why a load failed: a stable name and a sentence.
  ///
  /// A struct and not an enum, so that new reasons do not break a caller's code. Applications may make
  /// their own for validators and services.
  public struct Reason: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, lower case with dashes: `idle-timeout`. Two reasons of one name are equal.
    public let name: String
    /// The sentence used when an error gives no detail.
    public let text: String

    /// Makes a reason of the application's own.
    ///
    /// - Parameters:
    ///   - name: Lower case with dashes; the last part of ``APIError/label``.
    ///   - text: A sentence without a capital or a full stop.
    public init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }

    /// The name.
    public var description: String { name }

    /// Reasons are equal when their names are.
    public static func == (left: Reason, right: Reason) -> Bool { left.name == right.name }

    /// Hashes the name alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

// MARK: Before the wire

extension APIError.Reason {
  /// The parameters did not validate; nothing was sent.
  public static let invalidParameters = Self("invalid-parameters", "the parameters did not validate")
  /// A load of this manager is in the air already and its policy ignores new ones.
  public static let alreadyLoading = Self("already-loading", "a load is in the air already")
  /// The throttle interval since the last takeoff has not passed.
  public static let throttled = Self("throttled", "too soon after the last takeoff")
  /// An interceptor refused the takeoff or the landing.
  public static let vetoed = Self("vetoed", "an interceptor vetoed it")
  /// The network condition does not allow a takeoff.
  public static let noNetwork = Self("no-network", "there is no network")
  /// The host, or the API, has failed so often that nothing is sent for a while.
  public static let circuitOpen = Self("circuit-open", "the server has failed too often for now")
  /// The loads that a service's error hook makes fail into the hook again; the detail names them.
  public static let resolutionCycle = Self("resolution-cycle", "the error hook goes in a circle")
  /// The manager, its service or a setting contradicts itself; the detail says what to change.
  public static let misconfigured = Self("misconfigured", "the configuration is not valid")
  /// The transport cannot do what is asked of it; the detail names the capability.
  public static let unsupportedCapability = Self(
    "unsupported-capability", "the transport cannot do what was asked")
  /// A URL or a piece of one is not valid.
  public static let invalidURL = Self("invalid-url", "the URL is not valid")
  /// A scheme other than those the transport serves.
  public static let unsupportedScheme = Self("unsupported-scheme", "the URL's scheme is not served")
  /// A header name or value holds a character that RFC 9110 forbids.
  public static let invalidHeader = Self("invalid-header", "a header field is not valid")
  /// A method that is not a token of RFC 9110.
  public static let invalidMethod = Self("invalid-method", "the method is not valid")
  /// A parameter cannot be written in the chosen encoding.
  public static let unencodableParameter = Self("unencodable-parameter", "a parameter cannot be encoded")
  /// The file or stream of a request body cannot be read.
  public static let unreadableBody = Self("unreadable-body", "the request body cannot be read")
  /// The signer could not sign.
  public static let signingFailed = Self("signing-failed", "the request could not be signed")
  /// A member of a group or a link of a chain could not be built, or failed with an error of its own.
  public static let memberFailed = Self("member-failed", "a member failed")
  /// Fewer members of a group succeeded than its policy demands.
  public static let quorumMissed = Self("quorum-missed", "not enough members succeeded")
  /// The load was cancelled before it landed.
  public static let cancelled = Self("cancelled", "it was cancelled")
}

// MARK: On the wire

extension APIError.Reason {
  /// The host's name has no address.
  public static let unknownHost = Self("unknown-host", "the host's name cannot be resolved")
  /// Nobody listens at the address, or a firewall rejects.
  public static let connectionRefused = Self("connection-refused", "the connection was refused")
  /// The connection, TLS included, was not made in time.
  public static let connectTimeout = Self("connect-timeout", "no connection in time")
  /// No byte moved for longer than the idle limit.
  public static let idleTimeout = Self("idle-timeout", "no bytes in time")
  /// The attempt took longer than its total limit.
  public static let totalTimeout = Self("total-timeout", "not finished in time")
  /// The deadline over all attempts of the load has passed.
  public static let deadlineExceeded = Self("deadline-exceeded", "not finished before its deadline")
  /// The connection broke while in use.
  public static let connectionLost = Self("connection-lost", "the connection was lost")
  /// The body ended before its declared length, or its framing or compression was cut.
  public static let truncatedBody = Self("truncated-body", "the response was cut in the middle")
  /// What came back is not HTTP, or contradicts itself.
  public static let malformedResponse = Self("malformed-response", "the response is not valid HTTP")
  /// The body is larger than the limit set for it.
  public static let responseTooLarge = Self("response-too-large", "the response is larger than its limit")
  /// The response was refused at its headers.
  public static let refusedAtHeaders = Self("refused-at-headers", "the response was refused at its headers")
  /// A content coding failed to decode.
  public static let undecodableContent = Self("undecodable-content", "the content coding is damaged")
  /// More redirects than the limit.
  public static let tooManyRedirects = Self("too-many-redirects", "too many redirects")
  /// A redirect led back to a request already made.
  public static let redirectLoop = Self("redirect-loop", "the redirects go in a circle")
  /// The policy refused a redirect, or its target is not usable.
  public static let redirectRefused = Self("redirect-refused", "the redirect was refused")
  /// The proxy could not be reached or refused the tunnel.
  public static let proxyFailed = Self("proxy-failed", "the proxy failed")
  /// A file of a `file:` URL or a download target cannot be opened, read or written.
  public static let fileFailed = Self("file-failed", "a file cannot be read or written")
  /// An FTP server has no such file or folder, or does not give it: FTP tells the two apart in words only,
  /// which the detail has.
  public static let remoteFileUnavailable = Self(
    "remote-file-unavailable", "the server has no such file, or does not give it")
  /// An FTP server does not take a file: no permission, no room, or a file that may not be replaced.
  public static let remoteFileRefused = Self("remote-file-refused", "the server does not take the file")
  /// The server refused the credentials of the transport's own authentication (FTP, proxy).
  public static let loginDenied = Self("login-denied", "the server denied the login")
  /// The transport was stopped with the attempt in the air.
  public static let transportStopped = Self("transport-stopped", "the transport was stopped")
  /// A failure of the transport that has no reason of its own; the detail has its code.
  public static let transportFailed = Self("transport-failed", "the transport failed")
}

// MARK: TLS

extension APIError.Reason {
  /// The TLS handshake failed for a reason that has no name of its own.
  public static let tlsHandshakeFailed = Self("tls-handshake-failed", "the TLS handshake failed")
  /// The server offers only TLS versions below the minimum.
  public static let tlsVersionTooOld = Self("tls-version-too-old", "the server's TLS version is too old")
  /// The certificate's time is over.
  public static let certificateExpired = Self("certificate-expired", "the certificate has expired")
  /// The certificate's time has not come.
  public static let certificateNotYetValid = Self(
    "certificate-not-yet-valid", "the certificate is not valid yet")
  /// The certificate is for another host, or names none by subjectAltName.
  public static let certificateHostMismatch = Self(
    "certificate-host-mismatch", "the certificate is for another host")
  /// The certificate signs itself and is not trusted.
  public static let certificateSelfSigned = Self("certificate-self-signed", "the certificate is self-signed")
  /// The certificate's issuer is not trusted.
  public static let certificateUntrusted = Self("certificate-untrusted", "the issuer is not trusted")
  /// The certificate was revoked.
  public static let certificateRevoked = Self("certificate-revoked", "the certificate was revoked")
  /// No pin of the host matches the certificate.
  public static let pinMismatch = Self("pin-mismatch", "no pin matches the server's certificate")
  /// The trust store (CA bundle, pins) cannot be loaded.
  public static let trustStoreUnreadable = Self("trust-store-unreadable", "the trust store cannot be loaded")
  /// The client's own certificate or key cannot be loaded.
  public static let clientIdentityUnreadable = Self(
    "client-identity-unreadable", "the client certificate cannot be loaded")
  /// The server demands a client certificate and got none it trusts.
  public static let clientCertificateRequired = Self(
    "client-certificate-required", "the server wants a client certificate it trusts")
}

// MARK: After the wire

extension APIError.Reason {
  /// The status code is not among those the manager accepts.
  public static let unacceptableStatus = Self("unacceptable-status", "the status is not acceptable")
  /// The content type is not among those the manager accepts.
  public static let unacceptableContentType = Self(
    "unacceptable-content-type", "the content type is not acceptable")
  /// The body is empty where the manager demands one.
  public static let emptyBody = Self("empty-body", "the body is empty")
  /// The service's byte transform (decryption) failed.
  public static let undecipherableBody = Self("undecipherable-body", "the body cannot be deciphered")
  /// The body is not valid in its format; the detail names line, column and byte offset.
  public static let malformedBody = Self("malformed-body", "the body is not valid in its format")
  /// The body is nested deeper, or is larger, than the decoder's limits.
  public static let bodyLimitExceeded = Self("body-limit-exceeded", "the body exceeds the decoder's limits")
  /// The body lacks declared key paths or has others of the wrong kind.
  public static let unexpectedShape = Self("unexpected-shape", "the body does not have the declared shape")
  /// The answer of a common call holds nothing for this load; see ``BatchPlan``.
  public static let missingFromBatch = Self("missing-from-batch", "the common call's answer lacks it")
  /// The service said "error" in a transported answer.
  public static let businessError = Self("business-error", "the service reported an error")
  /// The manager's validator refused the response.
  public static let invalidResponse = Self("invalid-response", "the response did not validate")
  /// A value is missing, or is not of the kind asked for.
  public static let unexpectedValue = Self("unexpected-value", "a value is not what was expected")
  /// A reformer could not make its output.
  public static let reformFailed = Self("reform-failed", "the data could not be reformed")
}
