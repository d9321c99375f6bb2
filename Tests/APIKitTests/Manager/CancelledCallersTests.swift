import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The tasks of callers that await something are cancelled: before it begins, while it waits, and when it is over.
@MainActor final class CancelledCallersTests: XCTestCase {
  func testAKeptLoadWhoseTaskWasCancelledBeforeIsNotSent() async throws {
    let transport = HandTransport()
    let manager = TestManager(TestService(HTTPClient(transport: transport), TestService.homes))
    let kept = KeptLoad(
      .post, "list", parameters: [:], body: nil, headers: HTTPHeaders(), environment: .release)
    let task = Task { await manager.send(kept) }
    task.cancel()
    guard case .failure(let error) = await task.value else { return XCTFail("a cancelled load succeeded") }
    XCTAssertEqual(error.reason, .cancelled)
    XCTAssertEqual(transport.starts.count, 0)
  }

  private struct Call {
    let name: String
    let reason: APIError.Reason?
    let run: @MainActor () async throws -> Void
  }

  private func calls(_ stub: StubTransport, _ server: ScriptedServer) throws -> [Call] {
    let url = try server.url("/")
    let manager = TestManager(stub)
    let gated = TestManager(stub)
    gated.service.networkGate = .wait(upTo: .seconds(60))
    gated.service.network.force(.offline)
    let signed = TestManager(stub)
    (signed.service.authenticator, signed.signIn) = (Authenticator(), .required)
    let queued = TestManager(stub)
    queued.takeoffPolicy = .queue
    queued.load()
    let debounced = TestManager(stub)
    debounced.takeoffPolicy = .debounce(.seconds(60))
    let hooked = TestManager(StubTransport(.status(500)))
    hooked.service.onError = { _ in
      // Ignores the cancellation of its task.
      await Task { try? await Task.sleep(for: .seconds(20)) }.value
      return .letThrough
    }
    let retrying = TestManager(StubTransport(.status(503)))
    retrying.service.retryPolicy = RetryPolicy(attempts: 3)
    retrying.service.retryPolicy.backoff = .constant(.seconds(60))
    var service = TestService(HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(url))
    let resolver = StuckResolver()
    service.hosts = HostPool(
      "127.0.0.1", addresses: [], source: .resolver(resolver), measuringInterval: nil)
    let pooled = TestManager(service)
    let (gate, time) = (StubGate(), ManualTime())
    let transport = DefaultTransport.shared
    return [
      Call(name: "response", reason: .cancelled) { _ = try await manager.response() },
      Call(name: "cache", reason: .cancelled) { _ = try await manager.response([:], cache: .ignoring) },
      Call(name: "responses", reason: .cancelled) { for try await _ in manager.responses([:]) {} },
      Call(name: "gate", reason: .cancelled) { _ = try await gated.response() },
      Call(name: "sign-in", reason: .cancelled) { _ = try await signed.response() },
      Call(name: "queue", reason: .cancelled) { _ = try await queued.response() },
      Call(name: "debounce", reason: .cancelled) { _ = try await debounced.response() },
      Call(name: "hook", reason: .cancelled) { _ = try await hooked.response() },
      Call(name: "retry", reason: .cancelled) { _ = try await retrying.response() },
      Call(name: "pool", reason: .cancelled) { _ = try await pooled.response() },
      Call(name: "measure", reason: nil) { _ = try await service.measureHosts() },
      Call(name: "send", reason: .cancelled) { _ = try await transport.send(HTTPRequest(url: url)) },
      Call(name: "arrivals", reason: .totalTimeout) { try await gate.waitForArrivals(1) },
      Call(name: "requests", reason: .totalTimeout) { _ = try await stub.waitForRequests(1000) },
      Call(name: "advance", reason: .totalTimeout) {
        try await time.advance(by: .seconds(1), whenAsleep: 99)
      },
      Call(name: "sleep", reason: nil) { try? await time.sleep(for: .seconds(1)) },
    ]
  }

  func testACancelledCallerIsLetGoAtOnce() async throws {
    let latch = Latch()
    let server = try ScriptedServer(.readRequest, .wait(latch), .close)
    defer { server.stop() }
    for delay in [-1, 0, 5, 60] {
      let stub = StubTransport(.json(someJSON))
      stub.hold()
      for call in try calls(stub, server) {
        let name = "\(call.name) after \(delay) ms"
        let ended = Record<APIError.Reason?>()
        let task = Task {
          if delay < 0 { withUnsafeCurrentTask { $0?.cancel() } }
          do {
            try await call.run()
            ended.add(nil)
          } catch {
            ended.add((error as? APIError)?.reason)
          }
        }
        if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
        let start = ContinuousClock.now
        task.cancel()
        await waitUntil { !ended.all.isEmpty }
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(1), name)
        XCTAssertEqual(ended.all, [call.reason], name)
      }
      stub.release()
    }
    latch.open()
  }
}

/// Never returns, and ignores the cancellation of its task.
private struct StuckResolver: HostResolver {
  func resolve(_ name: String) async throws -> HostResolution {
    await Task { try? await Task.sleep(for: .seconds(20)) }.value
    return HostResolution([], timeToLive: .zero)
  }
}
