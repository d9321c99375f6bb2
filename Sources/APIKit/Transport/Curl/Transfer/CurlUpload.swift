#if os(Linux)
  import Glibc

  /// Bytes in memory that are too many to be copied.
  final class CurlBytesSource: CurlSource {
    /// In bytes. Below this size libcurl gets a copy, which saves a callback and often a system call.
    static let threshold = 256 << 10

    private let bytes: [UInt8]
    private let position = Mutex(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { Int64(bytes.count) }

    func open() {}

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      position.withLock { position in
        let count = min(buffer.count, bytes.count - position)
        bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[position..<position + count])) }
        position += count
        return count
      }
    }

    func rewind() -> Bool {
      position.withLock { $0 = 0 }
      return true
    }

    func close() {}
  }

  /// A file, read while it is sent.
  final class CurlFileSource: CurlSource {
    private struct FileSourceState {
      var descriptor: Int32 = -1
      var length: Int64 = 0
      /// Bytes given since the start.
      var position: Int64 = 0
    }

    private let path: String
    private let start: Int64
    private let state = Mutex(FileSourceState())

    init(path: String, offset: Int64) {
      self.path = path
      start = offset
    }

    deinit { close() }

    var length: Int64? { state.withLock { $0.length } }

    func open() throws(APIError) {
      // Without O_NONBLOCK, opening a FIFO would wait for a writer.
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno))) }
      state.withLock { $0.descriptor = descriptor }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw unreadable("it is not a plain file")
      }
      let size = Int64(status.st_size)
      guard (0...size).contains(start) else {
        throw APIError(
          .transport, .unreadableBody, "the offset \(start) lies outside \(path) (\(size) bytes)")
      }
      state.withLock { $0.length = size - start }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int? {
      try state.withLock { (state) throws(APIError) -> Int? in
        let wanted = min(buffer.count, Int(state.length - state.position))
        guard wanted > 0 else { return 0 }
        let count = pread(state.descriptor, buffer.baseAddress, wanted, off_t(start + state.position))
        // At the end of the file: it was truncated while it was sent.
        guard count > 0 else {
          throw unreadable(count < 0 ? String(cString: strerror(errno)) : "it has become shorter")
        }
        state.position += Int64(count)
        return count
      }
    }

    func rewind() -> Bool {
      state.withLock { $0.position = 0 }
      return true
    }

    func close() {
      let descriptor = state.withLock { state in
        defer { state.descriptor = -1 }
        return state.descriptor
      }
      if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    private func unreadable(_ why: String) -> APIError {
      APIError(.transport, .unreadableBody, "the body's file \(path) cannot be read: \(why)")
    }
  }

  /// A body that is read into libcurl's own buffer.
  final class CurlReaderSource: CurlSource {
    let length: Int64?
    private let opensLate: Bool
    private let opener: @Sendable () throws(APIError) -> any BodyReader
    private let reader = Mutex<(any BodyReader)?>(nil)

    /// - Parameter opensLate: Whether it is opened when its first bytes are wanted: the server may not want any.
    init(
      _ length: Int64?, opensLate: Bool, _ opener: @escaping @Sendable () throws(APIError) -> any BodyReader
    ) {
      self.length = length
      self.opensLate = opensLate
      self.opener = opener
    }

    func open() throws(APIError) {
      if !opensLate { _ = try current() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int? {
      try current().read(into: buffer)
    }

    private func current() throws(APIError) -> any BodyReader {
      if let opened = reader.withLock({ $0 }) { return opened }
      let opened = try opener()
      reader.withLock { $0 = opened }
      return opened
    }

    func rewind() -> Bool {
      // It is opened anew at the next read.
      close()
      return true
    }

    func close() { reader.withLock { $0 = nil } }
  }

  /// A stream of chunks; a task fetches the next one while the transfer is paused.
  final class CurlStreamSource: CurlSource {
    private struct StreamSourceState {
      var generation = 0
      var next: HTTPBodyStream.Source?
      var chunk: [UInt8] = []
      var position = 0
      var sent: Int64 = 0
      var received: Int64 = 0
      var isEnded = false
      var failure: APIError?
      var fetch: Task<Void, Never>?
      var wake: (@Sendable () -> Void)?
    }

    let length: Int64?
    private let stream: HTTPBodyStream
    private let opensLate: Bool
    private let state = Mutex(StreamSourceState())

    /// - Parameter opensLate: Whether it is opened when its first bytes are wanted: the server may not want any.
    init(_ stream: HTTPBodyStream, opensLate: Bool) throws(APIError) {
      self.stream = stream
      self.opensLate = opensLate
      length = stream.length
      guard !opensLate else { return }
      let source = try Self.open(stream)
      state.withLock { $0.next = source }
    }

    var given: Int64? { length == nil ? state.withLock { $0.sent } : nil }

    func open() {}

    /// Sets what is called when a chunk has arrived.
    func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int? {
      try state.withLock { (state) throws(APIError) -> Int? in
        if let failure = state.failure { throw failure }
        guard state.position < state.chunk.count, !mayExceed(state) else {
          if state.isEnded { return try end(state.sent) }
          if state.fetch == nil { state.fetch = fetch(state.generation, state.next) }
          return nil
        }
        let count = min(buffer.count, state.chunk.count - state.position)
        state.chunk.withUnsafeBytes { bytes in
          buffer.copyMemory(from: .init(rebasing: bytes[state.position..<state.position + count]))
        }
        state.position += count
        state.sent += Int64(count)
        // The next chunk is fetched while this one is sent.
        if state.position == state.chunk.count { state.fetch = fetch(state.generation, state.next) }
        return count
      }
    }

    func rewind() -> Bool {
      let isFresh = state.withLock { $0.sent == 0 && $0.fetch == nil && !$0.isEnded }
      if isFresh { return true }
      guard stream.isReplayable, let source = try? Self.open(stream) else { return false }
      let fetch = state.withLock { state in
        defer { state = StreamSourceState(generation: state.generation + 1, next: source, wake: state.wake) }
        return state.fetch
      }
      // Not under the lock: it calls what the application's stream does when it is cancelled.
      fetch?.cancel()
      return true
    }

    func close() {
      let fetch = state.withLock { state in
        defer { (state.fetch, state.next, state.wake) = (nil, nil, nil) }
        state.generation += 1
        return state.fetch
      }
      fetch?.cancel()
    }

    /// Whether the last chunk must wait until the stream says that it was the last: what it gave beyond its
    /// length would reach the server as the next request.
    private func mayExceed(_ state: StreamSourceState) -> Bool { !state.isEnded && state.received == length }

    /// The end of the body. A body that is too short fails here: libcurl would wait for the missing bytes
    /// until a time limit.
    private func end(_ sent: Int64) throws(APIError) -> Int {
      guard let length, sent < length else { return 0 }
      throw APIError(
        .transport, .unreadableBody, "the body's stream ended after \(sent) of \(length) bytes")
    }

    private func fetch(_ generation: Int, _ next: HTTPBodyStream.Source?) -> Task<Void, Never>? {
      guard next != nil || opensLate else { return nil }
      return Task { [weak self, stream] in
        var result: Result<[UInt8]?, any Error>
        do {
          let next = try next ?? Self.open(stream)
          repeat { result = .success(try await next()) } while try result.get()?.isEmpty == true
          self?.opened(next, generation)
        } catch {
          result = .failure(error)
        }
        self?.take(result, generation)
      }
    }

    private func opened(_ source: @escaping HTTPBodyStream.Source, _ generation: Int) {
      guard opensLate else { return }
      state.withLock { if $0.generation == generation, $0.next == nil { $0.next = source } }
    }

    private func take(_ result: Result<[UInt8]?, any Error>, _ generation: Int) {
      let wake = state.withLock { state -> (@Sendable () -> Void)? in
        guard state.generation == generation else { return nil }
        state.fetch = nil
        switch result {
        case .success(let chunk?):
          state.position = 0
          state.chunk = chunk
          state.received += Int64(chunk.count)
          if let length, state.received > length {
            state.failure = APIError(
              .transport, .unreadableBody, "the body's stream gave more than its length of \(length) bytes")
          }
        case .success(nil): state.isEnded = true
        case .failure(let error):
          state.failure = APIError(unreadableStream: "failed", error)
        }
        return state.wake
      }
      wake?()
    }

    private static func open(_ stream: HTTPBodyStream) throws(APIError) -> HTTPBodyStream.Source {
      do {
        return try stream.open()
      } catch {
        throw APIError(unreadableStream: "cannot be opened", error)
      }
    }
  }
#endif
