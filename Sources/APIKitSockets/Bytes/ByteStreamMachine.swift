import APIKit

/// The reading side of a stream of bytes: what has come and was not taken, and who waits for what. It neither reads nor
/// waits. Reads are served in the order of the calls; one that is given up loses no byte.
struct ByteStreamMachine {
  /// The request of a read.
  enum ReadRequest: Equatable {
    case count(minimum: Int, maximum: Int)
    case until([UInt8], maximum: Int)
  }

  enum Outcome {
    case read(ByteStream.Read)
    case failed(APIError)
  }

  private var buffer: [UInt8] = []
  private var start = 0
  /// Where no delimiter of the read that waits longest can begin before: what was searched is not searched again.
  private var searched = 0
  private var waiting: [(id: Int, request: ReadRequest)] = []
  private var end: ByteStream.Read.End?
  private var failure: APIError?

  /// How much may wait to be taken before reading stops, beyond what a read asks for.
  static let room = 1 << 20

  var bufferedBytes: Int { buffer.count - start }
  var isAwaited: Bool { !waiting.isEmpty }
  var hasEnded: Bool { end != nil || failure != nil }

  /// Whether more bytes are wanted.
  var wantsMore: Bool {
    guard let first = waiting.first else { return bufferedBytes < Self.room }
    switch first.request {
    case .count(let minimum, _): return bufferedBytes < max(minimum, Self.room)
    case .until(_, let maximum): return bufferedBytes < max(maximum, Self.room)
    }
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [(Int, Outcome)] {
    if start > 0, start == buffer.count || start > 1 << 20 {
      buffer.removeSubrange(..<start)
      searched = max(0, searched - start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
    return serve()
  }

  mutating func receiveEnd(_ end: ByteStream.Read.End) -> [(Int, Outcome)] {
    if self.end == nil { self.end = end }
    return serve()
  }

  mutating func fail(_ error: APIError) -> [(Int, Outcome)] {
    if failure == nil { failure = error }
    return serve()
  }

  mutating func read(_ request: ReadRequest, id: Int) -> [(Int, Outcome)] {
    waiting.append((id, request))
    return serve()
  }

  /// Gives a read up, so that those behind it may be served. Nil when it was served already.
  mutating func giveUp(_ id: Int) -> [(Int, Outcome)]? {
    let count = waiting.count
    if waiting.first?.id == id { searched = start }
    waiting.removeAll { $0.id == id }
    return waiting.count < count ? serve() : nil
  }

  private mutating func serve() -> [(Int, Outcome)] {
    var outcomes: [(Int, Outcome)] = []
    while let first = waiting.first, let outcome = outcome(of: first.request) {
      waiting.removeFirst()
      searched = start
      outcomes.append((first.id, outcome))
    }
    return outcomes
  }

  /// The outcome of a read now; nil while it must wait.
  private mutating func outcome(of request: ReadRequest) -> Outcome? {
    switch request {
    case .count(let minimum, let maximum):
      guard bufferedBytes >= minimum || hasEnded else { return nil }
      return taken(min(maximum, bufferedBytes))
    case .until(let delimiter, let maximum):
      if let count = find(delimiter) {
        guard count <= maximum else { return .failed(Self.tooLong(maximum)) }
        return taken(count)
      }
      guard bufferedBytes < maximum else { return .failed(Self.tooLong(maximum)) }
      return hasEnded ? taken(bufferedBytes) : nil
    }
  }

  private static func tooLong(_ maximum: Int) -> APIError {
    APIError(.transport, .responseTooLarge, "the delimiter did not come within \(maximum) bytes")
  }

  /// The first bytes; or what the stream failed with, once everything that came before was taken.
  private mutating func taken(_ count: Int) -> Outcome {
    if count == 0, let failure { return .failed(failure) }
    let bytes = Array(buffer[start..<(start + count)])
    start += count
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 64 << 10)
      start = 0
    }
    var read = ByteStream.Read(bytes: bytes)
    if bufferedBytes == 0, failure == nil { read.end = end }
    return .read(read)
  }

  /// How many bytes there are up to the end of the delimiter.
  private mutating func find(_ delimiter: [UInt8]) -> Int? {
    guard let first = delimiter.first else { return nil }
    var index = max(start, searched)
    defer { searched = max(start, index) }
    while index + delimiter.count <= buffer.count {
      guard let found = buffer[index...].firstIndex(of: first) else {
        index = buffer.count
        return nil
      }
      index = found
      guard found + delimiter.count <= buffer.count else { return nil }
      if buffer[found..<(found + delimiter.count)].elementsEqual(delimiter) {
        return found + delimiter.count - start
      }
      index = found + 1
    }
    return nil
  }
}
