import CAPIKit

/// Decodes a response's content coding as it arrives: `gzip` with any number of members, and `deflate` in
/// both forms that servers send (RFC 1950, and the bare stream of RFC 1951).
///
/// One owner passes the chunks and calls ``finish()`` once at the end, which detects a stream that was cut
/// off. It must not be used after it threw.
struct ContentDecoder: ~Copyable, @unchecked Sendable {
  // Unchecked because of the stream: this value is its only owner, does not expose it and cannot be copied,
  // so only one thread uses it at a time. zlib ties no state to a thread.
  /// A content coding that zlib reads.
  enum Coding {
    /// RFC 1952.
    case gzip
    /// RFC 1950, or RFC 1951 without a header.
    case deflate

    /// The coding with a name from `Content-Encoding`, in any case; nil for one that zlib cannot decode.
    init?(_ name: String) {
      switch name.lowercased() {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      default: return nil
      }
    }
  }

  private let stream: ZlibStream
  private let coding: Coding
  private let maximumBytes: Int
  /// The bytes produced so far.
  private(set) var producedBytes = 0
  private var phase = MemberPhase.start
  /// The first byte of a `deflate` stream, kept until the second tells which form it is.
  private var heldByte: UInt8?

  private enum MemberPhase {
    /// Nothing was read: an end here is an empty body.
    case start
    /// Inside a member: an end here means that the stream was cut off.
    case inside
    /// After a complete member: another may follow.
    case between
  }

  /// Makes a decoder.
  ///
  /// - Parameters:
  ///   - maximumBytes: The most bytes that it produces, so that a small body cannot fill the
  ///     memory; more throws ``APIError/Reason/responseTooLarge``.
  ///   - inputAtOnce: The most bytes that zlib is given at once; others for tests.
  init(_ coding: Coding, maximumBytes: Int = .max, inputAtOnce: Int = Int(UInt32.max)) {
    self.coding = coding
    self.maximumBytes = maximumBytes
    stream = ZlibStream(.inflate, inputAtOnce: inputAtOnce)
    // 31: window of 32 KiB in a gzip wrapper (16 + 15). For deflate, the head of the stream decides the
    // form.
    stream.start(windowBits: 31)
  }

  /// Decodes a chunk and appends the result.
  ///
  /// Throws ``APIError/Reason/undecodableContent`` for damaged bytes.
  mutating func decode(
    _ chunk: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]
  ) throws(APIError) {
    guard chunk.count > 0 else { return }
    guard coding == .deflate, phase == .start else { return try inflate(chunk, into: &output) }
    // The head of RFC 1950 is a multiple of 31 and names method 8; a bare stream rarely begins like that.
    let first = heldByte ?? chunk[0]
    let isHeld = heldByte != nil
    guard isHeld || chunk.count > 1 else { return heldByte = first }
    heldByte = nil
    let second = isHeld ? chunk[0] : chunk[1]
    let hasHead = first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0
    stream.start(windowBits: hasHead ? 15 : -15)
    if isHeld {
      try withUnsafePointer(to: first) { (byte) throws(APIError) in
        try inflate(UnsafeBufferPointer(start: byte, count: 1), into: &output)
      }
    }
    try inflate(chunk, into: &output)
  }

  /// Decodes a chunk and appends the result.
  mutating func decode(_ chunk: [UInt8], into output: inout [UInt8]) throws(APIError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(APIError) in try decode(bytes, into: &output) }
  }

  /// Throws ``APIError/Reason/truncatedBody`` when the stream was cut off. No bytes at all are an empty
  /// body.
  mutating func finish() throws(APIError) {
    guard phase == .inside || heldByte != nil else { return }
    throw APIError(
      .transport, .truncatedBody, "the compressed body was cut; \(producedBytes) bytes came out of it")
  }

  private mutating func inflate(
    _ chunk: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]
  ) throws(APIError) {
    stream.input(chunk)
    while stream.inputLeft > 0 || stream.hasMoreOutput {
      if phase == .between {
        guard stream.inputLeft > 0, try startNextMember() else { return }
      }
      phase = .inside
      // One byte more than the limit, to tell a body that ends there from a longer one.
      let room = maximumBytes == .max ? Int.max : maximumBytes - producedBytes + 1
      let (made, status) = stream.step(into: &output, atMost: room)
      producedBytes += made
      guard producedBytes <= maximumBytes else {
        throw APIError(
          .transport, .responseTooLarge,
          "the unpacked response is larger than its limit of \(maximumBytes) bytes")
      }
      switch status {
      case .progress: break
      case .needsInput: return
      case .end: phase = .between
      case .failed(let why):
        throw APIError(
          .transport, .undecodableContent,
          "the compressed body is damaged behind \(producedBytes) bytes: \(why)")
      }
    }
  }

  /// Prepares for another member; false when only zeros follow, with which some servers pad.
  private mutating func startNextMember() throws(APIError) -> Bool {
    stream.skipZeros()
    guard stream.inputLeft > 0 else { return false }
    guard coding == .gzip else {
      throw APIError(.transport, .undecodableContent, "bytes follow the end of the compressed body")
    }
    stream.restart()
    return true
  }
}

