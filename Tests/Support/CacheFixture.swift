import Foundation
import XCTest

@testable import APIKit

/// Responses and folders for tests of the cache. The body of a response follows from its number, so that a
/// wrong or partial one shows.
enum CacheFixture {
  /// The response of a number.
  static func entry(
    _ number: Int, bytes: Int = 100, version: Int = 0, tags: Set<String> = [], isSensitive: Bool = false,
    partition: String = "", vary: VaryMatcher = VaryMatcher(), lifetime: Double = 1_000_000,
    time: any TimeSource = SystemTime()
  ) -> CacheEntry {
    let http = HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json", "ETag": "\"\(number)\""],
      body: .bytes(body(number, bytes)), url: "https://homes.test/api/list")
    let now = CacheMoment(time)
    let fields = CacheEntry.Fields(
      key: key(number), type: "Fixture", version: version, tags: tags, isSensitive: isSensitive,
      url: Checksum.of("url \(number)"), partition: Checksum.of(partition), vary: vary, http: http,
      raw: nil, arrival: now,
      freshness: HTTPFreshness(status: 200, headers: http.headers, requested: now.wall, received: now.wall),
      ownLifetime: lifetime)
    return CacheEntry(fields)
  }

  /// The body of a number: JSON of about this length.
  static func body(_ number: Int, _ bytes: Int) -> [UInt8] {
    var body = Array("{\"number\": \(number), \"text\": \"".utf8)
    var next = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
    while body.count < bytes - 2 {
      next = next &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      body.append(UInt8(ascii: "a") + UInt8(next >> 59) % 26)
    }
    return body + Array("\"}".utf8)
  }

  static func key(_ number: Int) -> CacheKey { CacheKey(texts: ["key \(number)"]) }

  static func query(_ number: Int, version: Int = 0, headers: HTTPHeaders = [:]) -> CacheQuery {
    CacheQuery(key: key(number), type: "Fixture", version: version) { headers }
  }

  /// The names of the body files in a cache's folder.
  static func bodyFiles(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder + "/bodies")) ?? []
  }
}

/// Collects the faults of a cache.
final class FaultLog: Sendable {
  private let log = Mutex<[CacheFault]>([])
  var faults: [CacheFault] { log.withLock { $0 } }
  var kinds: Set<CacheFault.Kind> { Set(faults.map(\.kind)) }

  init(_ cache: ResponseCache) { cache.onFault { [self] fault in log.withLock { $0.append(fault) } } }
}

extension ResponseCache {
  /// Stores on disk alone, as a landing does.
  func put(_ entry: CacheEntry, in levels: CacheLevels = .disk) {
    store(entry, in: levels)
  }

  /// What the disk has for a number.
  func onDisk(_ number: Int, headers: HTTPHeaders = [:]) -> CacheEntry? {
    disk?.find(CacheFixture.query(number, headers: headers))
  }
}
