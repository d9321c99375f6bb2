import APIKit
import APIKitTransfers
import Foundation
import TestServers

let transferGroup = BenchGroup(
  name: "transfer", summary: "files both ways against the curl command, and the queue against bare SQLite"
) { measurement in
  try TransferRows.times(measurement)
  try TransferRows.memory(measurement)
  try await TransferRows.killed(measurement)
  try await TransferRows.besideDownloads(measurement)
  try QueueRows.enqueue(measurement)
  try QueueRows.launch(measurement)
}

/// The server of the group, and files on it.
struct TransferBench: Sendable {
  /// Started by the first row that wants it.
  static let shared = Result { try TransferBench() }

  let nginx: NginxServer

  private init() throws {
    nginx = try NginxServer(
      locations: """
        location /big/ { alias files/; gzip off; dav_methods PUT DELETE; client_max_body_size 0; }
        location = /big/form {
          client_max_body_size 0; client_body_in_file_only clean;
          proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_method GET;
          proxy_pass http://127.0.0.1:$server_port/big/kept;
        }
        location = /big/kept { return 204; }
        """)
  }

  var server: String { nginx.url("/big") }
  var target: String { nginx.files.appendingPathComponent("downloaded.bin").path }
  var uploaded: String { nginx.files.appendingPathComponent("put/uploaded.bin").path }
  func source(_ size: Int) -> String { nginx.files.appendingPathComponent("source-\(size).bin").path }
  func url(_ size: Int) -> String { "\(server)/source-\(size).bin" }
  var uploadURL: String { "\(server)/put/uploaded.bin" }
  /// Writes the body of a POST to a file, as ``uploadURL`` does that of a PUT, and removes it.
  var formURL: String { "\(server)/form" }

  /// A file of zeros that takes no room.
  func make(_ size: Int) throws {
    let path = source(size)
    guard FileManager.default.createFile(atPath: path, contents: nil), truncate(path, size) == 0 else {
      throw BenchFailure("no file of \(size) bytes")
    }
  }

  /// The seconds of CPU that the server, which is one process, has taken so far.
  func serverCPU() throws -> Double {
    let file = nginx.files.deletingLastPathComponent().appendingPathComponent("nginx.pid")
    let id = try String(contentsOf: file, encoding: .utf8).filter(\.isNumber)
    let fields = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: " ")
    // In user mode and in the kernel; the name of the program has no space.
    guard fields.count > 14, let user = Double(fields[13]), let kernel = Double(fields[14]) else {
      throw BenchFailure("/proc/\(id)/stat has no times")
    }
    return (user + kernel) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Removes what transfers have made.
  func clear() {
    for path in [target, target + ".apikit-part", target + ".apikit-part.journal", uploaded] { unlink(path) }
  }
}

/// What a process transfers.
private struct BenchFiles: APIService {
  let name = "BenchFiles"
  let environments: ServiceEnvironments

  init(_ server: String) throws { environments = ServiceEnvironments(try HTTPURL(server)) }
}

private final class BenchDownloads: BaseDownloadManager, DownloadManager {
  let service: BenchFiles
  let apiName: String
  init(_ service: BenchFiles, _ apiName: String) { (self.service, self.apiName) = (service, apiName) }
}

private final class BenchUploads: BaseUploadManager, UploadManager {
  let service: BenchFiles
  let apiName: String
  let expectation = ResponseExpectation(format: .bytes)
  init(_ service: BenchFiles, _ apiName: String) { (self.service, self.apiName) = (service, apiName) }
}

@MainActor private final class BeginListener: DownloadManagerDelegate {
  var offset: Int64 = -1
  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {}
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) {
    if self.offset < 0 { self.offset = offset }
  }
}

/// What a child that transfers says.
struct TransferResult: Codable {
  /// Where its bytes begin.
  var begin: Int64 = 0
}

/// Downloads; the arguments are the server, the name there, the path, and maybe a SHA-256.
@MainActor func benchDownload(_ arguments: [String]) async throws -> TransferResult {
  guard arguments.count >= 3 else { throw BenchFailure("a server, a name and a path are needed") }
  let manager = BenchDownloads(try BenchFiles(arguments[0]), arguments[1])
  let listener = BeginListener()
  manager.delegate = listener
  _ = try await manager.file(
    to: .file(arguments[2], overwrites: true), sha256: arguments.count > 3 ? arguments[3] : nil)
  return TransferResult(begin: listener.offset)
}

/// Uploads; the arguments are the server, the name there, the path, and whether it goes in a form.
@MainActor func benchUpload(_ arguments: [String]) async throws -> TransferResult {
  guard arguments.count >= 3 else { throw BenchFailure("a server, a name and a path are needed") }
  let manager = BenchUploads(try BenchFiles(arguments[0]), arguments[1])
  var body = HTTPBody.file(path: arguments[2])
  if arguments.count > 3 {
    var form = MultipartForm()
    form.append("file", file: arguments[2])
    body = try form.body()
  }
  _ = try await manager.response(uploading: body)
  return TransferResult()
}

/// The slowest of small loads, in seconds: the arguments are the server of the page, that of the files, how many files are
/// downloaded meanwhile by this process, their name, and the folder that they go to.
@MainActor func benchSmallLoads(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 5, let downloads = Int(arguments[2]) else { throw BenchFailure("five arguments") }
  let files = try BenchFiles(arguments[1])
  let beside = (0..<downloads).map { number in
    Task { @MainActor in
      let manager = BenchDownloads(files, arguments[3])
      while !Task.isCancelled {
        _ = try await manager.file(to: .file("\(arguments[4])/beside-\(number).bin", overwrites: true))
      }
    }
  }
  let service = BenchService(
    baseURL: try HTTPURL(arguments[0]), transport: DefaultTransport.shared, signer: nil)
  let manager = BenchManager(service)
  // Connections and the downloads are under way.
  for _ in 0..<20 { _ = try await manager.response(["page": 1]) }
  var times: [Double] = []
  for page in 0..<500 {
    let start = ContinuousClock.now
    _ = try await manager.response(BenchManager.parameters(page: page))
    times.append(Measurement.seconds(.now - start))
    try await Task.sleep(for: .milliseconds(2))
  }
  for task in beside { task.cancel() }
  for task in beside { _ = await task.result }
  return PinnedTime(seconds: times.sorted()[times.count * 99 / 100])
}
