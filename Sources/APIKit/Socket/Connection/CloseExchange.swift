/// What the two sides of a connection have told each other about its end, and what came between.
struct CloseExchange {
  /// How the wire ended.
  enum WireEnd {
    /// The server has ended it in order, or it was ended here.
    case orderly
    /// It broke, or TLS ended without a close_notify.
    case broken(APIError)
  }

  var sentCode: SocketCloseCode?
  var received: (code: SocketCloseCode, reason: String)?
  var failure: APIError?

  /// What is told of the connection after its wire has ended.
  func closing(after end: WireEnd) -> SocketClosing {
    var closing = SocketClosing(
      code: received?.code ?? .abnormal, reason: received?.reason ?? "", sentCode: sentCode)
    var broken: APIError?
    if case .broken(let error) = end { broken = error }
    if received != nil, sentCode != nil, failure == nil {
      closing.end = .clean
    } else {
      closing.end = broken == nil && failure == nil ? .dropped : .cut
    }
    if let failure {
      closing.error = failure
    } else if received == nil {
      let lost = "the server ended the connection without a close frame"
      closing.error =
        broken
        ?? APIError(.transport, .connectionLost, sentCode == nil ? lost : lost + ", after one was sent")
    }
    return closing
  }
}
