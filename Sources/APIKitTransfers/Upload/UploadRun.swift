import APIKit
import Foundation

/// One upload in parts, from its journal to the last response: asks its ``TusMachine`` and does what that says.
actor UploadRun {
  typealias Send =
    @Sendable (UploadRequest, HTTPBody, @escaping @MainActor (TransferProgress) -> Void)
    async -> Result<APIResponse, APIError>

  /// Whether the server is told to forget the upload when it is cancelled.
  nonisolated let discards = AtomicFlag()

  private let body: HTTPBody
  private let options: TusOptions
  private let place: [String?]
  /// That of a transfer of a queue; nil for any other.
  private let key: String?
  private let policy: RetryPolicy
  /// The origins that are declared beside the service's.
  private let origins: Set<String>
  private let time: any TimeSource
  /// The user of the upload; nil if there is none.
  private let user: TransferUser?
  /// Takes a retry from the budget of the server's host; false when it is used up.
  private let draw: @Sendable (HTTPURL) -> Bool
  private let send: Send

  init(
    _ body: HTTPBody, _ options: TusOptions, place: [String?], key: String? = nil, policy: RetryPolicy,
    for user: TransferUser? = nil, time: any TimeSource = SystemTime(),
    draw: @escaping @Sendable (HTTPURL) -> Bool = { _ in true }, send: @escaping Send
  ) {
    self.body = body
    self.options = options
    self.place = place
    self.key = key
    self.policy = policy
    origins = Set(options.otherOrigins.compactMap { try? HTTPURL($0).origin })
    self.time = time
    self.user = user
    self.draw = draw
    self.send = send
  }

  func perform(
    _ report: @escaping @MainActor (TransferProgress) -> Void
  ) async -> Result<APIResponse, APIError> {
    let reports = await UploadReports(time, report)
    let result = await perform(reports)
    // The last report of the transport may be lower, or belong to a request that has sent nothing.
    if case .success((_, let total)) = result { await reports.take(total, from: 0, of: total) }
    await reports.finish()
    return result.map(\.response)
  }

  private func perform(
    _ reports: UploadReports
  ) async -> Result<(response: APIResponse, total: Int64), APIError> {
    do throws(APIError) {
      let reader = try UploadReader(body)
      let journal = try reader.fingerprint.map { (fingerprint) throws(APIError) in
        try UploadJournal(UploadJournal.path(options, of: place, fingerprint: fingerprint))
      }
      var found = try journal?.read() ?? UploadState()
      // The process may have ended before the queue knew. What has ended is not another transfer's.
      if let ended = found.ended, ended != key { found = UploadState() }
      let metadata = options.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      var machine = TusMachine(found, total: reader.total, options: options, metadata: metadata)
      do throws(APIError) {
        let response = try await transfer(&machine, of: reader, journal: journal, reports: reports)
        end(machine.state, journal)
        return .success((response, machine.state.offset))
      } catch {
        if error.isCancellation, discards.load() {
          journal?.remove()
          terminate(machine)
        } else if machine.state.location == nil {
          // There is nothing to go on with, and the lock alone would stay.
          journal?.remove()
        }
        throw error
      }
    } catch {
      return .failure(error)
    }
  }

  /// All bytes are there. The journal of a transfer of a queue says so until ``UploadJournal/forget(_:at:)``: sent once more,
  /// the server would have two.
  private func end(_ state: UploadState, _ journal: UploadJournal?) {
    var state = state
    state.ended = key
    if key != nil, (try? journal?.write(state)) != nil { return }
    journal?.remove()
  }

  private func transfer(
    _ machine: inout TusMachine, of reader: UploadReader, journal: UploadJournal?, reports: UploadReports
  ) async throws(APIError) -> APIResponse {
    var action = machine.begin()
    var last: APIResponse?
    var failure: APIError?
    while true {
      if Task.isCancelled { throw APIError(cancelled: .taskCancelled) }
      var request: UploadRequest
      switch action {
      case .send(let next): request = next
      case .wait(let number, let next):
        // A broken request is retried only if the policy allows it; one that the server asks for, always.
        if let failure, !mayTryAgain(failure, with: next, number: number) { throw failure }
        var wait = policy.backoff.wait(before: number, jitter: .random(in: 0...1))
        if policy.honoursRetryAfter, let failure, let asked = failure.retryAfter(now: time.wallClock) {
          guard asked <= policy.longestWait else { throw failure }
          wait = asked
        }
        if let user {
          try await user.wait(wait, time)
        } else {
          do { try await time.sleep(for: wait) } catch { throw APIError(cancelled: .taskCancelled) }
        }
        request = next
      case .finish:
        guard let last else { throw APIError(.response, .malformedResponse, "nothing was sent") }
        return last
      case .fail(let reason, let detail, let keepsJournal):
        if !keepsJournal { journal?.remove() }
        if var failure {
          failure.detail = "\(detail): \(failure.detail)"
          failure.reason = reason
          throw failure
        }
        throw APIError(.response, reason, detail)
      }
      var part = HTTPBody.empty
      if let offset = request.offset {
        let limit = options.partBytes ?? (options.sendsChecksums ? TusOptions.streamPartBytes : nil)
        let read = try await reader.part(at: offset, atMost: limit, inMemory: options.sendsChecksums)
        part = read.body
        request.headers.merge(machine.read(read.count, isLast: read.isLast))
        if case .bytes(let bytes) = part, let checksum = machine.checksum(of: bytes) {
          request.headers.merge(checksum)
        }
      }
      // Before the first byte of a part: the next run knows where it went, and whether it was the last.
      try journal?.write(machine.state)
      let (base, total) = (request.offset ?? machine.state.offset, machine.state.total)
      let result = await send(request, part) { progress in
        reports.take(progress.sent, from: base, of: total)
      }
      noteWhatLeft(&machine, result, of: request)
      (action, failure) = step(&machine, result)
      // If this fails, the journal from before the part is still true, and says less.
      if failure != nil, request.offset != nil { try? journal?.write(machine.state) }
      if case .success(let response) = result { last = response }
    }
  }

  private func noteWhatLeft(
    _ machine: inout TusMachine, _ result: Result<APIResponse, APIError>, of request: UploadRequest
  ) {
    guard request.offset != nil else { return }
    switch result {
    case .success(let response): machine.left(Self.sent(response.http.metrics), .responseBegan)
    case .failure(let error):
      machine.left(error.metrics.flatMap(Self.sent), error.requestProgress)
    }
  }

  /// How many bytes of a body were sent; nil where the transport does not measure.
  private static func sent(_ metrics: TransportMetrics) -> Int64? {
    metrics.total > 0 ? metrics.bytesSent : nil
  }

  /// What a result means for the machine; with the failure, if it was one.
  private func step(
    _ machine: inout TusMachine, _ result: Result<APIResponse, APIError>
  ) -> (UploadAction, APIError?) {
    switch result {
    case .success(let response):
      return (machine.responded(response.status, response.headers, location: location(response)), nil)
    case .failure(let error):
      guard let status = error.context.status, error.reason == .unacceptableStatus else {
        return (machine.broke(), error)
      }
      if policy.table[status: status]?.isOn == true { return (machine.broke(), error) }
      let headers = error.response?.headers ?? HTTPHeaders()
      return (machine.responded(status, headers, location: nil), error)
    }
  }

  private func mayTryAgain(_ error: APIError, with request: UploadRequest, number: Int) -> Bool {
    // A redirect has made another request of it: the server has acted on the creation.
    if request.location == nil, error.wasRedirectedToOther(than: request.method) { return false }
    let row = policy.table.row(for: error)
    if error.reason == .unacceptableStatus, error.context.status != nil, row?.isOn != true { return true }
    guard number < policy.attempts, row?.isOn == true else { return false }
    // A part says where it goes, so that it cannot be taken twice; a creation without a key can.
    let hasKey = policy.idempotencyKeyField.map { error.request?.headers.contains($0) ?? false } ?? false
    let isAllowed = error.allowsRetry(
      isIdempotent: request.location != nil || hasKey,
      isUnprocessed: error.evidence != nil && row?.provesNothingSent == true)
    // Asked last, because it takes one.
    return isAllowed && (error.request.map { draw($0.url) } ?? true)
  }

  /// Where a response says the upload is; nil where it says nothing, names what was asked itself, or an origin that is neither
  /// the one that was asked, redirects aside, nor declared: a credential must not go there.
  private func location(_ response: APIResponse) -> String? {
    guard let text = response.headers["Location"], let base = response.http.url,
      let url = try? base.resolving(text)
    else { return nil }
    let asked = response.http.redirects.first?.url ?? base
    guard url.origin == asked.origin || origins.contains(url.origin) else { return nil }
    // The endpoint itself, as of an empty field, is no upload: a cancellation would delete it.
    func names(_ endpoint: HTTPURL) -> Bool {
      url.location == endpoint.location && url.query ?? "" == endpoint.query ?? ""
    }
    return names(base) || names(asked) ? nil : url.string
  }

  /// Has the server forget the upload. The upload has ended by then: the server may be why it was cancelled.
  private func terminate(_ machine: TusMachine) {
    guard let request = machine.termination() else { return }
    let send = send
    // The task of the upload is cancelled; this one is not.
    Task.detached { _ = await send(request, .empty) { _ in } }
  }
}

