import APIKit
import CMachine
import Foundation
import TestServers

enum TransferRows {
  private static let gigabyte = 1 << 30
  /// Of a gigabyte of zeros.
  private static let digest = "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14"

  // MARK: Time

  /// Wall and CPU of whole processes, in turn with the other side's, which is first in every other round. Of the time on the wall
  /// the best counts: most of it is the server's, whose pages the machine gives it now fast and now slowly. Of the CPU the median.
  static func times(_ measurement: Measurement) throws {
    try compare(
      measurement, "1 GiB down", "the curl command", 1.15,
      ours: { own("transfer-download", [$0.server, "source-\(gigabyte).bin", $0.target]) },
      theirs: { [["/usr/bin/curl", "-s", "-f", "-o", $0.target, $0.url(gigabyte)]] })
    try compare(
      measurement, "1 GiB down with SHA-256", "curl and openssl", 1.15,
      ours: { own("transfer-download", [$0.server, "source-\(gigabyte).bin", $0.target, digest]) },
      theirs: {
        [
          ["/usr/bin/curl", "-s", "-f", "-o", $0.target, $0.url(gigabyte)],
          ["/usr/bin/openssl", "dgst", "-sha256", "-out", "/dev/null", $0.target],
        ]
      })
    try compare(
      measurement, "1 GiB PUT", "curl -T", 1.1,
      ours: { own("transfer-upload", [$0.server, "put/uploaded.bin", $0.source(gigabyte)]) },
      theirs: { [["/usr/bin/curl", "-s", "-f", "-T", $0.source(gigabyte), $0.uploadURL]] })
    try compare(
      measurement, "1 GiB multipart", "curl -F", 1.1,
      ours: { own("transfer-upload", [$0.server, "form", $0.source(gigabyte), "form"]) },
      theirs: { [["/usr/bin/curl", "-s", "-f", "-F", "file=@\($0.source(gigabyte))", $0.formURL]] })
  }

  private static func own(_ job: String, _ arguments: [String]) -> [String] {
    [URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path, "--child", job] + arguments
  }

