#if os(Linux)

  /// Decodes the content codings of a response. libcurl's decoders are not used: they accept a truncated or
  /// damaged gzip body as complete, and read only the first of several members.
  enum CurlDecoding {
    /// The codings offered to servers: those whose libraries are loaded.
    static let acceptLine: StaticString =
      switch (CurlCodingLibraries.brotli != nil, CurlCodingLibraries.zstandard != nil) {
      case (true, true): "Accept-Encoding: gzip, deflate, br, zstd"
      case (true, false): "Accept-Encoding: gzip, deflate, br"
      case (false, true): "Accept-Encoding: gzip, deflate, zstd"
      case (false, false): "Accept-Encoding: gzip, deflate"
      }

    /// Whether a response has a content coding other than `identity`.
    static func isCoded(_ headers: HTTPHeaders) -> Bool {
      guard let value = headers.combined("Content-Encoding") else { return false }
      do throws(APIError) { return try !codings(value).isEmpty } catch { return true }
    }

    /// Decodes a body in memory; several codings are decoded in turn, the last applied first.
    static func decode(_ body: [UInt8], _ value: String, maximumBytes: Int) throws(APIError) -> [UInt8] {
      var body = body
      for name in try codings(value).reversed() {
        var decoder = try CurlDecoder(named: name, maximumBytes: maximumBytes)
        var output: [UInt8] = []
        try decoder.decode(body, into: &output)
        try decoder.finish()
        body = output
      }
      return body
    }

    /// The most bytes that one piece from the wire may unpack to when the body goes to a file:
    /// 93 bytes of br can unpack to 100 MiB. A piece has 16 KB at most, which gzip unpacks to 17 MB at
    /// most.
    static let maximumPieceBytes = 64 << 20

    /// A decoder for a body that arrives in pieces; nil when it is not coded.
    static func decoder(_ value: String?, maximumBytes: Int64) throws(APIError) -> CurlDecoder? {
      let codings = try codings(value ?? "")
      guard let name = codings.first else { return nil }
      guard codings.count == 1 else {
        throw APIError(
          .transport, .undecodableContent,
          "a body coded more than once (\(codings.joined(separator: ", "))) is only read into memory")
      }
      return try CurlDecoder(
        named: name, maximumBytes: Int(clamping: maximumBytes), maximumPieceBytes: maximumPieceBytes)
    }

    /// The most codings of one body, as in libcurl: each is decoded in turn, which takes time.
    static let maximumCodings = 5

    /// The codings of a `Content-Encoding` value in the order they were applied, `identity` left out.
    ///
    /// Throws ``APIError/Reason/responseTooLarge`` for more than ``maximumCodings``.
    private static func codings(_ value: String) throws(APIError) -> [String] {
      let codings = value.split(separator: ",").map { String($0).trimmingSpaces().lowercased() }
        .filter { $0 != "identity" && !$0.isEmpty }
      guard codings.count <= maximumCodings else {
        throw APIError(
          .transport, .responseTooLarge,
          "the body is coded \(codings.count) times; at most \(maximumCodings) codings are read")
      }
      return codings
    }
  }

  /// A decoder of any content coding that this process can read.
  struct CurlDecoder: ~Copyable, Sendable {
    private var zlib: ContentDecoder?
    private var library: CurlLibraryDecoder?

    /// Throws ``APIError/Reason/undecodableContent`` for an unknown coding.
    init(named name: String, maximumBytes: Int, maximumPieceBytes: Int = .max) throws(APIError) {
      if let coding = ContentDecoder.Coding(name) {
        zlib = ContentDecoder(coding, maximumBytes: maximumBytes)
      } else {
        library = CurlLibraryDecoder(name, maximumBytes: maximumBytes, maximumPieceBytes: maximumPieceBytes)
      }
      guard zlib != nil || library != nil else {
        throw APIError(
          .transport, .undecodableContent, "the content coding \(name.debugDescription) is not known")
      }
    }

    /// Unpacks a chunk and appends the result.
    mutating func decode(_ chunk: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) throws(APIError) {
      _ = try decodePart(chunk, into: &output, room: .max)
    }

    /// Whether more comes out of the last part that it has taken.
    var hasMore: Bool {
      switch library {
      case .some(let library): library.hasMore
      case .none: false
      }
    }

    /// Unpacks a part of a chunk: br and zstd as much as there is room for, but for 64 KiB. Others take all of it, a
    /// thousandfold at most.
    ///
    /// - Returns: How many bytes of the chunk it has taken.
    mutating func decodePart(
      _ chunk: UnsafeBufferPointer<UInt8>, into output: inout [UInt8], room: Int
    ) throws(APIError) -> Int {
      if let used = try library?.decode(chunk, into: &output, room: room) { return used }
      try zlib?.decode(chunk, into: &output)
      return chunk.count
    }

    /// Unpacks a chunk and appends the result.
    mutating func decode(_ chunk: [UInt8], into output: inout [UInt8]) throws(APIError) {
      try chunk.withUnsafeBufferPointer { (bytes) throws(APIError) in try decode(bytes, into: &output) }
    }

    /// Throws ``APIError/Reason/truncatedBody`` when the body was cut.
    mutating func finish() throws(APIError) {
      if zlib != nil { try zlib?.finish() } else { try library?.finish() }
    }
  }

  /// A stream that decodes the chunks of another stream, in the reader's task.
  final class CurlDecodedStream: Sendable {
    private struct DecodedStreamState: ~Copyable {
      var decoder: CurlDecoder
      var isOver = false
      /// Received bytes that are not decoded yet.
      var rest: ArraySlice<UInt8> = []

      /// Unpacks a little of the rest, a MiB and 64 KiB of it at most.
      mutating func decode() throws(APIError) -> [UInt8] {
        var output: [UInt8] = []
        while output.isEmpty, !rest.isEmpty || decoder.hasMore {
          var taken = 0
          try rest.prefix(CurlDecodedStream.pieceBytes).withUnsafeBufferPointer { (piece) throws(APIError) in
            taken = try decoder.decodePart(piece, into: &output, room: CurlDecodedStream.roomBytes)
          }
          rest = rest.dropFirst(taken)
        }
        return output
      }
    }

    /// How much is unpacked at once: the reader has taken what came of it before more is.
    private static let pieceBytes = 1 << 10
    private static let roomBytes = 1 << 20

    private let coded: ResponseStream
    private let state: Mutex<DecodedStreamState>

    init(_ coded: ResponseStream, _ decoder: consuming CurlDecoder) {
      self.coded = coded
      state = Mutex(DecodedStreamState(decoder: decoder))
    }

    var stream: ResponseStream {
      ResponseStream(
        onAbandon: {}, pull: { () async throws(APIError) in try await self.next() }, pour: nil,
        measured: { self.coded.metrics })
    }

    private func next() async throws(APIError) -> [UInt8]? {
      var iterator = coded.makeAsyncIterator()
      while true {
        let decoded = try state.withLock { state throws(APIError) in try state.decode() }
        if !decoded.isEmpty { return decoded }
        guard let chunk = try await iterator.next() else { break }
        state.withLock { $0.rest = chunk[...] }
      }
      try state.withLock { state throws(APIError) in
        guard !state.isOver else { return }
        state.isOver = true
        try state.decoder.finish()
      }
      return nil
    }
  }
#endif
