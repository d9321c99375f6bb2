public import Foundation

/// The bridge to Foundation's `Progress`.
extension BaseAPIManager {
  /// A load as Foundation's `Progress`, in bytes: for views that show one, or as a part of a larger one. Nil when the load
  /// is over.
  ///
  /// Cancelling it cancels the load; pausing and resuming it suspend and resume it. On a transport without
  /// ``TransportCapabilities/suspension``, and for a load that an outbox keeps, it is not pausable, and the record of the load
  /// has a note of the attempted pause. It counts the present direction (``TransferProgress/isReceiving``), tells
  /// `throughput` and `estimatedTimeRemaining`, is indeterminate while the size is unknown, and finished when the load
  /// has succeeded. It moves only when ``reportsProgress`` was set before takeoff. Several calls return the same object.
  public func progress(of flight: FlightID) -> Progress? {
    guard let flight = flightStore[flight] else { return nil }
    if let progress = flight.progress { return progress }
    let (progress, id) = (Progress(totalUnitCount: -1), flight.id)
    flight.progress = progress
    progress.isCancellable = true
    progress.isPausable =
      queue == nil && flight.call.wire.client.transport.capabilities.contains(.suspension)
    progress.cancellationHandler = { @Sendable [weak self] in
      MainDelivery.main.put { [weak self] in _ = self?.cancel(id) }
    }
    progress.pausingHandler = { @Sendable [weak self] in
      MainDelivery.main.put { [weak self] in self?.pause(id) }
    }
    progress.resumingHandler = { @Sendable [weak self] in
      MainDelivery.main.put { [weak self] in _ = self?.resume(id) }
    }
    return progress
  }

  private func pause(_ id: FlightID) {
    do throws(APIError) { try suspend(id) } catch { flightStore[id]?.note(.note("progress", error.detail)) }
  }
}

extension Progress {
  /// Takes over a report of the transfer.
  func show(_ report: TransferProgress) {
    totalUnitCount = report.expected ?? -1
    completedUnitCount = report.total
    if let rate = report.rate { setUserInfoObject(Int(rate), forKey: .throughputKey) }
    if let left = report.timeLeft {
      setUserInfoObject(left / .seconds(1) as Double, forKey: .estimatedTimeRemainingKey)
    }
  }

  /// The load has succeeded.
  func finish() {
    if totalUnitCount <= 0 { totalUnitCount = max(1, completedUnitCount) }
    completedUnitCount = totalUnitCount
  }
}
