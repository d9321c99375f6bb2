/// What a connection does behind the head of a response that does not end: it goes on sending, and may read.
///
/// Used on the loop's thread only.
protocol LiveExchange: AnyObject {
  /// What is to be sent by now; empty when there is nothing yet, nil when the connection ends.
  func take(now: Int64) -> [UInt8]?
  /// Monotonic nanoseconds at which ``take(now:)`` is to be called next.
  var nextTime: Int64 { get }
  /// Takes what the client has sent.
  func receive(_ bytes: UnsafeRawBufferPointer)
}
