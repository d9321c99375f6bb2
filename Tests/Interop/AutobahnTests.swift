#if os(Linux)
  import APIKit
  import APIKitSockets
  import Foundation
  import XCTest

  private struct Suite: APIService {
    let name = "Suite"
    let environments: ServiceEnvironments
    let client: HTTPClient
    var wire: WireOptions { WireOptions(client: client) }
  }

  private final class CaseSocket: BaseSocketManager, SocketManager {
    let service: Suite
    let apiName = "case/{number}"

    init(_ service: Suite) { self.service = service }
  }

  /// Sends every message back, until the case is over.
  @MainActor private final class Echo: SocketManagerDelegate {
    var done: CheckedContinuation<Void, Never>?
    private var waiting: [SocketMessage] = []
    private var sending: Task<Void, Never>?

    func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {}
    func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) {
      waiting.append(message)
      guard sending == nil else { return }
      // The server may read slower than it writes: what has no room waits, in order.
      sending = Task {
        while !waiting.isEmpty {
          do { try await manager.sendWhenPossible(waiting.removeFirst()) } catch { break }
        }
        sending = nil
      }
    }
    func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
      done?.resume()
      done = nil
    }
  }

  private final class SuiteManager: BaseAPIManager, APIManager {
    let service: Suite
    let apiName: String

    init(_ service: Suite, _ apiName: String) {
      self.service = service
      self.apiName = apiName
      super.init()
    }
  }

  /// The cases of the Autobahn test suite, with the default options of a socket; run by `Scripts/oracles/autobahn`.
  @MainActor final class AutobahnTests: XCTestCase {
    func testNoCaseFails() async throws {
      guard let url = ProcessInfo.processInfo.environment["APIKIT_AUTOBAHN_URL"] else {
        throw XCTSkip("run by Scripts/oracles/autobahn")
      }
      let suite = Suite(
        environments: ServiceEnvironments(try HTTPURL(url)),
        client: HTTPClient(transport: try CurlTransport()))
      let count = try await SuiteManager(suite, "count").response().raw.int ?? 0
      XCTAssertGreaterThan(count, 500)
      for number in 1...max(1, count) {
        let socket = CaseSocket(suite)
        let echo = Echo()
        socket.delegate = echo
        await withCheckedContinuation { done in
          echo.done = done
          socket.open(["number": number])
        }
      }
      let report = try await SuiteManager(suite, "report").response().raw
      XCTAssertEqual(report.count, count)
      var counts: [String: Int] = [:]
      for one in report.elements {
        let (behavior, close) = (one.behavior.string ?? "", one.behaviorClose.string ?? "")
        counts[behavior, default: 0] += 1
        // NON-STRICT: what came before a violation, in the same piece, was not sent back any more.
        XCTAssertTrue(
          ["OK", "NON-STRICT", "INFORMATIONAL"].contains(behavior)
            && ["OK", "INFORMATIONAL"].contains(close),
          "case \(one.id.string ?? "?"): \(behavior), closing \(close): \(one.result.string ?? "")")
      }
      print(
        "autobahn: \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
      )
    }
  }
#endif
