import APIKit

/// Reads the response to an opening handshake as it comes, in pieces of any size.
///
/// Interim responses are skipped. A response with status 101 ends with its head; of any other, the body is read as far
/// as an error needs it.
struct UpgradeResponseParser {
  /// The largest head in bytes, interim responses included.
  static let maximumHeadBytes = 256 << 10
  /// How many bytes of the body of a refusal are kept.
  static let keptBodyBytes = 64 << 10

  enum Outcome {
    case needsMore
    /// The whole response, and how many of the bytes just taken belong to it.
    case complete(HTTPResponse, taken: Int)
  }

  /// How the end of a refusal's body is known (RFC 9112, 6.3).
  private enum Body {
    case none
    case length(Int)
    case chunks(ChunkReader)
    case untilClose
  }

  private var head: [UInt8] = []
  /// How many of the head's bytes were searched for its end.
  private var searched = 0
  private var skippedBytes = 0
  private var response: HTTPResponse?
  private var framing = Body.none
  private var body: [UInt8] = []

  /// Takes the next bytes. Throws `APIError.Reason.malformedResponse` or `APIError.Reason.responseTooLarge`.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Outcome {
    var rest = bytes[...]
    while response == nil {
      let before = head.count
      head.append(contentsOf: rest)
      guard let end = endOfHead() else {
        guard head.count + skippedBytes <= Self.maximumHeadBytes else { throw Self.tooLarge }
        return .needsMore
      }
      guard end + skippedBytes <= Self.maximumHeadBytes else { throw Self.tooLarge }
      rest = rest[(rest.startIndex + end - before)...]
      head.removeSubrange(end...)
      try readHead()
    }
    guard let status = response?.status, status != 101, try takeBody(rest) else {
      guard var response, response.status == 101 else { return .needsMore }
      response.body = .bytes([])
      return .complete(response, taken: rest.startIndex)
    }
    return .complete(finished(), taken: bytes.count)
  }

  /// The connection has ended: the response as far as it came. Nil where its head is not complete.
  mutating func end() -> HTTPResponse? { response == nil ? nil : finished() }

  private static let tooLarge = APIError(
    .transport, .responseTooLarge, "the head of the response is larger than 256 KiB")

  private func finished() -> HTTPResponse {
    var response = response ?? HTTPResponse(status: 0)
    response.body = .bytes(body)
    return response
  }

  /// Where the head ends, its empty line included.
  private mutating func endOfHead() -> Int? {
    var index = max(0, searched - 3)
    while index < head.count {
      defer { index += 1 }
      guard head[index] == 0x0A, index + 1 < head.count else { continue }
      if head[index + 1] == 0x0A { return index + 2 }
      if head[index + 1] == 0x0D, index + 2 < head.count, head[index + 2] == 0x0A { return index + 3 }
    }
    searched = head.count
    return nil
  }

  private mutating func readHead() throws(APIError) {
    defer {
      skippedBytes += head.count
      (head, searched) = ([], 0)
    }
    guard let (version, status, headers) = Self.parse(head) else {
      throw APIError(.transport, .malformedResponse, "the response is no HTTP/1.1")
    }
    // An interim response (RFC 9110, 15.2).
    guard status == 101 || status >= 200 else { return }
    let response = HTTPResponse(status: status, headers: headers, version: version)
    self.response = response
    if status == 204 || status == 304 {
      framing = .none
    } else if let coding = headers.combined("Transfer-Encoding") {
      framing = HTTPHeaders.equal(coding, "chunked") ? .chunks(ChunkReader()) : .untilClose
    } else if let text = headers["Content-Length"], let length = Int(digits: text) {
      framing = .length(length)
    } else {
      framing = .untilClose
    }
  }

  /// Takes bytes of a refusal's body; true when it is complete, or as much of it as is kept.
  private mutating func takeBody(_ bytes: Slice<UnsafeRawBufferPointer>) throws(APIError) -> Bool {
    func keep(_ part: some Collection<UInt8>) {
      body.append(contentsOf: part.prefix(max(0, Self.keptBodyBytes - body.count)))
    }
    switch framing {
    case .none: return true
    case .length(let length):
      keep(bytes.prefix(length))
      framing = .length(length - min(length, bytes.count))
      return length <= bytes.count || body.count >= Self.keptBodyBytes
    case .chunks(var reader):
      let isOver = reader.take(bytes) { keep($0) }
      framing = .chunks(reader)
      return isOver || body.count >= Self.keptBodyBytes
    case .untilClose:
      keep(bytes)
      return body.count >= Self.keptBodyBytes
    }
  }

  private static func parse(_ head: [UInt8]) -> (HTTPVersion, status: Int, headers: HTTPHeaders)? {
    let lines = head.split(separator: 0x0A, omittingEmptySubsequences: true).map { line in
      line.last == 0x0D ? line.dropLast() : line
    }
    guard let first = lines.first else { return nil }
    // An older server may refuse.
    let isOlder = first.starts(with: "HTTP/1.0 ".utf8)
    guard isOlder || first.starts(with: "HTTP/1.1 ".utf8) else { return nil }
    // Three digits, and a space where a reason follows (RFC 9112, 4).
    let (digits, behind) = (first.dropFirst(9).prefix(3), first.dropFirst(12).first ?? 0x20)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }), behind == 0x20,
      let status = Int(String(decoding: digits, as: UTF8.self)), status >= (isOlder ? 200 : 100)
    else { return nil }
    var headers = HTTPHeaders()
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      guard HTTPToken.isToken(name) else { return nil }
      // Neither may stand in a value (RFC 9110, 5.5).
      guard !line.contains(0x00), !line.contains(0x0D) else { return nil }
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingSpaces()
      headers.add(name, HTTPHeaders.received(value))
    }
    return (isOlder ? .http1_0 : .http1_1, status, headers)
  }
}

/// Reads a chunked body (RFC 9112, 7.1) in pieces of any size.
struct ChunkReader {
  private enum ChunkPhase {
    case size, skippingExtension, data, dataEnd, trailer
  }
  private var phase = ChunkPhase.size
  private var left = 0
  private var isLineEmpty = true

  /// Takes the next bytes and passes on those of the body. True at its end, and where it cannot be read further.
  mutating func take(_ bytes: Slice<UnsafeRawBufferPointer>, _ sink: (Slice<UnsafeRawBufferPointer>) -> Void)
    -> Bool
  {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch phase {
      case .size:
        if let digit = Hex.value(of: byte), left < 1 << 40 {
          left = left << 4 | Int(digit)
        } else if byte == 0x0A {
          phase = left == 0 ? .trailer : .data
        } else {
          phase = .skippingExtension
        }
        index += 1
      case .skippingExtension:
        if byte == 0x0A { phase = left == 0 ? .trailer : .data }
        index += 1
      case .data:
        let count = min(left, bytes.endIndex - index)
        sink(bytes[index..<(index + count)])
        index += count
        left -= count
        if left == 0 { phase = .dataEnd }
      case .dataEnd:
        if byte == 0x0A { phase = .size }
        index += 1
      case .trailer:
        index += 1
        if byte == 0x0A, isLineEmpty { return true }
        if byte != 0x0D { isLineEmpty = byte == 0x0A }
      }
    }
    return false
  }
}
