import APIKit
import Foundation

/// What a task of a background session has brought.
struct BackgroundOutcome: Sendable {
  /// Its response, without the body.
  var head: HTTPResponse?
  /// The body, unless it is in a file.
  var bytes: [UInt8] = []
  var file: String?
  var error: APIError?
  /// The file that keeps the head for a later launch; nil before the outcome is on the disk.
  fileprivate(set) var record: String?

  /// The body as an exchange wants it; a file that is read is removed with its reader.
  ///
  /// - Throws: `APIError.Reason.responseTooLarge` above the limits, and the outcome's own error.
  func response(
    for destination: HTTPExchange.Destination, maximumDecodedBytes: Int64
  ) throws(APIError) -> HTTPResponse {
    if let error { throw error }
    guard var response = head else {
      throw APIError(.transport, .connectionLost, "the system has lost the task")
    }
    guard let file else {
      response.body = .bytes(bytes)
      return response
    }
    var isTaken = false
    defer { if !isTaken { unlink(file) } }
    let length = FileIdentity(path: file)?.size ?? 0
    let isCoded = response.headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    guard !isCoded || length <= maximumDecodedBytes else { throw APIError(.transport, .responseTooLarge) }
    let chunks = try FileChunks(path: file, offset: 0)
    if case .stream = destination {
      isTaken = true
      response.body = .stream(
        ResponseStream(onAbandon: { unlink(file) }) { () async throws(APIError) in try chunks.next() })
      return response
    }
    guard length <= destination.memoryLimit else { throw APIError(.transport, .responseTooLarge) }
    var all: [UInt8] = []
    while let chunk = try chunks.next() { all += chunk }
    response.body = .bytes(all)
    return response
  }
}

/// The folder of what the tasks of a background session have brought, until their transfers ask: a process may end in between.
///
/// An outcome is a record with the head, sealed like the landings of a queue, and beside it the file of a download. The name of
/// each file begins with the key of its transfer. Secrets in header fields are not written.
struct BackgroundOutcomes: Sendable {
  let folder: String
  let seal: QueueSeal

  /// The record of a response whose body is in it, and of one whose body is in a file beside it.
  private static let (whole, head, body) = (".response", ".head", ".body")
  private static let upload = ".upload"
  private static let longest = 65 << 20

  func makeFolder() throws(APIError) {
    do throws(PrivateFile.Fault) { try TransferFolder.make(folder) } catch { throw Self.fault(error) }
  }

  /// Keeps the file that a download has brought; where it was, it is gone. Returns once head and file are on the disk.
  func keep(fileAt path: String, head response: HTTPResponse, of name: String) -> BackgroundOutcome {
    var outcome = BackgroundOutcome()
    outcome.head = response
    do throws(APIError) {
      try makeFolder()
      let stem = stem(of: name)
      try Self.move(path, to: stem + Self.body)
      outcome.file = stem + Self.body
      try write(response, of: name, to: stem + Self.head)
      outcome.record = stem + Self.head
    } catch {
      if let file = outcome.file { unlink(file) }
      outcome.error = error
    }
    return outcome
  }

  /// Keeps a response whose body is in memory. Where it cannot be written it is given all the same, in this launch.
  func keep(_ outcome: inout BackgroundOutcome, of name: String) {
    guard var response = outcome.head, outcome.record == nil else { return }
    response.body = .bytes(outcome.bytes)
    let path = stem(of: name) + Self.whole
    do throws(APIError) {
      try makeFolder()
      try write(response, of: name, to: path)
      outcome.record = path
    } catch {
      DeveloperNotice.give("a response of the background session is kept in memory alone: \(error.detail)")
    }
  }

  /// What earlier launches have kept, and nobody has taken; what cannot be read is removed.
  func takeUp() -> [(name: String, outcome: BackgroundOutcome)] {
    var found: [(String, BackgroundOutcome)] = []
    let files = PrivateFile.names(in: folder).sorted()
    for file in files {
      let path = "\(folder)/\(file)"
      guard let ending = [Self.whole, Self.head].first(where: file.hasSuffix) else {
        if file.hasSuffix(Self.body), !files.contains(file.dropLast(Self.body.count) + Self.head) {
          unlink(path)
        }
        continue
      }
      var outcome = BackgroundOutcome()
      outcome.record = path
      if ending == Self.head { outcome.file = path.dropLast(ending.count) + Self.body }
      let name = Self.name(of: file)
      guard let response = read(path, of: name), outcome.file.map(PrivateFile.exists) ?? true else {
        remove(outcome)
        continue
      }
      outcome.head = response
      if case .bytes(let bytes) = response.body { outcome.bytes = bytes }
      outcome.head?.body = .bytes([])
      found.append((name, outcome))
    }
    return found
  }

