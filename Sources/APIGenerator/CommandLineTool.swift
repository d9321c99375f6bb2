import Foundation

/// One run of `apikit-generate`.
package struct CommandLineTool {
  /// Where the sentences go.
  package struct Output {
    package var text: String
    package var errors: String
    package var status: Int32
  }

  /// Runs a command line; relative paths begin at `folder`.
  ///
  /// The work is done on a thread with a large stack, because documents are nested as deep as their authors like.
  package static func run(_ words: [String], in folder: String) -> Output {
    final class Slot: @unchecked Sendable {
      // Written by the thread before it signals, read after: the semaphore orders the two.
      var output = Output(text: "", errors: "", status: 2)
    }
    let (slot, done) = (Slot(), DispatchSemaphore(value: 0))
    let thread = Thread {
      slot.output = runHere(words, folder)
      done.signal()
    }
    thread.stackSize = 256 << 20
    thread.start()
    done.wait()
    return slot.output
  }

  private static func runHere(_ words: [String], _ folder: String) -> Output {
    var lines: [String] = []
    do throws(Problems) {
      let status = try run(try Arguments(words), folder, &lines)
      return Output(text: lines.map { $0 + "\n" }.joined(), errors: "", status: status)
    } catch {
      return Output(text: lines.map { $0 + "\n" }.joined(), errors: error.text + "\n", status: 2)
    }
  }

  private static func run(_ arguments: Arguments, _ folder: String, _ lines: inout [String]) throws(Problems)
    -> Int32
  {
    guard arguments.mode != .help else {
      lines.append(Arguments.help)
      return 0
    }
    let output = OutputFolder(try outputFolder(arguments, folder))
    guard arguments.mode == .write else { return try produce(arguments, output, folder, nil, &lines) }
    // A closure cannot take an inout parameter with it.
    var told: [String] = []
    defer { lines += told }
    return try output.locked { (recovered) throws(Problems) in
      try produce(arguments, output, folder, recovered, &told)
    }
  }

  private static func produce(
    _ arguments: Arguments, _ output: OutputFolder, _ folder: String, _ recovered: String?,
    _ lines: inout [String]
  ) throws(Problems) -> Int32 {
    if let recovered { lines.append(recovered) }
    let old = try output.manifest()
    let settings = try merged(arguments, old.settings, output, folder)
    guard let document = settings.document else { throw Problems("a document is needed; see --help") }
    let file = absolute(document, output.path)
    let listed =
      try settings.namesFile.map { (names) throws(Problems) in try self.names(absolute(names, output.path)) }
      ?? [:]
    let result = try Generator.run(
      try OutputFolder.read(file), file: URL(fileURLWithPath: file).lastPathComponent, settings: settings,
      listed: listed, kept: old.names)
    if arguments.isStrict, !result.report.notes.isEmpty {
      var problems = Problems()
      for note in result.report.notes.sorted() {
        problems.add(
          "\(SafeText.line(note.pointer)): \(SafeText.line(note.reason)); \(SafeText.line(note.advice))")
      }
      throw problems
    }
    var manifest = Manifest()
    (manifest.settings, manifest.names) = (settings, result.names)
    manifest.files = result.files.mapValues { SHA256.hex(of: Array($0.utf8)) }
    let changes = output.changes(to: result.files, from: old)
    if !old.files.isEmpty {
      let renamed = old.names.compactMap { key, name in
        result.names[key].flatMap { new in
          let prefix = settings.writesBases && !key.hasPrefix("#") ? Generator.basePrefix : ""
          return new == name ? nil : (prefix + name, prefix + new)
        }
      }
      lines +=
        CallerChanges(
          from: output.sources(of: old), to: result.files.filter { $0.key.hasSuffix(".swift") }.map(\.value),
          renamed: Dictionary(renamed) { first, _ in first }
        ).lines
    }
    lines += changes.lines
    let isSame = changes.isEmpty && manifest == old
    switch arguments.mode {
    case .check:
      if changes.isEmpty, !isSame { lines.append("changes the manifest") }
      return isSame ? 0 : 1
    case .dryRun, .help: return 0
    case .write: break
    }
    guard changes.foreign.isEmpty || arguments.isForced else {
      throw Problems(
        "these files were edited, or written by somebody else: \(changes.foreign.joined(separator: ", ")); --force overwrites them"
      )
    }
    if !isSame { try output.replace(result.files, manifest) }
    let report = result.report
    let skipped = report.notes.count { $0.isSkip }
    lines.append(
      "\(report.operations) managers, \(report.models) models"
        + (skipped > 0 ? ", \(skipped) operations left out" : "")
        + (report.notes.isEmpty ? "" : "; \(Report.fileName) says what differs"))
    return 0
  }

  // MARK: Settings

  /// The folder of the output: the one that is named, or the only one below here that an earlier run has written.
  private static func outputFolder(_ arguments: Arguments, _ folder: String) throws(Problems) -> String {
    if let named = arguments.folder { return absolute(named, folder) }
    var found: [String] = []
    var pending = [(folder, 0)]
    var visited = 0
    while let (path, depth) = pending.popLast(), visited < 10_000 {
      visited += 1
      if FileManager.default.fileExists(atPath: "\(path)/\(OutputFolder.hidden)/manifest.json") {
        found.append(path)
      }
      guard depth < 8 else { continue }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      where !name.hasPrefix(".") {
        var isFolder: ObjCBool = false
        let child = "\(path)/\(name)"
        // A symbolic link may lead back up.
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: child)) != nil
        if !isLink, FileManager.default.fileExists(atPath: child, isDirectory: &isFolder), isFolder.boolValue
        {
          pending.append((child, depth + 1))
        }
      }
    }
    guard found.count <= 1 else {
      throw Problems(
        "there are several outputs: \(found.sorted().map { SafeText.line($0) }.joined(separator: ", ")); --into names one"
      )
    }
    guard let only = found.first else {
      throw Problems("no folder is given and no output is found here; see --help")
    }
    return only
  }

  /// The settings of this run: what the command line says, else what was kept.
  private static func merged(
    _ arguments: Arguments, _ kept: Settings, _ output: OutputFolder, _ folder: String
  ) throws(Problems) -> Settings {
    var settings = kept
    func fromOutput(_ path: String) -> String { relative(absolute(path, folder), to: output.path) }
    if let document = arguments.document { settings.document = fromOutput(document) }
    if arguments.forgetsNames { settings.namesFile = nil }
    if let names = arguments.namesFile { settings.namesFile = fromOutput(names) }
    settings.service = arguments.service ?? kept.service
    settings.baseURL = arguments.baseURL ?? (arguments.forgetsBaseURL ? nil : kept.baseURL)
    settings.access = arguments.access ?? kept.access
    settings.writesBases = arguments.writesBases ?? kept.writesBases
    if settings.writesBases, arguments.access == nil { settings.access = "public" }
    settings.selection = arguments.selection ?? (arguments.forgetsSelection ? Selection() : kept.selection)
    try settings.check()
    return settings
  }

  private static func names(_ file: String) throws(Problems) -> [String: String] {
    let root = try JSONReader.read(try OutputFolder.read(file), file: file)
    var names: [String: String] = [:]
    for (key, node) in root.members {
      guard let name = node.string, Words.isType(name), !SwiftNames.isTaken(name) else {
        throw Problems(
          "\(SafeText.line(file)): the name for \(SafeText.quoted(key)) must be that of a type that is none of Swift or APIKit"
        )
      }
      names[key] = name
    }
    return names
  }

  // MARK: Paths

  private static func absolute(_ path: String, _ folder: String) -> String {
    URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
      .standardizedFileURL.path
  }

  /// A path as it is seen from a folder, so that a checkout may lie anywhere.
  private static func relative(_ path: String, to folder: String) -> String {
    let (target, base) = (path.split(separator: "/"), folder.split(separator: "/"))
    let common = zip(target, base).prefix { $0 == $1 }.count
    return (base.dropFirst(common).map { _ in ".." } + target.dropFirst(common).map(String.init)).joined(
      separator: "/")
  }
}
