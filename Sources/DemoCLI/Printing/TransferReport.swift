import APIKit
import APIKitTransfers

/// Shows how far a transfer is: a bar on a terminal, a line for each tenth elsewhere.
@MainActor final class TransferReport: DownloadManagerDelegate, UploadManagerDelegate {
  private let console: Console
  private var tenths = 0
  /// Where the bytes begin that this run has received.
  private(set) var begin: Int64 = 0
  /// How many bytes were sent.
  private(set) var sent: Int64 = 0

  init(_ console: Console) { self.console = console }

  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) {
    // Only the first part of a run says what it went on from.
    if tenths == 0, begin == 0 { begin = offset }
  }

  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) { show(progress) }
  func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) {
    // The last of the sent bytes may be told with the response.
    guard progress.sent > sent || !progress.isReceiving else { return }
    sent = max(sent, progress.sent)
    show(
      TransferProgress(
        sent: progress.sent, totalToSend: progress.totalToSend,
        rate: progress.isReceiving ? nil : progress.rate))
  }

  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {}
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) {}
  func manager(_ manager: BaseUploadManager, didFailWith error: APIError) {}

  private func show(_ progress: TransferProgress) { Self.show(progress, on: console, behind: &tenths) }

  /// - Parameter tenths: How many were shown.
  static func show(_ progress: TransferProgress, on console: Console, behind tenths: inout Int) {
    console.progress(line(progress, width: console.width))
    guard !console.showsProgress, let fraction = progress.fraction else { return }
    let reached = Int(fraction * 10)
    guard reached > tenths else { return }
    console.error("\(reached * 10) %, \(amount(progress.total))")
    tenths = reached
  }

  /// `[#####     ]  50 %  4.0 of 8.0 MB  2.1 MB/s  2 s left`
  static func line(_ progress: TransferProgress, width: Int) -> String {
    var text = amount(progress.total)
    if let expected = progress.expected { text += " of \(amount(expected))" }
    if let rate = progress.rate { text += "  \(amount(Int64(rate)))/s" }
    if let left = progress.timeLeft { text += "  \(Int((left / .seconds(1)).rounded(.up))) s left" }
    guard let fraction = progress.fraction else { return text }
    let percent = Int(fraction * 100)
    text = String(repeating: " ", count: max(0, 3 - "\(percent)".count)) + "\(percent) %  \(text)"
    let bar = min(30, width - text.count - 4)
    guard bar >= 5 else { return text }
    let full = Int(fraction * Double(bar))
    return "[" + String(repeating: "#", count: full) + String(repeating: " ", count: bar - full) + "]  "
      + text
  }

  /// `4.0 MB`, in steps of a thousand.
  static func amount(_ bytes: Int64) -> String {
    var (value, unit) = (Double(bytes), 0)
    let units = ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    if unit == 0 { return "\(bytes) B" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
