import Foundation

/// Colours a text for a terminal, or leaves it as it is.
struct Palette: Sendable {
  /// What a colour says.
  enum Ink: String, Sendable {
    case head = "1"
    case quiet = "2"
    case bad = "31"
    case good = "32"
    case warning = "33"
    case name = "34"
    case special = "36"
  }

  let isOn: Bool

  /// Plain text.
  static let plain = Palette(isOn: false)

  init(isOn: Bool) { self.isOn = isOn }

  /// Colours where the stream is a terminal that has them, unless `NO_COLOR` is set (<https://no-color.org>).
  init(for descriptor: Int32) {
    let environment = ProcessInfo.processInfo.environment
    isOn =
      isatty(descriptor) == 1 && environment["NO_COLOR"].map(\.isEmpty) ?? true
      && environment["TERM"].map { !$0.isEmpty && $0 != "dumb" } ?? false
  }

  /// The text in a colour (ECMA-48, SGR).
  func paint(_ text: String, _ ink: Ink) -> String { isOn ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text }
}
