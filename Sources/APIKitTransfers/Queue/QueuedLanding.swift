import APIKit

/// How an item of a queue has ended, as it is kept until its delegate is told.
enum QueuedLanding: Sendable {
  case response(HTTPResponse)
  case file(DownloadedFile)
  case failure(reason: String, place: String, detail: String, status: Int?, body: [UInt8])

  init(_ error: APIError) {
    self = .failure(
      reason: error.reason.name, place: error.stage.rawValue, detail: error.detail,
      status: error.status, body: error.evidence?.body ?? [])
  }
}

extension QueuedLanding: QueueContent {
  static let envelope = Envelope(kind: .queuedLanding)

  func write(to writer: inout ByteWriter) {
    switch self {
    case .response(let http):
      writer.append(UInt64(1))
      writer.append(UInt64(http.status))
      // As of the header fields, secrets are left out of what is kept.
      writer.append(http.url?.masked)
      writer.append(http.headers.withoutSecrets)
      writer.append(http.bytes)
    case .file(let file):
      writer.append(UInt64(2))
      writer.append(file.path)
      writer.append(UInt64(bitPattern: file.count))
      writer.append(file.sha256)
    case .failure(let reason, let place, let detail, let status, let body):
      writer.append(UInt64(0))
      for text in [reason, place, detail] { writer.append(text) }
      writer.append(UInt64(status ?? 0))
      writer.append(body)
    }
  }

  init?(from reader: inout ByteReader) {
    switch reader.number() {
    case 1:
      guard let status = reader.number(), let url = reader.optionalText(), let headers = reader.headers(),
        let body = reader.countedBytes()
      else { return nil }
      self = .response(
        HTTPResponse(
          status: Int(clamping: status), headers: headers, body: .bytes(body),
          url: url.text.flatMap { try? HTTPURL($0) }))
    case 2:
      guard let path = reader.text(), let count = reader.number(), let sha256 = reader.optionalText() else {
        return nil
      }
      self = .file(DownloadedFile(path: path, count: Int64(bitPattern: count), sha256: sha256.text))
    case 0:
      guard let reason = reader.text(), let place = reader.text(), let detail = reader.text(),
        let status = reader.number(), let body = reader.countedBytes()
      else { return nil }
      self = .failure(
        reason: reason, place: place, detail: detail, status: status == 0 ? nil : Int(clamping: status),
        body: body)
    default: return nil
    }
  }
}

extension HTTPHeaders {
  /// Those that may stand on the disk.
  var withoutSecrets: HTTPHeaders {
    isEmpty ? self : HTTPHeaders(fields.filter { !SecretNames.contains($0.name) })
  }
}
