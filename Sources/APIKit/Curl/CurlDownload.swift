#if os(Linux)
  import Glibc
  import Synchronization

  /// Writes the body to a file as it arrives: to a partial file in the same folder, renamed when it is
  /// complete.
  ///
  /// The partial file is made by the caller that starts the exchange, so that a missing folder fails at
  /// once. It is removed when the attempt fails; an existing file at the path then stays as it was.
  final class CurlFileSink: CurlSink {
    private struct State: ~Copyable {
      var count: Int64 = 0
      var decoder: CurlDecoder?
      var decoded: [UInt8] = []
      var isOver = false
    }

    let landsAtHead = false
    private let path: String
    private let partialPath: String
    private let maximumBytes: Int64
    private let maximumDecodedBytes: Int64
    private let descriptor: Int32
    private let state = Mutex(State())

    init(path: String, maximumBytes: Int64, maximumDecodedBytes: Int64) throws(APIError) {
      self.path = path
      self.maximumBytes = maximumBytes
      self.maximumDecodedBytes = maximumDecodedBytes
      partialPath = "\(path).\(UInt32.random(in: 0 ... .max)).partial"
      descriptor = Glibc.open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw Self.failed(path, "cannot be made", errno)
      }
    }

    deinit { discard() }

    func open(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
      var decoder = try CurlDecoding.decoder(contentCoding, maximumBytes: maximumDecodedBytes)
      state.withLock { $0.decoder = decoder.take() }
      return .bytes([])
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CurlWrite {
      state.withLock { state in
        do throws(APIError) {
          guard state.decoder != nil else {
            try append(bytes, &state.count)
            return .taken
          }
          state.decoded.removeAll(keepingCapacity: true)
          try state.decoder?.decode(bytes.assumingMemoryBound(to: UInt8.self), into: &state.decoded)
          try write(state.decoded, &state.count)
          return .taken
        } catch {
          return .failed(error)
        }
      }
    }

    func finish() throws(APIError) -> HTTPResponse.Body {
      let outcome = state.withLock { state -> Result<Int64, APIError> in
        do throws(APIError) {
          try state.decoder?.finish()
          // Closing reports a full disk; renaming replaces the file in one step.
          guard !state.isOver, Glibc.close(descriptor) == 0 else {
            throw Self.failed(path, "cannot be written", errno)
          }
          state.isOver = true
          guard rename(partialPath, path) == 0 else {
            let number = errno
            unlink(partialPath)
            throw Self.failed(path, "cannot be replaced", number)
          }
          return .success(state.count)
        } catch {
          return .failure(error)
        }
      }
      return .file(path: path, count: try outcome.get())
    }

    func fail(_ error: APIError) { discard() }

    private func discard() {
      state.withLock { state in
        guard !state.isOver else { return }
        state.isOver = true
        _ = Glibc.close(descriptor)
        unlink(partialPath)
      }
    }

    private func write(_ bytes: [UInt8], _ count: inout Int64) throws(APIError) {
      var failure: APIError?
      bytes.withUnsafeBytes { bytes in
        do throws(APIError) { try append(bytes, &count) } catch { failure = error }
      }
      if let failure { throw failure }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ count: inout Int64) throws(APIError) {
      guard count + Int64(bytes.count) <= maximumBytes else {
        throw APIError(.transport, .responseTooLarge, "the body is larger than \(maximumBytes) bytes")
      }
      var rest = bytes
      while !rest.isEmpty {
        let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw Self.failed(path, "cannot be written", errno) }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
      count += Int64(bytes.count)
    }

    private static func failed(_ path: String, _ what: String, _ number: Int32) -> APIError {
      APIError(.transport, .fileFailed, "the file \(path) \(what): \(String(cString: strerror(number)))")
    }
  }

  /// Passes the body to a reader in chunks; the transfer pauses when the reader falls behind.
  final class CurlStreamSink: CurlSink {
    /// How many bytes may be unread before the transfer pauses.
    private static let mark = 256 << 10

    let landsAtHead = true
    private let maximumDecodedBytes: Int64
    private let isFull = Atomic(false)
    private let ends = Mutex(Ends())

    private struct Ends {
      var pipe: ChunkPipe?
    }

    init(maximumDecodedBytes: Int64) {
      self.maximumDecodedBytes = maximumDecodedBytes
    }

    /// Sets what is called when the reader has caught up, and when it has dropped the stream.
    func attach(onDrain: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void) {
      let pipe = ChunkPipe(
        mark: Self.mark,
        onDrain: { [weak self] in
          self?.isFull.store(false, ordering: .releasing)
          onDrain()
        }, onCancel: onAbandon)
      ends.withLock { $0.pipe = pipe }
    }

    func open(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
      guard let stream = pipe?.stream else { return .bytes([]) }
      guard let decoder = try CurlDecoding.decoder(contentCoding, maximumBytes: maximumDecodedBytes) else {
        return .stream(stream)
      }
      return .stream(CurlDecodedStream(stream, decoder).stream)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CurlWrite {
      guard !isFull.load(ordering: .acquiring) else { return .later }
      // Set before the chunk is written: the reader may drain the pipe, which clears it, at once.
      isFull.store(true, ordering: .releasing)
      if pipe?.write([UInt8](bytes)) != true { isFull.store(false, ordering: .releasing) }
      return .taken
    }

    func finish() throws(APIError) -> HTTPResponse.Body {
      pipe?.finish(.success(()))
      return .bytes([])
    }

    func fail(_ error: APIError) { pipe?.finish(.failure(error)) }

    private var pipe: ChunkPipe? { ends.withLock { $0.pipe } }
  }
#endif
