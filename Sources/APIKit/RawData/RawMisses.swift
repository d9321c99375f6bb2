import Synchronization

/// The names and positions under which values were looked for and not found.
///
/// A missing value is a cursor like any other, two words wide, and must still be able to say where it would
/// have been. It holds the last value that was there and the number of an entry here; entries chain, so that
/// `raw.a.b.c` is known in full when `a` is missing. The same miss in ten thousand rows is one entry.
struct RawMisses {
  struct Entry: Hashable {
    /// The entry this one continues, or 0 when it is the first step off the tape.
    var parent: UInt32
    var step: RawPath.Step
  }

  /// A program asks for a bounded number of names; one that makes names up could fill the memory, so past
  /// this number paths end in an ellipsis.
  static let limit: UInt32 = 4096
  /// The entry that stands for everything past the limit.
  static let unknown: UInt32 = 0x7FFF_FFFF

  private var entries: [Entry] = []
  private var numbers: [Entry: UInt32] = [:]
  private var last: (entry: Entry, number: UInt32)?

  /// The number of an entry, from 1.
  mutating func number(of entry: Entry) -> UInt32 {
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

  /// The steps from the last value that was there to the missing one.
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
  /// The number of a step off the tape that follows another such step, or 0.
  func number(of step: RawPath.Step, after parent: UInt32) -> UInt32 {
    misses.withLock { $0.number(of: RawMisses.Entry(parent: parent, step: step)) }
  }

  /// The steps off the tape up to the one with a number.
  func missingSteps(to number: UInt32) -> [RawPath.Step] {
    number == 0 ? [] : misses.withLock { $0.steps(to: number) }
  }
}
