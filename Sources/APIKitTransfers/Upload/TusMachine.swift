import APIKit

/// The decisions of an upload by tus 1.0: event in, action out, without files, sockets or time. Core, creation, creation with
/// upload, deferred length, expiration, checksum, termination.
///
/// Another protocol (the IETF's resumable uploads, when they are a standard) is a second type, with its case in
/// ``UploadProtocol``.
/// - SeeAlso: <https://tus.io/protocols/resumable-upload>
struct TusMachine: Sendable {
  private enum TusPhase {
    case creating
    /// The server is asked how much it has.
    case asking
    case sending
  }

  /// What the journal keeps.
  private(set) var state: UploadState
  private let options: TusOptions
  private let metadata: String?
  private var phase = TusPhase.creating
  /// Where the part under way ends.
  private var end: Int64 = 0
  /// Whether the length was not known at the creation, so that the server is told with the last part.
  private var isDeferred = false
  /// The most bytes that the server has ever had, and how often nothing was added since.
  private var most: Int64 = 0
  private var stalls = 0
  /// The response that refused the part under way: bytes that come in spite of it are those of an earlier request.
  private var refusal: Int?
  /// What was known to have left before the part under way.
  private var reachBefore: Int64 = 0
  private var hasStartedOver = false

  /// How often the server may be asked again without having got more.
  static let maximumStalls = 10

  init(_ state: UploadState, total: Int64?, options: TusOptions, metadata: [(String, String)]) {
    self.state = state
    self.options = options
    if self.state.total == nil { self.state.total = total }
    let pairs = metadata.map { name, value in "\(name) \(Base64.encode(Array(value.utf8)))" }
    self.metadata = pairs.isEmpty ? nil : pairs.joined(separator: ",")
  }

  /// What is done first. An upload whose time is over is asked for as well: a complete one must not be made a second time.
  mutating func begin() -> UploadAction { state.location == nil ? create() : ask() }

  /// The next part has these bytes, and is the last one or not.
  ///
  /// - Returns: Header fields that its request has beside those it was given.
  mutating func read(_ count: Int64, isLast: Bool) -> HTTPHeaders {
    end = state.offset + count
    if isLast, state.total == nil {
      state.total = end
      isDeferred = true
    }
    (refusal, reachBefore) = (nil, state.reach ?? state.offset)
    // What the journal says should the process end while the part is under way.
    noteReach(end)
    return isLast && isDeferred ? ["Upload-Length": "\(end)"] : [:]
  }

  /// The request of the part has ended, and so much is known of what has left this machine.
  ///
  /// - Parameters:
  ///   - sent: How many bytes of the part; nil where the transport does not say.
  ///   - progress: How far the request came; nil where the transport does not say: it then counts as sent.
  mutating func left(_ sent: Int64?, _ progress: RequestProgress?) {
    guard phase != .asking, end > state.offset else { return }
    switch progress ?? .sent {
    case .unsent: noteReach(reachBefore)
    case .partlySent: noteReach(max(reachBefore, min(end - 1, state.offset + (sent ?? .max / 2))))
    case .sent: noteReach(end)
    // A server may respond before it has the whole part.
    case .responseBegan: noteReach(max(reachBefore, min(end, state.offset + (sent ?? .max / 2))))
    }
  }

  private mutating func noteReach(_ reach: Int64) {
    state.reach = max(reachBefore, reach)
    state.hasSentAll = state.reach == state.total
  }

  /// The header fields for the digest of a part; nil where none is sent.
  func checksum(of part: [UInt8]) -> HTTPHeaders? {
    guard options.sendsChecksums, let digest = Crypto.sha1(part) else { return nil }
    return ["Upload-Checksum": "sha1 \(Base64.encode(digest))"]
  }

  /// The request broke off, and nothing is known of its part.
  mutating func broke() -> UploadAction {
    // Without a URL there is no upload to resume.
    state.location == nil ? again(creation) : ask(isStall: true)
  }

  /// The request that has the server forget the upload; nil when it does not know it.
  func termination() -> UploadRequest? {
    state.location.map { UploadRequest(method: .delete, location: $0, headers: Self.version) }
  }

