import APIKit

/// Parses the bytes of one connection into requests.
///
/// A state machine without sockets: bytes in, events out. After a failure it gives no more requests,
/// because their beginning on the connection is unknown (RFC 9112, 2.2 and 6.3).
struct RequestParser {
  /// What the bytes so far contain.
  enum Event {
    /// More bytes are needed.
    case incomplete
    /// The head is complete, and the client waits for `100 Continue` before it sends the body.
    case expectsContinue
    /// A complete request.
    case request(DemoRequest)
    /// The bytes are not a valid request; the status to respond with, and why.
    case failure(status: Int, String)
  }

  /// The limits of one request.
  struct Limits {
    /// Bytes of the request line.
    var line = 8 << 10
    /// Bytes of the whole head.
    var head = 32 << 10
    /// Field lines.
    var fields = 100
    /// Bytes of the body, its chunks joined.
    var body = 1 << 20
  }

  private enum RequestParserState {
    /// Before or inside the head of a request.
    case head
    /// Inside a body of this many bytes.
    case sized(Head, count: Int)
    /// Before the size line of a chunk.
    case chunkSize(Head)
    /// Inside a chunk of this many bytes.
    case chunk(Head, count: Int)
    /// After the last chunk and before the empty line; how many bytes of the trailer were read.
    case trailer(Head, seen: Int)
    /// After a failure; the final state.
    case failed
  }

  private struct Head {
    var method: String
    var target: String
    var headers: HTTPHeaders
    var keepsAlive: Bool
    var body: [UInt8] = []
    var askedToContinue = false
  }

  private let limits: Limits
  private var state = RequestParserState.head
  private var buffer: [UInt8] = []
  private var start = 0

  init(limits: Limits) { self.limits = limits }

  /// How many bytes were not parsed yet.
  var pending: Int { buffer.count - start }

  /// Whether a request has begun and is not complete.
  var isInside: Bool {
    if case .head = state { return pending > 0 }
    return true
  }

  /// The bytes behind the last request, which belong to another protocol.
  mutating func takeRest() -> [UInt8] { take(pending) }

  /// Appends bytes of the connection.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start > 0, start == buffer.count || start > 64 << 10 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next event; call again until it is ``Event/incomplete`` or a failure.
  mutating func next() -> Event {
    while true {
      do throws(Failure) {
        switch state {
        case .failed: return .incomplete
        case .head:
          guard let head = try takeHead() else { return .incomplete }
          state = try afterHead(head)
          if head.askedToContinue, pending == 0 { return .expectsContinue }
        case .sized(var head, let count):
          guard pending >= count else { return .incomplete }
          head.body = take(count)
          return finish(head)
        case .chunkSize(let head):
          guard let line = try takeLine(limit: 1024, tooLong: .bad("a chunk's size line is too long")) else {
            return .incomplete
          }
          let size = try chunkSize(line)
          guard head.body.count + size <= limits.body else { throw tooLarge }
          state = size == 0 ? .trailer(head, seen: 0) : .chunk(head, count: size)
        case .chunk(var head, let count):
          guard pending >= count + 2 else { return .incomplete }
          head.body += take(count)
          guard take(2) == [0x0D, 0x0A] else { throw Failure.bad("a chunk does not end with a line end") }
          state = .chunkSize(head)
        case .trailer(let head, let seen):
          guard let line = try takeLine(limit: limits.head - seen, tooLong: .headTooLarge) else {
            return .incomplete
          }
          if line.isEmpty { return finish(head) }
          state = .trailer(head, seen: seen + line.count + 2)
        }
      } catch {
        state = .failed
        return .failure(status: error.status, error.text)
      }
    }
  }

  private mutating func finish(_ head: Head) -> Event {
    state = .head
    return .request(
      DemoRequest(
        method: head.method, target: head.target, headers: head.headers, body: head.body,
        keepsAlive: head.keepsAlive))
  }
}

// MARK: The head

extension RequestParser {
  private mutating func takeHead() throws(Failure) -> Head? {
    // Empty lines before a request line are ignored: some old clients send them (RFC 9112, 2.2).
    while pending >= 2, buffer[start] == 0x0D, buffer[start + 1] == 0x0A { start += 2 }
    guard firstLineLength() ?? pending <= limits.line else { throw .lineTooLong }
    guard let length = headLength() else {
      guard pending <= limits.head else { throw .headTooLarge }
      try checkOpenHead()
      return nil
    }
    guard length <= limits.head else { throw .headTooLarge }
    let lines = try splitLines(take(length))
    guard lines.count - 1 <= limits.fields else { throw .headTooLarge }
    let (method, target, minor) = try requestLine(lines[0])
    var headers = HTTPHeaders()
    for line in lines.dropFirst() { headers.fields.append(try field(line)) }

    let hosts = headers.values("Host")
    guard hosts.count == 1 || (hosts.isEmpty && minor == 0) else { throw .bad("exactly one Host is needed") }
    let connection = (headers.combined("Connection") ?? "").lowercased()
    let keepsAlive = minor == 0 ? connection.contains("keep-alive") : !connection.contains("close")
    var head = Head(method: method, target: target, headers: headers, keepsAlive: keepsAlive)
    if let expectation = headers["Expect"], minor > 0 {
      guard expectation.lowercased() == "100-continue" else { throw .expectation }
      head.askedToContinue = true
    }
    return head
  }

