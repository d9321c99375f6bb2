import APIKit
import Foundation

/// The line of a terminal that says how far long work has come.
final class ProgressLine: Sendable {
  private let isOn: Bool
  private let isShown = Mutex(false)

  init(isOn: Bool) { self.isOn = isOn }

  /// Writes the line on stderr, over the one before.
  func show(_ text: String) {
    guard isOn else { return }
    isShown.withLock { isShown in
      try? FileHandle.standardError.write(contentsOf: Data((Self.start + text).utf8))
      isShown = true
    }
  }

  /// Writes something else, without the line.
  func replace(by write: () -> Void) {
    isShown.withLock { isShown in
      if isShown { try? FileHandle.standardError.write(contentsOf: Data(Self.start.utf8)) }
      isShown = false
      write()
    }
  }

  /// To the first column, and erase to the end of the line (ECMA-48, CR and EL).
  private static let start = "\r\u{1B}[K"
}
