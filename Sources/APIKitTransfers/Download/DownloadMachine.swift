import APIKit

/// What is known of a download between its requests: what the journal keeps.
struct DownloadState: Sendable, Hashable, Codable {
  /// How many bytes of the file are safe.
  var offset: Int64 = 0
  /// The length of the whole file; nil when the server has not said it.
  var total: Int64?
  /// The strong `ETag` of the representation.
  var etag: String?
  /// Its `Last-Modified`, if that can be a condition: at least one second before the `Date` (RFC 9110, 8.8.2.2).
  var lastModified: String?
  /// Its digest by `Repr-Digest`.
  var digest: FileDigest?
  /// The name that the server gives the file.
  var fileName: String?
  /// The place that the application has chosen at the response.
  var target: DownloadTarget?

  /// What `If-Range` says; nil when the representation cannot be told from another, so that nothing is asked in parts.
  var condition: String? { etag ?? lastModified }

  /// Whether it can be that of a download which continues. A journal without a checksum may have been damaged.
  var canGoOn: Bool {
    condition != nil && offset >= 0 && offset <= total ?? .max && etag.map(Self.isStrongTag) ?? true
      && lastModified.map { HTTPDate.secondsSince1970($0) != nil } ?? true && digest?.isWellFormed ?? true
  }

