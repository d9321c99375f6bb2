/// One stored response as bytes: the content of the envelope in a row of the database.
///
/// The fields with their lengths, little-endian; then the body, unless it is in a file. Every length is
/// checked while reading; bytes that are not a record give nil. The version of ``SQLiteSchema/cache`` is raised when the
/// form changes.
struct CacheRecord {
  let entry: CacheEntry
  /// The checksum of the body when it is in a file.
  var bodyChecksum: UInt64?
  /// The length of the body in bytes.
  var bodyCount: Int

  static let envelope = Envelope(kind: .cachedResponse)
  static let bodyEnvelope = Envelope(kind: .cachedBody)

  /// - Parameter process: Identifies this process, because the steady clock of another one differs.
  static func encode(_ entry: CacheEntry, process: UInt64, bodyInFile checksum: UInt64?) -> [UInt8] {
    let body = entry.http.bytes
    var writer = ByteWriter(reserving: 1024 + (checksum == nil ? body.count : 0))
    writer.append(contentsOf: entry.key.bytes)
    writer.append(entry.type)
    writer.append(UInt64(bitPattern: Int64(entry.version)))
    writer.append(entry.tags.sorted())
    writer.append(UInt64(entry.isSensitive ? 1 : 0))
    writer.append(entry.url)
    writer.append(entry.partition)
    writer.append(UInt64(entry.vary.fields.count))
    for field in entry.vary.fields {
      writer.append(field.name)
      writer.append(field.value)
    }
    writer.append(UInt64(entry.http.status))
    writer.append(entry.http.version.rawValue)
    writer.append(entry.http.url?.string)
    writer.append(entry.http.headers)
    writer.append(entry.arrival.wall)
    writer.append(entry.arrival.steady ?? -1)
    writer.append(process)
    writer.append(entry.freshness.lifetime)
    writer.append(entry.freshness.initialAge)
    writer.append(entry.ownLifetime ?? -1)
    writer.append(UInt64(body.count))
    writer.append(UInt64(checksum == nil ? 0 : 1))
    writer.append(checksum ?? 0)
    if checksum == nil { writer.append(contentsOf: body) }
    return writer.finish()
  }

  /// Reads a record; the body is empty when it is in a file.
  init?(_ bytes: UnsafeRawBufferPointer, process: UInt64, isExpired: Bool) {
    var reader = ByteReader(bytes)
    guard let keyBytes = reader.take(32), let key = CacheKey(keyBytes),
      let type = reader.text(), let version = reader.number(), let tags = reader.texts(),
      let isSensitive = reader.number(),
      let url = reader.number(),
      let partition = reader.number(),
      let vary = reader.pairs(),
      let status = reader.number(), let httpVersion = reader.text(), let answered = reader.optionalText(),
      let headers = reader.headers(),
      let wall = reader.double(), let steady = reader.double(), let writer = reader.number(),
      let lifetime = reader.double(), let initialAge = reader.double(), let ownLifetime = reader.double(),
      let count = reader.number(), let isInFile = reader.number(), let checksum = reader.number(),
      (100...999).contains(status), count <= UInt64(Int32.max)
    else { return nil }
    var body: [UInt8] = []
    if isInFile == 0 {
      guard let inline = reader.take(Int(count)) else { return nil }
      body = inline
    }
    guard reader.isAtEnd else { return nil }
    bodyCount = Int(count)
    bodyChecksum = isInFile == 0 ? nil : checksum

    let http = HTTPResponse(
      status: Int(status), headers: headers, body: .bytes(body),
      version: HTTPVersion(rawValue: httpVersion) ?? .http1_1, url: answered.text.flatMap { try? HTTPURL($0) }
    )
    let freshness = HTTPFreshness(
      lifetime: lifetime, initialAge: initialAge, control: CacheControl(response: http.headers))
    let fields = CacheEntry.Fields(
      key: key, type: type, version: Int(Int64(bitPattern: version)), tags: Set(tags),
      isSensitive: isSensitive == 1, url: url, partition: partition,
      vary: VaryMatcher(fields: vary.map { VaryMatcher.Field(name: $0, value: $1) }), http: http, raw: nil,
      arrival: CacheMoment(wall: wall, steady: writer == process && steady >= 0 ? steady : nil),
      freshness: freshness, ownLifetime: ownLifetime < 0 ? nil : ownLifetime, isExpired: isExpired)
    entry = CacheEntry(fields)
  }
}
