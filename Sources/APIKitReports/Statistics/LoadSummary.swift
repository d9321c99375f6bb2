public import APIKit

/// The numbers of several finished loads. Without loads the rate and the durations are nil.
public struct LoadSummary: Sendable {
  /// The number of loads, cancelled ones included.
  public let total: Int
  /// The number of loads that ended with a response.
  public let succeeded: Int
  /// The number of loads that ended with an error.
  public let failed: Int
  /// The number of cancelled loads. They count neither for the success rate nor for the durations.
  public let cancelled: Int
  /// The share of successes among the loads that were not cancelled, 0 to 1; nil without loads.
  public var successRate: Double? {
    succeeded + failed == 0 ? nil : Double(succeeded) / Double(succeeded + failed)
  }
  /// The mean duration; nil without loads.
  public let mean: Duration?
  /// The 50th percentile by nearest rank.
  public var median: Duration? { percentile(0.5) }
  /// The 95th percentile by nearest rank.
  public var p95: Duration? { percentile(0.95) }
  /// The 99th percentile by nearest rank.
  public var p99: Duration? { percentile(0.99) }
  /// The number of loads by their last status.
  public let statuses: [Int: Int]
  /// The number of failures by `APIError.label`.
  public let reasons: [String: Int]
  /// The number of loads by the origin of their response.
  public let origins: [LandedLoad.Origin: Int]
  /// Bytes of bodies on the wire, sent and received.
  public let bytes: (sent: Int64, received: Int64)
  /// The durations, shortest first.
  package let durations: [Duration]

  /// The duration that at least this share of the loads did not exceed, by nearest rank: 0.95 for the 95th percentile.
  public func percentile(_ fraction: Double) -> Duration? { NearestRank.value(fraction, of: durations) }

  /// Summarises loads.
  public init(_ loads: some Sequence<LandedLoad>) {
    var (succeeded, failed, cancelled) = (0, 0, 0)
    var statuses: [Int: Int] = [:]
    var reasons: [String: Int] = [:]
    var origins: [LandedLoad.Origin: Int] = [:]
    var bytes: (sent: Int64, received: Int64) = (0, 0)
    var durations: [Duration] = []
    for load in loads {
      switch load.outcome {
      case .succeeded: succeeded += 1
      case .failed: failed += 1
      case .cancelled: cancelled += 1
      }
      if load.outcome != .cancelled { durations.append(load.duration) }
      if load.outcome == .failed, let reason = load.reason { reasons[reason, default: 0] += 1 }
      if let status = load.status { statuses[status, default: 0] += 1 }
      origins[load.origin, default: 0] += 1
      bytes.sent += load.bytesSent
      bytes.received += load.bytesReceived
    }
    durations.sort()
    total = succeeded + failed + cancelled
    (self.succeeded, self.failed, self.cancelled) = (succeeded, failed, cancelled)
    (self.statuses, self.reasons, self.origins, self.bytes) = (statuses, reasons, origins, bytes)
    mean = durations.isEmpty ? nil : durations.reduce(.zero, +) / durations.count
    self.durations = durations
  }
}

extension LoadSummary: CustomStringConvertible {
  var rateText: String { successRate.map { "\(($0 * 1000).rounded() / 10) %" } ?? "none" }

  /// The numbers in one line, with `none` for a number that is nil.
  public var description: String {
    let times = [("mean", mean), ("median", median), ("p95", p95), ("p99", p99)]
    return "\(total) loads, success rate \(rateText), \(failed) failed, \(cancelled) cancelled, "
      + times.map { "\($0.0) \($0.1?.shortText ?? "none")" }.joined(separator: ", ")
  }
}
