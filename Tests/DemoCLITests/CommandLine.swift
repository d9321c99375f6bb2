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
  /// What was written as bytes.
  let written: [UInt8]

  var text: String { String(decoding: written, as: UTF8.self) }

  init(_ line: String, width: Int = 100, cache folder: String? = nil) async {
    await self.init(line.split(separator: " ").map(String.init), width: width, cache: folder)
  }

  /// - Parameters:
  ///   - isTerminal: Whether stdout is one, without colours.
  ///   - hasColor: Whether it has colours.
  ///   - input: The lines of stdin.
  init(
    _ line: [String], width: Int = 100, cache folder: String? = nil, isTerminal: Bool = false,
    hasColor: Bool = false, input: [String] = []
  ) async {
    let own = FileManager.default.temporaryDirectory.appendingPathComponent("apikit-demo-\(UUID())")
    defer { try? FileManager.default.removeItem(at: own) }
    var words = line
    let command = words.first.flatMap { DemoCLI.command(named: $0) }
    let hasCache =
      command?.hasOwnCache == false
      && command?.commonOptions.contains { $0.names.contains("--cache-folder") } == true
    if hasCache, !words.contains(where: { $0.contains("cache") && $0 != "cache" }) || folder != nil {
      words.insert(contentsOf: ["--cache-folder", folder ?? own.path], at: 1)
    }
    let printed = Mutex<Printed>(Printed())
    let lines = Lines(printed: printed)
    let left = Mutex(input[...])
    let stdin = Input(left: left)
    var console = Console(
      print: { text in lines.printed.withLock { $0.output += text.components(separatedBy: "\n") } },
      error: { text in lines.printed.withLock { $0.errors += text.components(separatedBy: "\n") } },
      progress: { text in lines.printed.withLock { $0.progress.append(text) } },
      write: { bytes in lines.printed.withLock { $0.written += bytes } },
      readLine: { stdin.left.withLock { $0.popFirst() } }, width: width)
    console.isTerminal = isTerminal
    console.palette = Palette(isOn: hasColor)
    console.errorPalette = Palette(isOn: hasColor)
    status = await DemoCLI.run(words, console: console)
    let all = lines.printed.withLock { $0 }
    (output, errors, progress) = (all.output, all.errors, all.progress)
    written = all.written
  }

  private struct Printed: Sendable {
    var output: [String] = []
    var errors: [String] = []
    var progress: [String] = []
    var written: [UInt8] = []
  }

  private final class Input: Sendable {
    let left: Mutex<ArraySlice<String>>
    init(left: consuming Mutex<ArraySlice<String>>) { self.left = left }
  }

  private final class Lines: Sendable {
    let printed: Mutex<Printed>
    init(printed: consuming Mutex<Printed>) { self.printed = printed }
  }
}
