import Foundation
import Synchronization

@testable import DemoCLI

/// Runs command lines in this process and keeps what they print.
@MainActor
struct CommandLineRun {
  let status: DemoCLI.Status
  let output: [String]
  let errors: [String]

  init(_ line: String, width: Int = 100) async {
    let printed = Mutex<(output: [String], errors: [String])>(([], []))
    let lines = Lines(printed: printed)
    let console = Console(
      print: { text in lines.printed.withLock { $0.output += text.components(separatedBy: "\n") } },
      error: { text in lines.printed.withLock { $0.errors += text.components(separatedBy: "\n") } },
      width: width)
    status = await DemoCLI.run(line.split(separator: " ").map(String.init), console: console)
    (output, errors) = lines.printed.withLock { $0 }
  }

  private final class Lines: Sendable {
    let printed: Mutex<(output: [String], errors: [String])>
    init(printed: consuming Mutex<(output: [String], errors: [String])>) { self.printed = printed }
  }
}
