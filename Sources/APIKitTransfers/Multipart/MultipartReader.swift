import APIKit
import Foundation

/// A piece of a form's body: what stands between the contents, or a content; a file with what it was when the body was made.
enum MultipartSource: Sendable {
  case bytes([UInt8])
  case file(String, FileIdentity, beginning: ArraySlice<UInt8>)
  case stream(HTTPBodyStream)

  init(_ content: MultipartPart.Content) throws(APIError) {
    switch content {
    case .bytes(let bytes): self = .bytes(bytes)
    case .stream(let stream): self = .stream(stream)
    case .file(let path):
      let file = try MultipartFile(path, expecting: nil)
      self = .file(path, file.identity, beginning: try file.beginning(atMost: MediaTypes.longest)[...])
    }
  }

  /// In bytes; nil when it is not known before it is sent.
  var length: Int64? {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let identity, _): identity.size
    case .stream(let stream): stream.length
    }
  }

  /// The stream that it is; nil for bytes and a file, which can be sent any number of times.
  var stream: HTTPBodyStream? { if case .stream(let stream) = self { stream } else { nil } }

  /// The first bytes of a file.
  var beginning: ArraySlice<UInt8> {
    if case .file(_, _, let beginning) = self { return beginning }
    return []
  }
}

/// An open file of a form; closed when it is released.
final class MultipartFile: Sendable {
  let identity: FileIdentity
  private let path: String
  private let descriptor: Int32

  /// Opens the file; throws `APIError.Reason.unreadableBody` when it is not the one that is expected.
  init(_ path: String, expecting expected: FileIdentity?) throws(APIError) {
    self.path = path
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Self.fault(path, "cannot be opened: \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Self.fault(path, "is not a plain file")
    }
    identity = FileIdentity(status)
    guard expected == nil || identity == expected else {
      close(descriptor)
      throw Self.fault(path, "is not what it was when the body was made")
    }
  }

  deinit { close(descriptor) }

  /// The first bytes, at most so many.
  func beginning(atMost count: Int) throws(APIError) -> [UInt8] {
    guard identity.size > 0 else { return [] }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer[..<(try read(into: buffer))])
  }

  /// Copies the next bytes into a buffer, at least one; throws when the file has none left.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count > 0 { return count }
      if count == 0 { throw Self.fault(path, "has become shorter while it was sent") }
      guard errno == EINTR else {
        throw Self.fault(path, "cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Throws when the file was changed since it was opened.
  func checkUnchanged() throws(APIError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, FileIdentity(status) == identity else {
      throw Self.fault(path, "was changed while it was sent")
    }
  }

  private static func fault(_ path: String, _ what: String) -> APIError {
    APIError(.transport, .unreadableBody, "the form's file \(path.debugDescription) \(what)")
  }
}

/// Gives what is in memory and in files of a form's body, for one attempt, up to a content that is a stream.
///
/// Used by one thread or task at a time.
final class MultipartBlocks: BodyReader {
  private struct BlocksState {
    var segments: ArraySlice<MultipartSource>
    /// How many bytes of the first segment were given.
    var given: Int64 = 0
    var file: MultipartFile?
  }

  private let state: Mutex<BlocksState>

  /// Begins the body. All files are looked at first, so that one that was changed ends the attempt before a byte is sent.
  init(_ segments: [MultipartSource]) throws(APIError) {
    for case .file(let path, let identity, _) in segments {
      _ = try MultipartFile(path, expecting: identity)
    }
    state = Mutex(BlocksState(segments: segments[...]))
  }

  /// Fills the buffer as far as it goes; 0 at the end, and before a stream.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int {
    try state.withLock { (state) throws(APIError) -> Int in
      var filled = 0
      while filled < buffer.count, let segment = state.segments.first {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let count: Int
        switch segment {
        case .stream: return filled
        case .bytes(let bytes):
          count = min(rest.count, bytes.count - Int(state.given))
          rest.copyBytes(from: bytes[Int(state.given)...].prefix(count))
        case .file(let path, let identity, _):
          count = try Self.read(path, identity, into: rest, of: &state)
        }
        filled += count
        state.given += Int64(count)
        if state.given == segment.length {
          try state.file?.checkUnchanged()
          state.file = nil
          state.segments.removeFirst()
          state.given = 0
        }
      }
      return filled
    }
  }

  private static func read(
    _ path: String, _ identity: FileIdentity, into buffer: UnsafeMutableRawBufferPointer,
    of state: inout BlocksState
  ) throws(APIError) -> Int {
    if state.file == nil { state.file = try MultipartFile(path, expecting: identity) }
    let wanted = Int(min(Int64(buffer.count), identity.size - state.given))
    guard let file = state.file, wanted > 0 else { return 0 }
    return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
  }

  /// The next bytes, at most so many; none at the end, and before a stream.
  func read(atMost limit: Int) throws(APIError) -> [UInt8] {
    var failure: APIError?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(APIError) { count = try read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The stream that comes next, which is then left out; nil at the end.
  func nextStream() -> HTTPBodyStream? {
    state.withLock { state in
      guard let stream = state.segments.first?.stream else { return nil }
      state.segments.removeFirst()
      return stream
    }
  }
}

/// Gives the body of a form in chunks, for one attempt.
actor MultipartReader {
  /// The largest chunk of what is no stream, in bytes: a multiple of what libcurl asks for at once.
  private static let chunk = 256 << 10

  private let blocks: MultipartBlocks
  private var current: (source: HTTPBodyStream.Source, given: Int64, length: Int64?)?

  init(_ blocks: MultipartBlocks) { self.blocks = blocks }

  /// The next chunk; nil at the end.
  func next() async throws -> [UInt8]? {
    while true {
      if let chunk = try await nextOfStream() { return chunk }
      let bytes = try blocks.read(atMost: Self.chunk)
      if !bytes.isEmpty { return bytes }
      guard let stream = blocks.nextStream() else { return nil }
      current = (try stream.open(), 0, stream.length)
    }
  }

  /// The next chunk of the present stream; nil, and no present stream any more, at its end.
  private func nextOfStream() async throws -> [UInt8]? {
    guard let (source, given, length) = current else { return nil }
    let bytes = try await source()
    let sum = given + Int64(bytes?.count ?? 0)
    if let length, bytes == nil ? sum < length : sum > length {
      throw APIError(
        .transport, .unreadableBody, "a stream of the form gave \(sum) bytes, and its length is \(length)")
    }
    current = bytes.map { _ in (source, sum, length) }
    return bytes
  }
}
