import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What has ended in a queue lands in the format that its manager expects, whatever content type the server states.
@MainActor final class LandingFormatTests: TransferQueueCase {
  func testAnUploadOfAQueueLandsInTheFormatOfItsManager() async throws {
    let server = try ScriptedServer.serving { _ in
      ScriptedServer.response(200, ["Content-Type": "text/x-plan"], text: #"{"id": 42}"#)
    }
    defer { server.stop() }
    let service = try service(server)
    let (queue, log) = (queue(service, knows: false), ResponseLog())
    let manager = PlanUploads(service)
    manager.delegate = log
    queue.register(PlanUploads.self) { PlanUploads(service) }
    queue.attach(manager)
    try await queue.enqueue(manager, uploading: .bytes([1]))
    queue.start()
    await queue.finish()
    XCTAssertEqual(log.ids, [42])
  }

  func testALoadOfAnOutboxLandsInTheFormatOfItsManagerAfterARelaunch() async throws {
    let stub = StubTransport(.bytes(Array(#"{"id": 42}"#.utf8), contentType: "text/x-plan"))
    let (service, log) = (TestService(stub), ResponseLog())
    var configuration = OutboxConfiguration(folder: path("outbox"))
    configuration.network = network
    for launch in 0..<2 {
      let outbox = Outbox(configuration, time: time, boot: "one")
      outbox.register(PlanLoads.self) { PlanLoads(service) }
      let manager = PlanLoads(service)
      manager.delegate = log
      if launch == 0 {
        try await outbox.enqueue(manager)
      } else {
        outbox.attach(manager)
      }
      outbox.start()
      await outbox.finish()
      if launch == 1 { await waitUntil { !log.ids.isEmpty } }
      await outbox.stop()
    }
    XCTAssertEqual(log.ids, [42])
    XCTAssertEqual(stub.requests.count, 1)
  }
}

private final class PlanUploads: BaseUploadManager, UploadManager {
  let service: TestService
  let apiName = "plans"
  let expectation = ResponseExpectation(format: .decoder(JSONBodyDecoder()))
  init(_ service: TestService) { self.service = service }
}

private final class PlanLoads: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "plans"
  let method = HTTPMethod.post
  let isQueued = true
  let expectation = ResponseExpectation(format: .decoder(JSONBodyDecoder()))
  init(_ service: TestService) { self.service = service }
}

/// Notes the ids in the responses that land.
@MainActor private final class ResponseLog: APIManagerDelegate, UploadManagerDelegate {
  var ids: [Int?] = []

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    ids.append(response.raw.id.int)
  }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) { XCTFail("\(error)") }
  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) {
    ids.append(response.raw.id.int)
  }
  func manager(_ manager: BaseUploadManager, didFailWith error: APIError) { XCTFail("\(error)") }
}
