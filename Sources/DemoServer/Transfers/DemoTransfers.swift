import APIKit

/// Files both ways: `GET /transfers/files/<bytes>` with ranges, `PUT` and `POST /transfers/uploads` for plain uploads and forms,
/// tus 1.0 at `/transfers/tus`.
///
/// A file is as long as its name says, at most 64 MiB, and has the same bytes at each request. With `demo_break=<bytes>` each
/// response breaks off after so many; with `demo_rate=<bytes>` its body is sent at so many a second. What is uploaded is
/// counted and not kept.
final class DemoTransfers: Sendable {
  private struct Upload {
    var length: Int?
    var count = 0
    var sum = Sum()
  }

  private let uploads = Mutex<[String: Upload]>([:])
  private static let longest = 64 << 20

  func register(in routes: RouteTable) {
    routes.set(.get, "/transfers/files/*") { Self.file($0) }
    for method in [HTTPMethod.put, .post] {
      routes.set(method, "/transfers/uploads") { request in
        .json([
          "bytes": .int(request.body.count), "type": .string(request.headers["Content-Type"] ?? ""),
          "sum": .int(Self.sum(request.body)),
        ])
      }
    }
    routes.set(.post, "/transfers/tus") { [self] in create($0) }
    routes.set(.head, "/transfers/tus/*") { [self] in look($0) }
    routes.set(.patch, "/transfers/tus/*") { [self] in append($0) }
    routes.set(.delete, "/transfers/tus/*") { [self] in remove($0) }
  }

  // MARK: Files

  private static func file(_ request: DemoRequest) -> DemoResponse {
    let name = request.path.dropFirst("/transfers/files/".count)
    guard let count = Int(name), (0...longest).contains(count) else {
      return .json(
        ["error": .string("a file is named by its length, up to \(longest)"), "status": 404], status: 404)
    }
    let rate = request["demo_rate"].map { Int($0) ?? 0 }
    guard rates.contains(rate ?? rates.lowerBound) else {
      let text = "demo_rate must be \(rates.lowerBound) to \(rates.upperBound) bytes a second"
      return .json(["error": .string(text), "parameter": "demo_rate"], status: 400)
    }
    let end = request["demo_break"].map { Int($0) ?? -1 }
    if let end, end < 0 {
      let text = "demo_break must be a whole number from 0"
      return .json(["error": .string(text), "parameter": "demo_break"], status: 400)
    }
    let tag = "\"demo-\(count)\""
    var (status, range) = (200, 0..<count)
    var headers: HTTPHeaders = [
      "Content-Type": "application/octet-stream", "ETag": tag, "Accept-Ranges": "bytes",
      "Content-Disposition": "attachment; filename=\"demo-\(count).bin\"",
    ]
    if let asked = request.headers["Range"], request.headers["If-Range"].map({ $0 == tag }) ?? true,
      let asked = bounds(of: asked)
    {
      guard asked.first < count else {
        return DemoResponse(416, headers: ["Content-Range": "bytes */\(count)"])
      }
      (status, range) = (206, asked.first..<min(asked.last ?? count - 1, count - 1) + 1)
      headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")
    }
    var response = DemoResponse(status, headers: headers, body: bytes(range))
    response.cutAfter = end
    response.rate = rate
    return response
  }

  /// The bytes a second that a client may ask for.
  private static let rates = 1000...100_000_000

  /// The byte at a place of every file.
  static func byte(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }

  /// One period of ``byte(at:)``.
  private static let pattern = (0..<1 << 16).map(byte)

