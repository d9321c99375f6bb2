import Foundation

let buildGroup = BenchGroup(
  name: "build",
  summary: "the smallest application of the core, from clean, against all in one module; the better of two",
  isOnlyOnDemand: true
) { measurement in
  let names = BuildRow.allCases.map(\.name)
  guard measurement.wants(names) else { return }
  let builds = try SmallestBuilds()
  for (row, optimized) in [(BuildRow.release, true), (.debug, false)] where measurement.wants(row.name) {
    var (whole, core) = (Double.infinity, Double.infinity)
    for _ in 0..<2 {
      whole = min(whole, try builds.build(.whole, optimized))
      core = min(core, try builds.build(.core, optimized))
    }
    measurement.record(
      row.name, core / whole, "x", bar: .atMost(0.7),
      note: String(format: "%.0f s against %.0f s", core, whole))
    guard optimized else { continue }
    let (large, small) = (try builds.strippedSize(.whole), try builds.strippedSize(.core))
    measurement.record(
      BuildRow.size.name, small / 1e6, "MB",
      note: String(format: "%.2f MB with all in one module", large / 1e6))
  }
  let (core, all) = try PublicTypes.count()
  measurement.record(BuildRow.types.name, Double(core), "", bar: .atMost(270), note: "\(all) in all products")
}

private enum BuildRow: CaseIterable {
  case release, size, debug, types

  var name: String {
    switch self {
    case .release: "built for release, against the whole in one module"
    case .size: "its size, stripped"
    case .debug: "built for debugging, against the whole in one module"
    case .types: "public types that it sees"
    }
  }
}

/// Builds of the smallest application: of this tree, and of the last one that had the framework in one module.
private struct SmallestBuilds {
  enum Tree: String {
    case core, whole
  }

  /// The commit before the first leaf was cut off.
  static let wholeCommit = "33a611c"

  private let folder = URL(fileURLWithPath: ".build-bench/build").standardizedFileURL

  /// Lays both trees out. The application is the same in both, but for a label that the core no longer has.
  init() throws {
    try? FileManager.default.removeItem(at: folder)
    for (tree, commit) in [(Tree.whole, Self.wholeCommit), (.core, "HEAD")] {
      let place = path(tree)
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try shell("git archive \(commit) | tar -x -C '\(place)'")
    }
    let sources = "\(path(.whole))/Benchmarks/Sources"
    try shell("cp -R Benchmarks/Sources/smallest '\(sources)/'")
    try shell("sed -i 's/response(\\[/response(for: [/' '\(sources)/smallest/Smallest.swift'")
    try shell(
      """
      cat >>'\(path(.whole))/Package.swift' <<'END'
      package.targets.append(
        .executableTarget(name: "smallest", dependencies: ["APIKit"], path: "Benchmarks/Sources/smallest"))
      END
      """)
  }

  /// The seconds that a build from clean takes.
  func build(_ tree: Tree, _ optimized: Bool) throws -> Double {
    let configuration = optimized ? "release" : "debug"
    try shell("rm -rf '\(path(tree))/.build'")
    let start = ContinuousClock.now
    try shell("swift build --package-path '\(path(tree))' -c \(configuration) --product smallest >&2")
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// The bytes of the program without its symbols.
  func strippedSize(_ tree: Tree) throws -> Double {
    let program = "'\(path(tree))/.build/release/smallest'"
    let text = try shell(
      "strip -o '\(path(tree))/stripped' \(program) && stat -L -c %s '\(path(tree))/stripped'")
    guard let size = Double(text) else { throw BenchFailure("\(program) has no size: \(text)") }
    return size
  }

  private func path(_ tree: Tree) -> String { folder.appendingPathComponent(tree.rawValue).path }
}

private enum PublicTypes {
  /// Those of the core and of all products, as `Scripts/api` counts them.
  static func count() throws -> (core: Int, all: Int) {
    let numbers = try shell("Scripts/api --types").split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else { throw BenchFailure("Scripts/api --types prints two numbers") }
    return (numbers[0], numbers[1])
  }
}

/// What a command prints, without the last line break. A command that fails is a measurement that could not be taken.
@discardableResult
private func shell(_ command: String) throws -> String {
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(fileURLWithPath: "/bin/bash")
  process.arguments = ["-euo", "pipefail", "-c", command]
  process.standardOutput = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw BenchFailure("status \(process.terminationStatus): \(command)")
  }
  return text.trimmingCharacters(in: .whitespacesAndNewlines)
}
