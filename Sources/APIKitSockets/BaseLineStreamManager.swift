import APIKit

/// The base class of the managers of streams of values: JSON lines (NDJSON) or JSON text sequences (RFC 7464).
///
/// Nothing here can be overridden. A subclass must adopt ``LineStreamManager``, which declares its decisions;
/// `init` traps otherwise. The class is isolated to the main actor; the stream is parsed off it. Releasing the last
/// reference ends the stream, and nothing is delivered.
@MainActor open class BaseLineStreamManager: BaseStreamManager<StreamLine> {
  /// Receives the values. Weak.
  public weak var delegate: (any LineStreamDelegate)?

  /// This object as its subclass's protocol: the object itself, so it lives as long as its methods run.
  private var child: any LineStreamManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any LineStreamManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``LineStreamManager``.
  public override init() {
    super.init()
    guard let child = self as? any LineStreamManager else {
      // A subclass without it has no API: a mistake in the code, which no run can mend.
      fatalError("\(type(of: self)) must adopt LineStreamManager: it states the API's name and service")
    }
    adopted = child
  }

  /// The values from now on, beside the delegate. Call it before `open`: values that arrive before the call go to the
  /// delegate alone, and without one they are lost. Each call returns a new sequence, which ends when the stream ends
  /// in order and throws its error, `APIError.Reason.cancelled` after ``BaseStreamManager/cancel()``. While a sequence
  /// has 16 values or 1 MiB that were not read, the stream stops reading.
  public func lines() -> StreamItems<StreamLine> { items() }

  override var recipient: AnyObject? { delegate }

  override func opening(
    _ onSlot: @escaping @Sendable (_ isWaiting: Bool) -> Void
  ) throws(APIError) -> Opening {
    try child.checkStatements()
    let parser = LineParser(
      child.format, maximumBytes: child.maximumLineBytes, deliversBad: child.deliversBadLines)
    return try opening(of: child, headers: child.headers, parser, onSlot)
  }

  override func didOpen(with response: HTTPResponse) {
    delegate?.lines(self, didOpenWith: response, number: connections)
  }

  override func didReceive(_ line: StreamLine) { delegate?.lines(self, didReceive: line) }

  override func didDisconnect(with closing: StreamClosing, retryAfter wait: Duration) {
    delegate?.lines(self, didDisconnectWith: closing, retryAfter: wait)
  }

  override func didClose(with closing: StreamClosing) { delegate?.lines(self, didCloseWith: closing) }
}
