import Foundation
import Reformers

/// Prints the help.
struct HelpCommand: Command {
  static let name = "help"
  static let summary = "show the commands, or the options of one"
  static let operands = ["[COMMAND]"]
  static let example = "help filter"
  static let commonOptions = Option.everywhere

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
    let console = session.console
    guard let command else {
      console.print("usage: DemoCLI COMMAND [OPTION ...]\n       DemoCLI --version\n\ncommands:")
      lines(DemoCLI.commands.map { ($0.name, $0.summary) }, session)
      console.print("\noptions of every command:")
      options(Option.everywhere, session)
      console.print("\noptions of the commands that ask the demo's services:")
      options(Option.services, session)
      return statuses(session)
    }
    let operands = command.operands.map { " " + $0 }.joined()
    console.print("usage: DemoCLI \(command.name)\(operands) [OPTION ...]\n")
    console.printWrapped(command.summary)
    if !command.notes.isEmpty {
      console.print("")
      lines(command.notes.map(Self.parts), session)
    }
    console.print("\noptions:")
    options(command.allOptions, session)
    statuses(session)
    console.print("\nexample:\n  DemoCLI \(command.example)")
  }

  private func statuses(_ session: Session) {
    session.console.print("\nexit status:")
    lines(DemoCLI.Status.allCases.map { ("\($0.rawValue)", $0.meaning) }, session)
  }

  /// A note in its name and what is said of it, which two spaces part.
  private static func parts(_ note: String) -> (String, String) {
    guard let gap = note.range(of: "  ") else { return (note, "") }
    return (String(note[..<gap.lowerBound]), String(note[gap.upperBound...]))
  }

  private func options(_ options: [Option], _ session: Session) {
    lines(
      options.map { ($0.names.joined(separator: ", ") + ($0.value.map { " " + $0 } ?? ""), $0.help) }, session
    )
  }

  private func lines(_ pairs: [(String, String)], _ session: Session) {
    let console = session.console
    let width = min(console.width < 80 ? 18 : 30, pairs.map { $0.0.count }.max() ?? 0)
    for (name, text) in pairs {
      let isLong = name.count > width
      if isLong { console.print("  " + name) }
      let head = isLong ? String(repeating: " ", count: width) : DisplayWidth.fit(name, to: width)
      console.printWrapped("  \(head)  \(text)", indent: width + 4)
    }
  }
}
