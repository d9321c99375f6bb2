import APIKit

/// What is kept of a transfer that waits in a queue: what is sent but for what proves who sends it, and where the file is.
struct KeptTransfer: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case download(to: DownloadTarget, sha256: String?)
    /// Of a file where it is, as long as it is the one with this fingerprint.
    case upload(path: String, offset: Int64, fingerprint: String)
    /// Of the file of the item.
    case spooledUpload(contentType: String?)
  }

  /// The key of the transfer, the same for all attempts.
  var key = ""
  var service = ""
  var environment = ""
  var apiName = ""
  var parameters = Parameters()
  var kind: Kind
  /// Where the journal is that says how far it is; empty for a transfer without one.
  var journal = ""
  /// How many bytes are to be sent; -1 for a download.
  var count: Int64 = -1

  // MARK: As bytes

  static let envelope = Envelope(kind: .queuedTransfer)

  func encode() -> [UInt8] {
    var call = QueuedCall()
    (call.key, call.service, call.environment) = (key, service, environment)
    (call.apiName, call.parameters) = (apiName, parameters)
    var writer = ByteWriter(reserving: 512)
    writer.append(call.encode())
    switch kind {
    case .download(let target, let sha256):
      writer.append(UInt64(0))
      let (isFolder, path, overwrites) =
        switch target {
        case .file(let path, let overwrites): (false, path, overwrites)
        case .folder(let path, let overwrites): (true, path, overwrites)
        }
      writer.append(UInt64(isFolder ? 1 : 0))
      writer.append(path)
      writer.append(UInt64(overwrites ? 1 : 0))
      writer.append(sha256)
    case .upload(let path, let offset, let fingerprint):
      writer.append(UInt64(1))
      writer.append(path)
      writer.append(UInt64(bitPattern: offset))
      writer.append(fingerprint)
    case .spooledUpload(let type):
      writer.append(UInt64(2))
      writer.append(type)
    }
    writer.append(journal)
    writer.append(UInt64(bitPattern: count))
    return Self.envelope.wrap(writer.bytes)
  }

  init(_ kind: Kind) { self.kind = kind }

  /// Nil for bytes that ``encode()`` did not make.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes -> KeptTransfer? in
      guard let content = try? Self.envelope.unwrap(bytes) else { return nil }
      var reader = ByteReader(content)
      guard let count = reader.number(), let head = reader.take(Int(clamping: count)),
        let call = QueuedCall(head), let kind = reader.transferKind(), let journal = reader.text(),
        let total = reader.number(), reader.isAtEnd
      else { return nil }
      var kept = KeptTransfer(kind)
      (kept.key, kept.service, kept.environment) = (call.key, call.service, call.environment)
      (kept.apiName, kept.parameters) = (call.apiName, call.parameters)
      (kept.journal, kept.count) = (journal, Int64(bitPattern: total))
      return kept
    }
    guard let read else { return nil }
    self = read
  }
}

extension ByteReader {
  fileprivate mutating func transferKind() -> KeptTransfer.Kind? {
    switch number() {
    case 0:
      guard let isFolder = number(), let path = text(), let overwrites = number(), let sha256 = optionalText()
      else { return nil }
      return .download(
        to: isFolder == 1
          ? .folder(path, overwrites: overwrites == 1) : .file(path, overwrites: overwrites == 1),
        sha256: sha256.text)
    case 1:
      guard let path = text(), let offset = number(), let fingerprint = text() else { return nil }
      return .upload(path: path, offset: Int64(bitPattern: offset), fingerprint: fingerprint)
    case 2: return optionalText().map { .spooledUpload(contentType: $0.text) }
    default: return nil
    }
  }
}
