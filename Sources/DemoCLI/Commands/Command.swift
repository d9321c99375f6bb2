/// One thing the demo can show: it takes its arguments apart, then runs.
@MainActor
protocol Command {
  /// The word on the command line.
  static var name: String { get }
  /// One line for the help.
  static var summary: String { get }
  /// What follows the options, in the words of the help; each must be given.
  static var operands: [String] { get }
  /// The options beside those of every command.
  static var options: [Option] { get }

  /// Takes the arguments apart; nothing has happened yet.
  init(_ arguments: ParsedArguments) throws(UsageError)
  /// Does it. What it throws is printed, and the exit status is 1.
  func run(in session: Session) async throws
}

extension Command {
  static var operands: [String] { [] }
  static var options: [Option] { [] }
}
