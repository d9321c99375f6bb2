#if os(Linux)

  /// Writes the body to a file as it arrives: to a partial file in the same folder, renamed when it is
  /// complete.
  ///
  /// Takes the bodies of responses with a status of 2xx only. The partial file is made before the request is
  /// sent, so that a missing folder is noticed then. It is removed when it does not become complete; an
  /// existing file at the path then stays as it was.
  final class CurlFileSink: CurlSink {
    private struct FileSinkState: ~Copyable {
      var file: ResponseFile?
      var decoder: CurlDecoder?
      var decoded: [UInt8] = []
    }

    let landsAtHead = false
    private let path: String
    private let maximumBytes: Int64
    private let maximumDecodedBytes: Int64
    private let state = Mutex(FileSinkState())

    init(path: String, maximumBytes: Int64, maximumDecodedBytes: Int64) {
      self.path = path
      self.maximumBytes = maximumBytes
      self.maximumDecodedBytes = maximumDecodedBytes
    }

    deinit { discard() }

    func takes(status: Int) -> Bool { ResponseFile.takes(status: status) }

    func open() throws(APIError) {
      let file = try ResponseFile(path: path, maximumBytes: maximumBytes)
      state.withLock { $0.file = file }
    }

    func begin(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
      var decoder = try CurlDecoding.decoder(contentCoding, maximumBytes: maximumDecodedBytes)
      state.withLock { $0.decoder = decoder.take() }
      return .bytes([])
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
      try state.withLock { state throws(APIError) in
        guard state.decoder != nil else {
          try state.file?.write(bytes)
          return
        }
        var decoded: [UInt8] = []
        swap(&decoded, &state.decoded)
        decoded.removeAll(keepingCapacity: true)
        try state.decoder?.decode(bytes.assumingMemoryBound(to: UInt8.self), into: &decoded)
        try decoded.withUnsafeBufferPointer { (bytes) throws(APIError) in
          try state.file?.write(UnsafeRawBufferPointer(bytes))
        }
        swap(&decoded, &state.decoded)
      }
      return true
    }

    func finish(_ metrics: TransportMetrics) throws(APIError) -> HTTPResponse.Body {
      let file = try state.withLock { state throws(APIError) in
        try state.decoder?.finish()
        return state.file.take()
      }
      guard var file else { throw APIError(.transport, .fileFailed, "the file \(path) was never made") }
      try file.commit()
      return .file(path: path, count: file.count)
    }

    func fail(_ error: APIError) { discard() }

    private func discard() {
      state.withLock { state in
        state.file?.discard()
        state.file = nil
      }
    }
  }

  /// Passes the body to a reader in chunks; the transfer pauses when the reader falls behind.
  final class CurlStreamSink: CurlSink {
    /// How many bytes may be unread before the transfer pauses.
    private static let mark = 256 << 10

    let landsAtHead = true
    private let maximumDecodedBytes: Int64
    private let isFull = AtomicFlag()
    private let pipe = Mutex<ChunkPipe?>(nil)

    init(maximumDecodedBytes: Int64) {
      self.maximumDecodedBytes = maximumDecodedBytes
    }

    /// Sets what is called when the reader has caught up, and when it has dropped the stream.
    func attach(onDrain: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void) {
      let pipe = ChunkPipe(
        mark: Self.mark,
        onDrain: { [weak self] in
          self?.isFull.store(false)
          onDrain()
        }, onCancel: onAbandon)
      self.pipe.withLock { $0 = pipe }
    }

    func takes(status: Int) -> Bool { true }

    func open() {}

    func begin(contentCoding: String?) throws(APIError) -> HTTPResponse.Body {
      guard let stream = present?.stream else { return .bytes([]) }
      guard let decoder = try CurlDecoding.decoder(contentCoding, maximumBytes: maximumDecodedBytes) else {
        return .stream(stream)
      }
      return .stream(CurlDecodedStream(stream, decoder).stream)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
      guard !isFull.load() else { return false }
      // Set before the chunk is written: the reader may drain the pipe, which clears it, at once.
      isFull.store(true)
      if try present?.write(bytes) != true { isFull.store(false) }
      return true
    }

    func finish(_ metrics: TransportMetrics) throws(APIError) -> HTTPResponse.Body {
      present?.finish(.success(()), metrics: metrics)
      return .bytes([])
    }

    func fail(_ error: APIError) { present?.finish(.failure(error), metrics: error.metrics) }

    private var present: ChunkPipe? { pipe.withLock { $0 } }
  }
#endif
