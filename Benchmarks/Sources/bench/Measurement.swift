import Foundation

/// Measures one group: two sides in turn, the best of several rounds each, so that what else the machine
/// does hits both alike and mostly neither.
final class Measurement {
  /// What is done about the rows.
  enum Mode {
    /// They are measured; `prints` prints each as it is found.
    case measure(prints: Bool)
    /// Only their names are collected.
    case list
  }

  let group: String
  let rounds: Int
  /// The program with the clients of others; see Benchmarks/Clients.
  let clients: URL?
  private let match: String?
  private let mode: Mode
  private(set) var rows: [Row] = []
  /// The names that a row was asked for under; with ``Mode/list`` all that there are.
  private(set) var names: [String] = []

  init(group: String, rounds: Int, clients: URL?, match: String?, mode: Mode) {
    (self.group, self.rounds, self.clients, self.match, self.mode) = (group, rounds, clients, match, mode)
  }

  /// Whether a row of one of these names is wanted. Every measurement asks before it prepares anything, which is
  /// what makes `--match` quick and `--list` cheap.
  func wants(_ names: String...) -> Bool { wants(names) }

  /// ``wants(_:)-(String...)`` for names in a list.
  func wants(_ names: [String]) -> Bool {
    self.names += names.filter(matches)
    guard case .measure = mode else { return false }
    return names.contains(where: matches)
  }

  private func matches(_ name: String) -> Bool { match.map { name.contains($0) } ?? true }

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

  /// How many times faster `ours` is than `theirs` by the clock on the wall; each side gives the seconds of one
  /// piece of its work.
  func race(
    _ name: String, bar: Bar = .none, note: String = "", ours: () async throws -> Double,
    theirs: () async throws -> Double
  ) async rethrows {
    guard wants(name) else { return }
    var best = (Double.infinity, Double.infinity)
    for _ in 0..<rounds {
      best.0 = min(best.0, try await ours())
      best.1 = min(best.1, try await theirs())
    }
    let rates = String(format: "%.0f against %.0f a second", 1 / best.0, 1 / best.1)
    record(name, best.1 / best.0, "x", bar: bar, note: note.isEmpty ? rates : "\(rates); \(note)")
  }

  /// The seconds of this thread one run takes, the best of the rounds.
  func seconds(slice: Double = 0.01, _ body: () throws -> Void) rethrows -> Double {
    let times = try runs(in: slice, body)
    var best = Double.infinity
    for _ in 0..<rounds * 2 { best = min(best, try time(times, body)) }
    return best
  }

  /// Notes a number that was found in another way, unless nobody wants it: several rows may share one measurement.
  func record(_ name: String, _ value: Double, _ unit: String, bar: Bar = .none, note: String = "") {
    guard matches(name) else { return }
    let row = Row(group: group, name: name, value: value, unit: unit, bar: bar, note: note)
    rows.append(row)
    if case .measure(prints: true) = mode { print(row.line) }
  }

  // MARK: Timing

  /// Which side has this turn, of two in each round: each side comes first in every other round.
  static func isOurs(turn: Int) -> Bool { (turn + 1) / 2 % 2 == 0 }

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

  /// The seconds that `work` takes by the clock on the wall.
  static func seconds(of work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return seconds(ContinuousClock.now - start)
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  // MARK: Notes

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
}

/// Makes the optimiser believe that a value is used.
@inline(never)
func keep<Value>(_ value: Value) {}
