import APIKit

/// Reads the frames of a server, in pieces of any size, and puts its messages together (RFC 6455, 5).
///
/// Neither reads nor waits. Limits are checked before bytes are kept. After a violation it must not be used.
struct WebSocketParser {
  enum Event: Equatable {
    case text(String)
    case data([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// The server's close frame; nothing behind it counts. Nil where it has no code.
    case close(code: UInt16?, reason: String)

    /// How many bytes of a message it holds.
    var byteCount: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .data(let bytes): bytes.count
      case .ping, .pong, .close: 0
      }
    }
  }

  /// A violation of the protocol by the server, and the close code for it (RFC 6455, 7.4.1).
  struct Violation: Error, Equatable {
    let code: UInt16
    let text: String

    static func malformed(_ text: String) -> Self { Self(code: 1002, text: text) }
    static let notUTF8 = Self(code: 1007, text: "a text is not UTF-8")
    static func tooLarge(_ limit: Int) -> Self {
      Self(code: 1009, text: "a message is larger than \(limit) bytes")
    }
  }

  /// A frame whose head was read.
  private struct Frame {
    var opcode: UInt8
    var isLast: Bool
    /// The bytes of the payload that are still to come.
    var left: Int
    var isControl: Bool { opcode & 0x8 != 0 }
  }

  private let maximumBytes: Int
  private let inflater: (() -> MessageInflater)?
  private var inflating: MessageInflater?

  /// The bytes of a head that came in pieces.
  private var head: [UInt8] = []
  private var frame: Frame?
  private var control: [UInt8] = []
  /// The opcode of the message under way; nil between messages.
  private var kind: UInt8?
  private var isPacked = false
  private var message: [UInt8] = []
  /// The bytes of a packed message so far.
  private var packedBytes = 0
  private var check = UTF8Check()
  private var isClosed = false

  /// - Parameters:
  ///   - maximumBytes: The most bytes of a message, after unpacking.
  ///   - inflater: Makes what unpacks, at the first packed message; nil where no compression was agreed.
  init(maximumBytes: Int, inflater: (() -> MessageInflater)? = nil) {
    self.maximumBytes = maximumBytes
    self.inflater = inflater
  }

