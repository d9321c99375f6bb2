#if os(Linux)
  import Glibc

  /// Reads the head of a response as libcurl passes it: lines with their line breaks.
  enum CurlHead {
    /// The largest head in bytes: a server that sends header fields without end must not fill the memory.
    static let maximumBytes = 256 << 10

    /// `HTTP/1.1 200 OK` or `HTTP/2 200`; nil when the line is something else.
    static func statusLine(_ line: UnsafeRawBufferPointer) -> (version: HTTPVersion, status: Int)? {
      guard line.count >= 9, line.starts(with: "HTTP/".utf8) else { return nil }
      guard let space = line.firstIndex(of: UInt8(ascii: " ")), space + 3 < line.count else { return nil }
      var status = 0
      for byte in line[(space + 1)...(space + 3)] {
        guard (0x30...0x39).contains(byte) else { return nil }
        status = status * 10 + Int(byte - 0x30)
      }
      switch line[5] {
      case UInt8(ascii: "2"): return (.http2, status)
      case UInt8(ascii: "3"): return (.http3, status)
      default: return (line[7] == UInt8(ascii: "0") ? .http1_0 : .http1_1, status)
      }
    }

    /// Whether a line begins with a name in lower case.
    static func begins(_ line: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
      guard line.count >= name.utf8CodeUnitCount else { return false }
      return name.withUTF8Buffer { name in name.indices.allSatisfy { line[$0] | 0x20 == name[$0] | 0x20 } }
    }

    /// The value of a line with this field name, which is given in lower case with its colon; nil for any
    /// other line.
    static func value(
      of name: StaticString, in line: UnsafeRawBufferPointer
    ) -> Slice<UnsafeRawBufferPointer>? {
      let count = name.utf8CodeUnitCount
      // Most lines differ in the position of the colon already.
      guard line.count >= count, line[count - 1] == UInt8(ascii: ":"), begins(line, with: name) else {
        return nil
      }
      var end = line.count
      while end > count, line[end - 1] <= 0x20 { end -= 1 }
      return line[count..<end]
    }

    /// A decimal number with nothing but spaces or tabs around it; nil when it is something else.
    static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
      var value: Int64?
      var isOver = false
      for byte in text {
        if byte == 0x20 || byte == 0x09 {
          isOver = value != nil
          continue
        }
        guard !isOver, (0x30...0x39).contains(byte) else { return nil }
        let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
        guard !overflow, product <= Int64.max - 9 else { return nil }
        value = product + Int64(byte - 0x30)
      }
      return value
    }

    /// The header fields of a head, without its first line. Bytes that are not UTF-8 are replaced (U+FFFD).
    static func headers(_ head: [UInt8]) -> HTTPHeaders {
      head.withUnsafeBytes { bytes in
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(12)
        var start = (index(of: 0x0A, in: bytes, 0..<bytes.count) ?? bytes.count - 1) + 1
        while start < bytes.count {
          let end = index(of: 0x0A, in: bytes, start..<bytes.count) ?? bytes.count
          if let field = field(bytes, in: start..<end) {
            fields.append(field)
          } else if let folded = continuation(bytes, in: start..<end), !fields.isEmpty {
            fields[fields.count - 1].value += " " + folded
          }
          start = end + 1
        }
        return HTTPHeaders(fields)
      }
    }

    private static func field(_ bytes: UnsafeRawBufferPointer, in line: Range<Int>) -> HTTPHeaders.Field? {
      guard let first = line.first, bytes[first] != 0x20, bytes[first] != 0x09,
        let colon = index(of: UInt8(ascii: ":"), in: bytes, line), colon > first
      else { return nil }
      return HTTPHeaders.Field(text(bytes, in: first..<colon), text(bytes, in: colon + 1..<line.upperBound))
    }

    /// The text of an obsolete folded line (RFC 9112, 5.2), which belongs to the field before it.
    private static func continuation(_ bytes: UnsafeRawBufferPointer, in line: Range<Int>) -> String? {
      guard let first = line.first, bytes[first] == 0x20 || bytes[first] == 0x09 else { return nil }
      let folded = text(bytes, in: line)
      return folded.isEmpty ? nil : folded
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) -> String {
      func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
      var start = range.lowerBound
      var end = range.upperBound
      while start < end, isSpace(bytes[start]) { start += 1 }
      while end > start, isSpace(bytes[end - 1]) { end -= 1 }
      let text = String(decoding: bytes[start..<end], as: UTF8.self)
      // Most have no bare CR; libcurl itself refuses a NUL.
      return index(of: 0x0D, in: bytes, start..<end) == nil ? text : HTTPHeaders.received(text)
    }

    /// As `firstIndex(of:)`, and faster.
    private static func index(
      of byte: UInt8, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> Int? {
      guard let base = bytes.baseAddress,
        let found = memchr(base + range.lowerBound, Int32(byte), range.count)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
#endif