  /// An outcome was taken: it is not found again. Its file stays for its reader.
  func forget(_ outcome: BackgroundOutcome) { if let record = outcome.record { unlink(record) } }

  /// Nobody takes it.
  func remove(_ outcome: BackgroundOutcome) {
    forget(outcome)
    if let file = outcome.file { unlink(file) }
  }

  /// Removes what belongs to other transfers than these.
  func sweep(keeping keys: Set<String>) {
    for file in PrivateFile.names(in: folder) {
      let key = file.split(separator: "-", maxSplits: 1).first.map(String.init)
      if !(key.map(keys.contains) ?? false) { unlink("\(folder)/\(file)") }
    }
  }

  // MARK: Bodies that are sent

  /// A file with a body, since the system sends whole files only; nil for an empty one.
  ///
  /// - Throws: `APIError.Reason.unsupportedCapability` for a stream.
  func file(of request: HTTPRequest, named name: String) throws(APIError) -> String? {
    let source: FileChunks
    switch request.body {
    case .empty: return nil
    case .bytes(let bytes) where bytes.isEmpty: return nil
    case .file(let path, offset: 0): return path
    case .file(let path, let offset): source = try FileChunks(path: path, offset: offset)
    case .bytes(let bytes):
      return try write(named: name) { file in try file.write(bytes) }
    case .stream: throw APIError(unsupported: "request bodies from a stream (streamUpload)")
    }
    return try write(named: name) { file in while let chunk = try source.next() { try file.write(chunk) } }
  }

  /// The body of an exchange was sent.
  func removeBody(named name: String) { unlink(uploadPath(name)) }

  private func uploadPath(_ name: String) -> String { "\(folder)/\(Self.file(of: name))\(Self.upload)" }

  private func write(
    named name: String, _ work: (inout FileDraft) throws -> Void
  ) throws(APIError) -> String {
    try makeFolder()
    let path = uploadPath(name)
    do {
      // Of an earlier launch, whose task did not begin.
      unlink(path + ".new")
      var file = try FileDraft(path + ".new")
      do {
        try work(&file)
        try file.commit(as: path, .process)
      } catch {
        file.discard()
        throw error
      }
    } catch {
      throw Self.fault(error)
    }
    return path
  }

  // MARK: Names and records

  /// A path for a new outcome of an exchange.
  private func stem(of name: String) -> String {
    "\(folder)/\(Self.file(of: name)).\(Nonce.make())"
  }

  /// `KEY DIGEST` as the beginning of a file's name.
  private static func file(of name: String) -> String { name.replacing(" ", with: "-") }

  private static func name(of file: String) -> String {
    String(file.prefix { $0 != "." }).replacing("-", with: " ")
  }

  private func write(_ response: HTTPResponse, of name: String, to path: String) throws(APIError) {
    guard let bytes = try? seal.close(QueuedLanding.response(response).enveloped, .queuedLanding, of: name)
    else {
      throw APIError(.transport, .fileFailed, "the response of a background session cannot be sealed")
    }
    do { try PrivateFile.replace(path, with: bytes) } catch { throw Self.fault(error) }
  }

  private func read(_ path: String, of name: String) -> HTTPResponse? {
    guard let bytes = try? PrivateFile.read(path, limit: Self.longest),
      let content = seal.open(bytes, .queuedLanding, of: name),
      case .response(let response)? = QueuedLanding(enveloped: content)
    else { return nil }
    return response
  }

  private static func move(_ path: String, to target: String) throws(APIError) {
    do {
      if rename(path, target) != 0 {
        // Another volume.
        try FileManager.default.copyItem(atPath: path, toPath: target)
        unlink(path)
      }
      // Its name is on the disk with that of the record.
      let file = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else { throw PrivateFile.Fault.system("opened") }
      defer { close(file) }
      guard fsync(file) == 0 else { throw PrivateFile.Fault.system("written to the disk") }
    } catch {
      unlink(target)
      throw fault(error)
    }
  }

  private static func fault(_ error: any Error) -> APIError {
    if let error = error as? APIError { return error }
    let reason = (error as? PrivateFile.Fault)?.reason ?? .fileFailed
    return APIError(.transport, reason, "a file of the background session: \(error)", underlying: error)
  }
}
