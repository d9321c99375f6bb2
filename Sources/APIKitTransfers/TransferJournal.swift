import APIKit
import Foundation

/// The file in which a transfer keeps how far it is: JSON in an `Envelope`, whose checksum is checked before it is used.
///
/// Written by the holder of the transfer's lock alone.
struct TransferJournal<Content: Codable>: Sendable {
  let path: String
  let envelope: Envelope

  init(_ path: String, _ kind: Envelope.EnvelopeKind) {
    self.path = path
    envelope = Envelope(kind: kind)
  }

  /// What is written before it has the journal's name. A process that ends meanwhile leaves it.
  var draftPath: String { path + Self.draftEnding }
  static var draftEnding: String { ".new" }
  /// In bytes.
  private static var limit: Int { 1 << 20 }

  /// The content; nil where there is no journal.
  ///
  /// Journals of earlier versions are JSON without an envelope. They are read, and get theirs when they are written next.
  /// - Throws: Why it is not used: it is damaged, or not a private file of this user.
  func read() throws -> Content? {
    guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return nil }
    let json =
      bytes.first == UInt8(ascii: "{")
      ? Data(bytes) : Data(try bytes.withUnsafeBytes { Array(try envelope.unwrap($0)) })
    return try JSONDecoder().decode(Content.self, from: json)
  }

  /// Replaces the journal. Its folder is taken as it is.
  func write(_ content: Content) throws(APIError) {
    do {
      let json = try JSONEncoder().encode(content)
      try PrivateFile.replace(path, with: envelope.wrap(Array(json)), by: draftPath, limit: Self.limit)
    } catch {
      throw APIError(
        .transport, (error as? PrivateFile.Fault)?.reason ?? .fileFailed,
        "the journal \(path.debugDescription) cannot be written", underlying: error)
    }
  }

  func remove() {
    unlink(path)
    unlink(draftPath)
  }
}
