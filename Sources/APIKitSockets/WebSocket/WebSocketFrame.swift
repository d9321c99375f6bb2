import APIKit

/// The form of a frame on the wire (RFC 6455, 5.2), as a client sends it.
enum WebSocketFrame {
  enum Opcode {
    static let continuation: UInt8 = 0x0
    static let text: UInt8 = 0x1
    static let binary: UInt8 = 0x2
    static let close: UInt8 = 0x8
    static let ping: UInt8 = 0x9
    static let pong: UInt8 = 0xA
  }

  /// Appends a whole message or control frame, masked.
  ///
  /// - Parameters:
  ///   - isPacked: Whether the payload is compressed (RSV1; RFC 7692, 6).
  ///   - mask: An unpredictable key, so that an application cannot choose what stands on the wire (RFC 6455,
  ///     10.3).
  static func append(
    _ opcode: UInt8, _ payload: UnsafeRawBufferPointer, isPacked: Bool = false, mask: UInt32,
    to output: inout [UInt8]
  ) {
    output.reserveCapacity(output.count + payload.count + 14)
    output.append(0x80 | (isPacked ? 0x40 : 0) | opcode)
    switch payload.count {
    case ...125: output.append(0x80 | UInt8(payload.count))
    case ...0xFFFF:
      output.append(0x80 | 126)
      withUnsafeBytes(of: UInt16(payload.count).bigEndian) { output.append(contentsOf: $0) }
    default:
      output.append(0x80 | 127)
      withUnsafeBytes(of: UInt64(payload.count).bigEndian) { output.append(contentsOf: $0) }
    }
    withUnsafeBytes(of: mask) { output.append(contentsOf: $0) }
    let start = output.count
    output.append(contentsOf: payload)
    output.withUnsafeMutableBytes { apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Masks bytes in place, a word at a time; masking them again gives them back.
  private static func apply(_ mask: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    let word = UInt64(mask) << 32 | UInt64(mask)
    let words = bytes.count / 8
    for index in 0..<words {
      let masked = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) ^ word
      bytes.storeBytes(of: masked, toByteOffset: index * 8, as: UInt64.self)
    }
    withUnsafeBytes(of: mask) { key in
      for index in (words * 8)..<bytes.count { bytes[index] ^= key[index & 3] }
    }
  }

  /// How many bytes a message takes on the wire, unpacked: its frame has a head and a mask, which an empty one has too.
  static func size(of message: SocketMessage) -> Int {
    let count = message.byteCount
    return count + (count <= 125 ? 6 : count <= 0xFFFF ? 8 : 14)
  }

  /// The payload of a close frame: the code and the reason, or nothing.
  static func closePayload(_ code: UInt16?, _ reason: String) -> [UInt8] {
    guard let code else { return [] }
    return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
  }
}

/// Masks of frames, drawn from the system's randomness many at a time.
struct MaskSource {
  private var bytes: [UInt8] = []
  private var index = 0
  private let draw: @Sendable (_ count: Int) -> [UInt8]

  init(_ draw: @escaping @Sendable (_ count: Int) -> [UInt8] = Crypto.random) { self.draw = draw }

  mutating func next() -> UInt32 {
    if index == bytes.count {
      bytes = draw(bytes.isEmpty ? 16 : 1024)
      index = 0
    }
    defer { index += 4 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
  }
}
