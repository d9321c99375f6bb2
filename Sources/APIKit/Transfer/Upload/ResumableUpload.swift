/// A protocol by which an upload goes on where it broke off: event in, action out, without files, sockets or time.
///
/// ``TusMachine`` is the one there is. Another (the IETF's resumable uploads, when they are a standard) is a second type with
/// its case in ``UploadProtocol``.
protocol ResumableUpload: Sendable {
  /// What the journal keeps.
  var state: UploadState { get }
  /// What is done first.
  mutating func begin() -> UploadAction
  /// What a response means. `location` is its `Location`, resolved; nil where it has none that may be followed.
  mutating func responded(_ status: Int, _ headers: HTTPHeaders, location: String?) -> UploadAction
  /// The request broke off, and nothing is known of its part.
  mutating func broke() -> UploadAction
  /// The next part has these bytes, and is the last one or not.
  ///
  /// - Returns: Header fields that its request has beside those it was given.
  mutating func read(_ count: Int64, isLast: Bool) -> HTTPHeaders
  /// The header fields for the digest of a part; nil where none is sent.
  func checksum(of part: [UInt8]) -> HTTPHeaders?
  /// The request that has the server forget the upload; nil when it does not know it.
  func termination() -> UploadRequest?
}

/// What is known of an upload between its requests: what the journal keeps.
struct UploadState: Sendable, Hashable, Codable {
  /// The URL of the upload.
  var location: String?
  /// How many bytes the server has said to have.
  var offset: Int64 = 0
  /// The length of the whole; nil until a stream has ended.
  var total: Int64?
  /// When the server forgets it, in seconds since 1970.
  var expires: Double?
  /// Whether the last byte was sent, and the response to it not seen.
  var hasSentAll = false
}

/// One request of an upload.
struct UploadRequest: Sendable, Equatable {
  var method: HTTPMethod
  /// Its URL; nil for the endpoint of the manager.
  var location: String?
  var headers: HTTPHeaders
  /// Where the bytes begin that it carries; nil for none.
  var offset: Int64?
}

/// What is to be done.
enum UploadAction: Sendable, Equatable {
  /// The state is kept, and the request sent.
  case send(UploadRequest)
  /// The same after a wait: the nth time that nothing moved on.
  case wait(Int, UploadRequest)
  /// All bytes are there.
  case finish
  /// The upload ends; the journal goes, or stays for another try.
  case fail(APIError.Reason, String, keepsJournal: Bool)
}

extension APIError.Reason {
  /// The server no longer knows an upload whose last byte was sent: it may have taken all of it or nothing.
  public static let uploadVanished = Self(
    "upload-vanished", "the server does not know the upload any more")
}
