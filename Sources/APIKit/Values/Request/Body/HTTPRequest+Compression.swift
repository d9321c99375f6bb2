extension HTTPRequest {
  /// The request with its body compressed by gzip, if ``HTTPRequestOptions/compressesBody`` is set.
  ///
  /// Sets `Content-Encoding` and removes `Content-Length`. The option is cleared, so a second call changes
  /// nothing. A body with a `Content-Encoding` is left alone. A file becomes a stream that can be opened
  /// again. Transports call this once per attempt, after signing: signatures cover the uncompressed body.
  package func compressingBody() -> HTTPRequest {
    guard options.compressesBody else { return self }
    var request = self
    request.options.compressesBody = false
    guard !body.isEmpty, !headers.contains("Content-Encoding") else { return request }
    request.headers["Content-Encoding"] = "gzip"
    request.headers["Content-Length"] = nil
    switch body {
    case .empty: break
    case .bytes(let bytes):
      var encoder = GzipEncoder()
      var packed: [UInt8] = []
      encoder.encode(bytes, into: &packed)
      encoder.finish(into: &packed)
      request.body = .bytes(packed)
    case .file(let path, let offset):
      request.body = .stream(
        HTTPBodyStream(isReplayable: true) {
          let file = try FileChunks(path: path, offset: offset)
          return GzipSource {
            let chunk = try file.next()
            // What ends too early would be a whole body to the server.
            if chunk == nil { try file.checkUnchanged() }
            return chunk
          }.next
        })
    case .stream(let stream):
      request.body = .stream(
        HTTPBodyStream(isReplayable: stream.isReplayable) { GzipSource(try stream.open()).next })
    }
    return request
  }
}

/// Compresses the chunks of another source.
private final class GzipSource: Sendable {
  private struct GzipState: ~Copyable {
    var encoder = GzipEncoder()
    var isFinished = false
  }

  private let plain: HTTPBodyStream.Source
  private let state = Mutex(GzipState())

  init(_ plain: @escaping HTTPBodyStream.Source) { self.plain = plain }

  /// The next compressed chunk; nil at the end.
  @Sendable func next() async throws -> [UInt8]? {
    while !state.withLock({ $0.isFinished }) {
      let chunk = try await plain()
      let packed = state.withLock { state in
        var output: [UInt8] = []
        if let chunk {
          state.encoder.encode(chunk, into: &output)
        } else {
          state.encoder.finish(into: &output)
          state.isFinished = true
        }
        return output
      }
      // zlib collects small chunks before it returns any output. Returning an empty chunk would only cause
      // another call.
      if !packed.isEmpty { return packed }
    }
    return nil
  }
}
