import APIKit
import APIKitTransfers
import Foundation
import Reformers

/// Lists the transfers that were enqueued, carries them out, and decides about those that were set aside.
struct TransfersCommand: Command {
  static let name = "transfers"
  static let summary = "the queue of transfers: what waits and how far it is; run carries it out"
  let afterInterruption: String? = "transfers run resumes"
  static let operands = ["[run]"]
  static let example = "transfers"
  static let options = [
    Option("--folder", value: "PATH", help: "where the queue is; the default is that of every run"),
    Option("--retry", value: "ID", help: "have one that was set aside go on"),
    Option("--drop", value: "ID", help: "give one up, with its partial file"),
  ]

  private let runs: Bool
  private let folder: String?
  private let retried: Int?
  private let dropped: Int?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    if let word = arguments.operands.first, word != "run" {
      throw UsageError("transfers may be followed by run, not by \(word)")
    }
    runs = !arguments.operands.isEmpty
    folder = arguments.text("--folder")
    retried = try arguments.number("--retry", in: 1...Int.max)
    dropped = try arguments.number("--drop", in: 1...Int.max)
  }

  func run(in session: Session) async throws {
    let transfers = try await FileTransfers(session, folder: folder)
    let known = try await transfers.queue.transfers().map { Int($0.id.rawValue) }
    if let unknown = [retried, dropped].compactMap({ $0 }).first(where: { !known.contains($0) }) {
      throw UsageError("there is no transfer \(unknown); DemoCLI transfers lists them")
    }
    if let retried { try await transfers.queue.retry(TransferID(rawValue: Int64(retried))) }
    if let dropped { try await transfers.queue.drop(TransferID(rawValue: Int64(dropped))) }
    if runs {
      let report = QueueReport(session.console, try await transfers.queue.transfers())
      transfers.queue.delegate = report
      transfers.queue.start()
      await transfers.queue.finish()
      // What is under way leaves a checkpoint, from which this or another process resumes.
      await transfers.queue.stop()
      try Task.checkCancellation()
      for failure in report.failures { session.report(failure) }
    }
    try await list(transfers.queue, session)
  }

  private func list(_ queue: TransferQueue, _ session: Session) async throws {
    let all = try await queue.transfers()
    if session.writesJSON {
      return try HomePrinter(session: session).json([
        "transfers": all.map { transfer -> [String: Any?] in
          [
            "id": Int(transfer.id.rawValue), "state": transfer.stateName, "what": transfer.what,
            "reason": transfer.reason, "moved": Int(transfer.progress.total),
            "of": transfer.progress.expected.map { Int($0) }, "attempts": transfer.attempts,
          ]
        }
      ])
    }
    guard !all.isEmpty else { return session.console.print("no transfers wait") }
    for transfer in all {
      session.console.print(
        "\(transfer.id)  \(transfer.stateName), \(TransferReport.line(transfer.progress, width: 0))")
      // Why one was set aside must not be cut off.
      session.console.printWrapped(
        "    " + transfer.what + (transfer.reason.map { ": \($0)" } ?? ""), indent: 4)
    }
  }
}

extension QueuedTransfer {
  fileprivate var stateName: String {
    switch state {
    case .waiting: "waits"
    case .transferring: "under way"
    case .damaged: "damaged on the disk"
    case .parked: "set aside"
    }
  }

  fileprivate var reason: String? { if case .parked(let reason) = state { reason } else { nil } }

  /// `download transfers/files/8000000 to /tmp/eight.bin`
  fileprivate var what: String {
    switch kind {
    case .download(to: .file(let path, _)): "download \(apiName) to \(path)"
    case .download(to: .folder(let path, _)): "download \(apiName) to \(path)/"
    case .upload(let path): "upload \(path ?? "a copied body") to \(apiName)"
    }
  }
}
