#if os(Linux)
  import Glibc

  /// Brotli and Zstandard, decoded by the libraries that libcurl itself loads into the process.
  ///
  /// They are looked up by name, so that APIKit needs neither their headers nor their packages. Where
  /// libcurl was built without them, the codings are neither offered nor declared as a capability.
  enum CurlCodingLibraries {
    struct Brotli: Sendable {
      typealias Create =
        @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
      typealias Step =
        @convention(c) @Sendable (
          OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
          UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
          UnsafeMutablePointer<Int>?
        ) -> Int32
      typealias Destroy = @convention(c) @Sendable (OpaquePointer) -> Void

      let create: Create
      let step: Step
      let destroy: Destroy
    }

    struct Zstandard: Sendable {
      /// `ZSTD_inBuffer` and `ZSTD_outBuffer`, which have the same layout.
      struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position: Int
      }
      typealias Create = @convention(c) @Sendable () -> OpaquePointer?
      typealias Step =
        @convention(c) @Sendable (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
      typealias IsError = @convention(c) @Sendable (Int) -> UInt32
      typealias Destroy = @convention(c) @Sendable (OpaquePointer) -> Int

      let create: Create
      let step: Step
      let isError: IsError
      let destroy: Destroy
    }

    static let brotli: Brotli? = {
      guard let create: Brotli.Create = symbol("BrotliDecoderCreateInstance"),
        let step: Brotli.Step = symbol("BrotliDecoderDecompressStream"),
        let destroy: Brotli.Destroy = symbol("BrotliDecoderDestroyInstance")
      else { return nil }
      return Brotli(create: create, step: step, destroy: destroy)
    }()

    static let zstandard: Zstandard? = {
      guard let create: Zstandard.Create = symbol("ZSTD_createDStream"),
        let step: Zstandard.Step = symbol("ZSTD_decompressStream"),
        let isError: Zstandard.IsError = symbol("ZSTD_isError"),
        let destroy: Zstandard.Destroy = symbol("ZSTD_freeDStream")
      else { return nil }
      return Zstandard(create: create, step: step, isError: isError, destroy: destroy)
    }()

    /// A function of that name, which is of that type; nil where its library is not loaded.
    private static func symbol<Function>(_ name: String) -> Function? {
      dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
  }

  /// Unpacks `br` or `zstd` chunk by chunk, as ``ContentDecoder`` does for zlib's codings.
  struct CurlLibraryDecoder: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: this value is their only owner and cannot be copied, so two
    // threads never use it at once. Neither library ties its state to a thread.
    private enum Engine {
      case brotli(CurlCodingLibraries.Brotli, OpaquePointer)
      case zstandard(CurlCodingLibraries.Zstandard, OpaquePointer)
    }

    private let engine: Engine
    private let name: String
    private let maximumBytes: Int
    private let maximumPieceBytes: Int
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var producedBytes = 0
    /// Whether the input is between members, where a body may end.
    private var isWhole = true
    private var isOver = false
    /// Whether more comes out of what it has taken.
    private(set) var hasMore = false

    /// Nil when the name is not one of the two, or its library is not loaded.
    init?(_ name: String, maximumBytes: Int, maximumPieceBytes: Int) {
      self.name = name
      self.maximumPieceBytes = maximumPieceBytes
      self.maximumBytes = maximumBytes
      if name == "br", let library = CurlCodingLibraries.brotli, let state = library.create(nil, nil, nil) {
        engine = .brotli(library, state)
      } else if name == "zstd", let library = CurlCodingLibraries.zstandard, let state = library.create() {
        engine = .zstandard(library, state)
      } else {
        return nil
      }
      // Allocated last: `deinit` does not run when the initialiser returns nil.
      scratch = .allocate(capacity: 64 << 10)
    }

    deinit {
      scratch.deallocate()
      switch engine {
      case .brotli(let library, let state): library.destroy(state)
      case .zstandard(let library, let state): _ = library.destroy(state)
      }
    }

    /// Unpacks a chunk and appends the result; stops after so many bytes, but for 64 KiB.
    ///
    /// - Returns: How many bytes of the chunk it has taken; ``hasMore`` tells whether more comes out of these.
    mutating func decode(
      _ chunk: UnsafeBufferPointer<UInt8>, into output: inout [UInt8], room: Int
    ) throws(APIError) -> Int {
      guard chunk.count > 0 || hasMore else { return 0 }
      hasMore = false
      guard !isOver else {
        throw APIError(.transport, .undecodableContent, "bytes follow the end of the compressed body")
      }
      let start = producedBytes
      var used = 0
      var isHungry = false
      isWhole = false
      while !isHungry {
        var made = 0
        let verdict = step(
          UnsafeBufferPointer(rebasing: chunk[used...]), into: scratch, used: &used, made: &made)
        output.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<made]))
        producedBytes += made
        guard producedBytes <= maximumBytes else {
          throw APIError(
            .transport, .responseTooLarge,
            "the unpacked response is larger than its limit of \(maximumBytes) bytes")
        }
        guard producedBytes - start <= maximumPieceBytes else {
          throw APIError(
            .transport, .responseTooLarge,
            "\(chunk.count) bytes of the response unpack to more than \(maximumPieceBytes)")
        }
        switch verdict {
        case .damaged:
          throw APIError(
            .transport, .undecodableContent,
            "the \(name) body is damaged behind \(producedBytes) bytes")
        case .hungry: isHungry = true
        case .full:
          guard output.count < room else {
            hasMore = true
            return used
          }
        case .end:
          isWhole = true
          guard used < chunk.count else { return used }
          if case .brotli = engine {
            throw APIError(.transport, .undecodableContent, "bytes follow the end of the compressed body")
          }
          isWhole = false
        }
      }
      return used
    }

    /// Throws ``APIError/Reason/truncatedBody`` when the stream was cut.
    mutating func finish() throws(APIError) {
      isOver = true
      guard !isWhole else { return }
      throw APIError(
        .transport, .truncatedBody, "the compressed body was cut; \(producedBytes) bytes came out of it")
    }

    private enum Verdict { case hungry, full, end, damaged }

    private func step(
      _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>, used: inout Int,
      made: inout Int
    ) -> Verdict {
      switch engine {
      case .brotli(let library, let state):
        var inputLeft = input.count
        var inputNext = input.baseAddress
        var outputLeft = output.count
        var outputNext = output.baseAddress
        let code = library.step(state, &inputLeft, &inputNext, &outputLeft, &outputNext, nil)
        used += input.count - inputLeft
        made = output.count - outputLeft
        // BROTLI_DECODER_RESULT_…: error, success, needs more input, needs more output.
        return [Verdict.damaged, .end, .hungry, .full][Int(code) & 3]
      case .zstandard(let library, let state):
        var source = CurlCodingLibraries.Zstandard.Buffer(
          bytes: input.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }, size: input.count,
          position: 0)
        var target = CurlCodingLibraries.Zstandard.Buffer(
          bytes: UnsafeMutableRawPointer(output.baseAddress), size: output.count, position: 0)
        let code = library.step(state, &target, &source)
        used += source.position
        made = target.position
        if library.isError(code) != 0 { return .damaged }
        if code == 0 { return .end }
        return target.position == target.size ? .full : .hungry
      }
    }
  }
#endif
