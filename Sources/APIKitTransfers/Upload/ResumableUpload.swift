public import APIKit

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
  /// The request of the part has ended, and so much is known of what has left this machine.
  ///
  /// - Parameters:
  ///   - sent: How many bytes of the part; nil where the transport does not say.
  ///   - progress: How far the request came; nil where the transport does not say: it then counts as sent.
  mutating func left(_ sent: Int64?, _ progress: RequestProgress?)
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
  /// Up to where bytes may have left this machine: the server can have none beyond. Nil in journals of earlier versions.
  var reach: Int64?
  /// Whether the last byte may have left: the server may then have all of it.
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
  /// The server no longer knows an upload whose last byte may have been sent: it may have taken all of it or nothing.
  public static let uploadVanished = Self(
    "upload-vanished", "the server does not know the upload any more")
}
