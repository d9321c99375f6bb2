public import APIKit

/// Keeps the requests and responses of a transport, to write them as a HAR file.
///
/// ```swift
/// let exchanges = ExchangeArchive()
/// let client = HTTPClient(transport: exchanges.archiving(DefaultTransport.shared))
/// // Loads of a service with this client …
/// try Data(exchanges.archive.harBytes()).write(to: URL(fileURLWithPath: "loads.har"))
/// ```
/// It keeps the last 1,000 exchanges unless told otherwise, and counts the dropped ones. Secrets are masked by their
/// names (`SecretNames`) in all its output. Bodies are kept only with `keepsBodies`: a body that is not JSON, XML,
/// form or multipart is kept unchanged, and may contain anything. Safe on any thread.
public final class ExchangeArchive: Sendable {
  /// The most bytes that are kept of a body.
  public static let bodyLimit = 64 << 10

  /// One exchange as it was, without masks.
  private struct Exchange: Sendable {
    let number: UInt64
    let sent: SentExchange
    let result: Result<HTTPResponse, APIError>
    /// The size of the response's whole body.
    let size: Int64?
  }

  private struct ArchiveState {
    var exchanges: LatestRing<Exchange>
    var begun: UInt64 = 0
    var dropped = 0
  }

  private let state: Mutex<ArchiveState>
  private let keepsBodies: Bool

  /// Makes an empty archive.
  ///
  /// - Parameters:
  ///   - capacity: How many exchanges are kept; the default is 1,000, the least is 1.
  ///   - keepsBodies: Whether the first 64 KiB of bodies in memory are kept; false by default. Files and streams are
  ///     never read.
  public init(capacity: Int = 1000, keepsBodies: Bool = false) {
    state = Mutex(ArchiveState(exchanges: LatestRing(capacity: max(1, capacity))))
    self.keepsBodies = keepsBodies
  }

  /// A transport that sends by another one and has this archive keep each exchange.
  public func archiving(_ transport: any HTTPTransport) -> any HTTPTransport {
    ArchivingTransport(base: transport, archive: self)
  }

  /// The kept exchanges, in the order in which the exchanges began, secrets masked. Those under way are not in it.
  public var archive: HTTPArchive {
    let exchanges = state.withLock { $0.exchanges.ordered }
    let limit = keepsBodies ? Self.bodyLimit : 0
    return HTTPArchive(
      entries: exchanges.sorted { $0.number < $1.number }.map {
        $0.sent.entry(of: $0.result, size: $0.size, mask: SecretMask(), bodyLimit: limit)
      })
  }

  /// The number of exchanges that were dropped for later ones.
  public var droppedCount: Int { state.withLock { $0.dropped } }

  fileprivate func begin() -> UInt64 {
    state.withLock { state in
      state.begun += 1
      return state.begun
    }
  }

  fileprivate func add(_ number: UInt64, _ sent: SentExchange, result: Result<HTTPResponse, APIError>) {
    let limit = keepsBodies ? Self.bodyLimit : 0
    let exchange = Exchange(
      number: number, sent: sent.reduced(to: limit), result: result.map { $0.reduced(to: limit) },
      size: (try? result.get())?.body.count)
    // The one that it replaces is released outside the lock.
    _ = state.withLock { state in
      let replaced = state.exchanges.append(exchange)
      if replaced != nil { state.dropped += 1 }
      return replaced
    }
  }

  private struct ArchivingTransport: TransportWrapper {
    let base: any HTTPTransport
    let archive: ExchangeArchive

    func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
      let (archive, number) = (archive, archive.begin())
      let (sent, clock) = (SentExchange(exchange, over: base), SystemTime())
      let begin = clock.now
      return { result in
        var sent = sent
        sent.took = clock.now - begin
        archive.add(number, sent, result: result)
        completion(result)
      }
    }
  }
}

