import APIKit
import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The second screen of a terminal, while the process has it. Whatever ends the process, short of SIGKILL, gives the
/// first one back; a stop (Ctrl-Z) does so until the process goes on.
struct TerminalScreen {
  /// The colours that may be used.
  let palette: Palette

  /// Takes the screen. Nil when stdout is no terminal, or one that cannot move its cursor.
  static func open() -> TerminalScreen? {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDOUT_FILENO) == 1, environment["TERM"].map({ !$0.isEmpty && $0 != "dumb" }) ?? false else {
      return nil
    }
    SignalRestore.install()
    SignalRestore.write(SignalRestore.enter)
    return TerminalScreen(palette: Palette(for: STDOUT_FILENO))
  }

  /// Gives the first screen back.
  func close() {
    SignalRestore.write(SignalRestore.leave)
    SignalRestore.remove()
  }

  /// The present size.
  var size: MonitorFrame.Size {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return MonitorFrame.Size(columns: 80, rows: 24)
    }
    return MonitorFrame.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Shows a picture over the one before.
  func show(_ lines: [String]) {
    // Home; each line erased behind its end; below the last, everything (ECMA-48, CUP, EL, ED).
    let text = "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}

/// What a signal does to the screen. A handler may call little (POSIX, 2.4.3): it writes bytes that are there already,
/// and raises the signal again with its default action.
enum SignalRestore {
  struct Sequence {
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    init(_ text: StaticString) {
      count = text.utf8CodeUnitCount
      bytes = .allocate(capacity: count)
      bytes.initialize(from: text.utf8Start, count: count)
    }
  }

  /// The other screen, cursor hidden.
  nonisolated(unsafe) static let enter = Sequence("\u{1B}[?1049h\u{1B}[?25l")
  /// Cursor and attributes as usual, the first screen.
  nonisolated(unsafe) static let leave = Sequence("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")

  /// SIGINT and SIGTERM end the command in order; see ``Interruption``.
  private static let ending = [
    SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS,
    SIGILL,
    SIGFPE, SIGTRAP, SIGTSTP,
  ]

  static func write(_ sequence: Sequence) {
    #if canImport(Darwin)
      _ = Darwin.write(STDOUT_FILENO, sequence.bytes, sequence.count)
    #else
      _ = Glibc.write(STDOUT_FILENO, sequence.bytes, sequence.count)
    #endif
  }

  /// Whether the process has the screen. Handlers of signals read it.
  private static let isInstalled = AtomicFlag()

  /// Has a signal do what it usually does: end the process, and give the first screen back before.
  static func setUsual(_ number: Int32) {
    if isInstalled.load() { signal(number, handler) } else { signal(number, SIG_DFL) }
  }

  /// Makes what a handler needs, since a handler must not make it.
  static func prepare() { _ = (enter.count, leave.count, isInstalled.load()) }

  static func install() {
    prepare()
    for number in ending { signal(number, handler) }
    isInstalled.store(true)
    signal(SIGCONT) { _ in
      signal(SIGTSTP, SignalRestore.handler)
      SignalRestore.write(SignalRestore.enter)
    }
  }

  static func remove() {
    isInstalled.store(false)
    for number in ending + [SIGCONT] { signal(number, SIG_DFL) }
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    SignalRestore.write(SignalRestore.leave)
    signal(number, SIG_DFL)
    // The signal is blocked while its handler runs, and comes when that is over.
    raise(number)
  }
}
