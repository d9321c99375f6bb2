public import APIKit
public import APIKitReports
public import Foundation

/// Recorded requests and responses, which a ``TapeTransport`` plays back.
///
/// A tape is a HAR 1.2 file with a few fields of its own: browsers open it, and one that a browser wrote is a tape too.
/// Its fields are sorted, one a line, so that two versions differ in few lines. Bodies above 16 KiB that are not text
/// are files in the folder `NAME.bodies` beside it, named by their SHA-256. Each recorded secret has a pseudonym, the
/// same wherever it occurs: `apikit-secret-1`.
public struct Tape: Sendable {
  /// The version of the form that is written; a file of another one is refused.
  public static let version = 1

  /// The recorded entries, in order.
  public internal(set) var archive: HTTPArchive

  /// An empty tape.
  public init() { archive = HTTPArchive() }

  /// A tape with the entries of an archive.
  public init(_ archive: HTTPArchive) { self.archive = archive }

  /// Reads a tape from memory, such as that of a preview. Bodies in files beside it are not found then.
  ///
  /// - Throws: `APIError.Reason.malformedBody` when it is no HAR, `misconfigured` when it is of another version or
  ///   needs a file.
  public init(data: Data) throws(APIError) { try self.init(Array(data), folder: nil) }

  /// Reads the tape of a file.
  ///
  /// - Throws: `APIError.Reason.fileFailed` when it or a body's file cannot be read; else as ``init(data:)``.
  public init(contentsOf file: String) throws(APIError) {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw APIError(.transport, .fileFailed, "the tape \(file) cannot be read")
    }
    try self.init(Array(data), folder: Self.folder(of: file))
  }

  private init(_ bytes: [UInt8], folder: String?) throws(APIError) {
    let raw = try RawData(parsing: bytes)
    // What a browser wrote has none.
    let form = raw.log["_tape"]
    let version = form.version
    guard !form.exists || version.int == Self.version else {
      throw APIError(
        .transport, .misconfigured,
        "the tape is of version \(version.exists ? version.jsonText() : "unknown"), and this framework reads version \(Self.version): record it anew"
      )
    }
    archive = try HTTPArchive(raw)
    for index in archive.entries.indices {
      try Self.fill(&archive.entries[index].request.body, from: folder)
      if var response = archive.entries[index].response {
        try Self.fill(&response.body, from: folder)
        archive.entries[index].response = response
      }
    }
  }

  /// The text of the file, with all bodies.
  public var data: Data { Data(document.bytes) }

  /// Writes the tape to a file, and the large bodies beside it. A missing folder is made; bodies of an earlier version are
  /// removed.
  ///
  /// - Throws: `APIError.Reason.storageFull` on a full disk, `fileFailed` for any other failure.
  public func write(to file: String) throws(APIError) {
    var tape = self
    for index in tape.archive.entries.indices {
      try Self.put(&tape.archive.entries[index].request.body, into: Self.folder(of: file))
      if var response = tape.archive.entries[index].response {
        try Self.put(&response.body, into: Self.folder(of: file))
        tape.archive.entries[index].response = response
      }
    }
    let place = URL(fileURLWithPath: file)
    do {
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(tape.document.bytes).write(to: place, options: .atomic)
    } catch {
      let fault = PrivateFile.Fault(error, "written")
      throw APIError(.transport, fault.reason, "the tape \(file) \(fault)", underlying: error)
    }
    let used = Set(
      tape.archive.entries.flatMap { [$0.request.body.file, $0.response?.body.file] }.compactMap(\.self))
    let folder = Self.folder(of: file)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasSuffix(".bin") && !used.contains(name) {
      try? FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }

  private var document: JSONTree {
    guard case .object(var root) = archive.tree, case .object(var log)? = root["log"] else {
      return archive.tree
    }
    log["_tape"] = .object(["version": .integer(Int64(Self.version))])
    root["log"] = .object(log)
    return .object(root)
  }

  // MARK: Bodies in files

  private static let inlineBytes = 16 << 10

  private static func folder(of file: String) -> String { file + ".bodies" }

  private static func fill(_ body: inout HTTPArchive.Content, from folder: String?) throws(APIError) {
    guard let file = body.file else { return }
    // The name stands in a file that anybody may have written.
    guard !file.utf8.contains(UInt8(ascii: "/")), file != "..", let folder else {
      throw APIError(
        .transport, .misconfigured,
        "the tape has a body in the file \(file) beside it; read the tape by its file's name")
    }
    guard let data = FileManager.default.contents(atPath: folder + "/" + file) else {
      throw APIError(.transport, .fileFailed, "the file \(folder)/\(file) of the tape cannot be read")
    }
    body.bytes = Array(data)
    // Only what this framework has written is named by its digest.
    let isWhole = file.utf8.count != 68 || !file.hasSuffix(".bin") || file == body.digest + ".bin"
    guard isWhole else {
      throw APIError(
        .transport, .fileFailed,
        "the file \(folder)/\(file) of the tape is not what was recorded: its digest is another")
    }
    body.file = nil
  }

  private static func put(_ body: inout HTTPArchive.Content, into folder: String) throws(APIError) {
    guard let bytes = body.bytes, bytes.count > inlineBytes, HTTPArchive.Content.text(bytes) == nil else {
      return
    }
    let name = body.digest + ".bin"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name), options: .atomic)
    } catch {
      let fault = PrivateFile.Fault(error, "written")
      throw APIError(.transport, fault.reason, "the file \(folder)/\(name) \(fault)", underlying: error)
    }
    body.file = name
  }
}
