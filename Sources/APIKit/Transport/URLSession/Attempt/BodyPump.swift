/// The near end of a pair of streams, whose far end the system reads.
protocol BodyPipe: Sendable {
  /// Takes as many of the bytes as there is room for, and never waits; nil once one of the ends is closed.
  func write(_ bytes: ArraySlice<UInt8>) async -> Int?
  /// Returns when there may be room, and when one of the ends is closed.
  func room() async
  /// No bytes follow.
  func close() async
}

/// Gives a body from a stream to the system, as fast as the system takes it.
///
/// It waits in tasks, never in a write: where a connection never stands, nobody reads the far end, and a write would block
/// its thread for ever.
struct BodyPump {
  let pipe: any BodyPipe

  /// Returns when the body or the pipe has ended, which is closed then. Throws when the body cannot be read, or has another
  /// length than it says.
  func run(_ body: HTTPBodyStream) async throws(APIError) {
    do {
      try await write(body)
    } catch {
      await pipe.close()
      throw error as? APIError
        ?? APIError(.transport, .unreadableBody, "the body's stream failed", underlying: error)
    }
    await pipe.close()
  }

  private func write(_ body: HTTPBodyStream) async throws {
    var left = body.length
    let next = try body.open()
    while let chunk = try await next() {
      if let known = left {
        guard Int64(chunk.count) <= known else { throw Self.wrongLength(body) }
        left = known - Int64(chunk.count)
      }
      var rest = chunk[...]
      while !rest.isEmpty {
        guard let count = await pipe.write(rest) else { return }
        rest = rest.dropFirst(count)
        if !rest.isEmpty { await pipe.room() }
      }
    }
    if let left, left != 0 { throw Self.wrongLength(body) }
  }

  private static func wrongLength(_ body: HTTPBodyStream) -> APIError {
    APIError(.transport, .unreadableBody, "the stream has not the \(body.length ?? 0) bytes that it says")
  }
}
