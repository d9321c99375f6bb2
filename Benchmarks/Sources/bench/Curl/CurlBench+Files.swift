import APIKit
import Foundation
import TestServers

extension CurlBench {
  /// 1 GB to a file and from a file: the time against the curl command doing the same, and the memory it takes.
  static func files(_ measurement: Measurement) async throws {
    try await compare(
      measurement, "1 GB download to a file, against the curl command",
      ours: { try await download($0.download, to: $0.target, $1) },
      theirs: { ["-s", "-o", $0.target, $0.download] })
    try peak(measurement, "1 GB download to a file, peak memory", "download") { [$0.download, $0.target] }
    try await compare(
      measurement, "1 GB upload from a file, against the curl command",
      ours: { try await upload($0.source, to: $0.upload, $1) },
      theirs: { ["-s", "-T", $0.source, $0.upload] })
    try peak(measurement, "1 GB upload from a file, peak memory", "upload") { [$0.upload, $0.source] }
  }

  private static func compare(
    _ measurement: Measurement, _ name: String, ours: (FileTransfers, CurlTransport) async throws -> Void,
    theirs: (FileTransfers) -> [String]
  ) async throws {
    guard measurement.wants(name) else { return }
    let bench = try shared.get()
    let transfers = try FileTransfers(bench)
    defer { transfers.remove() }
    var best = (Double.infinity, Double.infinity)
    for _ in 0..<min(measurement.rounds, 3) {
      best.0 = min(best.0, try await Measurement.seconds { try await ours(transfers, bench.transport) })
      transfers.clear()
      best.1 = min(best.1, try await Measurement.seconds { try curl(theirs(transfers)) })
      transfers.clear()
    }
    measurement.record(
      name, best.1 / best.0, "x", bar: .atLeast(0.85),
      note: String(format: "%.2f against %.2f s", best.0, best.1))
  }

  private static func peak(
    _ measurement: Measurement, _ name: String, _ job: String, arguments: (FileTransfers) -> [String]
  ) throws {
    guard measurement.wants(name) else { return }
    let transfers = try FileTransfers(try shared.get())
    defer { transfers.remove() }
    let memory: TransferMemory = try ChildProcess.run(job, arguments(transfers))
    measurement.record(
      name, memory.peak - memory.before, "MiB", bar: .atMost(8),
      note: String(format: "beyond the %.1f MiB of a process with an idle transport", memory.before))
  }

  private static func curl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchFailure("curl: \(process.terminationStatus)") }
  }
}

/// The size of the files: 1 GB.
private let size = 1 << 30

/// Where the files of the transfers are, here and on the server. The source is sparse and reads as zeros.
private struct FileTransfers {
  let source: String
  let target: String
  let download: String
  let upload: String
  private let uploaded: String

  init(_ bench: CurlBench) throws {
    let files = bench.nginx.files
    source = files.appendingPathComponent("gigabyte.bin").path
    target = files.appendingPathComponent("downloaded.bin").path
    uploaded = files.appendingPathComponent("put/gigabyte.bin").path
    download = bench.nginx.url("/big/gigabyte.bin")
    upload = bench.nginx.url("/big/put/gigabyte.bin")
    guard FileManager.default.createFile(atPath: source, contents: nil), truncate(source, size) == 0 else {
      throw BenchFailure("no file of 1 GB")
    }
  }

  /// Removes what a transfer has made.
  func clear() {
    unlink(target)
    unlink(uploaded)
  }

  func remove() {
    clear()
    unlink(source)
  }
}

private func download(_ url: String, to path: String, _ transport: CurlTransport) async throws {
  let exchange = HTTPExchange(HTTPRequest(url: try HTTPURL(url)), destination: .file(path: path))
  guard case .file(_, Int64(size)) = try await transport.send(exchange).body else {
    throw BenchFailure("the download is not whole")
  }
}

private func upload(_ path: String, to url: String, _ transport: CurlTransport) async throws {
  let request = HTTPRequest(method: .put, url: try HTTPURL(url), body: .file(path: path))
  guard (200..<300).contains(try await transport.send(request).status) else {
    throw BenchFailure("the upload was refused")
  }
}

/// The memory of a process that makes one transfer, in MiB.
struct TransferMemory: Codable {
  let before: Double
  let peak: Double
}

/// Downloads a file; the arguments are its URL and the path.
func downloadPeak(_ arguments: [String]) async throws -> TransferMemory {
  try await transferMemory(arguments) { try await download($0, to: $1, $2) }
}

/// Uploads a file; the arguments are its URL and the path.
func uploadPeak(_ arguments: [String]) async throws -> TransferMemory {
  try await transferMemory(arguments) { try await upload($1, to: $0, $2) }
}

private func transferMemory(
  _ arguments: [String], _ transfer: (_ url: String, _ path: String, CurlTransport) async throws -> Void
) async throws -> TransferMemory {
  guard arguments.count == 2 else { throw BenchFailure("a URL and a path are needed") }
  let transport = try CurlTransport(.ephemeral)
  ProcessUse.trimHeap()
  ProcessUse.resetPeak()
  let before = ProcessUse.resident
  try await transfer(arguments[0], arguments[1], transport)
  return TransferMemory(
    before: Double(before) / Double(1 << 20), peak: Double(ProcessUse.peak) / Double(1 << 20))
}
