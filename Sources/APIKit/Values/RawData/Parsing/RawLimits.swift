extension RawData {
  /// The limits of a parser, beyond which it throws ``APIError/Reason/bodyLimitExceeded``.
  public struct Limits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects. The default is 512, the maximum ``hardMaximumDepth``; a bare
    /// number has depth 0.
    public var maximumDepth: Int
    /// The longest document in bytes. The default is 512 MiB, the maximum ``hardMaximumBytes``.
    public var maximumBytes: Int

    /// 2 GiB minus one byte: offsets into a document must fit into a signed 32-bit integer.
    ///
    /// A single string or number may have up to 256 MiB minus one byte.
    public static let hardMaximumBytes = Int(Int32.max)

    /// 1,024 levels. Comparing, writing and decoding a document recurse for each level; where a thread's stack is
    /// too small for a deep one, it does so on a thread with a larger stack.
    public static let hardMaximumDepth = 1024

    /// Depth 512, 512 MiB.
    public static let `default` = Limits()

    /// Makes limits.
    public init(maximumDepth: Int = 512, maximumBytes: Int = 512 << 20) {
      self.maximumDepth = maximumDepth
      self.maximumBytes = maximumBytes
    }

    /// Throws for a body that is longer than the limit.
    package func check(_ bytes: [UInt8]) throws(APIError) {
      let limit = min(maximumBytes, Self.hardMaximumBytes)
      guard bytes.count > limit else { return }
      throw APIError(
        .response, .bodyLimitExceeded, "the body has \(bytes.count) bytes, the limit is \(limit)")
    }

    /// The depth beyond which to throw.
    package var depth: Int { min(maximumDepth, Self.hardMaximumDepth) }

    /// The limits for JSON text that a decoder writes, which may be longer than the body.
    package var ofWrittenText: Limits {
      Limits(maximumDepth: maximumDepth, maximumBytes: Self.hardMaximumBytes)
    }
  }
}
