import APIKit
import APIKitTransfers
import Foundation

/// Sends a file: in one request, in a form, or by tus.
struct UploadCommand: Command {
  static let name = "upload"
  static let summary = "send a file; by tus, the same command resumes after an interruption"
  var afterInterruption: String? { kind == .tus ? "the same command resumes" : nil }
  static let operands = ["FILE"]
  static let example = "upload README.md --as form"
  static let options = [
    Option("--as", value: "KIND", help: "plain, form or tus; the default is plain"),
    Option("--path", value: "PATH", help: "where to; the default is that of the demo's server"),
    Option("--part", value: "BYTES", help: "how many bytes a request of tus has at most"),
    Option("--queue", help: "only keep it; DemoCLI transfers run carries it out"),
    Option("--folder", value: "PATH", help: "where the queue is; the default is that of every run"),
    Option("--expect", help: "ask the server before the body is sent"),
  ]

  private enum Kind: String, CaseIterable { case plain, form, tus }

  private let file: String
  private let kind: Kind
  private let path: String?
  private let part: Int?
  private let expects: Bool
  private let isQueued: Bool
  private let folder: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    file = arguments.operands[0]
    guard FileManager.default.isReadableFile(atPath: file) else {
      throw UsageError("the file \(file) cannot be read")
    }
    kind = try arguments.choice("--as") ?? .plain
    path = try arguments.text("--path").map { (text) throws(UsageError) in try FileTransfers.path(text) }
    part = try arguments.number("--part", in: 1...Int.max)
    guard part == nil || kind == .tus else { throw UsageError("--part is for uploads by tus: add --as tus") }
    expects = arguments.has("--expect")
    (isQueued, folder) = (try FileTransfers.isWanted(arguments), arguments.text("--folder"))
  }

  func run(in session: Session) async throws {
    guard !isQueued || part == nil && !expects else {
      throw UsageError("--part and --expect are not kept with a transfer: leave them out, or --queue")
    }
    var body = HTTPBody.file(path: file)
    if kind == .form {
      var form = MultipartForm()
      form.append("file", file: file)
      body = try form.body()
    }
    if isQueued {
      let transfers = try await FileTransfers(session, folder: folder, server: try session.baseURL)
      let id = try await transfers.queue.enqueue(manager(transfers.service), uploading: body)
      return try transfers.show(id, session)
    }
    let manager = manager(try FileService(session))
    manager.expectsContinue = expects
    let progress = TransferReport(session.console)
    manager.delegate = progress
    let response = try await manager.response(uploading: body)
    if session.writesJSON {
      return try HomePrinter(session: session).json(["status": response.status, "bytes": Int(progress.sent)])
    }
    session.console.print(
      "\(file), \(Formatting.grouped(UInt(progress.sent))) bytes sent, status \(response.status)")
  }

  private func manager(_ service: FileService) -> FileUploads {
    let manager = kind == .tus ? TusUploads(service) : FileUploads(service)
    if let path { manager.apiName = path }
    guard case .tus(var options) = manager.uploadProtocol else { return manager }
    options.partBytes = part.map { Int64($0) }
    options.metadata = ["filename": (file as NSString).lastPathComponent]
    manager.uploadProtocol = .tus(options)
    return manager
  }
}