/// What was sent, with what is known about it: where a transport is given, with the header fields that it adds.
package struct SentExchange: Sendable {
  private var request: HTTPRequest
  private var bodySize: Int64?
  private let secondsSince1970 = WallClock.now
  private let flight: FlightID?
  private let api: LandedLoad.API?
  /// How long it took; for exchanges whose transport does not tell.
  package var took = Duration.zero

  package init(_ exchange: HTTPExchange, over transport: (any HTTPTransport)? = nil) {
    request = exchange.request
    if let transport { request.headers = transport.sentHeaders(of: exchange) }
    bodySize = request.body.knownLength
    flight = exchange.flightID
    api = flight.flatMap { FlightLog.shared.api(of: $0) }
  }

  /// With as much of the body as is to be kept.
  ///
  /// - Parameter keepsFile: Whether the name of a file is kept, to be read later.
  func reduced(to limit: Int, keepsFile: Bool = false) -> SentExchange {
    var copy = self
    switch request.body {
    case .bytes(let bytes) where bytes.count <= limit: break
    case .bytes(let bytes): copy.request.body = .bytes(Array(bytes.prefix(limit)))
    case .file where keepsFile: break
    case .file, .stream, .empty: copy.request.body = .empty
    }
    return copy
  }

  /// With the beginning of a body's file, as far as that can still be read.
  func readingFile() -> SentExchange {
    guard case .file(let path, let offset) = request.body else { return self }
    var copy = self
    copy.request.body = FileChunks.beginning(of: path, offset: offset).map { .bytes($0) } ?? .empty
    return copy
  }

  /// How many bytes of the body are kept in memory.
  var keptCount: Int { request.body.kept?.count ?? 0 }
  /// The host that was asked.
  var host: String { request.url.host }

  /// The entry of an archive, with what the mask leaves.
  ///
  /// - Parameter bodyLimit: The most bytes that are kept of each body; nil keeps all.
  package func entry(
    of result: Result<HTTPResponse, APIError>, size: Int64?, mask: SecretMask, bodyLimit: Int?
  ) -> HTTPArchive.Entry {
    var entry = HTTPArchive.Entry(
      secondsSince1970: secondsSince1970,
      request: HTTPArchive.Request(
        method: request.method, url: mask.url(request.url),
        headers: request.headers.masked(mask),
        body: HTTPArchive.Content(
          bodyOf: request.body.kept, size: bodySize, type: request.headers["Content-Type"], mask: mask,
          limit: bodyLimit)))
    entry.flight = flight?.rawValue
    (entry.service, entry.apiName) = (api?.service, api?.name)
    switch result {
    case .success(let response):
      entry.timings = HTTPArchive.Timings(response.metrics)
      entry.address = response.metrics.remoteAddress
      entry.resends = response.metrics.resends
      let kept: [UInt8]? = if case .bytes(let bytes) = response.body { bytes } else { nil }
      entry.response = HTTPArchive.Response(
        status: response.status, headers: response.headers.masked(mask), version: response.version,
        body: HTTPArchive.Content(
          bodyOf: kept, size: size, type: response.headers["Content-Type"], mask: mask, limit: bodyLimit),
        wireBytes: response.metrics.bytesReceived)
    case .failure(let error):
      entry.failure = error.label
      // Of a response that was cut its head is known, and perhaps the beginning of its body.
      if let status = error.responseStatus {
        let headers = error.response?.headers ?? HTTPHeaders()
        entry.response = HTTPArchive.Response(
          status: status, headers: headers.masked(mask), version: error.metrics?.version ?? .http1_1,
          body: HTTPArchive.Content(comment: "the response is not complete"),
          wireBytes: error.metrics?.bytesReceived)
      }
      entry.address = error.metrics?.remoteAddress
      entry.resends = error.metrics?.resends ?? 0
      if let metrics = error.metrics, metrics.total > 0 {
        entry.timings = HTTPArchive.Timings(metrics, hasHead: entry.response != nil)
      } else {
        entry.timings.wait = took / .milliseconds(1)
      }
    }
    return entry
  }
}

extension HTTPArchive.Content {
  /// The beginning of a body: cut first, then masked, so that no secret is left at the cut.
  fileprivate init(
    bodyOf bytes: [UInt8]?, size: Int64?, type: String?, mask: SecretMask, limit: Int?
  ) {
    guard let bytes, limit != 0, !bytes.isEmpty || size == 0 else {
      self.init(nil, size: size, comment: size == 0 ? nil : "the body was not kept")
      return
    }
    var kept = bytes
    if let limit, kept.count > limit { kept = Array(kept.prefix(limit)) }
    let isCut = size.map { $0 > Int64(kept.count) } ?? false
    if isCut { Self.dropPartOfCharacter(&kept) }
    let count = kept.count
    kept = mask.body(kept, contentType: type)
    if isCut, let limit, kept.count > limit {
      // Marks may be longer than what they replace.
      kept = Array(kept.prefix(limit))
      Self.dropPartOfCharacter(&kept)
    }
    self.init(kept, size: size)
    if isCut { comment = "the first \(count) of \(size ?? 0) bytes" }
  }

  /// Drops the first bytes of a character whose last ones were cut off, where the bytes are text.
  private static func dropPartOfCharacter(_ bytes: inout [UInt8]) {
    guard HTTPArchive.Content.text(bytes) == nil else { return }
    for count in 1...3 where count <= bytes.count {
      let rest = Array(bytes.dropLast(count))
      if HTTPArchive.Content.text(rest) != nil {
        bytes = rest
        return
      }
    }
  }
}

extension HTTPBody {
  fileprivate var kept: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }
}

extension HTTPResponse {
  /// What is kept of it: the beginning of a body in memory.
  ///
  /// - Parameter keepsFile: Whether the name of a file is kept, to be read later.
  func reduced(to limit: Int, keepsFile: Bool = false) -> HTTPResponse {
    if case .file = body, keepsFile { return self }
    if case .bytes(let bytes) = body, bytes.count <= limit { return self }
    var copy = self
    copy.body = .bytes(Array(bytes.prefix(limit)))
    return copy
  }

  /// With the beginning of a body's file, as far as that can still be read.
  func readingFile() -> HTTPResponse {
    guard case .file(let path, _) = body else { return self }
    var copy = self
    copy.body = .bytes(FileChunks.beginning(of: path, offset: 0) ?? [])
    return copy
  }
}

extension FileChunks {
  /// The first bytes of a file, ``ExchangeArchive/bodyLimit`` at most; nil when it cannot be read.
  fileprivate static func beginning(of path: String, offset: Int64) -> [UInt8]? {
    guard let bytes = try? FileChunks(path: path, offset: offset).next() else { return nil }
    return Array(bytes.prefix(ExchangeArchive.bodyLimit))
  }
}

extension HTTPHeaders {
  package func masked(_ mask: SecretMask) -> HTTPHeaders {
    HTTPHeaders(fields.map { Field($0.name, mask.header($0, keepsCookieNames: true)) })
  }
}
