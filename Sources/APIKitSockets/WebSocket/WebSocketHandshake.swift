import APIKit

/// The opening handshake of a client (RFC 6455, 4.1): the request as it stands on the wire, and the verdict on the
/// response to it.
///
/// Neither sends nor draws random numbers: the key is passed in.
package struct WebSocketHandshake {
  /// A client's offer.
  struct Offer: Equatable {
    /// The subprotocols, the preferred one first.
    var subprotocols: [String] = []
    /// The size of the window for permessage-deflate as a power of two; nil offers no compression.
    var deflateBits: Int?
  }

  /// The part of the offer that the server accepted.
  struct Accepted: Equatable {
    var subprotocol: String?
    var deflate: DeflateTerms?
  }

  let offer: Offer
  /// The value of `Sec-WebSocket-Key`: 16 random bytes in Base64.
  let key: String

  init(offer: Offer, nonce: [UInt8]) {
    self.offer = offer
    key = Base64.encode(nonce)
  }

  /// The fields that a handshake consists of; an application cannot set them.
  private static let ownFields = [
    "Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol",
    "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept", "Host", "Content-Length", "Transfer-Encoding", "TE",
    "Trailer", "Expect", "Keep-Alive",
  ]

  /// Throws `APIError.Reason.misconfigured` for fields that are the handshake's own.
  static func refuseOwnFields(_ headers: HTTPHeaders) throws(APIError) {
    for name in ownFields where headers.contains(name) {
      throw APIError(
        .assembly, .misconfigured, "\(name) belongs to the handshake of a WebSocket and cannot be set")
    }
  }

  /// Throws `APIError.Reason.misconfigured` for an offer that cannot be made.
  static func validate(_ offer: Offer) throws(APIError) {
    guard offer.subprotocols.allSatisfy(HTTPToken.isToken),
      Set(offer.subprotocols).count == offer.subprotocols.count
    else {
      throw APIError(
        .assembly, .misconfigured,
        "subprotocols are tokens, each named once, not \(offer.subprotocols.joined(separator: ", "))")
    }
  }

  /// The request's bytes.
  ///
  /// - Parameters:
  ///   - request: URL and fields of the request; its body and method do not count.
  ///   - added: Fields that the transport adds where the request has none of the same name.
  func bytes(of request: HTTPRequest, adding added: HTTPHeaders = HTTPHeaders()) -> [UInt8] {
    let url = request.url
    var text = "GET \(url.path)"
    if let query = url.query { text += "?" + query }
    text += " HTTP/1.1\r\nHost: \(url.hostField)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    text += "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
    if !offer.subprotocols.isEmpty {
      text += "Sec-WebSocket-Protocol: \(offer.subprotocols.joined(separator: ", "))\r\n"
    }
    if let bits = offer.deflateBits {
      text += "Sec-WebSocket-Extensions: \(DeflateTerms.offer(bits: bits))\r\n"
    }
    var headers = request.headers
    for field in added.fields where !request.headers.contains(field.name) {
      headers.add(field.name, field.value)
    }
    for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// The verdict on a response with status 101 (RFC 6455, 4.1, 4.2.2).
  func judge(_ headers: HTTPHeaders) throws(HandshakeFault) -> Accepted {
    guard let upgrade = headers.combined("Upgrade"), HTTPHeaders.equal(upgrade, "websocket") else {
      throw HandshakeFault("the response has no Upgrade: websocket")
    }
    let connection = headers.values("Connection").flatMap(\.listElements)
    guard connection.contains(where: { $0.lowercased() == "upgrade" }) else {
      throw HandshakeFault("the response has no Connection: Upgrade")
    }
    let accepts = headers.values("Sec-WebSocket-Accept")
    guard let expected = Self.accept(for: key) else {
      throw HandshakeFault("the system's OpenSSL has no SHA-1, without which no handshake can be checked")
    }
    guard accepts == [expected] else {
      throw HandshakeFault(
        accepts.count > 1
          ? "the response has more than one Sec-WebSocket-Accept"
          : "the Sec-WebSocket-Accept of the response does not belong to the key")
    }
    return try offer.judge(headers, bits: offer.deflateBits)
  }

  /// The `Sec-WebSocket-Accept` for a key; nil where the system permits no SHA-1.
  package static func accept(for key: String) -> String? {
    Crypto.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)).map { Base64.encode($0) }
  }
}

extension WebSocketHandshake.Offer {
  /// The verdict on what the server has chosen.
  ///
  /// - Parameter bits: The window that was offered; nil where no compression was.
  func judge(_ headers: HTTPHeaders, bits: Int?) throws(HandshakeFault) -> WebSocketHandshake.Accepted {
    let chosen = headers.values("Sec-WebSocket-Protocol")
    guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else {
      throw HandshakeFault("the server chose a subprotocol that was not offered")
    }
    let deflate = try DeflateTerms.agreed(headers.values("Sec-WebSocket-Extensions"), offeredBits: bits)
    return WebSocketHandshake.Accepted(subprotocol: chosen.first, deflate: deflate)
  }
}

extension HTTPURL {
  /// The value of `Host`: the port only where it is not the scheme's own.
  fileprivate var hostField: String { port.map { "\(hostText):\($0)" } ?? hostText }
}
