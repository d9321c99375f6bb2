/// The names and positions that were looked up and not found.
///
/// A missing value is a cursor of two words, and must still provide the path that it would have. It
/// contains the last existing value and the number of an entry here. Entries are chained, so the whole path
/// of `raw.a.b.c` is available when `a` is missing. The same miss in ten thousand rows is one entry.
struct RawMisses {
  struct MissedStep: Hashable {
    /// The entry before this one, or 0 for the first missing step.
    var parent: UInt32
    var step: RawPath.Step
  }

  /// A program looks up a limited number of names. One that generates names could fill the memory, so
  /// beyond this number of entries paths end with an ellipsis.
  static let limit: UInt32 = 4096
  /// The entry for everything beyond the limit.
  static let unknown: UInt32 = 0x7FFF_FFFF

  private var entries: [MissedStep] = []
  private var numbers: [MissedStep: UInt32] = [:]
  private var last: (entry: MissedStep, number: UInt32)?

  /// The number of an entry, from 1.
  mutating func number(of entry: MissedStep) -> UInt32 {
    if let last, last.entry == entry { return last.number }
    var number = numbers[entry]
    if number == nil, entries.count < Self.limit, entry.parent != Self.unknown {
      entries.append(entry)
      number = UInt32(entries.count)
      numbers[entry] = number
    }
    guard let number else { return Self.unknown }
    last = (entry, number)
    return number
  }

  /// The steps from the last existing value to the missing one.
  func steps(to number: UInt32) -> [RawPath.Step] {
    var steps: [RawPath.Step] = []
    var number = number
    while number != 0 {
      guard number != Self.unknown else { return [.key("…")] }
      let entry = entries[Int(number) - 1]
      steps.append(entry.step)
      number = entry.parent
    }
    return steps.reversed()
  }
}

extension RawDocument {
  /// The number of the entry for a missing step after another entry, or after 0.
  func number(of step: RawPath.Step, after parent: UInt32) -> UInt32 {
    misses.withLock { $0.number(of: RawMisses.MissedStep(parent: parent, step: step)) }
  }

  /// The missing steps up to the entry with this number.
  func missingSteps(to number: UInt32) -> [RawPath.Step] {
    number == 0 ? [] : misses.withLock { $0.steps(to: number) }
  }
}
