import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionTransport: MessageTransport {
  package func makeMessageWire(
    for exchange: HTTPExchange, _ terms: MessageWireTerms
  ) throws(APIError) -> any MessageWire {
    #if canImport(FoundationNetworking)
      throw APIError(
        .transport, .unsupportedCapability,
        "URLSessionTransport opens no WebSockets on Linux: the libcurl below FoundationNetworking has no ws; CurlTransport opens them"
      )
    #else
      guard !isGiven else {
        throw APIError(
          unsupported: "WebSockets over a session that it was given; one with a session of its own does")
      }
      return try makeSocket(exchange, terms)
    #endif
  }
}

/// The rules of the system's WebSocket, as functions that need no socket.
enum SystemSocketRules {
  /// Whether the system sends a close code: one that its enumeration names, or one of the ranges for libraries and
  /// applications. The enumeration is open, as all of C are, so a number without a name is a value of it. 1012 to 1014 are of
  /// neither kind.
  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/urlsessionwebsockettask/closecode>, RFC 6455, 7.4.2
  static func canClose(with code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1011, 3000...4999: true
    default: false
    }
  }

  /// The code of the server's close frame by the number that the system gives; nil where the frame had none.
  static func closeCode(_ number: Int) -> UInt16? {
    // 0 (`invalid`) means no code to the system, 1005 to the RFC.
    number == 0 || number == 1005 ? nil : UInt16(clamping: number)
  }

  /// The request of a handshake. The fields that the handshake consists of are the system's, but for the subprotocols.
  static func request(
    _ request: HTTPRequest, headers: HTTPHeaders, _ terms: MessageWireTerms, told: SystemRequestTerms
  ) throws(APIError) -> URLRequest {
    var request = request
    request.method = .get
    var headers = headers
    if !terms.subprotocols.isEmpty {
      headers.add("Sec-WebSocket-Protocol", terms.subprotocols.joined(separator: ", "))
    }
    let scheme = request.url.scheme == "https" ? "wss" : "ws"
    return try URLSessionTransport.bridge(request, headers: headers, scheme: scheme, terms: told)
  }

  /// The response to a handshake, from what the system keeps of it.
  ///
  /// - Parameter chosen: The subprotocol that the system names; nil where there is none.
  static func response(_ system: HTTPURLResponse?, choosing chosen: String?) -> HTTPResponse {
    var headers = system.map(URLSessionTransport.headers) ?? HTTPHeaders()
    if let chosen, !chosen.isEmpty { headers["Sec-WebSocket-Protocol"] = chosen }
    return HTTPResponse(status: system?.statusCode ?? 101, headers: headers, version: .http1_1)
  }

  /// The error for one that the system's WebSocket reports.
  static func error(_ error: any Error) -> APIError {
    let system = error as NSError
    let reason: APIError.Reason
    switch (system.domain, system.code) {
    // A message above `maximumMessageSize`.
    case (NSPOSIXErrorDomain, Int(POSIXErrorCode.EMSGSIZE.rawValue)): reason = .responseTooLarge
    // A frame that breaks the protocol.
    case (NSPOSIXErrorDomain, Int(POSIXErrorCode.EPROTO.rawValue)): reason = .socketProtocolBroken
    // Reset, aborted, or not connected any more.
    case (NSPOSIXErrorDomain, _): reason = .connectionLost
    default: reason = URLSessionTransport.reason(of: error)
    }
    let detail = URLSessionTransport.detail(of: error) ?? reason.text
    return APIError(
      .transport, reason, "\(detail) (URLSession: \(system.domain) \(system.code))", underlying: error)
  }
}
