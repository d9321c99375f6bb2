import APIKit

/// The record of a load in colours: what went wrong, what was waited for, and how it ended.
enum RecordText {
  static func text(of record: FlightRecord, _ palette: Palette) -> String {
    guard palette.isOn else { return record.description }
    let lines = record.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The entries are the last lines, one each.
    let first = lines.count - record.entries.count
    return lines.enumerated().map { index, line in
      guard index > 0 else { return palette.paint(line, .head) }
      guard index >= first, let ink = ink(of: record.entries[index - first].event) else { return line }
      return palette.paint(line, ink)
    }.joined(separator: "\n")
  }

  private static func ink(of event: FlightEvent) -> Palette.Ink? {
    switch event {
    case .landed(.succeeded): .good
    case .landed(.failed), .refused, .attemptFailed, .broken, .gaveUp, .serverFailed: .bad
    case .landed(.cancelled), .retry, .waiting, .held, .paced, .suspended, .redirected: .warning
    default: nil
    }
  }
}
