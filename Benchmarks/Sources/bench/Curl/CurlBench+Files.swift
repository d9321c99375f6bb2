import APIKit
import Foundation
import TestServers

extension CurlBench {
  /// 1 GB to a file and from a file, against the curl command doing the same.
  func files(_ measurement: Measurement) async throws {
    let size = 1 << 30
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let served = nginx.files.appendingPathComponent("gigabyte.bin")
    guard FileManager.default.createFile(atPath: served.path, contents: nil), truncate(served.path, size) == 0
    else { throw BenchError("no file of 1 GB") }
    let download = try HTTPURL(nginx.url("/big/gigabyte.bin"))
    let upload = try HTTPURL(nginx.url("/big/put/gigabyte.bin"))
    let target = folder.appendingPathComponent("download").path
    let uploaded = nginx.files.appendingPathComponent("put/gigabyte.bin").path

    try await compare(measurement, "1 GB download to a file, against the curl command", target) {
      let exchange = HTTPExchange(HTTPRequest(url: download), destination: .file(path: target))
      guard case .file(_, Int64(size)) = try await transport.send(exchange).body else {
        throw BenchError("the download is not whole")
      }
    } theirs: {
      try curl(["-s", "-o", target, download.string])
    }
    try await compare(measurement, "1 GB upload from a file, against the curl command", uploaded) {
      let request = HTTPRequest(method: .put, url: upload, body: .file(path: served.path))
      guard (200..<300).contains(try await transport.send(request).status) else {
        throw BenchError("the upload was refused")
      }
    } theirs: {
      try curl(["-s", "-T", served.path, upload.string])
    }
  }

  private func compare(
    _ measurement: Measurement, _ name: String, _ made: String, ours: () async throws -> Void,
    theirs: () throws -> Void
  ) async throws {
    ProcessUse.resetPeak()
    let before = ProcessUse.resident
    var best = (Double.infinity, Double.infinity)
    for _ in 0..<min(rounds, 3) {
      best.0 = min(best.0, try await seconds(ours))
      unlink(made)
      best.1 = min(best.1, try await seconds(theirs))
      unlink(made)
    }
    measurement.record(
      name, best.1 / best.0, "x", bar: .atLeast(0.85),
      note: String(format: "%.2f against %.2f s", best.0, best.1))
    measurement.record(
      "its peak memory, beyond what the process held", Double(ProcessUse.peak - before) / Double(1 << 20),
      "MiB",
      bar: .atMost(64), note: "\(before >> 20) MiB before")
  }

  private func curl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("curl: \(process.terminationStatus)") }
  }
}