  private static func compare(
    _ measurement: Measurement, _ what: String, _ against: String, _ bar: Double,
    ours: (TransferBench) -> [String], theirs: (TransferBench) -> [[String]]
  ) throws {
    let names = ["\(what), wall, against \(against)", "\(what), CPU, against \(against)"]
    guard measurement.wants(names) else { return }
    let bench = try TransferBench.shared.get()
    try bench.make(gigabyte)
    defer {
      bench.clear()
      unlink(bench.source(gigabyte))
    }
    // The first reader of a new file pays for its pages, so one run that does not count comes before.
    _ = try run(theirs(bench))
    var costs: (ours: [machine_cost], theirs: [machine_cost]) = ([], [])
    // How much of the time on the wall the server computes.
    var (wall, server) = (0.0, 0.0)
    for turn in 0..<measurement.rounds * 2 {
      bench.clear()
      let before = try bench.serverCPU()
      let cost = try run(Measurement.isOurs(turn: turn) ? [ours(bench)] : theirs(bench))
      server += try bench.serverCPU() - before
      wall += cost.wall
      if Measurement.isOurs(turn: turn) { costs.ours.append(cost) } else { costs.theirs.append(cost) }
    }
    let busy = String(format: ", the server computes %.0f %% of it", 100 * server / wall)
    let best = (costs.ours.map(\.wall).min() ?? 0, costs.theirs.map(\.wall).min() ?? 0)
    let cpu = (median(costs.ours.map(\.cpu)), median(costs.theirs.map(\.cpu)))
    for (name, times, how) in [
      (names[0], best, "best of \(measurement.rounds)\(busy)"),
      (names[1], cpu, "medians of \(measurement.rounds)"),
    ] {
      measurement.record(
        name, times.0 / times.1, "x", bar: .atMost(bar),
        note: String(format: "%.2f against %.2f s, ", times.0, times.1) + how)
    }
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Runs programs one after the other; what they cost together.
  private static func run(_ commands: [[String]], watchesMemory: Bool = false) throws -> machine_cost {
    var all = machine_cost()
    for command in commands {
      var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
      defer { for word in words { free(word) } }
      words.append(nil)
      var cost = machine_cost()
      let status = words.withUnsafeBufferPointer {
        machine_run($0.baseAddress!, watchesMemory ? 1 : 0, &cost)
      }
      guard status == 0 else { throw BenchFailure("\(command.joined(separator: " ")): \(status)") }
      all.wall += cost.wall
      all.cpu += cost.cpu
      all.own = max(all.own, cost.own)
      all.peak = max(all.peak, cost.peak)
    }
    return all
  }

  // MARK: Memory

  /// The peaks of fresh processes.
  static func memory(_ measurement: Measurement) throws {
    for isDownload in [true, false] {
      let what = isDownload ? "download" : "upload"
      let names = (
        "\(what) of 64 MiB, memory of its own beyond the curl command's",
        "\(what), 4 GiB beyond 64 MiB, memory of its own"
      )
      guard measurement.wants(names.0, names.1) else { continue }
      let bench = try TransferBench.shared.get()
      var costs: [Int: (ours: machine_cost, theirs: machine_cost)] = [:]
      for size in [64 << 20, 4 << 30] {
        try bench.make(size)
        defer {
          bench.clear()
          unlink(bench.source(size))
        }
        let ours =
          isDownload
          ? own("transfer-download", [bench.server, "source-\(size).bin", bench.target])
          : own("transfer-upload", [bench.server, "put/uploaded.bin", bench.source(size)])
        let theirs =
          isDownload
          ? ["/usr/bin/curl", "-s", "-f", "-o", bench.target, bench.url(size)]
          : ["/usr/bin/curl", "-s", "-f", "-T", bench.source(size), bench.uploadURL]
        costs[size] = (try run([ours], watchesMemory: true), try run([theirs], watchesMemory: true))
      }
      guard let small = costs[64 << 20], let large = costs[4 << 30] else { continue }
      measurement.record(
        names.0, small.ours.own - small.theirs.own, "MiB", bar: .atMost(8),
        note: String(
          format: "%.1f against %.1f MiB; with program and libraries %.1f against %.1f", small.ours.own,
          small.theirs.own, small.ours.peak, small.theirs.peak))
      measurement.record(
        names.1, abs(large.ours.own - small.ours.own), "MiB", bar: .atMost(4),
        note: String(format: "%.1f and %.1f MiB", large.ours.own, small.ours.own))
    }
  }

  // MARK: After a kill

  /// What is fetched again after the end of the process in the middle.
  static func killed(_ measurement: Measurement) async throws {
    let name = "fetched again after SIGKILL in the middle of 1 GiB"
    guard measurement.wants(name) else { return }
    let bench = try TransferBench.shared.get()
    try bench.make(gigabyte)
    defer {
      bench.clear()
      unlink(bench.source(gigabyte))
    }
    var worst = 0.0
    for round in 0..<measurement.rounds {
      bench.clear()
      let process = Process()
      let words = own("transfer-download", [bench.server, "source-\(gigabyte).bin", bench.target])
      process.executableURL = URL(fileURLWithPath: words[0])
      process.arguments = Array(words.dropFirst())
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      let part = bench.target + ".apikit-part"
      var had = 0
      let wanted = (200 + 100 * round % 700) << 20
      for _ in 0..<100_000 where had < wanted {
        had = ((try? FileManager.default.attributesOfItem(atPath: part))?[.size] as? Int) ?? 0
        usleep(500)
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      had = ((try? FileManager.default.attributesOfItem(atPath: part))?[.size] as? Int) ?? 0
      let rest: TransferResult = try ChildProcess.run(
        "transfer-download", [bench.server, "source-\(gigabyte).bin", bench.target])
      worst = max(worst, Double(had - Int(rest.begin)) / Double(1 << 20))
    }
    measurement.record(name, worst, "MiB", bar: .atMost(8), note: "the worst of \(measurement.rounds)")
  }

  // MARK: Small loads beside large ones

  static func besideDownloads(_ measurement: Measurement) async throws {
    let name = "small GET beside 3 downloads, p99, against beside curl's"
    guard measurement.wants(name) else { return }
    let bench = try TransferBench.shared.get()
    // The small loads have a server of their own: that of the downloads, one thread, is busy with them.
    let small = try WireServer.shared.get()
    try bench.make(gigabyte)
    let folder = bench.nginx.files.path
    defer {
      for number in 0..<3 {
        for ending in ["", ".apikit-part", ".apikit-part.journal"] {
          unlink("\(folder)/beside-\(number).bin\(ending)")
        }
      }
      unlink(bench.source(gigabyte))
    }
    func p99(_ own: Int) throws -> Double {
      let time: PinnedTime = try ChildProcess.run(
        "transfer-small-loads",
        [small.baseURL, bench.server, "\(own)", "source-\(gigabyte).bin", folder])
      return time.seconds
    }
    var times: (ours: [Double], theirs: [Double]) = ([], [])
    for _ in 0..<measurement.rounds {
      times.ours.append(try p99(3))
      let curls = try (0..<3).map { number in
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let curl = "/usr/bin/curl -s -o '\(folder)/beside-\(number).bin' '\(bench.url(gigabyte))'"
        // It ends with this process even where that is killed.
        process.arguments = ["-c", "while kill -0 $PPID 2>/dev/null; do \(curl); done"]
        try process.run()
        return process
      }
      defer {
        for process in curls {
          process.terminate()
          process.waitUntilExit()
        }
      }
      times.theirs.append(try p99(0))
    }
    let (ours, theirs) = (median(times.ours), median(times.theirs))
    measurement.record(
      name, ours / theirs, "x", bar: .atMost(2),
      note: String(
        format: "%.2f against %.2f ms, medians of %d", ours * 1e3, theirs * 1e3, measurement.rounds))
  }
}
