public import APIKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One event of an event stream (server-sent events).
/// - SeeAlso: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct ServerEvent: Sendable, Hashable {
  /// The type, `message` where the server gave none.
  public var type: String
  /// The data; its lines are separated by LF.
  public var data: String
  /// The id of the last event that had one; empty where none had. With it the stream is opened again.
  public var id: String

  /// Makes an event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }

  /// The data as a parsed document; throws `APIError.Reason.malformedBody` when it is no JSON.
  public func raw() throws(APIError) -> RawData { try RawData(parsing: data) }
}

/// Reads an event stream by the WHATWG's rules.
///
/// Bytes are read, never characters: a combining mark behind a colon would join it.
package struct EventStreamParser: StreamParser {
  private let maximumBytes: Int
  /// The beginning of a line whose end has not come.
  private var line: [UInt8] = []
  /// Whether the last byte was a CR, so that an LF belongs to it.
  private var endedWithCR = false
  /// How many bytes of a byte order mark may still come: it counts at the very beginning only.
  private var markIndex = 0

  private var data: [UInt8] = []
  private var hasData = false
  private var type: [UInt8] = []
  /// The id that the event under way has, and the one of the last complete event.
  private var pendingID: [UInt8]
  private(set) var lastEventID: String
  package private(set) var retry: Duration?
  package var resumesAt: String? { lastEventID }

  /// The longest `retry:` that counts; more would leave a client without events for want of a digit.
  static let longestRetry = Duration.seconds(600)

  package init(maximumBytes: Int, lastEventID: String = "") {
    self.maximumBytes = maximumBytes
    self.lastEventID = lastEventID
    pendingID = Array(lastEventID.utf8)
  }

  package mutating func take(_ bytes: UnsafeRawBufferPointer, into events: inout [ServerEvent])
    throws(APIError)
  {
    var index = skipMark(bytes)
    if markIndex < 3, index == bytes.count { return }
    guard let base = bytes.baseAddress else { return }
    // The next CR is looked for once, not for each line: there is mostly none.
    var nextCR = -1
    while index < bytes.count {
      if endedWithCR {
        endedWithCR = false
        if bytes[index] == 0x0A {
          index += 1
          continue
        }
      }
      if nextCR < index { nextCR = Self.find(0x0D, base, in: index..<bytes.count) }
      let end = min(Self.find(0x0A, base, in: index..<nextCR), nextCR)
      let part = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
      guard line.count + part.count + data.count <= maximumBytes else {
        throw Self.tooLarge("an event", maximumBytes)
      }
      guard end < bytes.count else { return line.append(contentsOf: part) }
      if line.isEmpty {
        endLine(part, &events)
      } else {
        line.append(contentsOf: part)
        var whole: [UInt8] = []
        swap(&whole, &line)
        whole.withUnsafeBytes { endLine($0, &events) }
        whole.removeAll(keepingCapacity: whole.capacity <= 64 << 10)
        swap(&whole, &line)
      }
      endedWithCR = end == nextCR
      index = end + 1
    }
  }

  package func size(of event: ServerEvent) -> Int {
    event.data.utf8.count + event.type.utf8.count + event.id.utf8.count
  }

  /// An event without its empty line is dropped.
  package mutating func finish(into events: inout [ServerEvent]) {}

  /// Skips a byte order mark at the beginning, which may come in pieces.
  private mutating func skipMark(_ bytes: UnsafeRawBufferPointer) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var index = 0
    while markIndex < 3, index < bytes.count {
      guard bytes[index] == mark[markIndex] else {
        // It was none: what was taken for its beginning is the line's.
        line.append(contentsOf: mark[..<markIndex])
        markIndex = 3
        return index
      }
      markIndex += 1
      index += 1
    }
    return index
  }

  private static func find(_ byte: Int32, _ base: UnsafeRawPointer, in range: Range<Int>) -> Int {
    guard !range.isEmpty, let found = memchr(base + range.lowerBound, byte, range.count) else {
      return range.upperBound
    }
    return UnsafeRawPointer(found) - base
  }

  private mutating func endLine(_ line: UnsafeRawBufferPointer, _ events: inout [ServerEvent]) {
    guard let first = line.first else { return dispatch(&events) }
    // A comment: it has kept the connection alive.
    guard first != UInt8(ascii: ":") else { return }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    var start = min(colon + 1, line.count)
    if start < line.count, line[start] == 0x20 { start += 1 }
    let value = line[start...]
    switch colon {
    case 4 where Self.isName("data", line):
      if hasData { data.append(0x0A) }
      hasData = true
      data.append(contentsOf: value)
    case 5 where Self.isName("event", line): type = Array(value)
    case 2 where Self.isName("id", line): if !value.contains(0) { pendingID = Array(value) }
    case 5 where Self.isName("retry", line): setRetry(value)
    default: break
    }
  }

  private static func isName(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    line.baseAddress.map { memcmp(name.utf8Start, $0, name.utf8CodeUnitCount) == 0 } ?? false
  }

  private mutating func setRetry(_ digits: Slice<UnsafeRawBufferPointer>) {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
    var milliseconds: Int64 = 0
    for digit in digits { milliseconds = min(milliseconds * 10 + Int64(digit - 0x30), 1 << 40) }
    retry = min(.milliseconds(milliseconds), Self.longestRetry)
  }

  private mutating func dispatch(_ events: inout [ServerEvent]) {
    if !lastEventID.utf8.elementsEqual(pendingID) { lastEventID = String(decoding: pendingID, as: UTF8.self) }
    defer { type.removeAll(keepingCapacity: true) }
    guard hasData else { return }
    hasData = false
    let name = type.isEmpty ? "message" : String(decoding: type, as: UTF8.self)
    events.append(ServerEvent(type: name, data: String(decoding: data, as: UTF8.self), id: lastEventID))
    data.removeAll(keepingCapacity: data.capacity <= 64 << 10)
  }
}
