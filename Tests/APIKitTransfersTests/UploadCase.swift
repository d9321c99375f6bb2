import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Tests of uploads against servers on loopback, with a folder of their own.
@MainActor class UploadCase: XCTestCase {
  lazy var folder = temporaryFolder()

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func manager(_ url: HTTPURL, attempts: Int = 1) -> SendingManager {
    var service = TestService(HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(url))
    service.retryPolicy = RetryPolicy(attempts: attempts)
    service.retryPolicy.backoff = .constant(.zero)
    return SendingManager(service)
  }

  /// A stream of these chunks that can be read once; counts how often it is opened.
  func stream(
    _ chunks: [[UInt8]], length: Int64? = nil, isReplayable: Bool = false, opened: Counter = Counter()
  ) -> HTTPBody {
    .stream(
      HTTPBodyStream(length: length, isReplayable: isReplayable) {
        opened.increment()
        let rest = Mutex(chunks[...])
        return { rest.withLock { $0.popFirst() } }
      })
  }
}

@MainActor final class SendingManager: BaseUploadManager, UploadManager {
  var service: TestService
  var apiName = "files"
  var uploadProtocol = UploadProtocol.plain
  var expectsContinue = false
  let expectation = ResponseExpectation(format: .bytes)
  var policy: RetryPolicy?

  init(_ service: TestService) { self.service = service }

  var retryPolicy: RetryPolicy { policy ?? service.retryPolicy }
}

@MainActor final class UploadDelegate: UploadManagerDelegate {
  var story: [String] = []
  var progress: [TransferProgress] = []
  var cancelled: [FlightID] = []

  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) {
    story.append("finished \(response.status)")
  }
  func manager(_ manager: BaseUploadManager, didFailWith error: APIError) {
    story.append("failed \(error.reason)")
  }
  func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) {
    self.progress.append(progress)
  }
  func manager(_ manager: BaseUploadManager, didPauseAt sent: Int64) { story.append("paused at \(sent)") }
  func manager(_ manager: BaseUploadManager, didCancel flight: FlightID, because reason: CancellationReason) {
    story.append("cancelled \(reason)")
    cancelled.append(flight)
  }
}
