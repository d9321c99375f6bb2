import Foundation

/// A small generator with a seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

extension SeededGenerator {
  /// The seeds of a test: those of an environment variable, such as `100-200` or `7`, or else so many from 1.
  static func seeds(_ variable: String, count: UInt64) -> ClosedRange<UInt64> {
    let stated = ProcessInfo.processInfo.environment[variable]?.split(separator: "-").compactMap {
      UInt64($0)
    }
    return (stated?.first ?? 1)...(stated?.last ?? count)
  }
}
