import Foundation

/// Writes results and diagnostics.
struct Console: Sendable {
  /// Writes one text and a line end to stdout: results.
  let print: @Sendable (String) -> Void
  /// Writes one text and a line end to stderr: diagnostics.
  let error: @Sendable (String) -> Void
  /// Shows how far long work has come, in one line that the next text replaces.
  let progress: @Sendable (String) -> Void
  /// The columns that lines should fit.
  let width: Int
  /// Whether ``progress`` shows anything.
  var showsProgress = false

  /// The streams of the process, with the width of the terminal. Progress is shown when both are a terminal.
  static let standard: Console = {
    let isOn = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    let line = ProgressLine(isOn: isOn)
    return Console(
      print: { text in line.replace { FileHandle.standardOutput.write(Data((text + "\n").utf8)) } },
      error: { text in line.replace { FileHandle.standardError.write(Data((text + "\n").utf8)) } },
      progress: { line.show($0) }, width: terminalWidth(), showsProgress: isOn)
  }()

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
