import APIKit
import Foundation

/// Downloads a file, and goes on with one that was interrupted.
struct DownloadCommand: Command {
  static let name = "download"
  static let summary = "download a file; interrupted, the same command goes on"
  static let operands = ["PATH", "FILE"]
  static let example = "download transfers/files/8000000 /tmp/eight.bin --overwrite"
  static let options = [
    Option("--overwrite", help: "replace a file that is there"),
    Option("--sha256", value: "HEX", help: "the digest that the file must have"),
    Option("--attempts", value: "N", help: "how often a request is made, 1 to 100; the default is 3"),
  ]

  private let path: String
  private let file: String
  private let overwrites: Bool
  private let digest: String?
  private let attempts: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    (path, file) = (arguments.operands[0], arguments.operands[1])
    overwrites = arguments.has("--overwrite")
    digest = arguments.text("--sha256")
    attempts = try arguments.number("--attempts", in: 1...100) ?? 3
  }

  func run(in session: Session) async throws {
    let manager = FileDownloads(try FileService(session), path, attempts: attempts)
    let progress = TransferReport(session.console)
    manager.delegate = progress
    let target = DownloadTarget.file(file, overwrites: overwrites)
    let downloaded = try await Interruption.ending { try await manager.file(to: target, sha256: digest) }
    if session.writesJSON {
      return try HomePrinter(session: session).json([
        "path": downloaded.path, "bytes": downloaded.count, "sha256": downloaded.sha256,
        "resumedAt": progress.begin,
      ])
    }
    let resumed = progress.begin > 0 ? ", gone on from \(Formatting.grouped(UInt(progress.begin)))" : ""
    session.console.print(
      "\(downloaded.path), \(Formatting.grouped(UInt(downloaded.count))) bytes\(resumed)")
  }
}

/// Any file below the server's address.
struct FileService: APIService {
  let name = "Files"
  let environments: ServiceEnvironments
  let wire: WireOptions

  @MainActor init(_ session: Session) throws {
    environments = ServiceEnvironments(
      try session.baseURL, cleartext: .loopback(and: [try session.baseURL.host]))
    wire = WireOptions(client: try session.client)
  }
}

private final class FileDownloads: BaseDownloadManager, DownloadManager {
  let service: FileService
  let apiName: String
  let retryPolicy: RetryPolicy

  init(_ service: FileService, _ path: String, attempts: Int) {
    self.service = service
    apiName = path
    var policy = RetryPolicy.standard
    policy.attempts = attempts
    retryPolicy = policy
  }
}
