import APIKit
import Dispatch
import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process was asked to end.
///
/// One rule for all commands: the first Ctrl-C (SIGINT) or SIGTERM cancels the command's task, which ends what is under way in
/// order, and the exit status is 130. A second one ends the process at once.
struct Interruption: Error {
  /// Does the work, which is cancelled when the process is asked to end; then it throws an interruption, whatever the work
  /// comes to.
  @MainActor static func ending(_ work: @escaping @MainActor @Sendable () async throws -> Void) async throws {
    let task = Task { try await work() }
    // Before the work begins, which is when this waits.
    let signals = InterruptionSignals { task.cancel() }
    let result = await task.result
    if signals.close() { throw Interruption() }
    try result.get()
  }
}

/// Hears of the first SIGINT or SIGTERM. The handler writes a byte to a pipe, because it may call little (POSIX, 2.4.3).
@MainActor private final class InterruptionSignals {
  private final class Arrival: Sendable {
    let hasCome = Mutex(false)
  }

  private let arrival = Arrival()
  private let source: (any DispatchSourceRead)?

  /// - Parameter onSignal: Called once, on another thread.
  init(_ onSignal: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe the signals do what they usually do.
    guard pipe(&ends) == 0 else {
      source = nil
      return
    }
    let (reading, writing) = (ends[0], ends[1])
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
    self.source = source
    let arrival = arrival
    source.setEventHandler { @Sendable in
      takeByte(from: reading)
      let isFirst = arrival.hasCome.withLock { hasCome in
        defer { hasCome = true }
        return !hasCome
      }
      if isFirst { onSignal() }
    }
    source.setCancelHandler { @Sendable in for end in [reading, writing] { closeEnd(end) } }
    signalPipe = writing
    // Made before the handler needs it.
    SignalRestore.prepare()
    source.resume()
    for number in [SIGINT, SIGTERM] { signal(number, reportSignal) }
  }

  /// Gives the signals back; whether one has come.
  func close() -> Bool {
    for number in [SIGINT, SIGTERM] { SignalRestore.setUsual(number) }
    signalPipe = -1
    source?.cancel()
    return arrival.hasCome.withLock { $0 }
  }
}

/// The end of the pipe that the handler writes to; set before the handler is.
nonisolated(unsafe) private var signalPipe: Int32 = -1

private let reportSignal: @convention(c) (Int32) -> Void = { _ in
  // What the signal has interrupted reads its own error.
  let before = errno
  defer { errno = before }
  // Both from here on: a second signal ends the process.
  SignalRestore.setUsual(SIGINT)
  SignalRestore.setUsual(SIGTERM)
  var byte: UInt8 = 1
  _ = write(signalPipe, &byte, 1)
}

private func takeByte(from end: Int32) {
  var byte: UInt8 = 0
  _ = read(end, &byte, 1)
}

private func closeEnd(_ end: Int32) { _ = close(end) }