/// Encodes a request's body with gzip, in chunks.
struct GzipEncoder: ~Copyable, @unchecked Sendable {
  // Unchecked for the reason given at `ContentDecoder`.
  private let stream: ZlibStream

  /// Makes an encoder with zlib's default level, a compromise between size and time.
  ///
  /// - Parameter inputAtOnce: The most bytes that zlib is given at once; others for tests.
  init(inputAtOnce: Int = Int(UInt32.max)) {
    stream = ZlibStream(.deflate, inputAtOnce: inputAtOnce)
    stream.start(windowBits: 31)
  }

  /// Encodes a chunk and appends the result, which may still be empty.
  mutating func encode(_ chunk: [UInt8], into output: inout [UInt8]) {
    chunk.withUnsafeBufferPointer { bytes in
      stream.input(bytes)
      while stream.inputLeft > 0 || stream.hasMoreOutput { _ = stream.step(into: &output, atMost: .max) }
    }
  }

  /// Appends the remaining bytes and the trailer.
  mutating func finish(into output: inout [UInt8]) {
    while case .progress = stream.step(into: &output, atMost: .max, flush: Z_FINISH).status {}
  }
}

/// Packs the messages of one connection by raw DEFLATE, each to a byte boundary (RFC 7692, 7.2.1).
///
/// Used by one thread at a time.
package final class MessageDeflater {
  private let stream = ZlibStream(.deflate)
  private let keepsContext: Bool

  /// Makes one; zlib takes 4 << `windowBits` bytes for the window, and 8 KiB for its tables.
  ///
  /// - Parameters:
  ///   - windowBits: 9 to 15: zlib has no raw window of 8 bits.
  ///   - keepsContext: Whether a message may refer to the ones before it.
  package init(windowBits: Int32, keepsContext: Bool) {
    self.keepsContext = keepsContext
    stream.start(windowBits: -windowBits, memoryLevel: 4)
  }

  /// Appends the packed form of a message that is not empty, without the four bytes that every one ends with.
  package func pack(_ message: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    let start = output.count
    stream.input(message)
    repeat { _ = stream.step(into: &output, atMost: .max, flush: Z_SYNC_FLUSH) } while stream.hasMoreOutput
    output.removeLast(min(4, output.count - start))
    if !keepsContext { stream.restart() }
  }
}

/// Unpacks the messages of one connection; the counterpart of ``MessageDeflater``.
package final class MessageInflater {
  private let stream = ZlibStream(.inflate)
  private let keepsContext: Bool

  /// Makes one with a window of 2 to the power of `windowBits`, 8 to 15.
  package init(windowBits: Int32, keepsContext: Bool) {
    self.keepsContext = keepsContext
    stream.start(windowBits: -windowBits)
  }

  /// Appends what a part of a message unpacks to, at most so many bytes and one more to show that there are others.
  /// False where the bytes are no DEFLATE.
  package func unpack(_ part: UnsafeBufferPointer<UInt8>, into output: inout [UInt8], atMost limit: Int)
    -> Bool
  {
    stream.input(part)
    var room = limit == .max ? limit : limit + 1
    while room > 0, stream.inputLeft > 0 || stream.hasMoreOutput {
      let (made, status) = stream.step(into: &output, atMost: room)
      room -= made
      switch status {
      case .progress: break
      case .needsInput: return true
      // A block that is marked as the last ends the stream, not the message (RFC 7692, 7.2.3.4).
      case .end: stream.restart()
      case .failed: return false
      }
    }
    return true
  }

  /// Ends a message; the four bytes that its sender has left out are added.
  package func finish(into output: inout [UInt8], atMost limit: Int) -> Bool {
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    let isGood = tail.withUnsafeBufferPointer { unpack($0, into: &output, atMost: limit) }
    if !keepsContext { stream.restart() }
    return isGood
  }
}

