import Foundation

/// What else the machine does: a ratio of two sides survives a little of it, a bar does not.
struct MachineState {
  /// In seconds of processor time since the machine's start: all of it, what the host has taken away, and what this process and
  /// its children have used.
  private let busy, stolen, own: Double
  private let time: ContinuousClock.Instant

  static let cores = ProcessInfo.processInfo.activeProcessorCount

  /// The state now; nil where the system does not tell (not Linux).
  init?() {
    guard let all = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    let fields = all.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard fields.count >= 8 else { return nil }
    let tick = 100.0
    // user, nice, system, irq and softirq; idle and iowait are not work.
    busy = (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) / tick
    stolen = fields[7] / tick
    own = Self.ownTicks() / tick
    time = .now
  }

  /// How much of the machine others have used between two states.
  struct Disturbance: CustomStringConvertible {
    /// In cores: 1 is a whole one.
    let others: Double
    /// The part of all cores that the host has taken away.
    let steal: Double

    /// Whether the numbers of that time may be judged.
    var isQuiet: Bool { others < 0.15 && steal < 0.02 }
    var description: String {
      String(format: "others used %.0f %% of a core, steal %.1f %%", others * 100, steal * 100)
    }
  }

  func disturbance(since before: MachineState) -> Disturbance {
    let seconds = max(0.001, Measurement.seconds(time - before.time))
    return Disturbance(
      others: max(0, (busy - before.busy) - (own - before.own)) / seconds,
      steal: (stolen - before.stolen) / seconds / Double(Self.cores))
  }

  /// The load of the last minute.
  static var load: Double {
    var loads = [0.0]
    return getloadavg(&loads, 1) == 1 ? loads[0] : 0
  }

  /// Waits until others rest for a second, and for a minute at most.
  static func waitForQuiet() async {
    for _ in 0..<60 {
      guard let before = MachineState() else { return }
      try? await Task.sleep(for: .seconds(1))
      guard let now = MachineState(), !now.disturbance(since: before).isQuiet else { return }
    }
  }

  /// The ticks of this process and of all that descend from it, those that have ended included.
  private static func ownTicks() -> Double {
    var parents: [Int32: (parent: Int32, ticks: Double)] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let pid = Int32(name),
        let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { continue }
      // Behind the name: state, ppid, …, utime, stime, cutime, cstime at 11 to 14.
      let fields = text[text.index(after: end)...].split(separator: " ")
      guard fields.count > 14, let parent = Int32(fields[1]) else { continue }
      parents[pid] = (parent, (11...14).reduce(0) { $0 + (Double(fields[$1]) ?? 0) })
    }
    let own = getpid()
    return parents.reduce(0) { sum, entry in
      var pid = entry.key
      while pid != own, pid > 1, let parent = parents[pid]?.parent { pid = parent }
      return pid == own ? sum + entry.value.ticks : sum
    }
  }
}
