import Reformers

/// Prints the help.
struct HelpCommand: Command {
  static let name = "help"
  static let summary = "show the commands, or the options of one"
  static let operands = ["[COMMAND]"]
  static let example = "help filter"

  private let command: (any Command.Type)?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    guard let name = arguments.operands.first else {
      command = nil
      return
    }
    command = DemoCLI.command(named: name)
    if command == nil { throw UsageError.noCommand(name) }
  }

  func run(in session: Session) async throws {
    guard let command else {
      session.console.print("usage: DemoCLI COMMAND [OPTION ...]\n\ncommands:")
      lines(DemoCLI.commands.map { ($0.name, $0.summary) }, session)
      session.console.print("\noptions of every command:")
      return options(Option.common, session)
    }
    let operands = command.operands.map { " " + $0 }.joined()
    session.console.print(
      "usage: DemoCLI \(command.name)\(operands) [OPTION ...]\n\n\(command.summary)\n\noptions:")
    options(command.options + Option.common, session)
    session.console.print("\nexample:\n  DemoCLI \(command.example)")
  }

  private func options(_ options: [Option], _ session: Session) {
    lines(
      options.map { ($0.names.joined(separator: ", ") + ($0.value.map { " " + $0 } ?? ""), $0.help) }, session
    )
  }

  private func lines(_ pairs: [(String, String)], _ session: Session) {
    let width = min(30, pairs.map { $0.0.count }.max() ?? 0)
    for (name, text) in pairs {
      let head =
        name.count > width
        ? name + "\n" + String(repeating: " ", count: width + 2) : DisplayWidth.fit(name, to: width)
      session.console.print("  \(head)  \(text)")
    }
  }
}
