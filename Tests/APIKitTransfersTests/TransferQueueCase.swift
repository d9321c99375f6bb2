import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Tests of the queue of transfers, with a folder, a clock and a network of their own.
@MainActor class TransferQueueCase: XCTestCase {
  lazy var folder = temporaryFolder().path
  let time = ManualTime()
  let network = NetworkMonitor(watchesSystem: false)
  var queues: [TransferQueue] = []

  override func tearDown() async throws { queues = [] }

  func path(_ name: String) -> String { "\(folder)/\(name)" }
  func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map(Array.init)
  }

  func service(_ server: ScriptedServer) throws -> TestService {
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    service.retryPolicy = .never
    return service
  }

  func queue(
    _ service: TestService, knows: Bool = true, carrier: (any TransferCarrier)? = nil,
    _ change: (inout TransferQueueConfiguration) -> Void = { _ in }
  ) -> TransferQueue {
    var configuration = TransferQueueConfiguration(folder: path("queue"))
    configuration.network = network
    configuration.backoff = .constant(.seconds(10))
    configuration.sessionIdentifier = nil
    change(&configuration)
    let queue = TransferQueue(configuration, time: time, boot: "one", carrier: carrier)
    if knows {
      queue.register(KeptDownloads.self) { KeptDownloads(service) }
      let journals = path("journals")
      queue.register(KeptUploads.self) { KeptUploads(service) }
      queue.register(KeptTusUploads.self) { KeptTusUploads(service, journals) }
    }
    queues.append(queue)
    // Before its folder is removed.
    addTeardownBlock { [weak queue] in await queue?.stop() }
    return queue
  }

  func turn(
    by step: Duration = .seconds(1), until isTrue: @MainActor () async throws -> Bool
  ) async throws {
    for _ in 0..<2000 {
      if try await isTrue() { return }
      time.advance(by: step)
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTFail("the condition did not come true")
  }
}

final class KeptDownloads: BaseDownloadManager, DownloadManager {
  let service: TestService
  let apiName = "files"
  init(_ service: TestService) { self.service = service }
}

final class KeptUploads: BaseUploadManager, UploadManager {
  let service: TestService
  let apiName = "plans"
  let expectation = ResponseExpectation(format: .bytes)
  init(_ service: TestService) { self.service = service }
}

final class KeptTusUploads: BaseUploadManager, UploadManager {
  let service: TestService
  let apiName = "tus"
  let expectation = ResponseExpectation(format: .bytes)
  var partBytes: Int64? = 100_000
  private let journals: String

  init(_ service: TestService, _ journals: String) {
    self.service = service
    self.journals = journals
  }

  var uploadProtocol: UploadProtocol {
    var options = TusOptions()
    options.journalFolder = journals
    options.partBytes = partBytes
    return .tus(options)
  }
}

@MainActor final class TransferRecorder: DownloadManagerDelegate, TransferQueueDelegate {
  var story: [String] = []

  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {
    story.append("finished \(file.path)")
  }
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {
    story.append("failed \(error.reason)")
  }
  func transferQueue(
    _ queue: TransferQueue, didEnd transfer: TransferID, _ result: Result<TransferEnd, APIError>
  ) {
    switch result {
    case .success(.downloaded(let file)): story.append("\(transfer) downloaded \(file.count)")
    case .success(.uploaded(let response)): story.append("\(transfer) uploaded \(response.status)")
    case .failure(let error): story.append("\(transfer) failed \(error.reason)")
    }
  }
}
