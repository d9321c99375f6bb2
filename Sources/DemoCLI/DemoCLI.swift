import APIKit

/// Runs a command line and returns its exit status.
@MainActor
enum DemoCLI {
  /// Every command, in the order of the help. A new command needs a file in Commands and a line here.
  static let commands: [any Command.Type] = [
    TourCommand.self,
    ListCommand.self,
    FilterCommand.self,
    ShowCommand.self,
    MapCommand.self,
    WatchCommand.self,
    TakeoffCommand.self,
    HostsCommand.self,
    LoginCommand.self,
    CacheCommand.self,
    MonitorCommand.self,
    ReportCommand.self,
    DownloadCommand.self,
    UploadCommand.self,
    TransfersCommand.self,
    ServeCommand.self,
    HelpCommand.self,
  ]

  /// The exit status.
  enum Status: Int32 {
    case success = 0
    case failed = 1
    case wrongUsage = 2
    /// As a shell says it of SIGINT.
    case interrupted = 130
  }

  /// Runs one command line.
  static func run(_ words: [String], console: Console) async -> Status {
    var help = "DemoCLI help shows what there is."
    do throws(UsageError) {
      guard let name = words.first else { throw UsageError("a command is needed") }
      if name == "--help" || name == "-h" { return await run(["help"] + words.dropFirst(), console: console) }
      guard let command = command(named: name) else { throw UsageError.noCommand(name) }
      if words.contains("--help") { return await run(["help", name], console: console) }
      help = "DemoCLI help \(name) shows its options and an example."
      do throws(UsageError) {
        return try await run(command, Array(words.dropFirst()), console: console)
      } catch {
        throw error.advised(for: command)
      }
    } catch {
      console.error("DemoCLI: \(error.message)\n\(help)")
      return .wrongUsage
    }
  }

  /// The command of a name; nil when there is none.
  static func command(named name: String) -> (any Command.Type)? { commands.first { $0.name == name } }

  private static func run(
    _ type: any Command.Type, _ words: [String], console: Console
  ) async throws(UsageError) -> Status {
    let arguments = try ParsedArguments(words, options: type.options + Option.common, operands: type.operands)
    let command = try type.init(arguments)
    let session = Session(arguments, console: console)
    do {
      try await command.run(in: session)
    } catch let usage as UsageError {
      throw usage
    } catch is Interruption {
      console.error("DemoCLI: interrupted; the same command goes on where it can")
      return .interrupted
    } catch {
      session.report(error)
    }
    // The responses of successful loads are kept even when the command has failed.
    await session.keepResponses()
    session.writeArchive()
    if arguments.has("--explain") { session.explain() }
    return session.hasFailed ? .failed : .success
  }
}
