import APIKit
import Foundation

/// Plays one response of a ``StubTransport`` as a transport would: waits, limits, head, body, progress.
struct StubWire {
  let exchange: HTTPExchange
  let request: HTTPRequest
  let clock: any Clock<Duration>
  let start: ContinuousClock.Instant
  /// Time waited on the script's clock, for the total limit.
  private var waited = Duration.zero

  init(
    exchange: HTTPExchange, request: HTTPRequest, clock: any Clock<Duration>, start: ContinuousClock.Instant
  ) {
    self.exchange = exchange
    self.request = request
    self.clock = clock
    self.start = start
  }

  static var cancelled: APIError { APIError(.transport, .cancelled) }

  /// Plays the response; a failure says how long it took.
  mutating func perform(_ response: StubResponse) async throws(APIError) -> HTTPResponse {
    do throws(APIError) { return try await play(response) } catch { throw measured(error) }
  }

  /// The error with the time that has passed.
  func measured(_ error: APIError) -> APIError {
    var error = error
    var metrics = error.metrics ?? TransportMetrics()
    if metrics.total == 0 { metrics.total = (ContinuousClock.now - start).microseconds }
    error.metrics = metrics
    if error.requestProgress == nil {
      error.requestProgress =
        error.evidence != nil ? .responseBegan : Self.unreached.contains(error.reason) ? .unsent : .sent
    }
    return error
  }

  /// Failures of a real transport on the way to a connection.
  private static let unreached: Set<APIError.Reason> = [
    .unknownHost, .connectionRefused, .connectTimeout, .tlsHandshakeFailed, .tlsVersionTooOld, .proxyFailed,
    .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateSelfSigned,
    .certificateUntrusted, .certificateRevoked, .certificateRejected, .certificateUnsuitable,
    .certificateTooWeak, .pinMismatch,
  ]

  private mutating func play(_ response: StubResponse) async throws(APIError) -> HTTPResponse {
    switch response.kind {
    case .response(let response, let chunks):
      return try deliver(response, chunks: chunks, isCut: false)
    case .truncated(let response, let count):
      var cut = response
      cut.body = .bytes(Array(response.bytes.prefix(count)))
      return try deliver(cut, chunks: nil, isCut: true)
    case .failure(let error):
      throw error
    case .after(let wait, let next):
      try await pause(wait)
      return try await play(next)
    case .held(let gate, let next):
      try await pass(gate)
      return try await play(next)
    case .computed(let make):
      return try await play(make(request))
    case .silence:
      try await pause(nil)
      throw Self.cancelled
    }
  }

