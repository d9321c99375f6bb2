#if !canImport(Darwin)
  import Foundation

  extension Charset {
    /// Converts with the C library's `iconv`; nil when it does not know the charset, or when `isStrict` and a sequence
    /// cannot be read.
    static func convert(_ bytes: ArraySlice<UInt8>, from name: String, isStrict: Bool) -> [UInt8]? {
      guard let converter = iconv_open("UTF-8", name), converter != UnsafeMutableRawPointer(bitPattern: -1)
      else {
        return nil
      }
      defer { iconv_close(converter) }
      var input = bytes.map { CChar(bitPattern: $0) }
      var output: [UInt8] = []
      output.reserveCapacity(input.count * 2)
      var piece = [CChar](repeating: 0, count: 4096)
      let isRead = input.withUnsafeMutableBufferPointer { input -> Bool in
        var next = input.baseAddress
        var left = input.count
        while left > 0 {
          let (result, count, problem) = piece.withUnsafeMutableBufferPointer { piece in
            var target = piece.baseAddress
            var room = piece.count
            errno = 0
            let result = iconv(converter, &next, &left, &target, &room)
            return (result, piece.count - room, errno)
          }
          output.append(contentsOf: piece[..<count].lazy.map { UInt8(bitPattern: $0) })
          guard Int(truncatingIfNeeded: result) == -1 else { continue }
          if problem == E2BIG { continue }
          // EILSEQ: a wrong sequence; EINVAL: one that the end cuts off.
          guard !isStrict, let byte = next.map({ UInt8(bitPattern: $0.pointee) }) else { return false }
          // The standard reads what windows-125x leaves undefined as control characters.
          let isControl = name.hasPrefix("CP125") && (0x80..<0xA0).contains(byte)
          output += isControl ? [0xC2, byte] : [0xEF, 0xBF, 0xBD]
          next = next.map { $0 + 1 }
          left -= 1
        }
        // Some charsets hold a letter back, for a mark that may follow.
        output += Self.rest(of: converter)
        return true
      }
      return isRead ? output : nil
    }

    /// What the converter has not written yet.
    private static func rest(of converter: iconv_t) -> [UInt8] {
      var piece = [CChar](repeating: 0, count: 64)
      let count = piece.withUnsafeMutableBufferPointer { piece in
        var target = piece.baseAddress
        var room = piece.count
        iconv(converter, nil, nil, &target, &room)
        return piece.count - room
      }
      return piece[..<count].map { UInt8(bitPattern: $0) }
    }
  }
#endif
