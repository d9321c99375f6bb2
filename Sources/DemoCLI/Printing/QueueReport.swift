import APIKit
import APIKitTransfers

/// Shows how far the transfers of a queue are together: a bar on a terminal, a line for each tenth elsewhere; and each that ends.
@MainActor final class QueueReport: TransferQueueDelegate {
  private let console: Console
  private var parts: [TransferID: TransferProgress]
  private var meter: TransferMeter
  private let begin = ContinuousClock.now
  /// What earlier runs have moved already.
  private let before: Int64
  private var tenths = 0
  private(set) var failures: [APIError] = []

  init(_ console: Console, _ transfers: [QueuedTransfer]) {
    self.console = console
    meter = TransferMeter(at: 0)
    parts = Dictionary(uniqueKeysWithValues: transfers.map { ($0.id, $0.progress) })
    before = parts.values.reduce(0) { $0 + $1.total }
    tenths = Self.together(parts.values).fraction.map { Int($0 * 10) } ?? 0
  }

  func transferQueue(_ queue: TransferQueue, didProgress progress: TransferProgress, of transfer: TransferID)
  {
    // The response to an upload does not count.
    if progress.isReceiving, let known = parts[transfer], known.sent > 0 { return }
    parts[transfer] = progress
    show()
  }

  func transferQueue(
    _ queue: TransferQueue, didEnd transfer: TransferID, _ result: Result<TransferEnd, APIError>
  ) {
    // The last report may not have come.
    if case .success = result, var part = parts[transfer] {
      if let whole = part.totalToSend { part.sent = whole }
      if let whole = part.totalToReceive { part.received = whole }
      parts[transfer] = part
      show()
    }
    switch result {
    case .success(.downloaded(let file)):
      console.print("\(transfer): \(file.path), \(Formatting.grouped(UInt(file.count))) bytes")
    case .success(.uploaded(let response)):
      let sent = parts[transfer]?.sent ?? 0
      console.print("\(transfer): \(Formatting.grouped(UInt(sent))) bytes sent, status \(response.status)")
    case .failure(let error): failures.append(error)
    }
  }

  private func show() {
    var all = Self.together(parts.values)
    let microseconds = Int64((ContinuousClock.now - begin) / .microseconds(1))
    // The rate is that of this run.
    all.rate = meter.completing(TransferProgress(received: max(0, all.total - before)), at: microseconds).rate
    TransferReport.show(all, on: console, behind: &tenths)
  }

  /// All as one; without a whole where that of one is not known.
  private static func together(_ parts: some Collection<TransferProgress>) -> TransferProgress {
    var all = TransferProgress(received: 0, totalToReceive: 0)
    for part in parts {
      all.received += part.total
      all.totalToReceive = all.totalToReceive.flatMap { whole in part.expected.map { whole + $0 } }
    }
    return all
  }
}