  /// Waits at a gate; throws at the limits that the request states, such as the deadline of its load. Those of every transport
  /// do not count: the test decides how long it waits.
  func pass(_ gate: StubGate) async throws(APIError) {
    let limits = request.timeouts.filled(from: HTTPTimeouts())
    guard limits.idle ?? .zero != .zero || limits.total ?? .zero != .zero else {
      guard await gate.arrive() else { throw Self.cancelled }
      return
    }
    let (end, failure) = end(of: nil, limits)
    let passed = await withTaskGroup(of: Bool?.self) { [clock] group in
      group.addTask { await gate.arrive() }
      group.addTask {
        do { try await clock.sleep(for: end) } catch { return false }
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard let passed else { throw failure ?? Self.cancelled }
    guard passed else { throw Self.cancelled }
  }

  /// Waits this long, or without end; throws at the idle or total limit.
  private mutating func pause(_ wait: Duration?) async throws(APIError) {
    let (end, failure) = end(of: wait, request.timeouts.filled(from: .standard))
    do { try await clock.sleep(for: end) } catch { throw Self.cancelled }
    waited += end
    if let failure { throw failure }
  }

  /// When a wait ends, and at which limit.
  private func end(of wait: Duration?, _ limits: HTTPTimeouts) -> (Duration, APIError?) {
    // The standard library traps where a sleep ends at a time that no number of seconds has.
    let longest = Duration.seconds(1_000_000_000)
    var end = min(wait ?? longest, longest)
    var failure: APIError?
    if let idle = limits.idle, idle != .zero, end > idle {
      end = idle
      failure = APIError(.transport, .idleTimeout, "no bytes for \(idle)")
    }
    if let total = limits.total, total != .zero, waited + end > total {
      end = max(.zero, total - waited)
      failure = APIError(.transport, .totalTimeout, "not finished in \(total)")
    }
    return (end, failure)
  }

  private func deliver(
    _ scripted: HTTPResponse, chunks: [[UInt8]]?, isCut: Bool
  ) throws(APIError) -> HTTPResponse {
    guard !Task.isCancelled else { throw Self.cancelled }
    var response = scripted
    response.url = request.url
    try exchange.inspect(response.status, response.headers, evidence: headOnly(response))
    // A real server sends no body here (RFC 9110, 9.3.2, 15.3.5, 15.4.5).
    let hasBody = request.method != .head && ![204, 304].contains(response.status)
    let isCut = isCut && hasBody
    let body = hasBody ? response.bytes : []
    if !hasBody { response.body = .bytes([]) }
    report(received: body.count)
    response.metrics.bytesReceived = Int64(body.count)
    response.metrics.bytesDecoded = Int64(body.count)
    response.metrics.bytesSent = Int64(sentCount)
    response.metrics.version = response.version
    // A script may state its own times.
    if response.metrics.total == 0 { response.metrics.total = (ContinuousClock.now - start).microseconds }

    var destination = exchange.destination
    if let path = exchange.file(status: response.status, response.headers) { destination = .file(path: path) }
    switch destination {
    // As over every transport, only a successful response takes the place of a file.
    case .file where !(200..<300).contains(response.status):
      if isCut { throw cut(body, response) }
      return response
    case .memory(let maximum):
      if body.count > maximum { throw tooLarge(Int64(maximum), response) }
      if isCut { throw cut(body, response) }
      return response
    case .file(let path, let maximum):
      if body.count > maximum { throw tooLarge(maximum, response) }
      if isCut { throw cut(body, response) }
      do { try Data(body).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
        let fault = PrivateFile.Fault(error, "written")
        throw APIError(.transport, fault.reason, "the file \(path) \(fault)", underlying: fault)
      }
      response.body = .file(path: path, count: Int64(body.count))
      return response
    case .stream:
      let error = isCut ? cut(body, response) : nil
      let rest = Chunks(hasBody ? chunks ?? [body] : [])
      response.body = .stream(
        ResponseStream { () async throws(APIError) in
          if Task.isCancelled { throw Self.cancelled }
          if let chunk = rest.next() { return chunk }
          if let error { throw error }
          return nil
        })
      return response
    }
  }

  /// Reports the progress: for each direction nothing, half and all.
  private func report(received: Int) {
    guard exchange.onProgress != nil else { return }
    let sent = Int64(sentCount)
    let all = Int64(received)
    var steps = [TransferProgress(sent: 0, totalToSend: sent, totalToReceive: all)]
    if sent > 1 { steps.append(TransferProgress(sent: sent / 2, totalToSend: sent, totalToReceive: all)) }
    for part in all > 1 ? [0, all / 2, all] : [all] {
      steps.append(TransferProgress(sent: sent, totalToSend: sent, received: part, totalToReceive: all))
    }
    var meter = TransferMeter(at: 0)
    for step in steps {
      exchange.tell(meter.completing(step, at: (ContinuousClock.now - start).microseconds))
    }
  }

  private var sentCount: Int {
    if case .bytes(let bytes) = request.body { return bytes.count }
    return 0
  }

  private func headOnly(_ response: HTTPResponse) -> APIError.Evidence {
    var head = response
    head.body = .bytes([])
    return head.evidence
  }

  private func tooLarge(_ maximum: Int64, _ response: HTTPResponse) -> APIError {
    APIError(bodyLargerThan: maximum, evidence: headOnly(response))
  }

  private func cut(_ body: [UInt8], _ response: HTTPResponse) -> APIError {
    APIError(
      .transport, .truncatedBody, "the connection ended after \(body.count) bytes of the body",
      evidence: response.evidence)
  }

  /// The body as bytes, as a server would receive it.
  static func read(_ body: HTTPBody) async throws(APIError) -> HTTPBody {
    switch body {
    case .empty, .bytes: return body
    case .file(let path, let offset):
      let chunks = try FileChunks(path: path, offset: offset)
      var all: [UInt8] = []
      while let chunk = try chunks.next() { all += chunk }
      return .bytes(all)
    case .stream(let stream):
      var all: [UInt8] = []
      do {
        let next = try stream.open()
        while let chunk = try await next() { all += chunk }
      } catch {
        throw APIError(unreadableStream: "failed", error)
      }
      return .bytes(all)
    }
  }

  /// The chunks that were not read yet.
  private final class Chunks: Sendable {
    private let rest: Mutex<ArraySlice<[UInt8]>>
    init(_ chunks: [[UInt8]]) { rest = Mutex(chunks[...]) }
    func next() -> [UInt8]? { rest.withLock { $0.popFirst() } }
  }
}
