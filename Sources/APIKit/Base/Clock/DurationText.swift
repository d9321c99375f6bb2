extension Duration {
  /// The duration for people, in a suitable unit: `420 µs`, `3.2 ms`, `1.5 s`, `1 h 5 min`.
  package var shortText: String {
    let microseconds = self / .microseconds(1)
    switch abs(microseconds) {
    case ..<1000: return "\(Self.rounded(microseconds, to: 1)) µs"
    case ..<1_000_000: return "\(Self.rounded(microseconds / 1000, to: 10)) ms"
    case ..<120_000_000: return "\(Self.rounded(microseconds / 1_000_000, to: 100)) s"
    case ..<3_600_000_000: return "\(Self.rounded(microseconds / 60_000_000, to: 10)) min"
    default:
      let minutes = Int(microseconds / 60_000_000)
      return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(abs(minutes % 60)) min"
    }
  }

  private static func rounded(_ value: Double, to steps: Double) -> String {
    let rounded = (value * steps).rounded() / steps
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}

extension Duration {
  /// Whole microseconds; at most half of what an `Int64` holds, above or below zero, so that a time may be added.
  package var microseconds: Int64 {
    // Compared first: the standard library has no components of a sum with `.seconds(.max)`, which some write for ever.
    guard self < .longest else { return .max / 2 }
    guard self > .zero - .longest else { return -(.max / 2) }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  private static let longest = Duration.seconds(Int64.max / 2_000_000)

  /// The duration in seconds.
  package var inSeconds: Double {
    guard self < .longest, self > .zero - .longest else { return self / .seconds(1) }
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
