import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Cache then network: a preview, then the landing.
@MainActor final class CachePreviewTests: CachePolicyCase {
  func testCacheThenNetworkShowsAPreviewAndThenLandsOnce() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    time.advance(by: .seconds(3600))

    let viewer = PreviewViewer()
    let recorder = Recorder()
    manager.delegate = viewer
    manager.addInterceptor(recorder)
    viewer.onPreview = { [manager] in XCTAssertTrue(manager.isLoading) }
    manager.load([:])
    await viewer.waitForLanding()
    XCTAssertEqual(viewer.previews.map { $0.raw[0].int }, [1])
    XCTAssertEqual(viewer.previews.map(\.provenance), [.memory(age: .seconds(3600))])
    XCTAssertEqual(viewer.landings.map { $0.raw[0].int }, [2])
    XCTAssertEqual(viewer.landings.map(\.provenance), [.network])
    XCTAssertEqual(
      recorder.events, ["shouldLoad", "didLoad", "didReceive", "beforeSuccess", "afterSuccess"],
      "interceptors see one landing")
  }

  func testADelegateWithoutAPreviewMethodSeesTwoSuccesses() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load([:])
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.map(\.provenance), [.memory(age: .zero), .network])
  }

  func testAnInterceptorHidesAPreview() async throws {
    final class Hiding: APIManagerInterceptor {
      func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool { false }
    }
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    let viewer = PreviewViewer()
    let hiding = Hiding()
    manager.delegate = viewer
    manager.addInterceptor(hiding)
    manager.load([:])
    await viewer.waitForLanding()
    XCTAssertEqual(viewer.previews.count, 0)
  }

  func testAllLandingsOfALoadAreASequence() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    var seen: [Provenance] = []
    for try await response in manager.responses([:]) { seen.append(response.provenance) }
    XCTAssertEqual(seen, [.memory(age: .zero), .network])
    stub.on("/api/list", .failure(.connectionLost))
    seen = []
    var error: APIError?
    do {
      for try await response in manager.responses([:]) { seen.append(response.provenance) }
      XCTFail("the network's failure was not thrown")
    } catch let thrown {
      error = thrown
    }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(seen, [.memory(age: .zero)])
  }
}
