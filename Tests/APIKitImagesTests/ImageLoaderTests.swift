import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitImages

/// What an application says to a loader, and images by absolute URLs.
@MainActor final class ImageLoaderTests: XCTestCase {
  private let stub = StubTransport()
  private let size = ImageHead.Size(width: 100, height: 80)

  private func loader() -> ImageLoader {
    ImageLoader(
      wire: WireOptions(client: HTTPClient(transport: stub)), cache: CacheOptions(store: ResponseCache()))
  }

  private func png(_ headers: HTTPHeaders = ["Cache-Control": "max-age=60"]) -> StubResponse {
    .bytes(PNG.head(640, 480), contentType: "application/octet-stream", headers: headers)
  }

  /// The error of a load; on Apple systems, whose ImageIO reads no image in a head, that of the decoding.
  private func reason(_ load: () async throws(APIError) -> ImageThumbnail) async throws -> APIError.Reason {
    try await errorThrown(by: load).reason
  }

  private var undecoded: APIError.Reason {
    #if canImport(ImageIO)
      .malformedBody
    #else
      .unsupportedCapability
    #endif
  }

  func testAbsoluteURLsOfAnyHostAreLoadedAsTheyAre() async throws {
    stub.on("*", png())
    let loader = loader()
    let urls: [HTTPURL] = [
      "https://one.test/a.png?w=2&w=1", "https://two.test/a.png?w=2&w=1", "https://two.test:8443/a.png",
    ]
    for url in urls {
      let reason = try await reason { () throws(APIError) in try await loader.image(at: url, size: size) }
      XCTAssertEqual(reason, undecoded, "loaded, and then decoded by ImageIO alone")
    }
    XCTAssertEqual(stub.requests.map(\.url), urls)
    XCTAssertEqual(stub.requests.map(\.headers["Authorization"]), [nil, nil, nil])
  }

  func testAbsoluteImagesAreStoredByTheRulesOfHTTPEachByItsWholeURL() async throws {
    stub.on("*", png())
    let loader = loader()
    for url: HTTPURL in ["https://one.test/a?v=1", "https://one.test/a?v=2", "https://two.test/a?v=1"] {
      for _ in 0..<2 {
        _ = try await reason { () throws(APIError) in try await loader.image(at: url, size: size) }
      }
    }
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testWhatIsNoImageIsNotStored() async throws {
    stub.on(
      "*", .bytes(Array("<html>".utf8), contentType: "text/html", headers: ["Cache-Control": "max-age=60"]))
    let loader = loader()
    for _ in 0..<2 {
      let reason = try await reason { () throws(APIError) in
        try await loader.image(at: "https://one.test/a", size: size)
      }
      XCTAssertEqual(reason, .malformedBody)
    }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testSecretsOfASignedURLAreMaskedInTheRecord() async throws {
    stub.on("*", png())
    let loader = loader()
    _ = try await reason { () throws(APIError) in
      try await loader.image(at: "https://one.test/masked?X-Amz-Signature=hunter2&w=3", size: size)
    }
    let record = try XCTUnwrap(
      FlightLog.shared.records.last { $0.parameters["url"]?.string?.contains("/masked") == true })
    XCTAssertFalse("\(record) \(record.parameters)".contains("hunter2"), "\(record.parameters)")
    XCTAssertTrue("\(record.parameters)".contains("w=3"), "\(record.parameters)")
  }

  func testParametersNeedALoaderOverAManager() async throws {
    let loader = loader()
    let reason = try await reason { () throws(APIError) in
      try await loader.image(for: ["id": 1], size: size)
    }
    XCTAssertEqual(reason, .misconfigured)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testALoaderOverAManagerLoadsByItsParametersAndKeepsIt() async throws {
    stub.on("/api/photos/7", .bytes(PNG.head(640, 480), contentType: "image/png"))
    var manager: TestManager? = TestManager(TestService(stub))
    manager?.apiName = "photos/{id}"
    manager?.expectation = .image
    let loader = ImageLoader(over: try XCTUnwrap(manager))
    manager = nil
    let reason = try await reason { () throws(APIError) in
      try await loader.image(for: ["id": 7], size: size, fills: false)
    }
    XCTAssertEqual(reason, undecoded)
    XCTAssertEqual(stub.requests.map(\.url.string), ["https://homes.test/api/photos/7"])
  }

  func testAnImageWithoutASizeIsRefusedByName() async throws {
    let loader = loader()
    let reason = try await reason { () throws(APIError) in
      try await loader.image(at: "https://one.test/a", size: ImageHead.Size(width: 0, height: 80))
    }
    XCTAssertEqual(reason, .misconfigured)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAPictureCostsFourBytesForEachPixel() async throws {
    XCTAssertEqual(ImageLoader.defaultMaximumBytes, 96 << 20)
    ImageLoader.shared.removeAll()
    XCTAssertEqual(ImageLoader.shared.pipeline.keptBytes, 0)
    XCTAssertEqual(ImageLoader.bytes(of: size), 32_000)
  }
}
