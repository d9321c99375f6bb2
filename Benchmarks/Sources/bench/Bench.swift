import Foundation

/// Measures, prints a row for each number, and says which of them miss their bars. See ``usage``.
@main
struct Bench {
  static let usage = """
    usage: bench [--only GROUP]... [--match TEXT] [--rounds N] [--json | --markdown | --list]
      --only GROUP   measure this group alone; may be given several times; the group build runs only so
      --match TEXT   measure only the rows whose names contain the text
      --rounds N     take the best of so many rounds; the default is 5
      --json         print one JSON object, for other programs
      --markdown     print a table in Markdown; of the group path, unless --only names others
      --list         print the groups and their rows, and measure nothing
    Exits 0 when every bar holds, 1 when one does not, 2 for wrong usage.

    """

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--child" { return await ChildProcess.runJob(Array(arguments.dropFirst())) }
    guard let options = Options(arguments) else {
      FileHandle.standardError.write(Data(usage.utf8))
      exit(2)
    }
    let rows = await measure(options)
    switch options.output {
    case .list: return
    case .json: print(Row.json(rows))
    case .markdown: print(Row.markdown(rows))
    case .text: break
    }
    let failed = rows.filter { $0.passes == false }
    if options.output == .text {
      print(failed.isEmpty ? "\nevery bar holds" : "\n\(failed.count) bars do not hold")
    }
    exit(failed.isEmpty ? 0 : 1)
  }

  /// Runs the groups that the options select.
  private static func measure(_ options: Options) async -> [Row] {
    let isText = options.output == .text
    if isText {
      print("\(ProcessInfo.processInfo.activeProcessorCount) cores, best of \(options.rounds) rounds")
    }
    var rows: [Row] = []
    for group in groups where options.selects(group) {
      if isText { print("\n\(group.name): \(group.summary)") }
      let measurement = Measurement(
        group: group.name, rounds: options.rounds, match: options.match,
        mode: options.output == .list ? .list : .measure(prints: isText))
      do {
        try await group.run(measurement)
      } catch {
        FileHandle.standardError.write(Data("bench: \(group.name): \(error)\n".utf8))
        exit(1)
      }
      if options.output == .list {
        print("\(group.name): \(group.summary)")
        for name in measurement.names { print("  \(name)") }
      }
      rows += measurement.rows
    }
    return rows
  }

  private struct Options {
    enum Output { case text, json, markdown, list }

    var only: Set<String> = []
    var match: String?
    var rounds = 5
    var output = Output.text

    init?(_ arguments: ArraySlice<String>) {
      var arguments = arguments
      while let argument = arguments.popFirst() {
        switch argument {
        case "--json": output = .json
        case "--markdown": output = .markdown
        case "--list": output = .list
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
      if output == .markdown, only.isEmpty { only = [pathGroup.name] }
    }

    func selects(_ group: BenchGroup) -> Bool {
      only.isEmpty ? output == .list || !group.isOnlyOnDemand : only.contains(group.name)
    }
  }
}
