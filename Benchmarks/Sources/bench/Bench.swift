import Foundation

/// `bench [--only GROUP]... [--match TEXT] [--rounds N] [--json] [--list]`
///
/// `--match` takes only the comparisons whose names contain the text.
///
/// Exit 0 when every bar holds, 1 when one does not, 2 for wrong usage.
@main
struct Bench {
  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(
        Data("usage: bench [--only GROUP]... [--match TEXT] [--rounds N] [--json] [--list]\n".utf8))
      exit(2)
    }
    if options.list {
      for group in groups { print("\(group.name)  \(group.summary)") }
      return
    }
    let selected = groups.filter { options.only.isEmpty || options.only.contains($0.name) }
    var rows: [Measurement.Row] = []
    if !options.json {
      print("\(ProcessInfo.processInfo.activeProcessorCount) cores, best of \(options.rounds) rounds")
    }
    for group in selected {
      if !options.json { print("\n\(group.name): \(group.summary)") }
      let measurement = Measurement(
        group: group.name, rounds: options.rounds, match: options.match, prints: !options.json)
      do {
        try await group.run(measurement)
      } catch {
        FileHandle.standardError.write(Data("bench: \(group.name): \(error)\n".utf8))
        exit(1)
      }
      rows += measurement.rows
    }
    if options.json { print(Measurement.json(rows)) }
    let failed = rows.filter { $0.passes == false }
    if !options.json { print(failed.isEmpty ? "\nevery bar holds" : "\n\(failed.count) bars do not hold") }
    exit(failed.isEmpty ? 0 : 1)
  }

  private struct Options {
    var only: Set<String> = []
    var match: String?
    var rounds = 5
    var json = false
    var list = false

    init?(_ arguments: ArraySlice<String>) {
      var arguments = arguments
      while let argument = arguments.popFirst() {
        switch argument {
        case "--json": json = true
        case "--list": list = true
        case "--only":
          guard let name = arguments.popFirst(), groups.contains(where: { $0.name == name }) else {
            return nil
          }
          only.insert(name)
        case "--match":
          guard let text = arguments.popFirst() else { return nil }
          match = text
        case "--rounds":
          guard let count = arguments.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
          rounds = count
        default: return nil
        }
      }
    }
  }
}

/// Measurements that belong together.
struct BenchGroup: Sendable {
  /// The name for `--only`.
  let name: String
  /// One line for the table's head.
  let summary: String
  /// Takes the measurements.
  let run: @Sendable (Measurement) async throws -> Void
}
