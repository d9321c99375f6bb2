import APIKit
import Foundation
import Reformers

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes results and diagnostics, and reads lines.
struct Console: Sendable {
  /// Writes one text and a line end to stdout: results.
  let print: @Sendable (String) -> Void
  /// Writes one text and a line end to stderr: diagnostics.
  let error: @Sendable (String) -> Void
  /// Shows how far long work has come, in one line that the next text replaces.
  let progress: @Sendable (String) -> Void
  /// Writes bytes to stdout as they are.
  let write: @Sendable ([UInt8]) -> Void
  /// The next line of stdin, without its end; nil at the end. May wait for as long as nobody writes.
  let readLine: @Sendable () -> String?
  /// The columns that lines should fit.
  let width: Int
  /// Whether ``progress`` shows anything.
  var showsProgress = false
  /// Whether stdout is a terminal.
  var isTerminal = false
  /// The colours of stdout and of stderr.
  var palette = Palette.plain
  var errorPalette = Palette.plain

  /// The streams of the process, with the width of the terminal. Progress is shown when both are a terminal.
  static let standard: Console = {
    let isOn = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    let line = ProgressLine(isOn: isOn)
    var console = Console(
      print: { text in line.replace { writeAll(Array((text + "\n").utf8)) } },
      error: { text in
        line.replace { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
      },
      progress: { line.show($0) }, write: { bytes in line.replace { writeAll(bytes) } },
      readLine: { Swift.readLine() }, width: terminalWidth())
    console.showsProgress = isOn
    console.isTerminal = isatty(STDOUT_FILENO) == 1
    (console.palette, console.errorPalette) = (Palette(for: STDOUT_FILENO), Palette(for: STDERR_FILENO))
    return console
  }()

  /// The next line of stdin, read on a thread of its own; nil at the end.
  func nextLine() async -> String? {
    let readLine = readLine
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: readLine()) }
    }
  }

  /// Prints a text in lines that fit the width, later ones indented.
  func printWrapped(_ text: String, indent: Int = 0) {
    for line in Wrapping.lines(text, width: width, indent: indent) { print(line) }
  }

  /// Prints a table that fits the width.
  func print(_ table: TextTable) {
    for line in table.lines(width: width) { print(line) }
  }

  private static let fault = Mutex<Int32?>(nil)

  /// Why something that was written to stdout is lost, e.g. because the disk is full; nil when nothing is.
  static var lostOutput: String? { fault.withLock { $0 }.map { String(cString: strerror($0)) } }

  /// Writes all of the bytes; what stdout does not take is lost, which ``lostOutput`` says then.
  private static func writeAll(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Self.systemWrite(UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let code = errno
          return fault.withLock { $0 = $0 ?? code }
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  private static func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    #else
      Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    #endif
  }

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

/// Breaks texts into lines between words.
enum Wrapping {
  /// The lines of a text; those after the first begin with `indent` spaces. A word that is too long has a line of its own.
  static func lines(_ text: String, width: Int, indent: Int = 0) -> [String] {
    var lines: [String] = []
    for paragraph in text.components(separatedBy: "\n") {
      let words = paragraph.split(separator: " ", omittingEmptySubsequences: false)
      var line = String(words.first ?? "")
      for word in words.dropFirst() {
        let isFull = DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width
        if isFull, line.contains(where: { $0 != " " }) {
          lines.append(line)
          line = String(repeating: " ", count: indent) + word
        } else {
          line += " " + word
        }
      }
      lines.append(line)
    }
    return lines
  }
}
