#if os(Linux)
  import CAPIKit
  import Glibc

  /// Maps libcurl's codes to the framework's reasons.
  enum CurlErrors {
    /// The circumstances of a failed transfer besides its code.
    struct Circumstances {
      /// The text in libcurl's error buffer; some failures differ in nothing else.
      var text = ""
      /// OpenSSL's verification result for the certificate (`X509_V_ERR_…`); 0 when there is none.
      var verifyResult = 0
      /// The status of a proxy's response to CONNECT; 0 when there was none.
      var connectStatus = 0
      /// `errno` of the last socket call; 0 when none failed.
      var systemError: Int32 = 0
      /// `errno` of the last socket that could not be opened; 0 when the last one could.
      var socketError: Int32 = 0
      /// Whether the server asked for a client certificate, on a connection made for this transfer.
      var wasAskedForCertificate = false
      /// Whether there is a client certificate to show.
      var hasCertificate = false
      /// Whether the connection was established when the transfer failed.
      var wasConnected = false
      /// Whether a response had begun.
      var hasResponse = false
      /// Whether the connection was to a proxy.
      var isProxied = false
      /// Whether the URL's scheme is served over TLS.
      var isTLS = false
    }

    /// One row per code, with the circumstances under which libcurl gives it.
    private static let reasons: [UInt32: APIError.Reason] = [
      1: .unsupportedScheme,  // a scheme not built in; "Received HTTP/0.9" is refined below
      2: .transportFailed,  // libcurl could not initialise
      3: .invalidURL,  // the URL does not parse
      4: .unsupportedCapability,  // an option not built into this libcurl
      5: .proxyFailed,  // the proxy's name has no address
      6: .unknownHost,  // the host's name has no address
      7: .connectionRefused,  // no address could be connected to; refined by errno below
      8: .malformedResponse,  // an FTP server sent what FTP does not allow
      9: .remoteFileUnavailable,  // FTP: no such directory, or no permission
      10: .connectionLost,  // FTP: the server did not connect back
      11: .malformedResponse,  // FTP: an unusable reply to PASS
      12: .connectTimeout,  // FTP: the server did not connect back in time
      13: .malformedResponse,  // FTP: unusable reply to PASV
      14: .malformedResponse,  // FTP: unusable address in the reply to PASV
      15: .unknownHost,  // FTP: the address in the reply to PASV
      16: .connectionLost,  // HTTP/2: a framing error
      17: .transportFailed,  // FTP: the transfer type could not be set
      18: .truncatedBody,  // the body ended before its declared length
      19: .remoteFileUnavailable,  // FTP: RETR failed, or the folder cannot be listed
      21: .transportFailed,  // FTP: a quoted command failed
      22: .unacceptableStatus,  // only with FAILONERROR, which is never set
      23: .fileFailed,  // a callback refused bytes; its own error is used, this is the fallback
      25: .remoteFileRefused,  // FTP: the upload was refused
      26: .unreadableBody,  // the read callback failed
      27: .responseTooLarge,  // out of memory, which libcurl also reports for a header line over 100 KB
      28: .idleTimeout,  // libcurl's wait for an FTP reply; refined below
      30: .connectionLost,  // FTP: PORT failed
      31: .fileFailed,  // FTP: REST failed
      33: .malformedResponse,  // the server ignored a range that was needed
      35: .tlsHandshakeFailed,  // refined by the text below
      36: .fileFailed,  // FTP: the download cannot be resumed there
      37: .fileFailed,  // file: cannot be opened; never seen, LocalSchemes serves it
      42: .transportFailed,  // a callback ended it; its own error is used
      43: .transportFailed,  // libcurl was called wrongly; refined below
      45: .connectionRefused,  // the local interface cannot be used
      47: .loginDenied,  // each login was called stale; libcurl follows no redirects here
      48: .unsupportedCapability,  // an option this libcurl does not know
      49: .misconfigured,  // the text of an option does not parse
      52: .connectionLost,  // closed without a byte of a response
      53: .tlsHandshakeFailed,  // the TLS engine was not found
      54: .tlsHandshakeFailed,  // the TLS engine was not usable
      55: .connectionLost,  // sending failed
      56: .connectionLost,  // receiving failed; a TLS 1.3 alert comes here too, see below
      58: .clientIdentityUnreadable,  // the client certificate or its key
      59: .tlsHandshakeFailed,  // no common cipher
      60: .certificateUntrusted,  // refined by the verdict below
      61: .undecodableContent,  // libcurl decodes no content here: a broken transfer coding
      63: .responseTooLarge,  // only with MAXFILESIZE, which is never set
      64: .tlsHandshakeFailed,  // FTP: the server has no TLS
      65: .unreadableBody,  // the body had to be sent again and could not be rewound
      66: .tlsHandshakeFailed,  // the TLS engine failed
      67: .loginDenied,  // FTP: user or password
      69: .fileFailed,  // TFTP, not served
      70: .remoteFileRefused,  // FTP: the server's disk is full
      73: .remoteFileRefused,  // FTP: the file is there already
      77: .trustStoreUnreadable,  // the CA bundle is missing or is not PEM
      78: .remoteFileUnavailable,  // FTP: no such file, or no permission
      80: .connectionLost,  // TLS was not shut down properly
      82: .trustStoreUnreadable,  // the revocation list
      83: .certificateUntrusted,  // the issuer check failed
      84: .fileFailed,  // FTP: PRET
      90: .pinMismatch,  // libcurl's own pinning, which is not used
      91: .certificateRevoked,  // an OCSP response was not good
      92: .connectionLost,  // HTTP/2: a stream was reset
      94: .loginDenied,  // an authentication function failed
      95: .connectionLost,  // HTTP/3
      96: .connectionLost,  // QUIC
      97: .proxyFailed,  // SOCKS handshake
      98: .clientCertificateRequired,  // the server wants a certificate; refined by whether there was one
      100: .responseTooLarge,  // a field larger than libcurl's own limits (from 8.6 on)
    ]

    /// The error of a transfer that ended with `code`.
    static func error(_ code: CURLcode, _ seen: Circumstances) -> APIError {
      let number = code.rawValue
      var reason = reasons[number] ?? .transportFailed
      switch number {
      // "Received HTTP/0.9", "Unsupported response code": about a response, so the connection was there.
      case 1 where seen.wasConnected: reason = .malformedResponse
      case 7: reason = connecting(seen)
      case 43 where seen.wasConnected: reason = .malformedResponse
      // libcurl's own limits, which it reports as a lost connection: 300 KB of heads, 4 KB for a trailer line.
      case 56 where seen.text.contains("Too large response headers"): reason = .responseTooLarge
      case 56 where seen.text.contains("Out of memory in chunked-encoding"): reason = .responseTooLarge
      // "… in chunked-encoding" up to 8.5, "chunk hex-length …" and "invalid chunk size …" later.
      case 56 where seen.text.contains("chunk"): reason = .malformedResponse
      // A connection of HTTP/2 that was closed: libcurl says the same before and within the response.
      case 18 where !seen.hasResponse: reason = .connectionLost
      case 28 where !seen.wasConnected: reason = .connectTimeout  // the system gave up (ETIMEDOUT)
      // "User was rejected by the SOCKS5 server", and "No authentication method was acceptable" of one that wants a login.
      case 97 where ["rejected by the SOCKS5", "authentication method"].contains(where: seen.text.contains):
        reason = .loginDenied
      case 35 where isUnsigned(seen.text): reason = .certificateUntrusted
      case 35, 55, 56, 80: reason = broken(reason, seen)
      // Newer ones also say 43 for a key that does not parse or is not that of the certificate.
      case 43 where seen.text.contains("private key"): reason = .clientIdentityUnreadable
      // A coding that is not allowed there, "Unsolicited Transfer-Encoding"; older ones say 56.
      case 61 where seen.text.contains("Transfer-Encoding"): reason = .malformedResponse
      // When the own verification succeeded it is the server's alert 45: libcurl takes it for its own (TLS 1.2).
      case 60 where seen.text == "SSL certificate verification failed": reason = .clientCertificateExpired
      case 60: reason = verdict(seen)
      case 98 where seen.hasCertificate: reason = .clientCertificateRefused
      default: break
      }
      if seen.connectStatus >= 400, number == 56 || number == 7 {
        reason = seen.connectStatus == 407 ? .loginDenied : .proxyFailed
      } else if number == 56, seen.isProxied, !seen.wasConnected {
        // Another status, no HTTP, too much of it, or an end instead of a response to CONNECT.
        let isTunnel = (200..<300).contains(seen.connectStatus) && !seen.text.contains("CONNECT")
        if !isTunnel { reason = .proxyFailed }
      }
      return APIError(.transport, reason, detail(reason, code: number, seen))
    }

    /// The error of an option that libcurl refused.
    static func option(_ name: String, _ code: CURLcode) -> APIError {
      APIError(
        .transport, code == CURLE_UNKNOWN_OPTION ? .unsupportedCapability : .misconfigured,
        "libcurl did not take \(name): \(String(cString: curl_easy_strerror(code))) (curl \(code.rawValue))")
    }

    /// The error of a TLS connection whose certificate cannot be checked.
    static let hiddenTLS = APIError(
      .transport, .unsupportedCapability,
      "libcurl does not show its TLS connection, which cannot be checked; it needs one with OpenSSL")

    /// The error of a failed call of the multi interface.
    static func multi(_ call: String, _ code: CURLMcode) -> APIError {
      APIError(
        .transport, .transportFailed,
        "\(call) failed: \(String(cString: curl_multi_strerror(code))) (curl multi \(code.rawValue))")
    }

    /// The error of a failed system call.
    static func system(_ call: String, _ number: Int32) -> APIError {
      APIError(.transport, .transportFailed, "\(call) failed: \(String(cString: strerror(number)))")
    }

    private static func connecting(_ seen: Circumstances) -> APIError.Reason {
      if seen.socketError != 0 { return .transportFailed }
      if seen.systemError == ETIMEDOUT { return .connectTimeout }
      return seen.isProxied ? .proxyFailed : .connectionRefused
    }

    /// The reason of a broken connection: which TLS failure it was, or the network.
    private static func broken(_ reason: APIError.Reason, _ seen: Circumstances) -> APIError.Reason {
      guard seen.isTLS else { return reason }
      let text = seen.text
      // OpenSSL reads whatever is no TLS record as one of a wrong version. Once the request was sent, that is a
      // broken connection; only a handshake is tried again as if nothing had been sent.
      guard !seen.wasConnected || text.contains("alert") else { return reason }
      // OpenSSL's texts for the alert 70 (protocol_version) and for its own refusal of an old version.
      if ["unsupported protocol", "protocol version", "wrong version number"].contains(where: text.contains) {
        // A server without TLS also causes "wrong version number": its bytes are read as a TLS record.
        return text.contains("wrong version number") ? .tlsHandshakeFailed : .tlsVersionTooOld
      }
      guard text.contains("alert") else { return reason }
      // Alerts that are only about the client's certificate: 42 to 46, 48, and 116 in TLS 1.3. The alerts 40 and 49
      // have other causes too.
      if text.contains("certificate expired") { return .clientCertificateExpired }
      let refusals =
        ["certificate", "unknown ca"]
        + (seen.wasAskedForCertificate ? ["handshake failure", "access denied"] : [])
      guard refusals.contains(where: text.contains) else { return reason }
      return seen.hasCertificate ? .clientCertificateRefused : .clientCertificateRequired
    }

    /// Whether a certificate of the chain is not signed by the key of the issuer that it names. Of that OpenSSL leaves the
    /// error of the signature, which libcurl takes for one of the handshake.
    private static func isUnsigned(_ text: String) -> Bool {
      // That of OpenSSL 3.5.
      if text.contains("provider signature failure") { return true }
      if text.contains("asn1 encoding routines") { return text.contains("EVP lib") }
      return text.contains("rsa routines")
        && ["padding", "for modulus", "wrong signature length", "bad signature"].contains(
          where: text.contains)
    }

    /// The reason for OpenSSL's verification result.
    private static func verdict(_ seen: Circumstances) -> APIError.Reason {
      if ["no alternative certificate subject name", "does not match target host"].contains(
        where: seen.text.contains)
      {
        return .certificateHostMismatch
      }
      return ChainVerifier.reason(seen.verifyResult)
    }

    /// A hint beside the texts of the reason and of libcurl.
    private static func hint(_ reason: APIError.Reason, _ seen: Circumstances) -> String {
      switch (reason, seen.verifyResult) {
      case (.certificateUntrusted, 19): return "; the root at the end of its chain is not in the trust store"
      case (.certificateUntrusted, 20), (.certificateUntrusted, 21):
        return
          "; the server does not send the certificates between its own and the root, or the root is not in the "
          + "trust store"
      case (.certificateUntrusted, _) where isUnsigned(seen.text):
        return "; the issuer that a certificate of its chain names has not signed it"
      case (.connectionLost, _), (.tlsHandshakeFailed, _):
        guard seen.wasAskedForCertificate, !seen.text.contains("alert") else { return "" }
        return "; the server had asked for a client certificate, and "
          + (seen.hasCertificate ? "was shown one" : "there is none to show")
      default: return ""
      }
    }

    private static func detail(_ reason: APIError.Reason, code: UInt32, _ seen: Circumstances) -> String {
      var text = seen.text
      if code == 27 { text = "a header line over 100 KB" }
      if code == 47 { text = "each login was refused as stale" }
      if code == 43, seen.wasConnected { text = "a line that is no header field" }
      if code == 7, seen.socketError != 0 {
        text = "no socket can be opened: \(String(cString: strerror(seen.socketError)))"
      }
      if text.isEmpty { text = String(cString: curl_easy_strerror(CURLcode(rawValue: code))) }
      while text.last?.isNewline == true { text.removeLast() }
      return "\(reason.text): \(text) (curl \(code))\(hint(reason, seen))"
    }
  }
#endif
