/// The progress of a transfer, in bytes of the bodies.
///
/// The direction under way is that of the request's body until something of the response is known, and that of the
/// response's body from then on: ``total``, ``expected``, ``fraction``, ``rate`` and ``timeLeft`` are of that direction.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes of the request's body that were sent.
  public var sent: Int64
  /// Bytes to send in all; nil when that is not known.
  public var totalToSend: Int64?
  /// Bytes of the response's body that were received, before content decoding.
  public var received: Int64
  /// Bytes to receive in all; nil when that is not known.
  public var totalToReceive: Int64?
  /// Bytes moved in both directions since the report before.
  public var delta: Int64 = 0
  /// Bytes per second, the latest seconds counting most; nil before anything has moved.
  public var rate: Double?

  /// Makes a progress value.
  public init(
    sent: Int64 = 0, totalToSend: Int64? = nil, received: Int64 = 0, totalToReceive: Int64? = nil,
    delta: Int64 = 0, rate: Double? = nil
  ) {
    self.sent = sent
    self.totalToSend = totalToSend
    self.received = received
    self.totalToReceive = totalToReceive
    self.delta = delta
    self.rate = rate
  }

  /// Whether the response's body is under way, or there is nothing to send.
  public var isReceiving: Bool {
    received > 0 || totalToReceive != nil || sent == 0 && (totalToSend ?? 0) == 0
  }
  /// Bytes moved so far.
  public var total: Int64 { isReceiving ? received : sent }
  /// Bytes to move in all; nil when that is not known.
  public var expected: Int64? { isReceiving ? totalToReceive : totalToSend }
  /// The part that has moved, from 0 to 1; nil when the number of bytes is not known.
  public var fraction: Double? {
    expected.map { $0 > 0 ? min(1, Double(total) / Double($0)) : 1 }
  }
  /// The time until the rest has moved at the present rate; nil when it is not known.
  public var timeLeft: Duration? {
    guard let expected, let rate, rate > 0 else { return nil }
    let seconds = Double(max(0, expected - total)) / rate
    // A server may claim so many bytes that no `Duration` holds the time.
    return seconds < 1e12 ? .seconds(seconds) : nil
  }
}

/// Adds what can be said only over time to the reports of one transfer.
package struct TransferMeter: Sendable {
  /// When the direction under way began and when the last report was, in microseconds of any clock.
  private var begin: Int64
  private var last: Int64
  private var moved: Int64 = 0
  private var wasReceiving = false
  private var rate: Double?

  /// Begins with the transfer.
  package init(at now: Int64) { (begin, last) = (now, now) }

  /// For how long the rate is the mean since the beginning, because single reports say little; from then on, how fast a
  /// rate that has changed is believed. In microseconds.
  private static let memory: Double = 1_000_000

  /// The report with the bytes since the one before, and the rate.
  package mutating func completing(_ report: TransferProgress, at now: Int64) -> TransferProgress {
    var report = report
    report.delta = max(0, report.sent + report.received - moved)
    moved += report.delta
    if report.isReceiving != wasReceiving {
      (wasReceiving, begin, rate) = (report.isReceiving, last, nil)
    }
    let (time, age) = (Double(now - last), Double(now - begin))
    if let before = rate, age > Self.memory {
      // A pause of many seconds weighs more than a tenth of a second.
      if time > 0 {
        let present = Double(report.delta) / time * 1_000_000
        rate = before + (present - before) * time / (time + Self.memory)
      }
    } else if age > 0, report.total > 0 {
      rate = Double(report.total) / age * 1_000_000
    }
    last = now
    report.rate = rate
    return report
  }
}
