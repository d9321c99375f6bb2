public import APIKit

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
  /// The key of the transfer of a queue that has ended with it, until the queue has written that; nil for any other.
  var ended: String?
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
  /// The server no longer knows an upload whose last byte may have been sent: it may have received all of it or
  /// nothing.
  public static let uploadVanished = Self(
    "upload-vanished", "the server does not know the upload any more")
}
