import APIKit
import Foundation

/// Reads a body in parts, from any offset as far as it can.
///
/// Used by one task at a time. What a stream has given is held until the server has it, so that a part can be sent again.
final class UploadReader {
  private let body: HTTPBody
  private let identity: FileIdentity?
  /// The length of all; nil for a stream that does not know it.
  let total: Int64?

  // A stream only.
  private var next: HTTPBodyStream.Source?
  /// Where the bytes that are held begin.
  private var base: Int64 = 0
  private var held: [UInt8] = []
  private var isEnded = false

  init(_ body: HTTPBody) throws(APIError) {
    self.body = body
    switch body {
    case .empty: (total, identity) = (0, nil)
    case .bytes(let bytes): (total, identity) = (Int64(bytes.count), nil)
    case .stream(let stream): (total, identity) = (stream.length, nil)
    case .file(let path, let offset):
      guard let found = FileIdentity(path: path) else {
        throw APIError(
          .assembly, .unreadableBody, "the file \(path.debugDescription) is not there or is not a plain file")
      }
      guard (0...found.size).contains(offset) else {
        throw APIError(
          .assembly, .unreadableBody,
          "the offset \(offset) lies outside of the file \(path.debugDescription) (\(found.size) bytes)")
      }
      (total, identity) = (found.size - offset, found)
    }
  }

  /// What tells the content from another one of the same place; nil where nothing does.
  var fingerprint: String? {
    switch body {
    case .empty: ""
    case .bytes(let bytes): Hex.encode(Crypto.sha256(bytes))
    case .file(let path, let offset):
      identity.map { "\(path):\(offset):\($0.inode):\($0.size):\($0.seconds).\($0.nanoseconds)" }
    case .stream: nil
    }
  }

  /// The bytes from an offset on, at most so many; the last part of a file is not read here, unless it is wanted in memory.
  ///
  /// - Throws: `APIError.Reason.unreadableBody` for a file that has changed, and for a stream that cannot be read from there.
  nonisolated(nonsending) func part(
    at offset: Int64, atMost limit: Int64?, inMemory: Bool = false
  ) async throws(APIError) -> (body: HTTPBody, count: Int64, isLast: Bool) {
    switch body {
    case .empty: return (.empty, 0, true)
    case .bytes(let bytes):
      let rest = Int64(bytes.count) - offset
      let count = min(limit ?? rest, rest)
      return (.bytes(Array(bytes[Int(offset)..<Int(offset + count)])), count, count == rest)
    case .file(let path, let start):
      guard FileIdentity(path: path) == identity else {
        throw APIError(
          .assembly, .unreadableBody, "the file \(path.debugDescription) has changed while it was sent")
      }
      let rest = (total ?? 0) - offset
      let count = min(limit ?? rest, rest)
      guard count < rest || inMemory else { return (.file(path: path, offset: start + offset), rest, true) }
      return (.bytes(try Self.read(path, from: start + offset, count)), count, count == rest)
    case .stream(let stream):
      // Sent in one piece, the whole stream would be held in memory.
      return try await part(of: stream, at: offset, limit ?? TusOptions.streamPartBytes)
    }
  }

  private nonisolated(nonsending) func part(
    of stream: HTTPBodyStream, at offset: Int64, _ limit: Int64
  ) async throws(APIError) -> (body: HTTPBody, count: Int64, isLast: Bool) {
    if offset < base {
      guard stream.isReplayable else {
        throw APIError(
          .assembly, .unreadableBody,
          "the server has only \(offset) bytes, and the stream cannot be read again from before \(base)")
      }
      (next, base, held, isEnded) = (nil, 0, [], false)
    }
    do {
      if next == nil, !isEnded { next = try stream.open() }
      while true {
        // Bytes that the server has are not held. One byte beyond the part tells whether it is the last one.
        let known = min(Int64(held.count), offset - base)
        held.removeFirst(Int(known))
        base += known
        if isEnded || base == offset && Int64(held.count) > limit { break }
        if let chunk = try await Self.chunk(of: next) { held += chunk } else { (isEnded, next) = (true, nil) }
      }
    } catch {
      throw error as? APIError
        ?? APIError(.assembly, .unreadableBody, "the body's stream failed", underlying: error)
    }
    guard base == offset else {
      throw APIError(
        .assembly, .unreadableBody, "the server has \(offset) bytes, and the stream gave only \(base)")
    }
    let count = min(limit, Int64(held.count))
    return (.bytes(Array(held[..<Int(count)])), count, isEnded && count == Int64(held.count))
  }

  /// The next chunk of a source, which may take any time: a cancelled upload does not wait for it.
  private static func chunk(of source: HTTPBodyStream.Source?) async throws -> [UInt8]? {
    guard let source else { return nil }
    let chunk = await Task.leavable { () -> Result<[UInt8]?, any Error> in
      do { return .success(try await source()) } catch { return .failure(error) }
    }
    guard let chunk else { throw APIError(cancelled: .taskCancelled) }
    return try chunk.get()
  }

  private static func read(_ path: String, from offset: Int64, _ count: Int64) throws(APIError) -> [UInt8] {
    let chunks = try FileChunks(path: path, offset: offset)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count))
    while bytes.count < count, let chunk = try chunks.next() {
      bytes += chunk.prefix(Int(count) - bytes.count)
    }
    guard bytes.count == count else {
      throw APIError(.assembly, .unreadableBody, "the file \(path.debugDescription) has become shorter")
    }
    return bytes
  }
}
