import APIKit
import APIKitTransfers
import Foundation

/// Downloads a file, and resumes one that was interrupted.
struct DownloadCommand: Command {
  static let name = "download"
  static let summary = "download a file; after an interruption the same command resumes"
  let afterInterruption: String? = "the same command resumes"
  static let operands = ["PATH", "FILE"]
  static let example = "download transfers/files/8000000 /tmp/eight.bin --overwrite"
  static let options = [
    Option("--overwrite", help: "replace a file that is there"),
    Option("--sha256", value: "HEX", help: "the digest that the file must have"),
    Option("--queue", help: "only keep it; DemoCLI transfers run carries it out"),
    Option("--folder", value: "PATH", help: "where the queue is; the default is that of every run"),
    Option("--attempts", value: "N", help: "how often a request is made, 1 to 100; the default is 3"),
  ]

  private let path: String
  private let file: String
  private let overwrites: Bool
  private let digest: String?
  private let attempts: Int
  private let isQueued: Bool
  private let folder: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    (path, file) = (try FileTransfers.path(arguments.operands[0]), arguments.operands[1])
    overwrites = arguments.has("--overwrite")
    try OutputFile.check(file, "FILE")
    guard overwrites || !FileManager.default.fileExists(atPath: file) else {
      throw UsageError("FILE: \(file) is there already; --overwrite replaces it")
    }
    digest = arguments.text("--sha256")
    guard digest.map({ $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit) }) ?? true else {
      throw UsageError("--sha256 must be 64 hexadecimal digits")
    }
    attempts = try arguments.number("--attempts", in: 1...100) ?? 3
    (isQueued, folder) = (try FileTransfers.isWanted(arguments), arguments.text("--folder"))
    guard !isQueued || arguments.text("--attempts") == nil else {
      throw UsageError("--attempts is not kept with a transfer: leave it out, or --queue")
    }
  }

  func run(in session: Session) async throws {
    let target = DownloadTarget.file(file, overwrites: overwrites)
    if isQueued {
      let transfers = try await FileTransfers(session, folder: folder, server: try session.baseURL)
      return try transfers.show(
        try await transfers.queue.enqueue(
          FileDownloads(transfers.service, path, attempts: attempts), to: target, sha256: digest), session)
    }
    let manager = FileDownloads(try FileService(session), path, attempts: attempts)
    let progress = TransferReport(session.console)
    manager.delegate = progress
    let downloaded = try await manager.file(to: target, sha256: digest)
    if session.writesJSON {
      let object: [String: Any?] = [
        "path": downloaded.path, "bytes": downloaded.count, "sha256": downloaded.sha256,
        "resumedAt": progress.begin,
      ]
      return try HomePrinter(session: session).json(object)
    }
    let resumed = progress.begin > 0 ? ", resumed at \(Formatting.grouped(UInt(progress.begin)))" : ""
    session.console.print(
      "\(downloaded.path), \(Formatting.grouped(UInt(downloaded.count))) bytes\(resumed)")
  }
}
