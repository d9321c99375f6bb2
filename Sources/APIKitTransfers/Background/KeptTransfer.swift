import APIKit

/// What is kept of a transfer that waits in a queue: what is sent, without credentials, and where the file is.
@dynamicMemberLookup struct KeptTransfer: Sendable, Equatable {
  enum TransferKind: Sendable, Equatable {
    case download(to: DownloadTarget, sha256: String?)
    /// Of a file where it is, as long as it is the one with this fingerprint.
    case upload(path: String, offset: Int64, fingerprint: String)
    /// Of the file of the item.
    case spooledUpload(contentType: String?)
  }

  /// The key of the transfer, the same for all attempts; service, environment, name and parameters of the endpoint.
  private(set) var call = QueuedCall()
  var kind: TransferKind
  /// Where the journal is that says how far it is; empty for a transfer without one.
  var journal = ""
  /// How many bytes are to be sent; -1 for a download.
  var count: Int64 = -1

  init(_ kind: TransferKind) { self.kind = kind }

  subscript<Value>(dynamicMember path: WritableKeyPath<QueuedCall, Value>) -> Value {
    get { call[keyPath: path] }
    set { call[keyPath: path] = newValue }
  }
}

extension KeptTransfer: QueueContent {
  static let envelope = Envelope(kind: .queuedTransfer)

  func write(to writer: inout ByteWriter) {
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
  }

  init?(from reader: inout ByteReader) {
    guard let call = reader.countedBytes().flatMap({ QueuedCall($0) }),
      let kind = TransferKind(from: &reader),
      let journal = reader.text(), let count = reader.number()
    else { return nil }
    (self.call, self.kind, self.journal, self.count) = (call, kind, journal, Int64(bitPattern: count))
  }
}

extension KeptTransfer.TransferKind {
  fileprivate init?(from reader: inout ByteReader) {
    switch reader.number() {
    case 0:
      guard let isFolder = reader.number(), let path = reader.text(), let overwrites = reader.number(),
        let sha256 = reader.optionalText()
      else { return nil }
      self = .download(
        to: isFolder == 1
          ? .folder(path, overwrites: overwrites == 1) : .file(path, overwrites: overwrites == 1),
        sha256: sha256.text)
    case 1:
      guard let path = reader.text(), let offset = reader.number(), let fingerprint = reader.text() else {
        return nil
      }
      self = .upload(path: path, offset: Int64(bitPattern: offset), fingerprint: fingerprint)
    case 2:
      guard let type = reader.optionalText() else { return nil }
      self = .spooledUpload(contentType: type.text)
    default: return nil
    }
  }
}
