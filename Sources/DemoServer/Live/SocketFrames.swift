import APIKit

/// The frames of a WebSocket as a server reads and writes them (RFC 6455, 5), without compression.
struct SocketFrames {
  enum Opcode: UInt8 {
    case continuation = 0, text, binary
    case close = 8
    case ping, pong
  }

  enum Event: Equatable {
    case text(String)
    case ping([UInt8])
    case pong([UInt8])
    /// The payload of the client's close frame.
    case close([UInt8])
    /// The client broke the protocol, or asks for too much: the code that it is told.
    case failure(UInt16)
  }

  /// The most bytes of a message.
  static let limit = 64 << 10

  private var bytes: [UInt8] = []
  private var message: [UInt8]?

  mutating func append(_ more: UnsafeRawBufferPointer) { bytes += more }

  /// The next event; nil when its bytes have not come yet.
  mutating func next() -> Event? {
    while bytes.count >= 2 {
      let (first, isLast) = (bytes[0], bytes[0] & 0x80 != 0)
      // A client masks every frame (5.1); no extension was agreed on.
      guard first & 0x70 == 0, bytes[1] & 0x80 != 0, let opcode = Opcode(rawValue: first & 0x0F) else {
        return .failure(1002)
      }
      let isControl = opcode.rawValue >= 8
      let short = Int(bytes[1] & 0x7F)
      guard !isControl || isLast && short <= 125 else { return .failure(1002) }
      guard short < 127 else { return .failure(1009) }
      let start = short == 126 ? 8 : 6
      guard bytes.count >= start else { return nil }
      let count = short == 126 ? Int(bytes[2]) << 8 | Int(bytes[3]) : short
      guard count + (message?.count ?? 0) <= Self.limit else { return .failure(1009) }
      guard bytes.count >= start + count else { return nil }
      let mask = Array(bytes[(start - 4)..<start])
      let payload = (0..<count).map { bytes[start + $0] ^ mask[$0 & 3] }
      bytes.removeFirst(start + count)
      switch opcode {
      case .close: return payload.count == 1 ? .failure(1002) : .close(payload)
      case .ping: return .ping(payload)
      case .pong: return .pong(payload)
      case .binary: return .failure(1003)
      case .text where message == nil, .continuation where message != nil:
        let whole = (message ?? []) + payload
        message = isLast ? nil : whole
        guard isLast else { continue }
        guard let text = String(wellFormed: whole, as: UTF8.self) else { return .failure(1007) }
        return .text(text)
      case .text, .continuation: return .failure(1002)
      }
    }
    return nil
  }

  /// A whole frame of the server.
  static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    let head: [UInt8]
    switch payload.count {
    case ...125: head = [UInt8(payload.count)]
    case ...0xFFFF: head = [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: head = [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return [0x80 | opcode.rawValue] + head + payload
  }

  /// A text of JSON.
  static func text(_ value: JSON) -> [UInt8] { frame(.text, value.bytes()) }
}
