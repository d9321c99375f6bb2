import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionTransport {
  /// The reason of a failure of the system's session.
  static func reason(of error: any Error) -> APIError.Reason {
    #if canImport(FoundationNetworking)
      // Linux has few codes, and puts libcurl's own words into the text.
      let text = error.localizedDescription
      if let row = curlTexts.first(where: { text.contains($0.text) }) { return row.reason }
    #endif
    return reason(of: (error as? URLError)?.code ?? .unknown)
  }

  /// The reason of a code, one row per code.
  private static func reason(of code: URLError.Code) -> APIError.Reason {
    switch code {
    // We cancel only after having landed the attempt, so this is the system's doing: an ended session.
    case .cancelled: .cancelled
    // The name has no address; `dnsLookupFailed` is Apple's word for a resolver that failed.
    case .cannotFindHost, .dnsLookupFailed: .unknownHost
    // Refused or unreachable.
    case .cannotConnectToHost: .connectionRefused
    // No interface is up, or calls and roaming forbid it.
    case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .noNetwork
    // Broke in use: reset, or closed before a whole answer.
    case .networkConnectionLost: .connectionLost
    // The system's own timer; ours come first, so this is a connection attempt the kernel gave up.
    case .timedOut: .connectTimeout
    // The answer is no HTTP.
    case .badServerResponse, .cannotParseResponse, .zeroByteResource: .malformedResponse
    // The scheme was checked before: what is not supported is the answer, HTTP/0.9 for example.
    case .unsupportedURL: .malformedResponse
    // A content coding that does not decode.
    case .cannotDecodeContentData, .cannotDecodeRawData: .undecodableContent
    // The system's own size limit.
    case .dataLengthExceedsMaximum: .responseTooLarge
    // Redirects are followed above the transport; these are the system's words for them.
    case .httpTooManyRedirects: .tooManyRedirects
    case .redirectToNonExistentLocation: .redirectRefused
    case .badURL: .invalidURL
    // The handshake broke off; a server below the minimum version ends here too.
    case .secureConnectionFailed: .tlsHandshakeFailed
    // The server's certificate.
    case .serverCertificateHasBadDate: .certificateExpired
    case .serverCertificateNotYetValid: .certificateNotYetValid
    case .serverCertificateHasUnknownRoot: .certificateUntrusted
    // Apple's word for a wrong host as well; nothing in the error tells the two apart.
    case .serverCertificateUntrusted: .certificateUntrusted
    // The client's certificate.
    case .clientCertificateRejected, .clientCertificateRequired: .clientCertificateRequired
    // The file of the body to send; downloads are written by us.
    case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .requestBodyStreamExhausted:
      .unreadableBody
    default: .transportFailed
    }
  }

  #if canImport(FoundationNetworking)
    /// What libcurl 7.88 writes, and the reason it stands for; the first that fits counts.
    private static let curlTexts: [(text: String, reason: APIError.Reason)] = [
      // CURLE_GOT_NOTHING: closed before a byte of the answer. The system calls it a bad answer.
      ("Empty reply from server", .connectionLost),
      // CURLE_PARTIAL_FILE: closed before Content-Length or the last chunk.
      ("transfer closed with", .truncatedBody),
      // CURLE_RECV_ERROR with a chunk size that is no number.
      ("in chunked-encoding", .malformedResponse),
      // CURLE_BAD_CONTENT_ENCODING: gzip, deflate, br or zstd does not decode.
      ("content unencoding", .undecodableContent),
      // CURLE_WRITE_ERROR: bytes behind the first member of a gzip body, which libcurl does not read.
      ("Failed writing received data", .undecodableContent),
      // CURLE_OUT_OF_MEMORY, which libcurl says of a header line beyond 100 KB.
      ("Out of memory", .malformedResponse),
      // CURLE_WEIRD_SERVER_REPLY: a head that is no HTTP.
      ("Weird server reply", .malformedResponse),
      // CURLE_COULDNT_CONNECT, which the system knows only with some error numbers of the kernel.
      ("Couldn't connect to server", .connectionRefused),
      // CURLE_PEER_FAILED_VERIFICATION, by OpenSSL's words.
      ("certificate has expired", .certificateExpired),
      ("certificate is not yet valid", .certificateNotYetValid),
      ("self-signed certificate in certificate chain", .certificateUntrusted),
      ("self-signed certificate", .certificateSelfSigned),
      ("unable to get local issuer certificate", .certificateUntrusted),
      ("no alternative certificate subject name", .certificateHostMismatch),
      ("does not match target host name", .certificateHostMismatch),
      // An alert of the server: TLS 1.3 reports a missing client certificate at the first read.
      ("alert certificate required", .clientCertificateRequired),
      ("unsupported protocol", .tlsVersionTooOld),
      ("alert protocol version", .tlsVersionTooOld),
      // CURLE_SSL_CONNECT_ERROR without one of the words above.
      ("OpenSSL/", .tlsHandshakeFailed),
    ]
  #endif
}
