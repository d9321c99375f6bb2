import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A manager with a cache, over a stub, with a clock that is moved by hand: what the policies are tested with.
@MainActor class CachePolicyCase: XCTestCase {
  let stub = StubTransport()
  let time = ManualTime()
  lazy var cache = ResponseCache(time: time)
  lazy var manager = makeManager()

  func makeManager(_ policy: CachePolicy = .fresh()) -> TestManager {
    var service = TestService(stub)
    service.store = cache
    let manager = TestManager(service)
    manager.cachePolicy = policy
    return manager
  }

  func script(_ responses: StubResponse...) {
    for response in responses.reversed() where responses.count == 1 { stub.on("/api/list", response) }
    switch responses.count {
    case 2: stub.on("/api/list", responses[0], responses[1])
    case 3: stub.on("/api/list", responses[0], responses[1], responses[2])
    default: break
    }
  }

  var asked: Int { stub.requests.count }

  func lands(_ parameters: Parameters = [:], cache use: CacheUse = .asPolicy) async throws
    -> APIResponse
  {
    try await manager.response(parameters, cache: use)
  }

  /// The error that a load fails with.
  func fails(_ parameters: Parameters = [:], line: UInt = #line) async -> APIError? {
    do {
      let response = try await manager.response(parameters)
      XCTFail("it landed with \(response.provenance)", line: line)
      return nil
    } catch {
      return error
    }
  }
}

func XCTAssertEqualProvenance(
  _ response: APIResponse, _ provenance: Provenance, file: StaticString = #filePath, line: UInt = #line
) {
  XCTAssertEqual(response.provenance, provenance, file: file, line: line)
}

/// A delegate that tells previews from landings.
@MainActor final class PreviewViewer: APIManagerDelegate {
  private(set) var previews: [APIResponse] = []
  private(set) var landings: [APIResponse] = []
  private(set) var errors: [APIError] = []
  var onPreview: () -> Void = {}
  private var waiter: CheckedContinuation<Void, Never>?

  func waitForLanding() async {
    if landings.isEmpty, errors.isEmpty { await withCheckedContinuation { waiter = $0 } }
  }

  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
    previews.append(response)
    onPreview()
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    landings.append(response)
    waiter?.resume()
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    errors.append(error)
    waiter?.resume()
  }
}
