import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The path as a whole: on which thread each part runs, and that a load lands once.
@MainActor final class FlightPathTests: XCTestCase {
  private let sites = Record<Site>()

  private func makeManager(
    _ transport: any HTTPTransport, _ change: (inout TestService) -> Void = { _ in }
  ) -> TestManager {
    var service = TestService(StubTransport())
    service.client = HTTPClient(transport: transport)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = SharedState()
    return manager
  }

  // MARK: Threads of the framework

  func testALoadThatWaitsForNothingNeedsNoTask() async throws {
    let tasks = Record<Int?>()
    let transport = HandTransport.responding { _ in .json() }
    let manager = makeManager(transport)
    let sites = sites
    manager.expectation.format = .decoder(
      SiteDecoder(sites, runsInline: true) { tasks.add(withUnsafeCurrentTask { $0?.hashValue }) })
    let recorder = Recorder()
    recorder.onSuccess = { _ in sites.add(.current) }
    manager.delegate = recorder
    manager.load()
    XCTAssertEqual(transport.starts.map(\.site), [.main], "before `load` has returned")
    XCTAssertEqual(
      transport.starts.map(\.task), [withUnsafeCurrentTask { $0?.hashValue }], "in the caller's task")
    XCTAssertEqual(recorder.landingCount, 0)
    await recorder.waitForLandings()
    XCTAssertEqual(sites.all, [.transport, .main], "decoded there, landed here")
    XCTAssertEqual(tasks.all, [nil])
    XCTAssertEqual(manager.rawData["total"].int, 1)
  }

