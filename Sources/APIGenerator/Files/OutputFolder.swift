import Foundation

/// The folder that the sources are written into, with the files that this tool owns there.
///
/// Everything is written aside first, and the folder `next` is then marked as complete. From there on the files only change
/// their places, one by one, so that a run after a kill can finish it; before, such a run takes it all back.
struct OutputFolder {
  /// Where the manifest lies; a folder with a dot is none of the sources of a target.
  static let hidden = ".apikit-generate"

  let path: String
  private var state: String { "\(path)/\(Self.hidden)" }
  private var next: String { "\(state)/next" }
  private var complete: String { "\(next)/complete" }

  init(_ path: String) { self.path = path }

  /// The manifest of the last run; an empty one where there was none.
  func manifest() throws(Problems) -> Manifest {
    let file = "\(state)/manifest.json"
    guard FileManager.default.fileExists(atPath: file) else { return Manifest() }
    return try Manifest(try Self.read(file), file: file)
  }

  /// Reads a file of a bounded size.
  static func read(_ file: String) throws(Problems) -> [UInt8] {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
      guard size <= JSONReader.maximumBytes else { throw Problems("\(SafeText.line(file)): it is too large") }
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    } catch let problems as Problems {
      throw problems
    } catch {
      throw Problems("\(SafeText.line(file)) cannot be read")
    }
  }

  /// The digest of a file in the folder; empty for anything else of this name, nil where there is nothing.
  private func digest(of name: String) -> String? {
    let file = "\(path)/\(name)"
    if let bytes = FileManager.default.contents(atPath: file) { return SHA256.hex(of: [UInt8](bytes)) }
    return FileManager.default.fileExists(atPath: file) ? "" : nil
  }

  /// Whether two names that differ in the case of letters are one file there: many disks do not tell such names apart.
  private func isSameFile(_ name: String, _ other: String) -> Bool {
    guard name != other, name.lowercased() == other.lowercased() else { return false }
    var (one, two) = (stat(), stat())
    return lstat("\(path)/\(name)", &one) == 0 && lstat("\(path)/\(other)", &two) == 0
      && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// The sources of the last run, as they lie there.
  func sources(of manifest: Manifest) -> [String] {
    manifest.files.keys.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
      FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }
  }

  // MARK: Changes

  /// What a run would do to the files.
  struct Changes: Equatable {
    var added: [String] = []
    var changed: [String] = []
    var removed: [String] = []
    /// Files that somebody else has written or edited.
    var foreign: [String] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
    var lines: [String] {
      added.map { "adds \($0)" } + changed.map { "changes \($0)" } + removed.map { "removes \($0)" }
    }
  }

  /// The changes from what lies there to these files.
  func changes(to files: [String: String], from manifest: Manifest) -> Changes {
    var changes = Changes()
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let found = digest(of: name)
      let wanted = SHA256.hex(of: Array(text.utf8))
      if found == nil { changes.added.append(name) } else if found != wanted { changes.changed.append(name) }
      guard let found, found != wanted else { continue }
      let known = manifest.files[name] ?? manifest.files.first { isSameFile($0.key, name) }?.value
      if found != known { changes.foreign.append(name) }
    }
    for (name, known) in manifest.files.sorted(by: { $0.key < $1.key }) where files[name] == nil {
      guard let found = digest(of: name), !files.keys.contains(where: { isSameFile(name, $0) }) else {
        continue
      }
      changes.removed.append(name)
      if found != known { changes.foreign.append(name) }
    }
    return changes
  }

  // MARK: Writing

  /// Keeps other runs out until the closure returns, after what a killed run has left was finished or taken back.
  func locked<Value>(_ work: (_ recovered: String?) throws(Problems) -> Value) throws(Problems) -> Value {
    let made = [state, path].filter { !FileManager.default.fileExists(atPath: $0) }
    do {
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    } catch {
      throw Problems("\(SafeText.line(path)): the folder cannot be made")
    }
    // The folder itself is locked, so that no file of a run has to be kept out of the commits.
    let descriptor = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Problems("\(SafeText.line(state)) cannot be opened") }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Problems("\(SafeText.line(path)): another run is writing there")
    }
    do throws(Problems) { return try work(try recover()) } catch {
      // A run that fails leaves no folder of its own; one with something in it stays.
      for folder in made { rmdir(folder) }
      throw error
    }
  }

  private func recover() throws(Problems) -> String? {
    let files = FileManager.default
    guard files.fileExists(atPath: next) else { return nil }
    guard files.fileExists(atPath: complete) else {
      try attempt("\(next) cannot be removed") { try files.removeItem(atPath: next) }
      return "a run before was ended while it wrote; nothing of it is kept"
    }
    try move()
    return "a run before was ended while it put its files in place; that is finished now"
  }

  /// Writes the files and the manifest. On an error nothing in the folder has changed, or the next run finishes it.
  func replace(_ files: [String: String], _ manifest: Manifest) throws(Problems) {
    // Nothing can take the place of a folder, so it is found before anything is written.
    for name in files.keys.sorted() where digest(of: name) == "" {
      throw Problems("\(SafeText.line(path))/\(name) is no file that can be read; remove it")
    }
    var manifest = manifest
    manifest.files = files.mapValues { SHA256.hex(of: Array($0.utf8)) }
    do throws(Problems) {
      try attempt("\(next) cannot be made") {
        try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: true)
      }
      for (name, text) in files where digest(of: name) != manifest.files[name] {
        try put(text, "\(next)/\(name)")
      }
      try put(manifest.text, "\(next)/manifest.json")
      try put("", complete)
    } catch {
      try? FileManager.default.removeItem(atPath: next)
      throw error
    }
    try move()
  }

  /// Writes a file and waits until the disk has it.
  private func put(_ text: String, _ file: String) throws(Problems) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Problems("\(SafeText.line(file)) cannot be written") }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw Problems("\(SafeText.line(file)) cannot be written: is the disk full?")
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else {
      throw Problems("\(SafeText.line(file)) cannot be written: is the disk full?")
    }
  }

  /// Puts the files of a complete `next` in place. It may be called again after it was broken off at any point: the manifest
  /// goes last, so that until then it is known what is no longer made.
  private func move() throws(Problems) {
    let files = FileManager.default
    if files.fileExists(atPath: "\(next)/manifest.json") {
      let new = try Manifest(try Self.read("\(next)/manifest.json"), file: "\(next)/manifest.json")
      let old = try manifest()
      for name in new.files.keys.sorted() where files.fileExists(atPath: "\(next)/\(name)") {
        try place("\(next)/\(name)", to: "\(path)/\(name)")
      }
      for name in old.files.keys.sorted() where new.files[name] == nil && digest(of: name) != nil {
        if let other = new.files.keys.first(where: { isSameFile(name, $0) }) {
          try place("\(path)/\(name)", to: "\(path)/\(other)")
        } else {
          try attempt("\(name) cannot be removed") { try files.removeItem(atPath: "\(path)/\(name)") }
        }
      }
      try place("\(next)/manifest.json", to: "\(state)/manifest.json")
    }
    try attempt("\(next) cannot be removed") { try files.removeItem(atPath: next) }
  }

  private func place(_ from: String, to: String) throws(Problems) {
    guard rename(from, to) == 0 else {
      throw Problems("\(SafeText.line(to)) cannot be put in place; the next run tries again")
    }
  }

  private func attempt(_ sentence: String, _ work: () throws -> Void) throws(Problems) {
    do { try work() } catch { throw Problems(SafeText.line(sentence)) }
  }
}
