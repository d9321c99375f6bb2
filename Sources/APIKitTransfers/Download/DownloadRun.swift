import APIKit
import Foundation

/// One download, from its journal to the file: asks ``DownloadMachine`` and does what it says.
actor DownloadRun {
  enum Report: Sendable {
    case began(offset: Int64, total: Int64?)
    case progress(TransferProgress)
  }

  /// When a checkpoint begins, unless one is being made: it then begins when that has ended.
  private static let checkpointBytes: Int64 = 8 << 20
  private static let checkpointTime: Duration = .seconds(1)

  /// What the manager does for a run: sends its requests, and decides where the application does.
  struct Manager: Sendable {
    /// Sends a request with these header fields and parameters, and returns at the head of the response.
    var ask: @Sendable (HTTPHeaders, Parameters) async throws(APIError) -> APIResponse
    /// Throws when the user is no longer the one whose download it is.
    var check: @Sendable () throws(APIError) -> Void = {}
    /// Waits before another attempt, as long as that is so.
    var wait: @Sendable (Duration, any TimeSource) async throws(APIError) -> Void = {
      (duration, time) async throws(APIError) in
      do { try await time.sleep(for: duration) } catch { throw APIError(cancelled: .taskCancelled) }
    }
    /// Where the file goes that a response begins; nil for the place that was asked for.
    var place: @Sendable (HTTPResponse) async throws(APIError) -> DownloadTarget? = { _ in nil }
    /// Other parameters after a failure; nil where there are none.
    var renew: @Sendable (Parameters, APIError) async throws(APIError) -> Parameters? = { _, _ in nil }
    /// Takes a retry from the budget of the server's host; false when it is used up.
    var draw: @Sendable (HTTPURL) -> Bool = { _ in true }
  }

  /// Whether the partial file is removed when the download is cancelled.
  nonisolated let discards = AtomicFlag()

  nonisolated var isDiscarded: Bool { discards.load() }

  private let target: DownloadTarget
  private let identity: String
  /// That of a transfer of a queue; nil for any other.
  private let key: String?
  private let sha256: FileDigest?
  private let policy: RetryPolicy
  private let manager: Manager
  private var parameters: Parameters
  /// Whether other parameters were asked for, and no bytes have come since.
  private var hasRenewed = false
  private let time: any TimeSource
  private var machine = DownloadMachine()
  private var report: @Sendable (Report) -> Void = { _ in }
  private var meter = TransferMeter(at: 0)
  /// Where the bytes begin that this run has received.
  private var base: Int64 = 0
  private var told: Duration?
  private(set) var last: TransferProgress?
  private var saved: (offset: Int64, at: Duration) = (0, .zero)
  /// The checkpoint that is being made.
  private var saving: Task<Void, Never>?
  /// Why the last one failed.
  private var fault: APIError?

  init(
    _ parameters: Parameters = [:], to target: DownloadTarget, identity: String, key: String? = nil,
    sha256: FileDigest?, policy: RetryPolicy, time: any TimeSource = SystemTime(), manager: Manager
  ) {
    self.target = target
    self.identity = identity
    self.key = key
    self.sha256 = sha256
    self.policy = policy
    self.parameters = parameters
    self.time = time
    self.manager = manager
  }

  /// Downloads; the state is that of the last checkpoint or of the end.
  func perform(
    _ report: @escaping @Sendable (Report) -> Void
  ) async -> (Result<DownloadedFile, APIError>, DownloadState) {
    self.report = report
    do throws(APIError) {
      let path = PartialFile.place(of: target, identity: identity)
      // The process may have ended before the queue knew.
      if let key, let file = JournaledEnd.file(of: key, at: path) { return (.success(file), machine.state) }
      if case .file(let path, let overwrites) = target {
        try Self.checkPlace(path, overwrites: overwrites, .takeoff)
      }
      let file = try PartialFile(for: path, identity: identity)
      // A caller that begins again at once finds the lock free.
      defer { file.release() }
      do throws(APIError) {
        let finished = try await fetch(into: file)
        return (.success(finished), machine.state)
      } catch {
        // The journal is not written from here on.
        try? await settleCheckpoint()
        // Discarded, or nothing that a later call could resume.
        if isDiscarded && error.reason == .cancelled || !machine.canResume {
          file.discard()
          machine.restart()
        }
        throw error
      }
    } catch {
      return (.failure(error), machine.state)
    }
  }

  /// Removes what a run has left that has ended.
  nonisolated func removePartialFile() {
    let path = PartialFile.place(of: target, identity: identity)
    (try? PartialFile(for: path, identity: identity))?.discard()
  }

  private func fetch(into file: PartialFile) async throws(APIError) -> DownloadedFile {
    machine = DownloadMachine(file.found)
    base = machine.state.offset
    var failures = 0
    var asked: HTTPURL?
    while !machine.isComplete {
      try Self.checkCancelled()
      try await settleCheckpoint()
      let action: DownloadMachine.Action
      do throws(APIError) {
        let response = try await manager.ask(machine.request, parameters)
        asked = response.http.url
        action = try await take(response, file)
      } catch {
        guard let status = error.context.status, error.reason == .unacceptableStatus else { throw error }
        if !hasRenewed, Self.expiry.contains(status), let renewed = try await manager.renew(parameters, error)
        {
          (parameters, hasRenewed) = (renewed, true)
          continue
        }
        let verdict = machine.responded(status, error.response?.headers ?? HTTPHeaders())
        if case .fail(_, _, let keepsPartial) = verdict {
          if !keepsPartial { file.discard() }
          throw error
        }
        action = verdict
      }
      if machine.hasProgressed { (failures, hasRenewed) = (0, false) }
      switch action {
      case .finish:
        return try await finish(file)
      case .take: continue
      case .startOver:
        try await settleCheckpoint()
        try file.truncate(to: 0)
      case .ask:
        // Without progress a broken body counts as a failed attempt.
        if machine.hasProgressed { continue }
        failures += 1
        guard failures < policy.attempts else {
          throw APIError(.transport, .truncatedBody, "no further bytes came in \(failures) attempts")
        }
        guard asked.map(manager.draw) ?? true else {
          throw APIError(
            .transport, .truncatedBody, "no further bytes came, and the host's budget for retries is used up")
        }
        let wait = policy.backoff.wait(before: failures, jitter: .random(in: 0...1))
        try await manager.wait(wait, time)
      case .fail(let reason, let detail, let keepsPartial):
        // A checkpoint that ends later would leave a journal.
        try? await settleCheckpoint()
        if !keepsPartial { file.discard() }
        throw APIError(.response, reason, detail)
      }
    }
    return try await finish(file)
  }

  /// Writes what a response has.
  private func take(_ response: APIResponse, _ file: PartialFile) async throws(APIError)
    -> DownloadMachine.Action
  {
    let action = machine.responded(response.status, response.headers)
    guard case .take(let offset) = action else { return action }
    guard case .stream(let stream) = response.http.body else {
      throw APIError(.transport, .unsupportedCapability, "a download needs the body as a stream")
    }
    machine.name(Self.lastSegment(of: response.http.url))
    if offset == 0 {
      var head = response.http
      head.body = .bytes([])
      let chosen = try await manager.place(head)
      machine.choose(chosen)
      // The application's code may have cancelled it.
      try Self.checkCancelled()
      if case .file(let path, let overwrites)? = chosen {
        try Self.checkPlace(path, overwrites: overwrites, .response)
      }
    }
    try await settleCheckpoint()
    try file.truncate(to: offset)
    saved = (offset, time.now)
    if offset < base || told == nil {
      (base, meter, told) = (offset, TransferMeter(at: time.microseconds), time.now)
    }
    do throws(APIError) {
      if let total = machine.state.total { try file.makeRoom(for: total - offset, at: offset) }
      // From here on the bytes are those of this representation; a journal of an earlier one must not count them.
      try file.checkpoint(machine.state)
    } catch {
      try? file.truncate(to: offset)
      throw error
    }
    report(.began(offset: offset, total: machine.state.total))
    let writer = PartialFileWriter(file, at: offset, end: machine.end)
    do throws(APIError) {
      let received = await receive(stream, by: writer, to: file)
      let (offset, fault) = await writer.close()
      if let refusal = machine.took(offset - machine.state.offset) { return refusal }
      try received.get()
      if let fault { throw fault }
      try Self.checkCancelled()
    } catch {
      // The bytes that have come are kept, whatever went wrong, and the room for the rest is given back.
      try? await settleCheckpoint()
      try? file.truncate(to: machine.state.offset)
      try? file.checkpoint(machine.state)
      try Self.checkCancelled()
      guard machine.mayAskAgain, policy.table.row(for: error)?.isOn == true, policy.attempts > 1 else {
        throw error
      }
      return .ask
    }
    return machine.ended()
  }

  /// Has a body written to the file, and makes checkpoints and reports meanwhile.
  private func receive(
    _ stream: ResponseStream, by writer: PartialFileWriter, to file: PartialFile
  ) async -> Result<Void, APIError> {
    async let pouring = Self.pour(stream, into: writer)
    async let _ = writer.tick(time)
    do throws(APIError) {
      for await _ in writer.dues { try noteProgress(writer, file) }
    } catch {
      // The body is cancelled when this returns.
      return .failure(error)
    }
    return await pouring
  }

  private static func pour(
    _ stream: ResponseStream, into writer: PartialFileWriter
  ) async -> Result<Void, APIError> {
    defer { writer.end() }
    do throws(APIError) { return .success(try await stream.pour(into: writer)) } catch {
      return .failure(error)
    }
  }

  private func noteProgress(_ writer: PartialFileWriter, _ file: PartialFile) throws(APIError) {
    if let fault { throw fault }
    try manager.check()
    // The file has no bytes beyond the end of the body, so that nothing can be refused yet.
    _ = machine.took(try writer.flush() - machine.state.offset)
    let (state, now) = (machine.state, time.now)
    let count = state.offset - saved.offset
    if saving == nil, count >= Self.checkpointBytes || count > 0 && now - saved.at >= Self.checkpointTime {
      saved = (state.offset, now)
      // The disk works while the next bytes come, and not on a thread that tasks need.
      saving = Task {
        fault = await withCheckedContinuation { done in
          DispatchQueue.global(qos: .utility).async {
            do throws(APIError) {
              try file.checkpoint(state)
              done.resume(returning: nil)
            } catch {
              done.resume(returning: error)
            }
          }
        }
        saving = nil
        writer.saved(state.offset)
      }
    }
    if now - (told ?? .zero) >= .milliseconds(100), state.offset != last?.received { tellProgress(now) }
  }

  /// Returns when no checkpoint is being made; throws what the last one has thrown.
  private func settleCheckpoint() async throws(APIError) {
    await saving?.value
    defer { fault = nil }
    if let fault { throw fault }
  }

  private func tellProgress(_ now: Duration) {
    told = now
    // The rate is that of this run, and not of what earlier ones have left.
    var progress = meter.completing(
      TransferProgress(received: machine.state.offset - base), at: time.microseconds)
    (progress.received, progress.totalToReceive) = (machine.state.offset, machine.state.total)
    last = progress
    report(.progress(progress))
  }

  /// Compares the digest and gives the file its name.
  private func finish(_ file: PartialFile) async throws(APIError) -> DownloadedFile {
    let state = machine.state
    try await settleCheckpoint()
    tellProgress(time.now)
    let expected = sha256 ?? state.digest
    if let expected {
      try file.checkpoint(state)
      let digest = try file.digest(of: state.offset, isLong: expected.isLong)
      guard digest == expected.hex else {
        file.discard()
        throw APIError(
          .response, .digestMismatch,
          "the file has the \(expected.name) \(digest), and \(expected.hex) was expected")
      }
    }
    let sha256 = expected.flatMap { $0.isLong ? nil : $0.hex }
    try manager.check()
    for number in 1...999 {
      let (path, overwrites) = destination(state, number)
      if try file.commit(as: path, state: state, overwrites: overwrites, sha256: sha256, of: key) {
        return DownloadedFile(path: path, count: state.offset, sha256: sha256)
      }
      if case .file = state.target ?? target { throw Self.isThere(path, .response) }
    }
    throw Self.isThere(destination(state, 1).path, .response)
  }

  private func destination(_ state: DownloadState, _ number: Int) -> (path: String, overwrites: Bool) {
    switch state.target ?? target {
    case .file(let path, let overwrites): return (path, overwrites)
    case .folder(let folder, let overwrites):
      let name = state.fileName ?? "download"
      guard number > 1 else { return ("\(folder)/\(name)", overwrites) }
      let (stem, ending) = ((name as NSString).deletingPathExtension, (name as NSString).pathExtension)
      return ("\(folder)/\(stem) (\(number))\(ending.isEmpty ? "" : ".\(ending)")", overwrites)
    }
  }

  /// What a server says to a URL whose time is over, or that it does not know any more.
  private static let expiry: Set<Int> = [400, 401, 403, 404, 410]

  private static func lastSegment(of url: HTTPURL?) -> String? {
    url?.path.split(separator: "/").last.flatMap { PercentEncoding.decode($0) }.flatMap(SafeFileName.safe)
  }

  /// Throws where something has the place of the file that the file cannot replace, or must not.
  private static func checkPlace(
    _ path: String, overwrites: Bool, _ stage: APIError.Stage
  ) throws(APIError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard overwrites else { throw isThere(path, stage) }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFLNK: return
    case let kind:
      throw APIError(
        stage, .fileFailed,
        "\(path.debugDescription) is \(kind == S_IFDIR ? "a folder" : "no plain file"), which a download does not replace"
      )
    }
  }

  /// - Parameter stage: `takeoff` before a request, `response` after one.
  private static func isThere(_ path: String, _ stage: APIError.Stage) -> APIError {
    APIError(
      stage, .fileFailed,
      "\(path.debugDescription) exists already; state `overwrites: true` in the target to replace it")
  }

  private static func checkCancelled() throws(APIError) {
    if Task.isCancelled { throw APIError(cancelled: .taskCancelled) }
  }
}
