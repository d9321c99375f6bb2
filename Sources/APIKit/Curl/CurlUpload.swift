#if os(Linux)
  import Glibc
  import Synchronization

  /// Bytes in memory that are too many to be copied.
  final class CurlBytesSource: CurlSource {
    /// In bytes. Below this size libcurl gets a copy, which saves a callback and often a system call.
    static let threshold = 256 << 10

    private let bytes: [UInt8]
    private let position = Mutex(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlRead {
      position.withLock { position in
        let count = min(buffer.count, bytes.count - position)
        bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[position..<position + count])) }
        position += count
        return .bytes(count)
      }
    }

    func rewind() -> Bool {
      position.withLock { $0 = 0 }
      return true
    }

    func close() {}
  }

  /// A file, read while it is sent. Opened by the caller that starts the exchange, so that a missing file
  /// fails at once.
  final class CurlFileSource: CurlSource {
    let length: Int64?
    private let path: String
    private let start: Int64
    private let descriptor: Int32
    private let position: Mutex<Int64>

    init(path: String, offset: Int64) throws(APIError) {
      self.path = path
      start = offset
      position = Mutex(offset)
      descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        let why = descriptor < 0 ? String(cString: strerror(errno)) : "it is not a plain file"
        length = nil
        throw APIError(.transport, .unreadableBody, "the body's file \(path) cannot be read: \(why)")
      }
      guard (0...Int64(status.st_size)).contains(offset) else {
        length = nil
        throw APIError(
          .transport, .unreadableBody, "the offset \(offset) lies outside \(path) (\(status.st_size) bytes)")
      }
      length = Int64(status.st_size) - offset
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlRead {
      position.withLock { position in
        let end = start + (length ?? 0)
        let wanted = min(buffer.count, Int(end - position))
        guard wanted > 0 else { return .bytes(0) }
        let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        guard count > 0 else {
          // The file was truncated while it was sent.
          let why = count < 0 ? String(cString: strerror(errno)) : "it has become shorter"
          return .failed(APIError(.transport, .unreadableBody, "the body's file \(path): \(why)"))
        }
        position += Int64(count)
        return .bytes(count)
      }
    }

    func rewind() -> Bool {
      position.withLock { $0 = start }
      return true
    }

    func close() {}
  }

  /// A stream of chunks; a task fetches the next one while the transfer is paused.
  final class CurlStreamSource: CurlSource {
    private struct State {
      var generation = 0
      var next: HTTPBodyStream.Source?
      var chunk: [UInt8] = []
      var position = 0
      var sent: Int64 = 0
      var isEnded = false
      var failure: APIError?
      var fetch: Task<Void, Never>?
      var wake: (@Sendable () -> Void)?
    }

    let length: Int64?
    private let stream: HTTPBodyStream
    private let state = Mutex(State())

    init(_ stream: HTTPBodyStream) throws(APIError) {
      self.stream = stream
      length = stream.length
      let source = try Self.open(stream)
      state.withLock { $0.next = source }
    }

    /// Sets what is called when a chunk has arrived.
    func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlRead {
      state.withLock { state in
        if let failure = state.failure { return .failed(failure) }
        guard state.position < state.chunk.count else {
          guard !state.isEnded else { return end(state.sent) }
          if state.fetch == nil { state.fetch = fetch(state.generation, state.next) }
          return .later
        }
        let count = min(buffer.count, state.chunk.count - state.position)
        state.chunk.withUnsafeBytes { bytes in
          buffer.copyMemory(from: .init(rebasing: bytes[state.position..<state.position + count]))
        }
        state.position += count
        state.sent += Int64(count)
        // The next chunk is fetched while this one is sent.
        if state.position == state.chunk.count { state.fetch = fetch(state.generation, state.next) }
        return .bytes(count)
      }
    }

    func rewind() -> Bool {
      let isFresh = state.withLock { $0.sent == 0 && $0.fetch == nil && !$0.isEnded }
      if isFresh { return true }
      guard stream.isReplayable, let source = try? Self.open(stream) else { return false }
      state.withLock { state in
        state.fetch?.cancel()
        let wake = state.wake
        state = State(generation: state.generation + 1, next: source, wake: wake)
      }
      return true
    }

    func close() {
      state.withLock { state in
        state.generation += 1
        state.fetch?.cancel()
        state.fetch = nil
        state.next = nil
        state.wake = nil
      }
    }

    /// The end of the body. A body that is too short fails here: libcurl would wait for the missing bytes
    /// until a time limit.
    private func end(_ sent: Int64) -> CurlRead {
      if let length, sent < length {
        return .failed(
          APIError(
            .transport, .unreadableBody, "the body's stream ended after \(sent) of \(length) bytes"))
      }
      return .bytes(0)
    }

    private func fetch(_ generation: Int, _ next: HTTPBodyStream.Source?) -> Task<Void, Never>? {
      guard let next else { return nil }
      return Task { [weak self] in
        var result: Result<[UInt8]?, any Error>
        repeat {
          do { result = .success(try await next()) } catch { result = .failure(error) }
        } while (try? result.get())??.isEmpty == true
        self?.take(result, generation)
      }
    }

    private func take(_ result: Result<[UInt8]?, any Error>, _ generation: Int) {
      let wake = state.withLock { state -> (@Sendable () -> Void)? in
        guard state.generation == generation else { return nil }
        state.fetch = nil
        state.position = 0
        state.chunk = []
        switch result {
        case .success(let chunk?): state.chunk = chunk
        case .success(nil): state.isEnded = true
        case .failure(let error):
          state.failure = APIError(
            .transport, .unreadableBody, "the body's stream failed", underlying: error)
        }
        return state.wake
      }
      wake?()
    }

    private static func open(_ stream: HTTPBodyStream) throws(APIError) -> HTTPBodyStream.Source {
      do {
        return try stream.open()
      } catch {
        throw APIError(.transport, .unreadableBody, "the body's stream cannot be opened", underlying: error)
      }
    }
  }
#endif
