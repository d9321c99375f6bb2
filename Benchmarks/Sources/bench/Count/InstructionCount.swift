import Foundation

/// Counts the instructions of a child process, all threads together and without those of the kernel, by valgrind's callgrind.
///
/// To valgrind the processor has no instructions for SHA-256, so a signature takes more of them than on most machines.
enum InstructionCount {
  /// The instructions of a load: those of a process that makes many, less those of one that makes few.
  static func perLoad(_ job: String, _ arguments: [String], _ few: Int, _ many: Int) throws -> Double {
    let counts = try [few, many].map { try count(of: job, arguments + ["\($0)"]) }
    return Double(counts[1] - counts[0]) / Double(many - few)
  }

  private static func count(of job: String, _ arguments: [String]) throws -> Int {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    // valgrind reads no debug information of Swift.
    let (program, library) = (folder.path + "/bench.stripped", folder.path + "/suspend.so")
    for file in [program, library] where !FileManager.default.fileExists(atPath: file) {
      throw BenchFailure("there is no \(file): Scripts/bench makes it")
    }
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--child", job] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = text.split(separator: "\n").last { $0.contains("Collected :") }?.split(separator: " ")
    guard process.terminationStatus == 0, let count = words?.last.flatMap({ Int($0) }) else {
      throw BenchFailure("valgrind ended with status \(process.terminationStatus): \(text.suffix(400))")
    }
    return count
  }
}