  /// The bytes of a part of every file, copied by the block.
  static func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(unsafeUninitializedCapacity: range.count) { target, count in
      pattern.withUnsafeBytes { pattern in
        while count < range.count {
          let start = (range.lowerBound + count) % pattern.count
          let part = pattern[start..<min(pattern.count, start + range.count - count)]
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
          count += part.count
        }
      }
    }
  }

  /// `bytes=100-` or `bytes=100-199`; nil for anything else, which is then not a range.
  private static func bounds(of range: String) -> (first: Int, last: Int?)? {
    guard range.hasPrefix("bytes=") else { return nil }
    let parts = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]) else { return nil }
    if parts[1].isEmpty { return (first, nil) }
    guard let last = Int(parts[1]), last >= first else { return nil }
    return (first, last)
  }

  // MARK: tus

  private static var tooLarge: DemoResponse {
    var response = DemoResponse.json(
      ["error": .string("an upload has at most \(longest) bytes here, and no more than it has announced")],
      status: 413)
    response.headers.merge(version)
    return response
  }

  private static let version: HTTPHeaders = ["Tus-Resumable": "1.0.0"]

  private func create(_ request: DemoRequest) -> DemoResponse {
    if let refusal = refusal(request) { return refusal }
    let length = request.headers["Upload-Length"].flatMap { Int($0) }
    guard length ?? 0 >= 0, length != nil || request.headers["Upload-Defer-Length"] == "1" else {
      return DemoResponse(400, headers: Self.version)
    }
    guard length ?? 0 <= Self.longest else { return Self.tooLarge }
    let id = uploads.withLock { uploads in
      let id = "\(uploads.count + 1)-\(UInt32.random(in: 0 ... .max))"
      uploads[id] = Upload(length: length)
      return id
    }
    var headers = Self.version
    headers.add("Location", "/transfers/tus/\(id)")
    return DemoResponse(201, headers: headers)
  }

  private func look(_ request: DemoRequest) -> DemoResponse {
    if let refusal = refusal(request) { return refusal }
    guard let upload = uploads.withLock({ $0[Self.id(request)] }) else {
      return DemoResponse(404, headers: Self.version)
    }
    return DemoResponse(200, headers: Self.state(upload))
  }

  private func append(_ request: DemoRequest) -> DemoResponse {
    if let refusal = refusal(request) { return refusal }
    return uploads.withLock { uploads in
      guard var upload = uploads[Self.id(request)] else { return DemoResponse(404, headers: Self.version) }
      guard request.headers["Content-Type"] == "application/offset+octet-stream" else {
        return DemoResponse(415, headers: Self.version)
      }
      guard request.headers["Upload-Offset"] == "\(upload.count)" else {
        return DemoResponse(409, headers: Self.version)
      }
      if upload.length == nil { upload.length = request.headers["Upload-Length"].flatMap { Int($0) } }
      guard upload.count + request.body.count <= upload.length ?? Self.longest else {
        return Self.tooLarge
      }
      upload.count += request.body.count
      upload.sum.add(request.body)
      uploads[Self.id(request)] = upload
      return DemoResponse(204, headers: Self.state(upload))
    }
  }

  private func remove(_ request: DemoRequest) -> DemoResponse {
    if let refusal = refusal(request) { return refusal }
    let wasThere = uploads.withLock { $0.removeValue(forKey: Self.id(request)) != nil }
    return DemoResponse(wasThere ? 204 : 404, headers: Self.version)
  }

  private func refusal(_ request: DemoRequest) -> DemoResponse? {
    guard request.headers["Tus-Resumable"] != "1.0.0" else { return nil }
    return DemoResponse(412, headers: ["Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0"])
  }

  private static func id(_ request: DemoRequest) -> String {
    String(request.path.dropFirst("/transfers/tus/".count))
  }

  private static func state(_ upload: Upload) -> HTTPHeaders {
    var headers = version
    headers.add("Upload-Offset", "\(upload.count)")
    headers.add("Cache-Control", "no-store")
    if let length = upload.length {
      headers.add("Upload-Length", "\(length)")
      if length == upload.count { headers.add("X-Demo-Sum", "\(upload.sum.value)") }
    } else {
      headers.add("Upload-Defer-Length", "1")
    }
    return headers
  }

  /// A sum over bytes in order, by which a client sees that they have come (FNV-1a, 31 bits).
  struct Sum {
    private var hash: UInt32 = 0x811C_9DC5

    mutating func add(_ bytes: some Sequence<UInt8>) {
      hash = bytes.reduce(hash) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    var value: Int { Int(hash >> 1) }
  }

  static func sum(_ bytes: some Sequence<UInt8>) -> Int {
    var sum = Sum()
    sum.add(bytes)
    return sum.value
  }
}
