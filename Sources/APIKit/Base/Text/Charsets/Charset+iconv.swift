#if !canImport(Darwin)
  import Foundation

  /// Converts whole sequences of one charset with the C library's `iconv`.
  final class CharsetConverter {
    private let converter: iconv_t

    /// Nil for a charset that the system does not know.
    init?(_ name: String) {
      guard let converter = iconv_open("UTF-8", name), converter != UnsafeMutableRawPointer(bitPattern: -1)
      else {
        return nil
      }
      self.converter = converter
    }

    deinit { iconv_close(converter) }

    /// The text; where a sequence cannot be read it is nil when `isStrict`, else each of its bytes is U+FFFD.
    func text(of bytes: some Collection<UInt8>, isStrict: Bool) -> [UInt8]? {
      // Back to the state in which a text begins.
      iconv(converter, nil, nil, nil, nil)
      var input = bytes.map { CChar(bitPattern: $0) }
      var output: [UInt8] = []
      output.reserveCapacity(input.count * 2)
      let isRead = input.withUnsafeMutableBufferPointer { input -> Bool in
        var next = input.baseAddress
        var left = input.count
        while left > 0 {
          switch step(&next, &left, to: &output) {
          case 0, E2BIG: continue
          default:
            // EILSEQ: a wrong sequence; EINVAL: one that the end cuts off.
            guard !isStrict else { return false }
            output += Charset.replacement
            next = next.map { $0 + 1 }
            left -= 1
          }
        }
        return true
      }
      guard isRead else { return nil }
      // Some charsets hold a letter back, for a mark that may follow.
      var (next, left) = (UnsafeMutablePointer<CChar>?.none, 0)
      _ = step(&next, &left, to: &output)
      return output
    }

    /// Converts until 256 bytes are written; the error number of `iconv`, or 0.
    private func step(
      _ next: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, to output: inout [UInt8]
    ) -> Int32 {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { piece in
        var target = piece.baseAddress
        var room = piece.count
        errno = 0
        let result =
          next == nil
          ? iconv(converter, nil, nil, &target, &room) : iconv(converter, &next, &left, &target, &room)
        let problem = errno
        output.append(contentsOf: piece[..<(piece.count - room)].lazy.map { UInt8(bitPattern: $0) })
        return Int(truncatingIfNeeded: result) == -1 ? problem : 0
      }
    }
  }
#endif
