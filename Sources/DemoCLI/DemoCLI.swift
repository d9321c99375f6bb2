import APIKit

/// Runs a command line and returns its exit status.
@MainActor
enum DemoCLI {
  /// Every command, in the order of the help. A new command needs a file in Commands and a line here.
  static let commands: [any Command.Type] = [
    GetCommand.self,
    HeadCommand.self,
    PostCommand.self,
    PutCommand.self,
    PatchCommand.self,
    DeleteCommand.self,
    SocketCommand.self,
    EventsCommand.self,
    TourCommand.self,
    ListCommand.self,
    FilterCommand.self,
    ShowCommand.self,
    SimilarCommand.self,
    MapCommand.self,
    WatchCommand.self,
    ReformCommand.self,
    TapeCommand.self,
    GroupCommand.self,
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
  enum Status: Int32, CaseIterable {
    case success = 0
    case failed = 1
    case wrongUsage = 2
    /// As a shell says it of SIGINT.
    case interrupted = 130

    /// What it means, for the help.
    var meaning: String {
      switch self {
      case .success: "success"
      case .failed: "a load failed, its response has a status from 400 on, or the output cannot be written"
      case .wrongUsage: "wrong usage; nothing was sent"
      case .interrupted: "interrupted by Ctrl-C or SIGTERM, after what was under way has ended in order"
      }
    }
  }

  /// Name and version, as `--version` prints them.
  static var version: String { "DemoCLI \(ClientDescription.frameworkVersion) (APIKit)" }

  /// Runs one command line. Without a word it lists the commands.
  static func run(_ words: [String], console: Console) async -> Status {
    var help = "DemoCLI help shows what there is."
    do throws(UsageError) {
      let name = words.first ?? HelpCommand.name
      if name == "--version" || name == "-V" {
        console.print(version)
        return .success
      }
      if name == "--help" || name == "-h" { return await run(["help"] + words.dropFirst(), console: console) }
      guard let command = command(named: name) else { throw UsageError.noCommand(name) }
      if words.contains("--help") || words.contains("-h") {
        return await run(["help", name], console: console)
      }
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
    let arguments = try ParsedArguments(words, options: type.allOptions, operands: type.operands)
    if let archive = try arguments.outputFile("--har"), let output = arguments.text("--output") {
      guard !OutputFile.isSame(archive, output) else {
        throw UsageError("--har and --output name the same file")
      }
    }
    let command = try type.init(arguments)
    let session = Session(arguments, console: console, hasOwnCache: type.hasOwnCache)
    defer { session.close() }
    var isInterrupted = false
    do {
      try await Interruption.ending { try await command.run(in: session) }
    } catch let usage as UsageError {
      throw usage
    } catch is Interruption {
      console.error("DemoCLI: interrupted" + (command.afterInterruption.map { "; \($0)" } ?? ""))
      isInterrupted = true
    } catch {
      session.report(error)
    }
    // The responses of successful loads are kept even when the command has failed.
    await session.keepResponses()
    session.writeArchive()
    if arguments.has("--explain") { session.explain() }
    return isInterrupted ? .interrupted : session.hasFailed ? .failed : .success
  }
}
