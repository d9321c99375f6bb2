import APIKit

/// The negotiated parameters of compression (permessage-deflate, RFC 7692), and the offer for them.
struct DeflateTerms: Equatable {
  /// The windows, as powers of two.
  var clientBits: Int32 = 15
  var serverBits: Int32 = 15
  /// Whether a message may refer to the ones before it.
  var clientKeepsContext = true
  var serverKeepsContext = true

  /// Whether messages can be packed: zlib has no raw window of 8 bits.
  var packs: Bool { clientBits > 8 }

  /// What `Sec-WebSocket-Extensions` offers for windows of so many bits.
  static func offer(bits: Int) -> String {
    guard bits < 15 else { return "permessage-deflate; client_max_window_bits" }
    return "permessage-deflate; server_max_window_bits=\(bits); client_max_window_bits=\(bits)"
  }

  /// Reads the server's response to an offer; nil text means that it accepts none.
  ///
  /// Throws the sentence that says what is wrong: an extension that was not offered, one that is there twice, or a
  /// parameter that is unknown, doubled or out of its range (RFC 7692, 7.1).
  static func agreed(_ fields: [String], offeredBits: Int?) throws(HandshakeFault) -> DeflateTerms? {
    let extensions = fields.flatMap(\.listElements).filter { !$0.isEmpty }
    guard let first = extensions.first else { return nil }
    guard let offeredBits else {
      throw HandshakeFault("the server chose the extension \(first), and none was offered")
    }
    guard extensions.count == 1 else { throw HandshakeFault("the server chose more than one extension") }
    var parts = first.split(separator: ";", omittingEmptySubsequences: false).map {
      String($0).trimmingSpaces()
    }
    guard HTTPHeaders.equal(parts.removeFirst(), "permessage-deflate") else {
      throw HandshakeFault("the server chose the extension \(first), which was not offered")
    }
    var terms = DeflateTerms()
    // Where the server does not limit it, this side may use as small a window as it likes.
    terms.clientBits = Int32(offeredBits)
    var seen: Set<String> = []
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
      let written = pair.first ?? ""
      // Not by `lowercased()` alone: it makes a k of the sign of kelvins.
      let name = Self.names.first { HTTPHeaders.equal($0, written) } ?? written
      guard seen.insert(name).inserted else { throw HandshakeFault("the parameter \(name) is there twice") }
      let value = pair.count > 1 ? pair[1] : nil
      switch name {
      case "server_no_context_takeover" where value == nil: terms.serverKeepsContext = false
      case "client_no_context_takeover" where value == nil: terms.clientKeepsContext = false
      case "server_max_window_bits":
        terms.serverBits = try bits(value, name, atMost: offeredBits)
      case "client_max_window_bits":
        // The server can unpack this much; this side may use less. Servers that ignore the offered number say 15.
        terms.clientBits = min(try bits(value, name, atMost: 15), Int32(offeredBits))
      default: throw HandshakeFault("the parameter \(part) of permessage-deflate is not valid")
      }
    }
    return terms
  }

  private static let names = [
    "server_no_context_takeover", "client_no_context_takeover", "server_max_window_bits",
    "client_max_window_bits",
  ]

  private static func bits(
    _ text: String?, _ name: String, atMost most: Int
  ) throws(HandshakeFault) -> Int32 {
    var digits = text ?? ""
    if digits.count >= 2, digits.hasPrefix("\""), digits.hasSuffix("\"") {
      digits = String(digits.dropFirst().dropLast())
    }
    guard let bits = Int32(digits), String(bits) == digits, (8...Int32(most)).contains(bits) else {
      throw HandshakeFault(
        "\(name) is \(text ?? "without a value"), and 8 to \(most) is what may stand there")
    }
    return bits
  }
}

/// Why the response to a handshake is no WebSocket's.
struct HandshakeFault: Error, Equatable {
  let text: String
  init(_ text: String) { self.text = text }
}
