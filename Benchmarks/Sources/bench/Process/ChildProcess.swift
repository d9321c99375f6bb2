import CMachine
import Foundation

/// A fresh process of this program that runs one job of ``childJobs`` and prints its result as one line of JSON.
///
/// Memory is measured in one: a process that has done other work has room left over from it, into which what is
/// measured would fit unseen. So are sides that run on one core, for a process counts its cores as it starts.
enum ChildProcess {
  /// Runs the job of this name to its end.
  ///
  /// - Parameter countsAllocations: Whether it may ask ``ProcessUse/allocations(of:)``. No other process counts, since
  ///   that costs each allocation.
  static func run<Output: Decodable>(
    _ job: String, _ arguments: [String], countsAllocations: Bool = false
  ) throws -> Output {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    var environment: [String: String] = [:]
    if countsAllocations {
      let library = program.deletingLastPathComponent().appendingPathComponent("allocations.so").path
      guard FileManager.default.fileExists(atPath: library) else {
        throw BenchFailure("there is no \(library): Scripts/bench compiles it")
      }
      environment["LD_PRELOAD"] = library
    }
    let line = try output(of: program, ["--child", job] + arguments, adding: environment)
    return try JSONDecoder().decode(Output.self, from: line)
  }

  /// Runs a program to its end; gives what it printed.
  static func output(
    of program: URL, _ arguments: [String], adding environment: [String: String] = [:]
  ) throws -> Data {
    let (process, output) = (Process(), Pipe())
    process.executableURL = program
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
      throw BenchFailure("\(command) ended with status \(process.terminationStatus)")
    }
    return printed
  }

  /// What `--child` does.
  static func runJob(_ arguments: [String]) async {
    do {
      guard let name = arguments.first, let job = childJobs[name] else {
        throw BenchFailure("there is no such child: \(arguments)")
      }
      let output = try await job(Array(arguments.dropFirst()))
      print(String(decoding: try JSONEncoder().encode(output), as: UTF8.self))
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("bench --child: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Keeps the whole process on one core: its start is repeated with this thread pinned, so that nothing has been
  /// made for more cores than that.
  static func stay(onCore core: Int) throws {
    guard machine_is_pinned() == 0 else { return }
    guard machine_pin(0, Int32(core)) == 0 else { throw BenchFailure("core \(core) cannot be used") }
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    throw BenchFailure("the process cannot be started again: \(String(cString: strerror(errno)))")
  }
}

/// A measurement that could not be taken.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
