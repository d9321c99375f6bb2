// Apple platforms only: type-checked by Scripts/apple, never run here.
#if !canImport(FoundationNetworking)
  import Foundation
  import Synchronization

  /// Gives a body from a stream to the system's session, over a bound pair of streams: what is written into the one is read
  /// from the other, and writing waits while its 64 KiB are full.
  ///
  /// Unchecked: the output stream is used on the one queue only, and the input stream is handed over.
  final class BoundBody: @unchecked Sendable {
    let input: InputStream
    private let output: OutputStream
    private let queue = DispatchQueue(label: "APIKit.URLSessionTransport.body")
    private let isOver = Atomic(false)

    private static let buffer = 64 << 10

    /// Nil when the system gives no streams.
    init?() {
      var (input, output): (InputStream?, OutputStream?) = (nil, nil)
      Stream.getBoundStreams(withBufferSize: Self.buffer, inputStream: &input, outputStream: &output)
      guard let input, let output else { return nil }
      (self.input, self.output) = (input, output)
    }

    /// Writes the body until it ends or the session closes its side. Calls back with an error when the body cannot be
    /// read, or has another length than it says.
    func pump(_ body: HTTPBodyStream, failed: @escaping @Sendable (APIError) -> Void) {
      Task.detached {
        var left = body.length
        do {
          let next = try body.open()
          await self.run { self.output.open() }
          while !self.isOver.load(ordering: .acquiring), let chunk = try await next() {
            if let known = left {
              guard Int64(chunk.count) <= known else { throw Self.wrongLength(body) }
              left = known - Int64(chunk.count)
            }
            guard await self.write(chunk) else { break }
          }
          if !self.isOver.load(ordering: .acquiring), let left, left != 0 { throw Self.wrongLength(body) }
        } catch {
          failed(
            error as? APIError
              ?? APIError(.transport, .unreadableBody, "the body's stream failed", underlying: error))
        }
        await self.run { self.output.close() }
      }
    }

    /// The attempt has ended.
    func stop() { isOver.store(true, ordering: .releasing) }

    /// False when the other side is closed. Blocks its queue, not a task, while the buffer is full.
    private func write(_ chunk: [UInt8]) async -> Bool {
      await run {
        var written = 0
        while written < chunk.count {
          let count = chunk.withUnsafeBufferPointer { bytes in
            // An array of more than `written` bytes has an address.
            self.output.write(bytes.baseAddress.unsafelyUnwrapped + written, maxLength: chunk.count - written)
          }
          guard count > 0 else { return false }
          written += count
        }
        return true
      }
    }

    private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: work()) }
      }
    }

    private static func wrongLength(_ body: HTTPBodyStream) -> APIError {
      APIError(.transport, .unreadableBody, "the stream has not the \(body.length ?? 0) bytes that it says")
    }
  }
#endif
