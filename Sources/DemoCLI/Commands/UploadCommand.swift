import APIKit
import Foundation

/// Sends a file: in one request, in a form, or by tus.
struct UploadCommand: Command {
  static let name = "upload"
  static let summary = "send a file; by tus, the same command goes on after an interruption"
  static let operands = ["FILE"]
  static let example = "upload README.md --as form"
  static let options = [
    Option("--as", value: "KIND", help: "plain, form or tus; the default is plain"),
    Option("--path", value: "PATH", help: "where to; the default is that of the demo's server"),
    Option("--part", value: "BYTES", help: "how many bytes a request of tus has at most"),
    Option("--expect", help: "ask the server before the body is sent"),
  ]

  private enum Kind: String, CaseIterable { case plain, form, tus }

  private let file: String
  private let kind: Kind
  private let path: String?
  private let part: Int?
  private let expects: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    file = arguments.operands[0]
    let name = arguments.text("--as") ?? Kind.plain.rawValue
    guard let kind = Kind(rawValue: name) else {
      throw UsageError("--as must be plain, form or tus, not \(name)")
    }
    self.kind = kind
    path = arguments.text("--path")
    part = try arguments.number("--part", in: 1...Int.max)
    expects = arguments.has("--expect")
  }

  func run(in session: Session) async throws {
    let manager = FileUploads(try FileService(session))
    manager.apiName = path ?? (kind == .tus ? "transfers/tus" : "transfers/uploads")
    manager.expectsContinue = expects
    var body = HTTPBody.file(path: file)
    switch kind {
    case .plain: break
    case .form:
      var form = MultipartForm()
      form.append("file", file: file)
      body = try form.body()
      manager.method = .post
    case .tus:
      var options = TusOptions()
      options.partBytes = part.map { Int64($0) }
      options.metadata = ["filename": (file as NSString).lastPathComponent]
      manager.uploadProtocol = .tus(options)
    }
    let progress = TransferReport(session.console)
    manager.delegate = progress
    let source = body
    let response = try await Interruption.ending { try await manager.response(uploading: source) }
    if session.writesJSON {
      return try HomePrinter(session: session).json(["status": response.status, "bytes": Int(progress.sent)])
    }
    session.console.print(
      "\(file), \(Formatting.grouped(UInt(progress.sent))) bytes sent, status \(response.status)")
  }
}

private final class FileUploads: BaseUploadManager, UploadManager {
  let service: FileService
  var apiName = ""
  var method = HTTPMethod.put
  var uploadProtocol = UploadProtocol.plain
  var expectsContinue = false
  let retryPolicy = RetryPolicy.standard

  init(_ service: FileService) { self.service = service }
}
