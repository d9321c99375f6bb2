import APIKit

/// How an item of a queue has ended, as it is kept until its delegate is told.
enum QueuedLanding: Sendable {
  case response(HTTPResponse)
  case file(DownloadedFile)
  case failure(reason: String, place: String, detail: String, status: Int?, body: [UInt8])

  static let envelope = Envelope(kind: .queuedLanding)

  init(_ result: Result<APIResponse, APIError>) {
    switch result {
    case .success(let response): self = .response(response.http)
    case .failure(let error): self.init(error)
    }
  }

  init(_ error: APIError) {
    self = .failure(
      reason: error.reason.name, place: error.place.rawValue, detail: error.detail,
      status: error.context.status ?? error.evidence?.status, body: error.evidence?.body ?? [])
  }

  /// Nil for one that is damaged on the disk.
  init?(_ kept: QueueStore.Landing) {
    guard let bytes = kept.payload.withUnsafeBytes({ try? Self.envelope.unwrap($0) }) else { return nil }
    self.init(Array(bytes))
  }

  func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 512)
    switch self {
    case .response(let http):
      writer.append(UInt64(1))
      writer.append(UInt64(http.status))
      // As of the header fields, secrets are left out of what is kept.
      writer.append(http.url.map { SecretMask().url($0) })
      let fields = http.headers.fields.filter { !SecretNames.contains($0.name) }
      writer.append(UInt64(fields.count))
      for field in fields {
        writer.append(field.name)
        writer.append(field.value)
      }
      writer.append(UInt64(http.bytes.count))
      writer.bytes += http.bytes
    case .file(let file):
      writer.append(UInt64(2))
      writer.append(file.path)
      writer.append(UInt64(bitPattern: file.count))
      writer.append(file.sha256)
    case .failure(let reason, let place, let detail, let status, let body):
      writer.append(UInt64(0))
      for text in [reason, place, detail] { writer.append(text) }
      writer.append(UInt64(status ?? 0))
      writer.append(UInt64(body.count))
      writer.bytes += body
    }
    return writer.bytes
  }

  /// Nil for bytes that ``encode()`` did not make.
  init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes -> QueuedLanding? in
      var reader = ByteReader(bytes)
      switch reader.number() {
      case 1:
        guard let status = reader.number(), let url = reader.optionalText(), let fields = reader.fields(),
          let count = reader.number(), let body = reader.take(Int(clamping: count)), reader.isAtEnd
        else { return nil }
        return .response(
          HTTPResponse(
            status: Int(clamping: status), headers: HTTPHeaders(fields.map { HTTPHeaders.Field($0, $1) }),
            body: .bytes(body), url: url.text.flatMap { try? HTTPURL($0) }))
      case 2:
        guard let path = reader.text(), let count = reader.number(), let sha256 = reader.optionalText(),
          reader.isAtEnd
        else { return nil }
        return .file(DownloadedFile(path: path, count: Int64(bitPattern: count), sha256: sha256.text))
      case 0:
        guard let reason = reader.text(), let place = reader.text(), let detail = reader.text(),
          let status = reader.number(), let count = reader.number(),
          let body = reader.take(Int(clamping: count)), reader.isAtEnd
        else { return nil }
        return .failure(
          reason: reason, place: place, detail: detail, status: status == 0 ? nil : Int(clamping: status),
          body: body)
      default: return nil
      }
    }
    guard let read else { return nil }
    self = read
  }
}
