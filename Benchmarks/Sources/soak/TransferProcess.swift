import APIKit
import APIKitTransfers
import Foundation

/// A file whose bytes are known: those that the server's files have.
enum SoakFile {
  static func byte(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }

  /// FNV-1a in 31 bits, as the server forms it.
  static func sum(_ bytes: [UInt8]) -> Int {
    Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } >> 1)
  }

  /// What is wrong with a file that was downloaded.
  static func objection(toFile path: String, bytes: Int) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else {
      return "a download has ended without a file"
    }
    guard data.count == bytes else { return "a file of \(bytes) bytes has \(data.count)" }
    let wrong = data.indices.first { data[$0] != byte(at: $0) }
    return wrong.map { "byte \($0) of a file of \(bytes) is wrong" }
  }
}

/// A process that downloads a file and uploads another one, and is killed and begun again until it has done both.
@MainActor final class TransferProcess {
  private(set) var kills = 0
  private let (folder, port, bytes): (String, UInt16, Int)
  private var patiences: [Int]

  init(_ folder: String, server port: UInt16, _ random: inout SoakRandom) {
    self.folder = folder + "/process"
    self.port = port
    bytes = Int.random(in: 1...400_000, using: &random)
    patiences = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Int.random(in: 20...200, using: &random)
    }
    try? FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    kills = patiences.count
  }

  /// Runs it to its end; what is wrong then.
  func end(_ plant: Plant?) async -> String? {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for patience in patiences + [60_000] {
      guard let process = Self.begin(["--transfer", folder, "\(port)", "\(bytes)"]) else {
        return "the process of transfers cannot begin: \(String(cString: strerror(errno)))"
      }
      let end = ContinuousClock.now + .milliseconds(patience)
      var status: Int32 = 0
      var hasEnded = false
      while !hasEnded, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(5))
        hasEnded = waitpid(process, &status, WNOHANG) == process
      }
      if !hasEnded {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
      }
      if patience == 60_000, status != 0 {
        return "the transfers of \(bytes) bytes ended with wait status \(status)"
      }
    }
    if plant == .wrongByte {
      guard let file = FileHandle(forWritingAtPath: folder + "/file") else {
        return "the file cannot be opened"
      }
      file.write(Data([SoakFile.byte(at: 0) ^ 1]))
      try? file.close()
    }
    return SoakFile.objection(toFile: folder + "/file", bytes: bytes)
  }

  /// This program again. Foundation's `Process` would leave a run loop with three descriptors on each thread that it has
  /// used.
  private static func begin(_ arguments: [String]) -> pid_t? {
    var texts = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var process: pid_t = 0
    return posix_spawn(&process, "/proc/self/exe", nil, nil, &texts, environ) == 0 ? process : nil
  }

  /// Uploads a file. A creation that may have reached the server is not sent again by the framework: this asks anew.
  private static func upload(_ path: String, _ manager: SoakUpload) async throws(APIError) -> APIResponse {
    for _ in 0..<20 {
      do { return try await manager.response(uploading: .file(path: path)) } catch {
        guard error.stage == .transport else { throw error }
      }
    }
    return try await manager.response(uploading: .file(path: path))
  }

  /// What the process does: exits 0 when the file is there and the server has the whole of the other.
  static func run(_ arguments: [String]) async -> Int32 {
    guard arguments.count == 3, let port = UInt16(arguments[1]), let bytes = Int(arguments[2]) else {
      return 2
    }
    let folder = arguments[0]
    do {
      let transport = try CurlTransport(.ephemeral)
      let service = SoakService(
        environments: ServiceEnvironments(try HTTPURL("http://127.0.0.1:\(port)")),
        identity: ServiceIdentity(),
        wire: WireOptions(client: HTTPClient(transport: transport)), cache: CacheOptions(),
        admission: AdmissionOptions(network: NetworkMonitor(watchesSystem: false)))
      if !FileManager.default.fileExists(atPath: folder + "/file") {
        _ = try await SoakDownload(service).file(["bytes": bytes], to: .file(folder + "/file"))
      }
      let source = folder + "/source"
      let content = (0..<bytes).map(SoakFile.byte)
      if !FileManager.default.fileExists(atPath: source) {
        try Data(content).write(to: URL(fileURLWithPath: source), options: .atomic)
      }
      let response = try await upload(source, SoakUpload(service, journals: folder + "/journals"))
      guard response.http.headers["X-Demo-Sum"].flatMap({ Int($0) }) == SoakFile.sum(content) else {
        FileHandle.standardError.write(
          Data("soak: the server has other bytes: \(response.http.headers)\n".utf8))
        return 1
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("soak: a transfer failed: \(error)\n".utf8))
      return 1
    }
  }
}