  /// The state after a head: a body with its framing, or the next request.
  private mutating func afterHead(_ head: Head) throws(Failure) -> RequestParserState {
    let codings = head.headers.values("Transfer-Encoding")
    let lengths = head.headers.values("Content-Length")
    if !codings.isEmpty {
      // A request with both may be an attempt at request smuggling (RFC 9112, 6.3).
      guard lengths.isEmpty else { throw .bad("Content-Length beside Transfer-Encoding") }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else { throw .coding(codings[0]) }
      return .chunkSize(head)
    }
    var count = 0
    if let text = lengths.first {
      guard Set(lengths).count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
      else {
        throw .bad("the Content-Length is not a number")
      }
      guard let number = Int(text), number <= limits.body else { throw tooLarge }
      count = number
    }
    return .sized(head, count: count)
  }

  private func requestLine(_ line: ArraySlice<UInt8>) throws(Failure) -> (String, String, minor: Int) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .bad("the request line is not method, target and version") }
    guard !parts[0].isEmpty, parts[0].allSatisfy(Self.isToken) else { throw .bad("the method is no token") }
    guard parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .bad("the target holds a character that must be escaped")
    }
    let version = String(decoding: parts[2], as: UTF8.self)
    let digits = Array(version.utf8)
    guard digits.count == 8, version.hasPrefix("HTTP/"), digits[6] == UInt8(ascii: "."),
      (0x30...0x39).contains(digits[5]), (0x30...0x39).contains(digits[7])
    else { throw .bad("the version is not HTTP's") }
    guard digits[5] == UInt8(ascii: "1") else { throw .version(version) }

    let method = String(decoding: parts[0], as: UTF8.self)
    var target = String(decoding: parts[1], as: UTF8.self)
    if target.lowercased().hasPrefix("http://") {
      let rest = target.dropFirst(7)
      target = rest.firstIndex { $0 == "/" || $0 == "?" }.map { String(rest[$0...]) } ?? "/"
      if target.hasPrefix("?") { target = "/" + target }
    }
    guard target.hasPrefix("/") || (target == "*" && method == "OPTIONS") else {
      throw .bad("the target is no path")
    }
    return (method, target, Int(digits[7]) - 0x30)
  }

  private func field(_ line: ArraySlice<UInt8>) throws(Failure) -> HTTPHeaders.Field {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(Self.isToken)
    else { throw .bad("a header line has no valid name") }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .bad("a header value holds a control character")
    }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let trimmed = value.drop(while: isSpace)
    let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
    return HTTPHeaders.Field(
      String(decoding: line[..<colon], as: UTF8.self),
      String(decoding: trimmed[trimmed.startIndex..<end], as: UTF8.self))
  }

  private func chunkSize(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
    let digits = line.prefix { Hex.value(of: $0) != nil }
    let rest = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
    guard !digits.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ";") else {
      throw .bad("a chunk's size is not hexadecimal")
    }
    guard digits.count <= 8, let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw tooLarge
    }
    return size
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

// MARK: Bytes

extension RequestParser {
  /// Why the bytes are not a valid request, with the status to respond with.
  private struct Failure: Error {
    var status: Int
    var text: String

    static func bad(_ text: String) -> Failure { Failure(status: 400, text: text) }
    static func version(_ text: String) -> Failure { Failure(status: 505, text: "\(text) is not served") }
    static func coding(_ text: String) -> Failure {
      Failure(status: 501, text: "the transfer coding \(text) is not served")
    }
    static let headTooLarge = Failure(status: 431, text: "the header fields are larger than their limit")
    static let lineTooLong = Failure(status: 414, text: "the request line is longer than its limit")
    static let expectation = Failure(status: 417, text: "only 100-continue can be expected")
  }

  private var tooLarge: Failure {
    Failure(
      status: 413, text: "the body is larger than \(limits.body) bytes, the most that this server takes")
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { start += count }
    return count == 0 ? [] : Array(buffer[start..<start + count])
  }

  /// The length of the head with its empty line; nil before the empty line has arrived.
  private func headLength() -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard pending >= 4 else { return nil }
      var index = start + 3
      while index < bytes.count {
        // The last byte of four decides how far to skip.
        switch bytes[index] {
        case 0x0A:
          if bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
            return index + 1 - start
          }
          index += 2
        case 0x0D: index += 1
        default: index += 4
        }
      }
      return nil
    }
  }

  private func firstLineLength() -> Int? { buffer[start...].firstIndex(of: 0x0A).map { $0 - start } }

  /// Throws for an incomplete head that is invalid already, so that the server does not wait for its end.
  private func checkOpenHead() throws(Failure) {
    var before: UInt8 = 0x0D
    for byte in buffer[start...] {
      if byte == 0 { throw .bad("the head holds a NUL") }
      if byte == 0x0A, before != 0x0D { throw .bad("a line ends without a carriage return") }
      before = byte
    }
  }

  /// The lines of a head without their line breaks and without the empty line.
  private func splitLines(_ head: [UInt8]) throws(Failure) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var from = 0
    for index in head.indices where head[index] == 0x0A {
      guard index > 0, head[index - 1] == 0x0D else { throw .bad("a line ends without a carriage return") }
      if index - 1 > from { lines.append(head[from..<index - 1]) }
      from = index + 1
    }
    guard let first = lines.first, !first.contains(0x0D) else { throw .bad("the request line is not valid") }
    return lines
  }

  private mutating func takeLine(limit: Int, tooLong: Failure) throws(Failure) -> ArraySlice<UInt8>? {
    guard let end = buffer[start...].firstIndex(of: 0x0A) else {
      guard pending <= limit else { throw tooLong }
      return nil
    }
    guard end > start, buffer[end - 1] == 0x0D else { throw .bad("a line ends without a carriage return") }
    guard end - start <= limit else { throw tooLong }
    defer { start = end + 1 }
    return ArraySlice(buffer[start..<end - 1])
  }
}
