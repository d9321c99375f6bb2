import APIKit
import APIKitTransfers
import Foundation

/// A command that loads from a URL by one method.
protocol CallCommand: Command {
  static var method: HTTPMethod { get }
  var call: CallArguments { get }
  init(call: CallArguments)
}

extension CallCommand {
  static var name: String { method.rawValue.lowercased() }
  static var operands: [String] { ["URL", "[ITEM ...]"] }
  static var options: [Option] { Option.loading + Option.asking }
  static var commonOptions: [Option] { Option.everywhere }

  static var notes: [String] {
    let data =
      sendsBody && method != .delete
      ? "data, as JSON or with --form as a form" : "a parameter of the query, too"
    let files =
      sendsBody
      ? ["NAME@FILE  a file, which makes it a multipart form", "@FILE  the whole body; @- is stdin"] : []
    return [
      "URL  :8080/path is this machine; without a scheme https, and http here",
      "ITEM  as HTTPie has it; a backslash in the name takes a mark its meaning:",
      "NAME:VALUE  a header field; NAME; an empty one", "NAME==VALUE  a parameter of the query",
      "NAME=VALUE  \(data); NAME=@FILE from a file",
      "NAME:=JSON  the same, a number, a list …; NAME:=@FILE from a file",
    ] + files
  }

  private static var sendsBody: Bool { method != .get && method != .head }

  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.init(call: try CallArguments(arguments, Self.method))
  }

  func run(in session: Session) async throws {
    let service = try CallService(call.target, in: session, timeout: call.timeout, retries: call.retries)
    if call.resumes { return try await download(from: service, in: session) }
    let begin = ContinuousClock.now
    // A status is retried and archived with its body, so that is then in memory.
    let isHeld = call.retries > 0 || session.keepsExchanges
    let destination: HTTPExchange.Destination =
      call.output.map { .file(path: $0) } ?? (isHeld ? .memory() : .stream)
    let isStrict = isHeld || call.output != nil
    let manager = CallManager(
      service, call, statuses: isStrict ? 200..<400 : 100..<600, destination: destination)
    var refusal: APIError?
    let response: HTTPResponse
    do throws(APIError) {
      response = try await manager.response(call.content.parameters).http
    } catch {
      guard error.reason == .unacceptableStatus, let evidence = error.evidence else { throw error }
      refusal = error
      response = HTTPResponse(evidence)
    }
    if case .file(let path, let count) = response.body {
      try show(path, count, in: session)
    } else {
      try await ResponsePrinter(session: session, part: call.part).print(response, since: begin)
    }
    if let refusal { throw refusal }
    if response.status >= 400 { throw APIError(refused: response, by: manager) }
  }

  /// Downloads to the file that the user has named, and resumes what an earlier run has left beside it.
  private func download(from service: CallService, in session: Session) async throws {
    guard let output = call.output else { return }
    let manager = CallDownload(service, headers: call.headers)
    let progress = TransferReport(session.console)
    manager.delegate = progress
    let file = try await manager.file(
      call.content.parameters, to: .file(output, overwrites: call.overwrites))
    try show(file.path, file.count, resumedAt: progress.begin, in: session)
  }

  private func show(_ path: String, _ count: Int64, resumedAt: Int64 = 0, in session: Session) throws {
    if session.writesJSON {
      return try HomePrinter(session: session).json(
        ["path": path, "bytes": Int(count), "resumedAt": Int(resumedAt)] as [String: Any?])
    }
    let resumed = resumedAt > 0 ? ", resumed at \(Formatting.grouped(UInt(resumedAt)))" : ""
    session.console.error("\(path), \(Formatting.grouped(UInt(count))) bytes\(resumed)")
  }
}

extension HTTPResponse {
  /// The response at which a load has failed.
  fileprivate init(_ evidence: APIError.Evidence) {
    self.init(
      status: evidence.status, headers: HTTPHeaders(evidence.headers.map { .init($0.name, $0.value) }),
      body: .bytes(evidence.body))
  }
}

extension APIError {
  /// A response that was shown although its status is one of a failure.
  @MainActor fileprivate init(refused response: HTTPResponse, by manager: CallManager) {
    self.init(.response, .unacceptableStatus, "status \(response.status)")
    (context.method, context.apiName) = (manager.method.rawValue, manager.apiName)
    (context.service, context.status) = (manager.service.name, response.status)
  }
}
