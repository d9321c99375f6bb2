import APIKit
import Foundation

@testable import DemoCLI

/// Runs command lines in this process and keeps what they print. Each run has a cache of its own, in a folder
/// that is gone afterwards, unless it is given one.
@MainActor
struct CommandLineRun {
  let status: DemoCLI.Status
  let output: [String]
  let errors: [String]
  let progress: [String]

  init(_ line: String, width: Int = 100, cache folder: String? = nil) async {
    let own = FileManager.default.temporaryDirectory.appendingPathComponent("apikit-demo-\(UUID())")
    defer { try? FileManager.default.removeItem(at: own) }
    var words = line.split(separator: " ").map(String.init)
    if !words.isEmpty, !line.contains("cache") || folder != nil {
      words.insert(contentsOf: ["--cache-folder", folder ?? own.path], at: 1)
    }
    let printed = Mutex<Printed>(Printed())
    let lines = Lines(printed: printed)
    let console = Console(
      print: { text in lines.printed.withLock { $0.output += text.components(separatedBy: "\n") } },
      error: { text in lines.printed.withLock { $0.errors += text.components(separatedBy: "\n") } },
      progress: { text in lines.printed.withLock { $0.progress.append(text) } }, width: width)
    status = await DemoCLI.run(words, console: console)
    let all = lines.printed.withLock { $0 }
    (output, errors, progress) = (all.output, all.errors, all.progress)
  }

  private struct Printed: Sendable {
    var output: [String] = []
    var errors: [String] = []
    var progress: [String] = []
  }

  private final class Lines: Sendable {
    let printed: Mutex<Printed>
    init(printed: consuming Mutex<Printed>) { self.printed = printed }
  }
}
