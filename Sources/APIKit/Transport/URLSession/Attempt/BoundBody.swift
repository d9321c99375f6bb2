// Apple platforms only: type-checked by Scripts/apple, never run here. What it does with a body, ``BodyPump`` does, which is
// tested.
#if !canImport(FoundationNetworking)
  import Foundation

  /// The pair of streams over which a body goes to the system's session: what is written into the one is read from the other.
  ///
  /// Unchecked: but for the input stream, which is handed over, everything belongs to the queue.
  final class BoundBody: NSObject, BodyPipe, StreamDelegate, @unchecked Sendable {
    let input: InputStream
    private let output: OutputStream
    private let queue: DispatchQueue
    private let rooms: AsyncStream<Void>
    private let roomSignal: AsyncStream<Void>.Continuation
    private var isClosed = false
    private var pumping: Task<Void, Never>?

    private static let buffer = 64 << 10

    /// Gives a body to the session; nil when the system makes no streams.
    ///
    /// - Parameter failed: Called when the body cannot be read, or has another length than it says.
    static func sending(
      _ body: HTTPBodyStream, failed: @escaping @Sendable (APIError) -> Void
    ) -> BoundBody? {
      var (input, output): (InputStream?, OutputStream?) = (nil, nil)
      Stream.getBoundStreams(withBufferSize: buffer, inputStream: &input, outputStream: &output)
      guard let input, let output else { return nil }
      let bound = BoundBody(input, output)
      bound.queue.async {
        bound.output.delegate = bound
        CFWriteStreamSetDispatchQueue(bound.output as CFWriteStream, bound.queue)
        bound.output.open()
        bound.pumping = Task.detached {
          do throws(APIError) { try await BodyPump(pipe: bound).run(body) } catch { failed(error) }
        }
      }
      return bound
    }

    private init(_ input: InputStream, _ output: OutputStream) {
      (self.input, self.output) = (input, output)
      queue = DispatchQueue(label: "APIKit.URLSessionTransport.body")
      (rooms, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      super.init()
    }

    /// The attempt has ended: nothing more is read of the body, and both ends are closed.
    func stop() {
      queue.async {
        self.pumping?.cancel()
        self.end()
        // The session closes what it has opened. Where its connection never stood, nobody else does.
        if self.input.streamStatus == .notOpen { self.input.close() }
      }
    }

    // MARK: BodyPipe

    func write(_ bytes: ArraySlice<UInt8>) async -> Int? {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: self.take(bytes)) }
      }
    }

    func room() async {
      for await _ in rooms { return }
    }

    func close() async { queue.async { self.end() } }

    // MARK: On the queue

    func stream(_ stream: Stream, handle event: Stream.Event) {
      if event.contains(.errorOccurred) || event.contains(.endEncountered) { return end() }
      if event.contains(.hasSpaceAvailable) { roomSignal.yield() }
    }

    private func take(_ bytes: ArraySlice<UInt8>) -> Int? {
      guard !isClosed else { return nil }
      // Without room a write would block the queue.
      guard output.hasSpaceAvailable else { return 0 }
      let count = bytes.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
      }
      guard count > 0 else {
        end()
        return nil
      }
      return count
    }

    private func end() {
      guard !isClosed else { return }
      isClosed = true
      output.delegate = nil
      output.close()
      roomSignal.finish()
    }
  }
#endif