/// Tells how far an upload in parts is: at most ten times a second over all of its parts, and at the end.
@MainActor private final class UploadReports {
  private let time: any TimeSource
  private let report: (TransferProgress) -> Void
  private var told: Duration?
  /// What was told last, and what was not told yet.
  private var last: (sent: Int64, total: Int64?)?
  private var held: (sent: Int64, total: Int64?)?
  /// Where this run began, and how fast it is.
  private var base: Int64?
  private var meter: TransferMeter

  init(_ time: any TimeSource, _ report: @escaping @MainActor (TransferProgress) -> Void) {
    (self.time, self.report) = (time, report)
    meter = TransferMeter(at: time.microseconds)
  }

  func take(_ sent: Int64, from offset: Int64, of total: Int64?) {
    base = base ?? offset
    // A report of response bytes brings nothing new.
    held = last.map { $0 == (offset + sent, total) } ?? false ? nil : (offset + sent, total)
    if told.map({ time.now - $0 >= .milliseconds(100) }) ?? true { finish() }
  }

  func finish() {
    guard let (sent, total) = held, let base else { return }
    (told, last, held) = (time.now, (sent, total), nil)
    var progress = meter.completing(TransferProgress(sent: max(0, sent - base)), at: time.microseconds)
    (progress.sent, progress.totalToSend) = (sent, total)
    report(progress)
  }
}

extension TimeSource {
  /// The present time as a ``TransferMeter`` counts it.
  var microseconds: Int64 { Int64(now / .microseconds(1)) }
}
