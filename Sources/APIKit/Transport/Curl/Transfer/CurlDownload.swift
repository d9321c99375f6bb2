#if os(Linux)
  import Glibc
  import Synchronization

  /// Writes the body to a file as it arrives: to a partial file in the same folder, renamed when it is
  /// complete.
  ///
  /// Takes the bodies of responses with a status of 2xx only. The partial file is made before the request is
  /// sent, so that a missing folder is noticed then. It is removed when it does not become complete; an
  /// existing file at the path then stays as it was.
  final class CurlFileSink: CurlSink {
    private struct State: ~Copyable {
      var descriptor: Int32 = -1
      var count: Int64 = 0
      var decoder: CurlDecoder?
      var decoded: [UInt8] = []
    }

    let landsAtHead = false
    private let path: String
    private let partialPath: String
    private let maximumBytes: Int64
    private let maximumDecodedBytes: Int64
    private let state = Mutex(State())

    init(path: String, maximumBytes: Int64, maximumDecodedBytes: Int64) {
      self.path = path
      self.maximumBytes = maximumBytes
      self.maximumDecodedBytes = maximumDecodedBytes
      partialPath = "\(path).\(UInt32.random(in: 0 ... .max)).partial"
    }

    deinit { discard() }

    func takes(status: Int) -> Bool { ResponseFile.takes(status: status) }

    func open() throws(APIError) {
      let descriptor = Glibc.open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw failed("cannot be made", errno) }
      state.withLock { $0.descriptor = descriptor }
    }

    func begin(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
      var decoder = try CurlDecoding.decoder(contentCoding, maximumBytes: maximumDecodedBytes)
      state.withLock { $0.decoder = decoder.take() }
      return .bytes([])
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CurlWrite {
      state.withLock { state in
        do throws(APIError) {
          guard state.decoder != nil else {
            try append(bytes, &state)
            return .taken
          }
          var decoded: [UInt8] = []
          swap(&decoded, &state.decoded)
          decoded.removeAll(keepingCapacity: true)
          try state.decoder?.decode(bytes.assumingMemoryBound(to: UInt8.self), into: &decoded)
          try decoded.withUnsafeBufferPointer { (bytes) throws(APIError) in
            try append(UnsafeRawBufferPointer(bytes), &state)
          }
          swap(&decoded, &state.decoded)
          return .taken
        } catch {
          return .failed(error)
        }
      }
    }

    func finish() throws(APIError) -> HTTPResponse.Body {
      let count = try state.withLock { state throws(APIError) in
        try state.decoder?.finish()
        return state.count
      }
      // Closing reports a full disk; renaming replaces the file in one step.
      guard Glibc.close(takeDescriptor()) == 0 else {
        let number = errno
        unlink(partialPath)
        throw failed("cannot be written", number)
      }
      guard rename(partialPath, path) == 0 else {
        let number = errno
        unlink(partialPath)
        throw failed("cannot be replaced", number)
      }
      return .file(path: path, count: count)
    }

    func fail(_ error: APIError) { discard() }

    private func discard() {
      let descriptor = takeDescriptor()
      guard descriptor >= 0 else { return }
      _ = Glibc.close(descriptor)
      unlink(partialPath)
    }

    /// The descriptor, for the one who closes it; -1 when it was never opened or was taken before.
    private func takeDescriptor() -> Int32 {
      state.withLock { state in
        defer { state.descriptor = -1 }
        return state.descriptor
      }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(APIError) {
      guard state.count + Int64(bytes.count) <= maximumBytes else {
        throw APIError(.transport, .responseTooLarge, "the body is larger than \(maximumBytes) bytes")
      }
      var rest = bytes
      while !rest.isEmpty {
        let written = Glibc.write(state.descriptor, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw failed("cannot be written", errno) }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
      state.count += Int64(bytes.count)
    }

    private func failed(_ what: String, _ number: Int32) -> APIError {
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

    func takes(status: Int) -> Bool { true }

    func open() {}

    func begin(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
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
      do throws(APIError) {
        if try pipe?.write(bytes) != true { isFull.store(false, ordering: .releasing) }
        return .taken
      } catch {
        return .failed(error)
      }
    }

    func finish() throws(APIError) -> HTTPResponse.Body {
      pipe?.finish(.success(()))
      return .bytes([])
    }

    func fail(_ error: APIError) { pipe?.finish(.failure(error)) }

    private var pipe: ChunkPipe? { ends.withLock { $0.pipe } }
  }
#endif
