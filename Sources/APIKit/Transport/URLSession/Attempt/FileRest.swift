import Foundation

/// The rest of a file as a body, for a session that sends whole files only. Nothing is mapped, since a file that is cut while it
/// is sent would end the process.
///
/// Apple's session reads it as a stream. That of Linux has no streams: it sends a copy, which is removed with this object.
final class FileRest: Sendable {
  private let copy: String?

  /// Puts what the session can send in the place of a request's body; nil for bodies that it can send as they are.
  ///
  /// Throws ``APIError/Reason/unreadableBody`` for a file that is not there, and ``APIError/Reason/fileFailed`` or
  /// ``APIError/Reason/storageFull`` when no copy can be made.
  init?(of request: inout HTTPRequest) throws(APIError) {
    guard case .file(let path, let offset) = request.body, offset > 0 else { return nil }
    #if canImport(FoundationNetworking)
      let copy = FileManager.default.temporaryDirectory.appendingPathComponent(Nonce.make()).path
      try Self.copy(path, from: offset, to: copy)
      (self.copy, request.body) = (copy, .file(path: copy))
    #else
      (copy, request.body) = (nil, .stream(try Self.stream(path, from: offset)))
    #endif
  }

  deinit { if let copy { unlink(copy) } }

  /// The bytes of a file from an offset on, as many as there are now.
  static func stream(_ path: String, from offset: Int64) throws(APIError) -> HTTPBodyStream {
    let length = try length(path, from: offset)
    return HTTPBodyStream(length: length, isReplayable: true) {
      let next = try reader(path, from: offset, length)
      return { try next() }
    }
  }

  private static func length(_ path: String, from offset: Int64) throws(APIError) -> Int64 {
    guard let length = FileIdentity(path: path).map({ $0.size - offset }), length >= 0 else {
      throw APIError(
        .transport, .unreadableBody, "the file \(path.debugDescription) cannot be read from byte \(offset)")
    }
    return length
  }

  /// Reads so many bytes, and fails when the file has become shorter meanwhile.
  private static func reader(
    _ path: String, from offset: Int64, _ length: Int64
  ) throws(APIError) -> @Sendable () throws -> [UInt8]? {
    let file = try FileChunks(path: path, offset: offset)
    let left = Mutex(length)
    return {
      let wanted = Int(clamping: left.withLock { $0 })
      guard wanted > 0 else { return nil }
      guard let chunk = try file.next() else {
        throw APIError(
          .transport, .unreadableBody,
          "the file \(path.debugDescription) has become shorter while it was sent")
      }
      left.withLock { $0 -= Int64(min(chunk.count, wanted)) }
      return Array(chunk.prefix(wanted))
    }
  }

  #if canImport(FoundationNetworking)
    private static func copy(_ path: String, from offset: Int64, to copy: String) throws(APIError) {
      let next = try reader(path, from: offset, length(path, from: offset))
      do {
        var file = try FileDraft(copy)
        do {
          while let chunk = try next() { try file.write(chunk) }
          try file.commit(as: copy, .process)
        } catch {
          file.discard()
          throw error
        }
      } catch {
        throw error as? APIError
          ?? APIError(
            .transport, (error as? PrivateFile.Fault)?.reason ?? .fileFailed,
            "the rest of a file cannot be copied: \(error)", underlying: error)
      }
    }
  #endif
}
