import APIKit
import APIKitTransfers
import Foundation

/// The queue of transfers of all runs. The environment of each transfer is named by the URL of its server, so that any run can
/// carry it out.
@MainActor struct FileTransfers {
  let queue: TransferQueue
  let service: FileService

  /// - Parameter server: The server of what is enqueued.
  init(_ session: Session, folder: String?, server: HTTPURL? = nil) async throws {
    var configuration = TransferQueueConfiguration(folder: folder)
    configuration.sessionIdentifier = nil
    queue = TransferQueue(configuration)
    // The servers of what earlier runs have enqueued.
    var servers = try await queue.transfers().map { try HTTPURL($0.environment.name) }
    if let server { servers.append(server) }
    let service = FileService(servers: servers, client: try session.makeClient())
    self.service = service
    if let server { service.environments.current = ServiceEnvironment(server.string) }
    queue.register(FileDownloads.self) { FileDownloads(service, "", attempts: 3) }
    queue.register(FileUploads.self) { FileUploads(service) }
    queue.register(TusUploads.self) { TusUploads(service) }
  }

  /// A path on the server; throws for a URL.
  static func path(_ text: String) throws(UsageError) -> String {
    guard !text.contains("://") else {
      throw UsageError("\(text) is no path on the server; DemoCLI get URL --output FILE takes a URL")
    }
    return text
  }

  /// Whether the arguments ask for the queue.
  static func isWanted(_ arguments: ParsedArguments) throws(UsageError) -> Bool {
    guard arguments.has("--queue") else {
      guard arguments.text("--folder") == nil else {
        throw UsageError("--folder is of the queue: add --queue")
      }
      return false
    }
    guard arguments.text("--base-url") != nil else {
      throw UsageError("--queue needs --base-url: the run's own server ends with the run")
    }
    return true
  }

  /// Says under which id a transfer was kept.
  func show(_ transfer: TransferID, _ session: Session) throws {
    if session.writesJSON {
      return try HomePrinter(session: session).json(["transfer": Int(transfer.rawValue)])
    }
    session.console.print("kept as transfer \(transfer); DemoCLI transfers run carries it out")
  }
}
