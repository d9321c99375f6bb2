/// Frames as a server writes them, right or wrong.
enum ServerFrames {
  /// How the length is written.
  enum Length { case shortest, two, eight }

  static func frame(
    _ opcode: UInt8, _ payload: [UInt8] = [], isLast: Bool = true, reserved: UInt8 = 0,
    length: Length = .shortest, isMasked: Bool = false
  ) -> [UInt8] {
    var bytes = [(isLast ? 0x80 : 0) | reserved << 4 | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    let count = payload.count
    if length == .shortest, count <= 125 {
      bytes.append(mask | UInt8(count))
    } else if length == .two || length == .shortest && count <= 0xFFFF {
      bytes += [mask | 126, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    } else {
      bytes.append(mask | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    if isMasked { bytes += [0, 0, 0, 0] }
    return bytes + payload
  }

  static func text(_ text: String, isLast: Bool = true) -> [UInt8] {
    frame(1, Array(text.utf8), isLast: isLast)
  }

  static func close(_ code: UInt16? = nil, _ reason: [UInt8] = []) -> [UInt8] {
    frame(8, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
  }

  /// The frames of a client, unmasked.
  static func read(_ bytes: [UInt8]) -> [(first: UInt8, payload: [UInt8])] {
    var frames: [(UInt8, [UInt8])] = []
    var index = 0
    while index + 2 <= bytes.count {
      var count = Int(bytes[index + 1] & 0x7F)
      var start = index + 2
      if count == 126 {
        count = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        start += 2
      } else if count == 127 {
        count = bytes[start..<(start + 8)].reduce(0) { $0 << 8 | Int($1) }
        start += 8
      }
      precondition(bytes[index + 1] & 0x80 != 0, "a client masks every frame")
      let mask = Array(bytes[start..<(start + 4)])
      start += 4
      guard start + count <= bytes.count else { break }
      frames.append((bytes[index], (0..<count).map { bytes[start + $0] ^ mask[$0 & 3] }))
      index = start + count
    }
    return frames
  }
}