  func testABodyAbove64KiBIsNotDecodedOnTheTransportsThread() async throws {
    for (count, site) in [(64 << 10, Site.transport), (64 << 10 + 1, .other)] {
      let sites = Record<Site>()
      let transport = HandTransport.responding { _ in
        HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 32, count: count)))
      }
      let manager = makeManager(transport)
      manager.expectation.format = .decoder(SiteDecoder(sites, runsInline: true))
      _ = try await manager.response()
      XCTAssertEqual(sites.all, [site], "\(count) bytes")
    }
  }

  func testLargeParametersAreNotAssembledOnTheMainThread() async throws {
    let cases: [(Parameters, Site)] = [
      (["city": "Suzhou"], .main),
      (["list": (0..<64).map { $0 }], .main),
      (["list": (0..<2000).map { $0 }], .other),
      (["text": String(repeating: "a", count: 8 << 10)], .main),
      (["text": String(repeating: "a", count: 16 << 10)], .other),
      (Parameters((0..<65).map { ("p\($0)", .integer($0)) }), .main),
      (Parameters((0..<2000).map { ("p\($0)", .integer($0)) }), .other),
    ]
    for (index, (parameters, site)) in cases.enumerated() {
      let sites = Record<Site>()
      let manager = makeManager(HandTransport.responding { _ in .json() })
      manager.method = .post
      manager.parameterEncoding = .body(SiteEncoder(sites: sites, runsInline: true))
      _ = try await manager.response(parameters)
      XCTAssertEqual(sites.all, [site], "case \(index)")
    }
  }

  func testALargeBodyIsNotSignedOnTheMainThread() async throws {
    for (count, site) in [(64 << 10, Site.main), (64 << 10 + 1, .other)] {
      let sites = Record<Site>()
      let manager = makeManager(HandTransport.responding { _ in .json() }) {
        $0.signer = SiteSigner(sites: sites, runsInline: true)
      }
      manager.method = .put
      manager.body = .bytes([UInt8](repeating: 1, count: count))
      _ = try await manager.response()
      XCTAssertEqual(sites.all, [site], "\(count) bytes")
    }
  }

  // MARK: Threads of the application's code

  func testTheApplicationsSignerRunsOnNeitherThreadNotEvenForARedirect() async throws {
    let sites = sites
    let transport = HandTransport.responding { request in
      guard request.url.path == "/api/list" else { return .json() }
      return HTTPResponse(status: 302, headers: ["Location": "/api/moved"])
    }
    let manager = makeManager(transport) { $0.signer = SiteSigner(sites: sites, runsInline: false) }
    _ = try await manager.response()
    XCTAssertEqual(sites.all, [.other, .other])
  }

  func testTheApplicationsEncoderAndDecoderRunOnNeitherThread() async throws {
    let manager = makeManager(HandTransport.responding { _ in .json() })
    manager.method = .post
    manager.parameterEncoding = .body(SiteEncoder(sites: sites, runsInline: false))
    _ = try await manager.response(["a": 1])
    XCTAssertEqual(sites.all, [.other])
    manager.parameterEncoding = .automatic
    manager.expectation.format = .decoder(SiteDecoder(sites, runsInline: false))
    _ = try await manager.response()
    XCTAssertEqual(sites.all, [.other, .other])
  }

  func testTheServicesCipherRunsOnNeitherThread() async throws {
    let sites = sites
    let manager = makeManager(HandTransport.responding { _ in .json() }) {
      $0.transform = { bytes in
        sites.add(.current)
        return bytes
      }
    }
    manager.method = .post
    _ = try await manager.response(["a": 1])
    XCTAssertEqual(sites.all, [.other, .other], "on the way out and on the way in")
  }

  func testTheServicesBusinessRuleRunsOnNeitherThread() async throws {
    for status in [200, 404] {
      let sites = Record<Site>()
      let manager = makeManager(HandTransport.responding { _ in .json(status: status) }) {
        $0.findBusinessError = { _ in
          sites.add(.current)
          return BusinessError(code: "7", message: "no")
        }
      }
      _ = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(sites.all, [.other], "status \(status)")
    }
  }

  func testTheServicesErrorHookRunsOnNeitherThread() async throws {
    let sites = sites
    let manager = makeManager(HandTransport.responding { _ in .json(status: 500) }) {
      $0.onError = { _ in
        sites.add(.current)
        return .letThrough
      }
    }
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(sites.all, [.other])
  }

  // MARK: Unusual transports

  func testATransportThatCompletesBeforeItReturnsLandsTheLoadOnceAndAfterLoad() async throws {
    let transport = HandTransport { _, complete in complete(.success(.json())) }
    let manager = makeManager(transport)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    XCTAssertEqual(transport.starts.count, 1)
    XCTAssertEqual(recorder.landingCount, 0, "not before `load` has returned")
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("delegate") }, ["delegate.success"])
    XCTAssertFalse(manager.isLoading)
  }

  func testATransportThatFollowsRedirectsAndFailsBeforeItReturnsLandsTheLoadOnce() async throws {
    let transport = HandTransport { request, complete in
      guard request.url.path == "/api/list" else {
        return complete(.failure(APIError(.transport, .connectionLost)))
      }
      complete(.success(HTTPResponse(status: 302, headers: ["Location": "/api/moved"])))
    }
    let manager = makeManager(transport)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    XCTAssertEqual(transport.starts.map(\.request.url.path), ["/api/list", "/api/moved"])
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.errors.map(\.reason), [.connectionLost])
    XCTAssertEqual(recorder.landingCount, 1)
  }

  func testAResponseThatComesAfterTheCancellationDoesNotLand() async throws {
    let transport = HandTransport()
    let manager = makeManager(transport)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    manager.cancel()
    XCTAssertEqual(transport.cancellations.value, 1)
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.byCaller])
    let complete = try XCTUnwrap(transport.starts.first).completion
    await Site.onTransport { complete(.success(.json())) }
    await landingsWorkedOff()
    XCTAssertEqual(recorder.landingCount, 1)
    XCTAssertNil(manager.lastResponse)
  }

  func testATransportThatCompletesACancelledExchangeTwiceLandsTheLoadOnce() async throws {
    let transport = HandTransport()
    let manager = makeManager(transport)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    manager.cancel()
    let complete = try XCTUnwrap(transport.starts.first).completion
    await Site.onTransport { complete(.failure(APIError(.transport, .cancelled))) }
    await landingsWorkedOff()
    await Site.onTransport { complete(.success(.json())) }
    await landingsWorkedOff()
    XCTAssertEqual(recorder.landingCount, 1)
    XCTAssertNil(manager.lastResponse)
  }

  func testAResponseThatComesAfterTheManagerIsGoneLandsNowhere() async throws {
    for outlives in [false, true] {
      let transport = HandTransport()
      let recorder = Recorder()
      var manager: TestManager? = makeManager(transport)
      manager?.outlivesRelease = outlives
      manager?.delegate = recorder
      manager?.load()
      weak let gone = manager
      manager = nil
      XCTAssertNil(gone)
      XCTAssertEqual(transport.cancellations.value, outlives ? 0 : 1)
      let complete = try XCTUnwrap(transport.starts.first).completion
      await Site.onTransport { complete(.success(.json())) }
      await landingsWorkedOff()
      XCTAssertEqual(recorder.landingCount, 0)
    }
  }
}

/// A decoder that says where it runs.
private struct SiteDecoder: BodyDecoder {
  let sites: Record<Site>
  let runsInline: Bool
  let onDecode: @Sendable () -> Void

  init(_ sites: Record<Site>, runsInline: Bool, _ onDecode: @escaping @Sendable () -> Void = {}) {
    self.sites = sites
    self.runsInline = runsInline
    self.onDecode = onDecode
  }

  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
    sites.add(.current)
    onDecode()
    return ["total": 1]
  }
}

/// An encoder that says where it runs.
private struct SiteEncoder: BodyEncoder {
  let contentType = "application/json"
  let sites: Record<Site>
  let runsInline: Bool

  func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    sites.add(.current)
    return Array("{}".utf8)
  }
}

/// A signer that says where it runs.
private struct SiteSigner: RequestSigner {
  let sites: Record<Site>
  let runsInline: Bool

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    sites.add(.current)
  }
}