/// One `z_stream` on the heap: zlib keeps a pointer back to it, so it must not move.
///
/// Not sendable: it belongs to one decoder or encoder.
private final class ZlibStream {
  enum Direction { case inflate, deflate }

  enum Status {
    case progress
    case needsInput
    case end
    case failed(String)
  }

  private let direction: Direction
  /// zlib counts its input in 32 bits.
  private let inputAtOnce: Int
  /// How many bytes of the input follow those that zlib has.
  private var inputWaiting = 0
  private let stream: UnsafeMutablePointer<z_stream>
  private var isStarted = false
  private(set) var hasMoreOutput = false

  init(_ direction: Direction, inputAtOnce: Int = Int(UInt32.max)) {
    self.direction = direction
    self.inputAtOnce = inputAtOnce
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    end()
    stream.deallocate()
  }

  private func end() {
    guard isStarted else { return }
    _ = direction == .inflate ? inflateEnd(stream) : deflateEnd(stream)
    isStarted = false
  }

  func start(windowBits: Int32, memoryLevel: Int32 = 8) {
    end()
    let size = Int32(MemoryLayout<z_stream>.size)
    let code =
      direction == .inflate
      ? inflateInit2_(stream, windowBits, ZLIB_VERSION, size)
      : deflateInit2_(
        stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        size)
    // The arguments are constants, so this fails only without memory or with another major version of zlib.
    precondition(code == Z_OK, "zlib cannot start: \(code)")
    isStarted = true
  }

  /// Begins a new member after a complete one; the input stays in place.
  func restart() { _ = direction == .inflate ? inflateReset(stream) : deflateReset(stream) }

  var inputLeft: Int { Int(stream.pointee.avail_in) + inputWaiting }

  /// The bytes must stay in place until they are consumed.
  func input(_ bytes: UnsafeBufferPointer<UInt8>) {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
    stream.pointee.avail_in = 0
    inputWaiting = bytes.count
    hasMoreOutput = false
  }

  /// Gives zlib the next bytes, which follow those that it has, once it has none.
  private func giveInput() {
    guard stream.pointee.avail_in == 0 else { return }
    let count = min(inputWaiting, inputAtOnce)
    stream.pointee.avail_in = UInt32(count)
    inputWaiting -= count
  }

  func skipZeros() {
    while inputLeft > 0, stream.pointee.next_in.pointee == 0 {
      giveInput()
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    }
  }

  /// Produces at most one block of output and appends it.
  func step(into output: inout [UInt8], atMost: Int, flush: Int32 = Z_NO_FLUSH) -> (made: Int, status: Status)
  {
    giveInput()
    let room = min(32 << 10, atMost)
    var code = Z_OK
    var made = 0
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { block in
      stream.pointee.next_out = block.baseAddress
      stream.pointee.avail_out = UInt32(room)
      code =
        direction == .inflate
        ? CAPIKit.inflate(stream, Z_NO_FLUSH)
        : CAPIKit.deflate(stream, flush)
      made = room - Int(stream.pointee.avail_out)
      output.append(contentsOf: block[..<made])
    }
    // After a full block zlib may hold more output, even when the input is consumed.
    hasMoreOutput = code == Z_OK && made == room
    switch code {
    case Z_OK: return (made, .progress)
    case Z_BUF_ERROR: return (made, .needsInput)
    case Z_STREAM_END: return (made, .end)
    case Z_NEED_DICT: return (made, .failed("it needs a dictionary"))
    default:
      let message = stream.pointee.msg.map { String(cString: $0) }
      return (made, .failed(message ?? "zlib reports \(code)"))
    }
  }
}