  /// Whether a text is an `ETag` for `If-Range`: in quotes, not weak, and without control characters (RFC 9110, 8.8.3).
  static func isStrongTag(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
      && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

/// Decides what each response of a download means: event in, action out, without files, sockets or time.
///
/// A part is taken only if it continues the same representation. What does not fit is discarded, and the download is begun
/// anew once; the second time it fails.
struct DownloadMachine: Sendable {
  /// What is done with a response.
  enum Action: Sendable, Equatable {
    /// Its body is the file from this offset on; what lies behind is dropped.
    case take(from: Int64)
    /// Its body is not read; the file is empty, and asked for from its start.
    case startOver
    /// All bytes are there.
    case finish
    /// The next part is asked for.
    case ask
    /// The download ends; the partial file is removed or kept.
    case fail(APIError.Reason, String, keepsPartial: Bool)
  }

  private(set) var state: DownloadState
  private var hasStartedOver = false
  /// Where the body under way ends; nil when it does not say.
  private(set) var end: Int64?
  /// How many bytes the body under way has given.
  private var given: Int64 = 0
  /// How many bytes of the file there were at most, and how many of them before the response under way.
  private var furthest: Int64
  private var mark: Int64

  init(_ state: DownloadState = DownloadState()) {
    self.state = state.canGoOn ? state : DownloadState()
    // Whether a complete file may be had still, and is the same, is the server's to say: it is asked for the last byte.
    if state.total == state.offset, state.offset > 0 { self.state.offset -= 1 }
    furthest = self.state.offset
    mark = furthest
  }

  /// Whether all bytes are there already.
  var isComplete: Bool { state.total == state.offset && state.offset > 0 }

  /// The header fields of the next request.
  var request: HTTPHeaders {
    var headers = HTTPHeaders()
    headers.add("Accept-Encoding", "identity")
    guard state.offset > 0, let condition = state.condition else { return headers }
    headers.add("Range", "bytes=\(state.offset)-")
    headers.add("If-Range", condition)
    return headers
  }

  /// The response to ``request``.
  mutating func responded(_ status: Int, _ headers: HTTPHeaders) -> Action {
    (given, mark) = (0, furthest)
    end = nil
    switch status {
    case 200: return takeWhole(headers)
    case 206: return takePart(headers)
    case 416:
      // Everything is there, and only the length was not known; unless it is that of another file.
      if state.total == nil, state.offset > 0, ContentRange(headers)?.total == state.offset,
        (headers["ETag"] ?? state.etag).equalsExactly(state.etag),
        state.etag != nil || headers["Last-Modified"] ?? state.lastModified == state.lastModified
      {
        state.total = state.offset
        return .finish
      }
      return startOver("the server has no bytes from \(state.offset) on (416)")
    case 412: return startOver("the file has changed on the server (412)")
    case 410: return .fail(.unacceptableStatus, "the file is gone (410)", keepsPartial: false)
    default: return .fail(.unacceptableStatus, "status \(status)", keepsPartial: true)
    }
  }

  /// Bytes of a body that was taken; what is to be done when they are too many.
  mutating func took(_ count: Int64) -> Action? {
    state.offset += count
    given += count
    furthest = max(furthest, state.offset)
    if let end, state.offset > end {
      return startOver("the server sent more than the \(end) bytes it announced")
    }
    return nil
  }

  /// The body has ended in order.
  mutating func ended() -> Action {
    if state.total == nil, end == nil { state.total = state.offset }
    if state.total == state.offset { return .finish }
    // A part may be shorter than what was asked for.
    if given > 0, state.condition != nil { return .ask }
    return startOver(
      "the response ended after \(state.offset) of \(state.total.map { "\($0)" } ?? "unknown") bytes")
  }

  /// The body broke off. Whether the rest can be asked for.
  var canResume: Bool { state.condition != nil && state.offset > 0 }
  /// The body broke off. Whether it can be asked for: the rest, or the whole where nothing has come.
  var mayAskAgain: Bool { canResume || state.offset == 0 }
  /// Whether the body has brought bytes beyond the furthest that was reached before it. Others are no progress: a server that
  /// ignores the range and breaks off would be asked for ever.
  var hasProgressed: Bool { furthest > mark }

  /// The name for a file to which the server has given none.
  mutating func name(_ name: @autoclosure () -> String?) {
    if state.fileName == nil { state.fileName = name() }
  }

  /// The file goes to another place than was asked for.
  mutating func choose(_ target: DownloadTarget?) { state.target = target }

  /// Forgets what was received.
  mutating func restart() {
    state = DownloadState()
    given = 0
    end = nil
  }

  // MARK: Insides

  private mutating func takeWhole(_ headers: HTTPHeaders) -> Action {
    let isCoded = Self.isCoded(headers)
    let length = isCoded ? nil : headers["Content-Length"].flatMap { Int64(digits: $0) }
    // The field has no meaning here (RFC 9110, 14.4); a server that sends it may have sent a part all the same.
    if headers.contains("Content-Range") {
      guard let range = ContentRange(headers), range.first == 0, let total = range.total,
        range.last == total - 1
      else { return startOver("a response 200 has the Content-Range of a part") }
    }
    state = DownloadState()
    state.total = length
    end = length
    // The bytes of a coded body are not those that a range would count.
    if !isCoded {
      state.etag = headers["ETag"].flatMap { DownloadState.isStrongTag($0) ? $0 : nil }
      state.lastModified = Self.strongDate(headers)
      state.digest = Self.digest(headers)
    }
    state.fileName = headers.combined("Content-Disposition").flatMap { SafeFileName.name(inDisposition: $0) }
    return .take(from: 0)
  }

  private mutating func takePart(_ headers: HTTPHeaders) -> Action {
    guard state.offset > 0, state.condition != nil else {
      return startOver("a part was sent, and none asked for")
    }
    let type = headers["Content-Type"].map(BodyDecoders.mediaType)
    guard type != "multipart/byteranges" else {
      return startOver("several parts were sent, and one asked for")
    }
    guard !Self.isCoded(headers) else { return startOver("a part has a content coding") }
    guard let range = ContentRange(headers) else { return startOver("a part has no valid Content-Range") }
    guard range.first == state.offset else {
      return startOver("a part begins at \(range.first) and not at \(state.offset)")
    }
    if let length = headers["Content-Length"].flatMap({ Int64(digits: $0) }),
      length != range.last - range.first + 1
    {
      return startOver("a part has another length than its Content-Range")
    }
    if let total = state.total, let now = range.total, total != now {
      return startOver("the file had \(total) bytes, and now has \(now)")
    }
    if let etag = state.etag {
      guard headers["ETag"].equalsExactly(etag) else { return startOver("a part has another ETag") }
    } else if let date = headers["Last-Modified"], date != state.lastModified {
      return startOver("a part has another Last-Modified")
    }
    if state.total == nil { state.total = range.total }
    end = range.last + 1
    return .take(from: state.offset)
  }

  private mutating func startOver(_ why: String) -> Action {
    if hasStartedOver { return .fail(.malformedResponse, "\(why), twice", keepsPartial: false) }
    hasStartedOver = true
    restart()
    return .startOver
  }

  private static func isCoded(_ headers: HTTPHeaders) -> Bool {
    headers.combined("Content-Encoding").map { $0.lowercased() != "identity" && !$0.isEmpty } ?? false
  }

  private static func strongDate(_ headers: HTTPHeaders) -> String? {
    guard let text = headers["Last-Modified"], let changed = HTTPDate.secondsSince1970(text),
      let date = headers.date("Date"), changed <= date - 1
    else { return nil }
    return text
  }

  /// The strongest member of `Repr-Digest` that is known (RFC 9530).
  private static func digest(_ headers: HTTPHeaders) -> FileDigest? {
    let members = headers.combined("Repr-Digest")?.split(separator: ",") ?? []
    return members.compactMap { FileDigest(member: String($0).trimmingSpaces()) }.max {
      !$0.isLong && $1.isLong
    }
  }
}

/// `Content-Range: bytes 0-99/200`, or `bytes */200` of a 416 (RFC 9110, 14.4).
struct ContentRange: Sendable, Hashable {
  /// -1 when there is no range.
  var first: Int64 = -1
  var last: Int64 = -1
  var total: Int64?

  init?(_ headers: HTTPHeaders) {
    let fields = headers.values("Content-Range")
    guard fields.count == 1, fields[0].lowercased().hasPrefix("bytes ") else { return nil }
    let halves = fields[0].dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    if halves[1] != "*" {
      guard let total = Int64(digits: halves[1]) else { return nil }
      self.total = total
    }
    guard halves[0] != "*" else { return }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]),
      first <= last, last < .max,
      total.map({ last < $0 }) ?? true
    else { return nil }
    (self.first, self.last) = (first, last)
  }
}
