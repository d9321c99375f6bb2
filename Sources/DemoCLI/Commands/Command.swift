/// One command of the demo: it parses its arguments, then runs.
@MainActor
protocol Command {
  /// Its name on the command line.
  static var name: String { get }
  /// One line for the help.
  static var summary: String { get }
  /// The names of its operands, as the help shows them; each must be given.
  static var operands: [String] { get }
  /// A command line of it, as the help shows it.
  static var example: String { get }
  /// Its options, in addition to those of every command.
  static var options: [Option] { get }

  /// Parses the arguments, without any effect.
  init(_ arguments: ParsedArguments) throws(UsageError)
  /// Runs the command. An error that it throws is printed, and the exit status is 1.
  func run(in session: Session) async throws
}

extension Command {
  static var operands: [String] { [] }
  static var options: [Option] { [] }
}
