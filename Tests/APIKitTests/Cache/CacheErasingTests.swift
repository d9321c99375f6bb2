@testable import TestSupport
import XCTest

@testable import APIKit

#if os(Linux)
  /// Removals that cannot reach all files.
  final class CacheErasingTests: XCTestCase {
    private lazy var folder = temporaryFolder().path

    func testBodiesOfAFolderThatCannotBeListedAreNotTakenForErased() async throws {
      let configuration = DiskCacheConfiguration(folder: folder)
      let body = [UInt8](repeating: 7, count: 1 << 18)
      do {
        let cache = ResponseCache(disk: configuration)
        cache.put(CacheFixture.entry(1).with { $0.http.body = .bytes(body) }, in: .all)
        await cache.flush()
      }
      XCTAssertEqual(PrivateFile.names(in: folder + "/bodies").count, 1)
      do {
        let limit = ProcessLimit.noDescriptors
        let cache = ResponseCache(disk: configuration)
        cache.removeAll()
        await cache.flush()
        let unerased = cache.unerasedFolder
        limit.remove()
        XCTAssertEqual(PrivateFile.names(in: folder + "/bodies").count, 1)
        XCTAssertEqual(unerased, folder)
        cache.removeAll()
        await cache.flush()
        XCTAssertNil(cache.unerasedFolder)
      }
      XCTAssertEqual(PrivateFile.names(in: folder + "/bodies"), [])
      XCTAssertEqual(try DiskCache.marks(in: folder).map(\.path), [])
    }
  }
#endif
