import Foundation

/// Writes results and diagnostics.
struct Console: Sendable {
  /// Writes one text and a line end to stdout: results.
  let print: @Sendable (String) -> Void
  /// Writes one text and a line end to stderr: diagnostics.
  let error: @Sendable (String) -> Void
  /// The columns that lines should fit.
  let width: Int

  /// The streams of the process, with the width of the terminal.
  static let standard = Console(
    print: { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) },
    error: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
    width: terminalWidth())

  /// `COLUMNS`, otherwise the width of the terminal, otherwise 100.
  private static func terminalWidth() -> Int {
    if let text = ProcessInfo.processInfo.environment["COLUMNS"], let columns = Int(text), columns > 0 {
      return columns
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }
}
