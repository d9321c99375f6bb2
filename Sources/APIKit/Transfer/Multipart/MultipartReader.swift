import Foundation

/// A piece of a form's body: what stands between the contents, or a content.
enum MultipartSegment: Sendable {
  case bytes([UInt8])
  case source(MultipartSource)

  /// In bytes; nil when it is not known before it is sent.
  var length: Int64? {
    switch self {
    case .bytes(let bytes), .source(.bytes(let bytes)): Int64(bytes.count)
    case .source(.file(_, let identity, _)): identity.size
    case .source(.stream(let stream)): stream.length
    }
  }

  var isReplayable: Bool {
    if case .source(.stream(let stream)) = self { return stream.isReplayable }
    return true
  }
}

/// A content, a file among them with what it was when the body was made.
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
      self = .file(path, file.identity, beginning: try file.read(atMost: MediaTypes.longest)[...])
    }
  }

  /// The first bytes of a file.
  var beginning: ArraySlice<UInt8> {
    if case .file(_, _, let beginning) = self { return beginning }
    return []
  }
}

/// What tells a file from the one that it was before.
struct FileIdentity: Sendable, Hashable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  /// When it was last changed, in seconds and nanoseconds.
  let seconds: Int64
  let nanoseconds: Int64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}

/// An open file of a form; closed when it is released.
final class MultipartFile: Sendable {
  let identity: FileIdentity
  private let path: String
  private let descriptor: Int32

  /// Opens the file; throws ``APIError/Reason/unreadableBody`` when it is not the one that is expected.
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

  /// The next bytes, at least one; throws when the file has none left.
  func read(atMost count: Int) throws(APIError) -> [UInt8] {
    guard count > 0, identity.size > 0 else { return [] }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, written in
      repeat {
        #if canImport(Darwin)
          written = Darwin.read(descriptor, target.baseAddress, count)
        #else
          written = Glibc.read(descriptor, target.baseAddress, count)
        #endif
      } while written < 0 && errno == EINTR
      if written < 0 { (failure, written) = (errno, 0) }
    }
    guard failure == 0 else {
      throw Self.fault(path, "cannot be read: \(String(cString: strerror(failure)))")
    }
    guard !bytes.isEmpty else { throw Self.fault(path, "has become shorter while it was sent") }
    return bytes
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

/// Gives the body of a form in chunks, for one attempt.
actor MultipartReader {
  /// The largest chunk read from a file, in bytes: a multiple of what libcurl asks for at once.
  private static let chunk = 256 << 10

  private var segments: ArraySlice<MultipartSegment>
  private var current: Content?

  private enum Content {
    case file(MultipartFile, left: Int64)
    case stream(HTTPBodyStream.Source, given: Int64, of: Int64?)
  }

  /// Begins the body. All files are looked at first, so that one that was changed ends the attempt before a byte is sent.
  init(_ segments: [MultipartSegment]) throws(APIError) {
    for case .source(.file(let path, let identity, _)) in segments {
      _ = try MultipartFile(path, expecting: identity)
    }
    self.segments = segments[...]
  }

  /// The next chunk; nil at the end.
  func next() async throws -> [UInt8]? {
    var small: [UInt8] = []
    while true {
      if current != nil {
        // What stands between the contents goes along with the first bytes of the next one.
        if let chunk = try await nextOfContent() { return small.isEmpty ? chunk : small + chunk }
        continue
      }
      guard let segment = segments.popFirst() else { return small.isEmpty ? nil : small }
      switch segment {
      case .bytes(let bytes): small += bytes
      case .source(.bytes(let bytes)):
        if small.count + bytes.count <= Self.chunk {
          small += bytes
        } else if small.isEmpty {
          return bytes
        } else {
          segments.insert(segment, at: segments.startIndex)
          return small
        }
      case .source(.file(let path, let identity, _)):
        current = .file(try MultipartFile(path, expecting: identity), left: identity.size)
      case .source(.stream(let stream)):
        current = .stream(try stream.open(), given: 0, of: stream.length)
      }
    }
  }

  /// The next chunk of the present content; nil, and no present content any more, at its end.
  private func nextOfContent() async throws -> [UInt8]? {
    switch current {
    case nil: return nil
    case .file(let file, let left):
      guard left > 0 else {
        try file.checkUnchanged()
        current = nil
        return nil
      }
      let bytes = try file.read(atMost: Int(min(left, Int64(Self.chunk))))
      current = .file(file, left: left - Int64(bytes.count))
      return bytes
    case .stream(let source, let given, let length):
      let bytes = try await source()
      let sum = given + Int64(bytes?.count ?? 0)
      if let length, bytes == nil ? sum < length : sum > length {
        throw APIError(
          .transport, .unreadableBody, "a stream of the form gave \(sum) bytes, and its length is \(length)")
      }
      current = bytes.map { _ in .stream(source, given: sum, of: length) }
      return bytes
    }
  }
}
