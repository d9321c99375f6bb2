import APIKit

/// The closing handshake of a connection (RFC 6455, 7), and what interrupted it.
struct CloseHandshake {
  /// How the wire ended.
  enum WireEnd {
    /// The server has ended it in order.
    case byServer
    /// It broke, or TLS ended without a close_notify.
    case broken(APIError)
    /// It was ended here: the time after a close frame has passed.
    case here(after: Duration)
  }

  var sentCode: SocketCloseCode?
  var received: (code: SocketCloseCode, reason: String)?
  var failure: APIError?

  /// How the connection has ended, once its wire has.
  func closing(after end: WireEnd) -> SocketClosing {
    var closing = SocketClosing(
      code: received?.code ?? .abnormal, reason: received?.reason ?? "", sentCode: sentCode)
    guard received == nil || sentCode == nil || failure != nil else {
      closing.end = .clean
      return closing
    }
    if let failure {
      (closing.end, closing.error) = (.aborted, failure)
      return closing
    }
    switch end {
    case .byServer:
      let lost = "the server ended the connection without a close frame"
      closing.end = .dropped
      closing.error = APIError(
        .transport, .connectionLost, sentCode == nil ? lost : lost + ", after one was sent")
    case .broken(let error):
      closing.end = error.reason == .transportStopped ? .aborted : .cut
      closing.error = error
    case .here(let limit):
      closing.end = .aborted
      closing.error = APIError(
        .transport, .idleTimeout, "the server did not end the connection within \(limit.shortText)")
    }
    if received != nil { closing.error = nil }
    return closing
  }
}