  /// What a response means. `location` is its `Location`, resolved; nil where it has none that may be followed.
  mutating func responded(_ status: Int, _ headers: HTTPHeaders, location: String?) -> UploadAction {
    // A part that arrived damaged is dropped by the server: nothing of it is there.
    if status == 460, phase != .asking { noteReach(reachBefore) }
    switch (phase, status) {
    case (_, 412):
      let known = headers["Tus-Version"].map { "it knows \($0)" } ?? "it does not say what it knows"
      return .fail(
        .unacceptableStatus, "the server does not speak tus 1.0.0 (412); \(known)", keepsJournal: true)
    case (.creating, 201):
      guard let location else {
        return .fail(
          .malformedResponse,
          "the server created an upload without a Location of its own or of a declared origin",
          keepsJournal: false)
      }
      state.location = location
      return advance(to: sendsWithCreation ? Self.offset(headers) ?? 0 : 0)
    case (.creating, 423), (.creating, 460): return again(creation)
    case (.asking, 200...299), (.sending, 200...299):
      guard let offset = Self.offset(headers) else {
        return .fail(.malformedResponse, "the server does not say how much it has", keepsJournal: true)
      }
      if phase == .asking, let length = headers["Upload-Length"].flatMap({ Int64(digits: $0) }),
        let total = state.total, length != total
      {
        return startOver("the server expects \(length) bytes, and there are \(total)")
      }
      return advance(to: offset)
    // Locked, another offset, or a part that arrived damaged: what the server has counts.
    case (.asking, 423), (.sending, 423), (.sending, 409), (.sending, 460):
      refusal = status
      return ask(isStall: true)
    case (.asking, 403), (.asking, 404), (.asking, 410), (.sending, 403), (.sending, 404), (.sending, 410):
      return startOver("the server does not know the upload any more (\(status))")
    default:
      return .fail(.unacceptableStatus, "status \(status)", keepsJournal: status != 413)
    }
  }

  // MARK: Insides

  private static let version: HTTPHeaders = ["Tus-Resumable": "1.0.0"]

  private var creation: UploadRequest {
    var headers = Self.version
    if let total = state.total {
      headers.add("Upload-Length", "\(total)")
    } else {
      headers.add("Upload-Defer-Length", "1")
    }
    if let metadata { headers.add("Upload-Metadata", metadata) }
    guard sendsWithCreation else { return UploadRequest(method: .post, headers: headers) }
    headers.add("Content-Type", "application/offset+octet-stream")
    return UploadRequest(method: .post, headers: headers, offset: 0)
  }

  /// A stream whose length is not known may not have its last part yet.
  private var sendsWithCreation: Bool { options.sendsWithCreation && state.total.map { $0 > 0 } ?? false }

  private mutating func create() -> UploadAction {
    phase = .creating
    return .send(creation)
  }

  private mutating func ask(isStall: Bool = false) -> UploadAction {
    phase = .asking
    let request = UploadRequest(method: .head, location: state.location, headers: Self.version)
    return isStall ? again(request) : .send(request)
  }

  /// The same or another request once more, until too many have brought nothing.
  private mutating func again(_ request: UploadRequest) -> UploadAction {
    stalls += 1
    guard stalls <= Self.maximumStalls else {
      return .fail(
        .truncatedBody, "the server has \(most) bytes, and no more after \(Self.maximumStalls) attempts",
        keepsJournal: true)
    }
    return .wait(stalls, request)
  }

  /// The server has bytes up to here.
  private mutating func advance(to offset: Int64) -> UploadAction {
    let total = state.total
    guard offset >= 0, total.map({ offset <= $0 }) ?? true else {
      return .fail(
        .malformedResponse, "the server has \(offset) of \(total.map { "\($0)" } ?? "unknown") bytes",
        keepsJournal: false)
    }
    if let reach = state.reach, offset > reach {
      return .fail(
        .malformedResponse, "the server says that it has \(offset) bytes, and only \(reach) were sent",
        keepsJournal: false)
    }
    let isMore = offset > most
    let hasMoved = offset > state.offset
    let isLess = offset < state.offset || phase == .sending && offset < end && !isMore
    state.offset = offset
    most = max(most, offset)
    // Bytes that arrive although the part was refused belong to an earlier request: they are no progress.
    if isMore, refusal == nil { stalls = 0 }
    // A stream that has just ended says its length with its last part; an empty one, or one whose end was seen late, alone.
    if offset == total { return .finish }
    // The server still reads an earlier request, and would refuse the rest again.
    if refusal == 423, hasMoved { return ask(isStall: true) }
    phase = .sending
    var headers = Self.version
    headers.add("Upload-Offset", "\(offset)")
    headers.add("Content-Type", "application/offset+octet-stream")
    let request = UploadRequest(method: .patch, location: state.location, headers: headers, offset: offset)
    return isLess ? again(request) : .send(request)
  }

  private mutating func startOver(_ why: String) -> UploadAction {
    if state.hasSentAll {
      // It may be complete: sent again, the server could have two.
      return .fail(
        .uploadVanished, "\(why), and its last byte may have been sent before", keepsJournal: false)
    }
    guard !hasStartedOver else { return .fail(.unacceptableStatus, "\(why), twice", keepsJournal: false) }
    hasStartedOver = true
    (state.location, state.offset, state.reach, state.hasSentAll) = (nil, 0, 0, false)
    (most, stalls, reachBefore, end) = (0, 0, 0, 0)
    return create()
  }

  private static func offset(_ headers: HTTPHeaders) -> Int64? {
    headers["Upload-Offset"].flatMap { Int64(digits: $0) }
  }
}