  /// Reads the next bytes and passes on what is complete with them; returns how many it has read. Behind an event for which
  /// the sink says false it reads no more.
  @discardableResult mutating func parse(
    _ bytes: UnsafeRawBufferPointer, _ sink: (Event) -> Bool
  ) throws(Violation) -> Int {
    var (index, isWanted) = (0, true)
    while !isClosed, isWanted {
      if frame == nil { try readHead(bytes, &index) }
      guard var current = frame else { return index }
      let count = min(current.left, bytes.count - index)
      if count > 0 {
        let part = UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)])
        if current.isControl { control.append(contentsOf: part) } else { try take(part) }
        index += count
        current.left -= count
        frame = current
      }
      guard current.left == 0 else { return index }
      frame = nil
      if current.isControl {
        if let event = try endControl(current.opcode) { isWanted = sink(event) }
      } else if current.isLast {
        isWanted = sink(try endMessage())
      }
    }
    // Nothing behind a close frame counts.
    return isClosed ? bytes.count : index
  }

  // MARK: Heads

  /// Reads a head, or what there is of it, and begins its frame when it is complete.
  private mutating func readHead(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) throws(Violation) {
    if head.isEmpty, let size = try beginFrame(UnsafeRawBufferPointer(rebasing: bytes[index...])) {
      index += size
      return
    }
    // It came in pieces, of which there are at most ten.
    while index < bytes.count {
      head.append(bytes[index])
      index += 1
      let piece = head
      let size = try piece.withUnsafeBufferPointer { (piece) throws(Violation) in
        try beginFrame(UnsafeRawBufferPointer(piece))
      }
      if size != nil { return head.removeAll(keepingCapacity: true) }
    }
  }

  /// Begins the frame whose head the bytes begin with. Nil when they end before it does; what can be said of them is
  /// said at once.
  private mutating func beginFrame(_ bytes: UnsafeRawBufferPointer) throws(Violation) -> Int? {
    guard let first = bytes.first else { return nil }
    let (opcode, isLast) = (first & 0x0F, first & 0x80 != 0)
    try checkFirst(first, opcode: opcode, isLast: isLast)
    guard bytes.count > 1 else { return nil }
    guard bytes[1] & 0x80 == 0 else { throw .malformed("a frame of the server is masked") }
    var (length, size) = (UInt64(bytes[1]), 2)
    if length > 125 {
      guard opcode & 0x8 == 0 else { throw .malformed("a control frame has more than 125 bytes") }
      size = length == 126 ? 4 : 10
      // The first byte of a long length tells enough.
      if length == 127, bytes.count > 2, bytes[2] & 0x80 != 0 {
        throw .malformed("a length has its highest bit set")
      }
      guard bytes.count >= size else { return nil }
      let isLong = length == 127
      length =
        isLong
        ? UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
        : UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
      guard length > (isLong ? 0xFFFF : 125) else {
        throw .malformed("a length is written longer than needed")
      }
    }
    let payload = Int(clamping: length)
    if opcode & 0x8 == 0 { try beginData(first, opcode: opcode, length: payload) }
    frame = Frame(opcode: opcode, isLast: isLast, left: payload)
    return size
  }

  private func checkFirst(_ first: UInt8, opcode: UInt8, isLast: Bool) throws(Violation) {
    guard first & 0x30 == 0 else { throw .malformed("a reserved bit is set") }
    switch opcode {
    case WebSocketFrame.Opcode.continuation:
      guard kind != nil else { throw .malformed("a continuation continues nothing") }
    case WebSocketFrame.Opcode.text, WebSocketFrame.Opcode.binary:
      guard kind == nil else { throw .malformed("a message begins within another") }
    case WebSocketFrame.Opcode.close, WebSocketFrame.Opcode.ping, WebSocketFrame.Opcode.pong:
      guard isLast else { throw .malformed("a control frame is fragmented") }
    default: throw .malformed("the opcode \(opcode) is unknown")
    }
    guard first & 0x40 == 0 || inflater != nil && (opcode == 1 || opcode == 2) else {
      throw .malformed("a frame is marked as compressed, which was not agreed or is not allowed there")
    }
  }

  private mutating func beginData(_ first: UInt8, opcode: UInt8, length: Int) throws(Violation) {
    if opcode != WebSocketFrame.Opcode.continuation {
      kind = opcode
      isPacked = first & 0x40 != 0
      packedBytes = 0
      check = UTF8Check()
    }
    if isPacked {
      // Incompressible bytes grow a little; bytes that unpack to nothing must not come without end.
      packedBytes = packedBytes.addingReportingOverflow(length).partialValue
      let (most, isUnlimited) = maximumBytes.addingReportingOverflow(maximumBytes / 512 + 1024)
      guard isUnlimited || length <= most, packedBytes >= 0, isUnlimited || packedBytes <= most else {
        throw .tooLarge(maximumBytes)
      }
    } else {
      guard length <= maximumBytes - message.count else { throw .tooLarge(maximumBytes) }
      // The length may lie: no more is reserved ahead. Nor for a fragment, by which the message would be copied each time.
      if message.isEmpty { message.reserveCapacity(min(length, 1 << 20)) }
    }
  }

  // MARK: Payloads

  private mutating func take(_ part: UnsafeRawBufferPointer) throws(Violation) {
    guard isPacked else {
      if kind == WebSocketFrame.Opcode.text, !check.take(part) { throw .notUTF8 }
      return message.append(contentsOf: part)
    }
    let (unpacker, start) = (unpacker(), message.count)
    let isGood = part.withMemoryRebound(to: UInt8.self) {
      unpacker.unpack($0, into: &message, atMost: maximumBytes - start)
    }
    try checkUnpacked(isGood, from: start)
  }

  private mutating func unpacker() -> MessageInflater {
    if let inflating { return inflating }
    guard let inflater else { preconditionFailure("only an agreed compression marks frames") }
    let made = inflater()
    inflating = made
    return made
  }

  private mutating func checkUnpacked(_ isGood: Bool, from start: Int) throws(Violation) {
    guard isGood else { throw Violation(code: 1007, text: "a compressed message is damaged") }
    guard message.count <= maximumBytes else { throw .tooLarge(maximumBytes) }
    guard kind == WebSocketFrame.Opcode.text else { return }
    let isText = message.withUnsafeBytes { check.take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    guard isText else { throw .notUTF8 }
  }

  private mutating func endMessage() throws(Violation) -> Event {
    if isPacked {
      let (unpacker, start) = (unpacker(), message.count)
      let isGood = unpacker.finish(into: &message, atMost: maximumBytes - start)
      try checkUnpacked(isGood, from: start)
    }
    let isText = kind == WebSocketFrame.Opcode.text
    guard !isText || check.isComplete else { throw .notUTF8 }
    kind = nil
    defer { message = [] }
    return isText ? .text(String(decoding: message, as: UTF8.self)) : .data(message)
  }

  private mutating func endControl(_ opcode: UInt8) throws(Violation) -> Event? {
    let payload = control
    control = []
    switch opcode {
    case WebSocketFrame.Opcode.ping: return .ping(payload)
    case WebSocketFrame.Opcode.pong: return .pong(payload)
    default:
      isClosed = true
      guard payload.count >= 2 else {
        guard payload.isEmpty else { throw .malformed("a close frame has half a code") }
        return .close(code: nil, reason: "")
      }
      let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
      guard SocketCloseCode.mayStand(code) else { throw .malformed("a close frame has the code \(code)") }
      guard let reason = String(wellFormed: payload[2...], as: UTF8.self) else {
        throw Violation(code: 1007, text: "the reason of a close frame is not UTF-8")
      }
      return .close(code: code, reason: reason)
    }
  }
}
