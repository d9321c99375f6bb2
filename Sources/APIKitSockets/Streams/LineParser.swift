public import APIKit

/// How the values of a stream are separated.
public enum LineFormat: Sendable, Hashable {
  /// A JSON value in each line (NDJSON, JSON lines). Empty lines are skipped.
  case lines
  /// JSON text sequences: each value begins with RS and ends with LF (RFC 7464).
  case sequence
}

/// One value of a stream of lines.
public struct StreamLine: Sendable {
  /// Its number, from 1; empty lines are counted.
  public let number: Int
  /// The value, or the error of a line that cannot be read.
  public let value: Result<RawData, APIError>
  /// How many bytes the line has.
  let byteCount: Int
}

/// Reads one JSON value after the other.
struct LineParser: StreamParser {
  private let format: LineFormat
  private let maximumBytes: Int
  private let skipsBad: Bool
  private var line: [UInt8] = []
  private var number = 0
  /// Whether the bytes before the first RS of a sequence were passed over.
  private var hasBegun: Bool

  /// - Parameter deliversBad: Whether a line that cannot be read is an item; otherwise it is thrown.
  init(_ format: LineFormat, maximumBytes: Int, deliversBad: Bool) {
    self.format = format
    self.maximumBytes = maximumBytes
    skipsBad = deliversBad
    hasBegun = format == .lines
  }

  private var separator: UInt8 { format == .lines ? 0x0A : 0x1E }

  mutating func take(_ bytes: UnsafeRawBufferPointer, into items: inout [StreamLine]) throws(APIError) {
    var index = 0
    while index < bytes.count {
      let end = bytes[index...].firstIndex(of: separator)
      let part = bytes[index..<(end ?? bytes.count)]
      guard line.count + part.count <= maximumBytes else {
        throw Self.tooLarge("line \(number + 1)", maximumBytes)
      }
      line.append(contentsOf: part)
      guard let end else { return }
      try endLine(isLast: false, &items)
      index = end + 1
    }
  }

  func size(of line: StreamLine) -> Int { line.byteCount }

  mutating func finish(into items: inout [StreamLine]) throws(APIError) {
    try endLine(isLast: true, &items)
  }

  private mutating func endLine(isLast: Bool, _ items: inout [StreamLine]) throws(APIError) {
    var bytes: [UInt8] = []
    swap(&bytes, &line)
    // Bytes before the first RS are no value.
    guard hasBegun else { return hasBegun = true }
    let isEnded = bytes.last == 0x0A
    let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    if !isBlank || format == .lines && !(isLast && bytes.isEmpty) { number += 1 }
    guard !isBlank else { return }
    let count = bytes.count
    do throws(APIError) {
      // Without the LF, `12` may be the beginning of `123` (RFC 7464, 2.4).
      if format == .sequence, !isEnded, let last = bytes.last, !#"}]""#.utf8.contains(last) {
        throw APIError(.response, .truncatedBody, "the value may have been cut: it has no LF at its end")
      }
      items.append(StreamLine(number: number, value: .success(try RawData(parsing: bytes)), byteCount: count))
    } catch {
      var error = error
      error.detail = "line \(number): \(error.detail)"
      guard skipsBad else { throw error }
      items.append(StreamLine(number: number, value: .failure(error), byteCount: count))
    }
  }
}
