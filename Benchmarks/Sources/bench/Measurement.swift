import Foundation

/// Measures one group: two sides in turn, the best of several rounds each, so that what else the machine
/// does hits both alike and mostly neither.
final class Measurement {
  /// What a number must be.
  enum Bar {
    case atLeast(Double)
    case atMost(Double)
    case none
  }

  /// One line of the table.
  struct Row {
    let group: String
    let name: String
    let value: Double
    let unit: String
    let bar: Bar
    let note: String

    var passes: Bool? {
      switch bar {
      case .atLeast(let limit): value >= limit
      case .atMost(let limit): value <= limit
      case .none: nil
      }
    }
  }

  let group: String
  let rounds: Int
  private let match: String?
  private let prints: Bool
  private(set) var rows: [Row] = []

  init(group: String, rounds: Int, match: String?, prints: Bool) {
    (self.group, self.rounds, self.match, self.prints) = (group, rounds, match, prints)
  }

  /// Whether a comparison of this name is wanted; for groups that prepare much for one.
  func wants(_ name: String) -> Bool { match.map { name.contains($0) } ?? true }

  /// How many times faster `ours` is than `theirs` at the same work on this thread; both sides must do all of
  /// it here, for only this thread's processor time is counted.
  ///
  /// - Parameters:
  ///   - bytes: How much one run of either side reads; the note then gives the speed of both in MB/s.
  ///   - slice: For how long one side runs in one round, in seconds.
  func compare(
    _ name: String, bar: Bar = .none, bytes: Int? = nil, slice: Double = 0.01, ours: () throws -> Void,
    theirs: () throws -> Void
  ) rethrows {
    guard wants(name) else { return }
    let times = (try runs(in: slice, ours), try runs(in: slice, theirs))
    var best = (Double.infinity, Double.infinity)
    for _ in 0..<rounds * 2 {
      best.0 = min(best.0, try time(times.0, ours))
      best.1 = min(best.1, try time(times.1, theirs))
    }
    record(name, best.1 / best.0, "x", bar: bar, note: note(best, bytes))
  }

  /// ``compare(_:bar:bytes:slice:ours:theirs:)`` for work that awaits, by the clock on the
  /// wall. Each side runs `count` times a round.
  func compare(
    _ name: String, bar: Bar = .none, count: Int, ours: () async throws -> Void,
    theirs: () async throws -> Void
  ) async rethrows {
    guard wants(name) else { return }
    try await ours()
    try await theirs()
    var best = (Double.infinity, Double.infinity)
    for _ in 0..<rounds {
      best.0 = min(best.0, try await time(count, ours))
      best.1 = min(best.1, try await time(count, theirs))
    }
    record(name, best.1 / best.0, "x", bar: bar, note: note(best, nil))
  }

  /// The seconds of this thread one run takes, the best of the rounds.
  func seconds(slice: Double = 0.01, _ body: () throws -> Void) rethrows -> Double {
    let times = try runs(in: slice, body)
    var best = Double.infinity
    for _ in 0..<rounds * 2 { best = min(best, try time(times, body)) }
    return best
  }

  /// Notes a number that was found in another way.
  func record(_ name: String, _ value: Double, _ unit: String, bar: Bar = .none, note: String = "") {
    let row = Row(group: group, name: name, value: value, unit: unit, bar: bar, note: note)
    rows.append(row)
    if prints { print(Self.line(row)) }
  }

  // MARK: Timing

  private func runs(in slice: Double, _ body: () throws -> Void) rethrows -> Int {
    var count = 1
    while true {
      let seconds = try time(count, body) * Double(count)
      if seconds > slice / 4 || count > 1 << 24 {
        return max(1, Int(Double(count) * slice / max(seconds, 1e-9)))
      }
      count *= 4
    }
  }

  /// Seconds of this thread's own processor time for one run: what else the machine does is not in it, and
  /// a side that takes longer is not interrupted more.
  private func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = Self.threadSeconds()
    for _ in 0..<count { try body() }
    return (Self.threadSeconds() - start) / Double(count)
  }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private func time(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<count { try await body() }
    return Self.seconds(clock.now - start) / Double(count)
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  // MARK: Printing

  private func note(_ times: (Double, Double), _ bytes: Int?) -> String {
    guard let bytes else { return "\(Self.duration(times.0)) against \(Self.duration(times.1))" }
    func speed(_ seconds: Double) -> String { String(format: "%.0f", Double(bytes) / seconds / 1e6) }
    return "\(speed(times.0)) against \(speed(times.1)) MB/s"
  }

  private static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-6: String(format: "%.0f ns", seconds * 1e9)
    case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
    default: String(format: "%.2f ms", seconds * 1e3)
    }
  }

  private static func line(_ row: Row) -> String {
    let value = String(format: "%.2f", row.value) + " " + row.unit
    let name = row.name.padding(toLength: max(46, row.name.count), withPad: " ", startingAt: 0)
    let padding = String(repeating: " ", count: max(0, 14 - value.count))
    let verdict =
      switch row.bar {
      case .atLeast(let limit): "bar ≥ \(limit.formatted) \(row.passes == true ? "pass" : "FAIL")"
      case .atMost(let limit): "bar ≤ \(limit.formatted) \(row.passes == true ? "pass" : "FAIL")"
      case .none: ""
      }
    return "  \(name)\(padding)\(value)  \(verdict)\(row.note.isEmpty ? "" : "  (\(row.note))")"
  }

  static func json(_ rows: [Row]) -> String {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let lines = rows.map { row in
      let bar =
        switch row.bar {
        case .atLeast(let limit): ",\"atLeast\":\(limit)"
        case .atMost(let limit): ",\"atMost\":\(limit)"
        case .none: ""
        }
      let passes = row.passes.map { ",\"passes\":\($0)" } ?? ""
      return
        "{\"group\":\"\(row.group)\",\"name\":\"\(row.name)\",\"value\":\(row.value),\"unit\":\"\(row.unit)\""
        + bar + passes + ",\"note\":\"\(row.note)\"}"
    }
    return "{\"cores\":\(cores),\"rows\":[\n" + lines.joined(separator: ",\n") + "\n]}"
  }
}

extension Double {
  fileprivate var formatted: String { self == rounded() ? String(Int(self)) : String(self) }
}

/// Makes the optimiser believe that a value is used.
@inline(never)
func keep<Value>(_ value: Value) {}
