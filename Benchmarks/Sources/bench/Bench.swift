import Foundation

/// Measures, prints a row for each number, and says which of them miss their bars. See ``usage``.
@main
struct Bench {
  static let usage = """
    usage: bench [--only GROUP]... [--match TEXT] [--rounds N] [--clients PROGRAM] [--json | --markdown | --list]
      --only GROUP   measure this group alone; may be given several times; build and count run only so
      --match TEXT   measure only the rows whose names contain the text
      --rounds N     take the best of so many rounds; the default is 5
      --clients P    measure beside the clients of this program as well; Scripts/oracles/clients builds it
      --json         print one JSON object, for other programs
      --markdown     print a table in Markdown; of the group path, unless --only names others
      --list         print the groups and their rows, and measure nothing
    Waits until the machine is quiet, for a minute at most, and measures a group again where others have worked meanwhile.
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
      let load = String(format: "%.2f", MachineState.load)
      print("\(MachineState.cores) cores, load \(load), best of \(options.rounds) rounds")
    }
    var rows: [Row] = []
    for group in groups where options.selects(group) {
      if isText { print("\n\(group.name): \(group.summary)") }
      let measurement = await measure(group, options)
      if options.output == .list {
        print("\(group.name): \(group.summary)")
        for name in measurement.names { print("  \(name)") }
      }
      rows += measurement.rows
    }
    return rows
  }

  /// Runs one group; again where the machine was not quiet meanwhile.
  private static func measure(_ group: BenchGroup, _ options: Options) async -> Measurement {
    let isList = options.output == .list
    let isTimed = !isList && group.isTimed
    var isRepeated = false
    while true {
      if isTimed { await MachineState.waitForQuiet() }
      let before = MachineState()
      let measurement = Measurement(
        group: group.name, rounds: options.rounds, clients: options.clients, match: options.match,
        mode: isList ? .list : .measure(prints: options.output == .text))
      do {
        try await group.run(measurement)
      } catch {
        say("\(group.name): \(error)")
        exit(1)
      }
      guard isTimed, let before, let after = MachineState() else { return measurement }
      let disturbance = after.disturbance(since: before)
      if disturbance.isQuiet { return measurement }
      say(
        "\(group.name): the machine was not quiet: \(disturbance)\(isRepeated ? "; the bars say little" : "; once more")"
      )
      if isRepeated { return measurement }
      isRepeated = true
    }
  }

  private static func say(_ line: String) { FileHandle.standardError.write(Data("bench: \(line)\n".utf8)) }

  private struct Options {
    enum Output { case text, json, markdown, list }

    var only: Set<String> = []
    var match: String?
    var rounds = 5
    var clients: URL?
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
        case "--clients":
          guard let path = arguments.popFirst() else { return nil }
          clients = URL(fileURLWithPath: path)
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
