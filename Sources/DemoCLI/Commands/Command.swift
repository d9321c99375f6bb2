/// One command of the demo: it parses its arguments, then runs.
@MainActor
protocol Command {
  /// Its name on the command line.
  static var name: String { get }
  /// One line for the help.
  static var summary: String { get }
  /// The names of its operands, as the help shows them. Each must be given, but for a last one in brackets; of one that ends
  /// with `...]` there may be several.
  static var operands: [String] { get }
  /// A command line of it, as the help shows it.
  static var example: String { get }
  /// Its own options.
  static var options: [Option] { get }
  /// Its other options: those of every command, and by default those of the demo's services.
  static var commonOptions: [Option] { get }
  /// What is said of it in the help below the options, a line each.
  static var notes: [String] { get }
  /// What an interruption leaves, for the message about it; nil for nothing.
  var afterInterruption: String? { get }
  /// Whether its responses are kept apart from those of other runs, and removed at its end.
  static var hasOwnCache: Bool { get }

  /// Parses the arguments, without any effect.
  init(_ arguments: ParsedArguments) throws(UsageError)
  /// Runs the command. An error that it throws is printed, and the exit status is 1. Its task is cancelled when the process is
  /// asked to end; it then ends what is under way, and returns or throws.
  func run(in session: Session) async throws
}

extension Command {
  static var operands: [String] { [] }
  static var options: [Option] { [] }
  static var commonOptions: [Option] { Option.services + Option.everywhere }
  static var notes: [String] { [] }
  var afterInterruption: String? { nil }
  static var hasOwnCache: Bool { false }

  /// Everything that it takes.
  static var allOptions: [Option] { options + commonOptions }
}
