import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionTransport {
  /// The reason for an error of the system's session.
  package static func reason(of error: any Error) -> APIError.Reason {
    #if canImport(FoundationNetworking)
      // Linux has few codes, but its texts contain those of libcurl.
      let text = error.localizedDescription
      if let row = curlTexts.first(where: { text.contains($0.text) }) { return row.reason }
    #endif
    if isAppTransportSecurity(error) { return .cleartextRefused }
    return reason(of: (error as? URLError)?.code ?? .unknown)
  }

  /// The detail that the reason's text lacks; nil when that text is complete.
  package static func detail(of error: any Error) -> String? {
    let system = error as NSError
    guard system.domain == NSURLErrorDomain else { return nil }
    if isAppTransportSecurity(error) {
      return
        "App Transport Security refuses servers without TLS; besides the transport's own policy, the application's "
        + "Info.plist must name the host under NSAppTransportSecurity"
    }
    // NSURLErrorSecureConnectionFailed with the status of Secure Transport, which Apple's system alone tells: -9802
    // (errSSLFatalAlert) is how App Transport Security ends a handshake.
    guard system.code == -1200, let status = system.userInfo["_kCFStreamErrorCodeKey"] as? Int else {
      return nil
    }
    return
      "the TLS handshake failed (status \(status)); where the server is sound, App Transport Security has refused it: pins that "
      + "replace the chain, authorities of one's own and old servers need an exception for the host in the application's "
      + "Info.plist (NSAppTransportSecurity, NSExceptionDomains, NSExceptionAllowsInsecureHTTPLoads)"
  }

  /// NSURLErrorAppTransportSecurityRequiresSecureConnection, which Linux does not know.
  private static func isAppTransportSecurity(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSURLErrorDomain && error.code == -1022
  }

  /// The reason for a code.
  private static func reason(of code: URLError.Code) -> APIError.Reason {
    switch code {
    // Of an attempt that its caller has not cancelled, ``TrustFaults`` says what it means.
    case .cancelled: .cancelled
    // The name has no address; on Apple platforms `dnsLookupFailed` means that the resolver failed.
    case .cannotFindHost, .dnsLookupFailed: .unknownHost
    // Refused or unreachable.
    case .cannotConnectToHost: .connectionRefused
    // No interface is up, or calls and roaming forbid it.
    case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .noNetwork
    // The connection was reset, or closed before the response was complete.
    case .networkConnectionLost: .connectionLost
    // The transport's timers fire before the system's, so this is a connection attempt that the kernel gave
    // up.
    case .timedOut: .connectTimeout
    // The response is not HTTP.
    case .badServerResponse, .cannotParseResponse, .zeroByteResource: .malformedResponse
    // The scheme was checked before, so this is about the response, HTTP/0.9 for example.
    case .unsupportedURL: .malformedResponse
    // A content coding that does not decode.
    case .cannotDecodeContentData, .cannotDecodeRawData: .undecodableContent
    // The system's own size limit.
    case .dataLengthExceedsMaximum: .responseTooLarge
    // Redirects are followed above the transport, so these are not expected.
    case .httpTooManyRedirects: .tooManyRedirects
    case .redirectToNonExistentLocation: .redirectRefused
    case .badURL: .invalidURL
    // The handshake failed, also with a server below the minimum version.
    case .secureConnectionFailed: .tlsHandshakeFailed
    // The server's certificate.
    case .serverCertificateHasBadDate: .certificateExpired
    case .serverCertificateNotYetValid: .certificateNotYetValid
    case .serverCertificateHasUnknownRoot: .certificateUntrusted
    // On Apple platforms also a wrong host; the error does not distinguish the two.
    case .serverCertificateUntrusted: .certificateUntrusted
    // The client's certificate.
    case .clientCertificateRejected: .clientCertificateRefused
    case .clientCertificateRequired: .clientCertificateRequired
    // The file of the body to send; the transport itself writes downloads.
    case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .requestBodyStreamExhausted:
      .unreadableBody
    default: .transportFailed
    }
  }

  #if canImport(FoundationNetworking)
    /// Texts of libcurl 7.88 and the reason each means; the first that fits is used.
    private static let curlTexts: [(text: String, reason: APIError.Reason)] = [
      // CURLE_GOT_NOTHING: closed before a byte of the response. The system's code is `badServerResponse`.
      ("Empty reply from server", .connectionLost),
      // CURLE_PARTIAL_FILE: closed before Content-Length or the last chunk.
      ("transfer closed with", .truncatedBody),
      // CURLE_RECV_ERROR with a chunk size that is not a number.
      ("in chunked-encoding", .malformedResponse),
      // CURLE_BAD_CONTENT_ENCODING: gzip, deflate, br or zstd does not decode.
      ("content unencoding", .undecodableContent),
      // CURLE_WRITE_ERROR: bytes after the first member of a gzip body, which libcurl does not read.
      ("Failed writing received data", .undecodableContent),
      // CURLE_OUT_OF_MEMORY, which libcurl reports for a header line above 100 KB.
      ("Out of memory", .malformedResponse),
      // CURLE_WEIRD_SERVER_REPLY: a head that is not HTTP.
      ("Weird server reply", .malformedResponse),
      // CURLE_COULDNT_CONNECT, for which the system has a code only with some error numbers of the kernel.
      ("Couldn't connect to server", .connectionRefused),
      // CURLE_PEER_FAILED_VERIFICATION, by OpenSSL's texts.
      ("certificate has expired", .certificateExpired),
      ("certificate is not yet valid", .certificateNotYetValid),
      ("self-signed certificate in certificate chain", .certificateUntrusted),
      ("self-signed certificate", .certificateSelfSigned),
      ("unable to get local issuer certificate", .certificateUntrusted),
      ("invalid CA certificate", .certificateUnsuitable),
      ("unsuitable certificate purpose", .certificateUnsuitable),
      ("key too weak", .certificateTooWeak),
      ("md too weak", .certificateTooWeak),
      ("no alternative certificate subject name", .certificateHostMismatch),
      ("does not match target host name", .certificateHostMismatch),
      // An alert of the server: TLS 1.3 reports a missing client certificate at the first read.
      ("alert certificate required", .clientCertificateRequired),
      ("unsupported protocol", .tlsVersionTooOld),
      ("alert protocol version", .tlsVersionTooOld),
      // CURLE_SSL_CONNECT_ERROR with none of the texts above; the second where the connection ended in the handshake.
      ("OpenSSL/", .tlsHandshakeFailed),
      ("OpenSSL SSL_connect", .tlsHandshakeFailed),
      // The same by a reset; the system has a code for one behind the handshake.
      ("Connection reset by peer", .connectionLost),
    ]
  #endif
}
